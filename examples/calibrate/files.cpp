// Text and output files; see files.hpp.
#include "files.hpp"

#include <cerrno>
#include <charconv>
#include <random>
#include <system_error>

#include "error.hpp"

namespace app {
namespace fs = std::filesystem;

void append_number(std::string& text, double value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end);
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string fixed(double value, int digits) {
  char text[400];  // a double has up to 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

namespace {

// The length of the UTF-8 character that `text` begins with, 0 if it is malformed or not allowed in XML.
std::size_t xml_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const std::uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < least || code > 0x10FFFF || surrogate || code == 0xFFFE || code == 0xFFFF ? 0 : length;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = xml_character(text);
    const std::string_view one = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(one.size());
    if (length == 0)
      out += "\xEF\xBF\xBD";  // the replacement character
    else if (one == "&")
      out += "&amp;";
    else if (one == "<")
      out += "&lt;";
    else if (one == ">")
      out += "&gt;";
    else if (one == "\"")
      out += "&quot;";
    else
      out += one;
  }
  return out;
}

staged_file::staged_file(const std::string& path) : path_(path), target_(path) {
  std::error_code ignored;
  if (fs::is_symlink(target_, ignored)) {
    // The file that the link names is replaced, not the link.
    const fs::path resolved = fs::canonical(target_, ignored);
    if (!ignored) target_ = resolved;
  }
  const fs::file_status old = fs::status(target_, ignored);
  if (fs::exists(old) && !fs::is_regular_file(old)) {
    file_.reset(std::fopen(target_.string().c_str(), "wb"));
    if (!file_) fail(errno);
    return;
  }
  std::random_device random;
  for (int attempt = 0; attempt < 100 && !file_; ++attempt) {
    staging_ = target_;
    staging_.replace_filename(std::string(".")
                                  .append(target_.filename().string())
                                  .append(".")
                                  .append(std::to_string(random()))
                                  .append(".partial"));
    file_.reset(std::fopen(staging_.string().c_str(), "wbx"));
    if (!file_ && errno != EEXIST) fail(errno);
  }
  if (!file_) fail(EEXIST);
  if (fs::exists(old)) fs::permissions(staging_, old.permissions(), ignored);
}

staged_file::~staged_file() {
  file_.reset();
  std::error_code ignored;
  if (!staging_.empty()) fs::remove(staging_, ignored);
}

void staged_file::fail(int code) const {
  throw user_error(path_ + ": cannot be written: " + std::generic_category().message(code));
}

void staged_file::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(errno);
}

void staged_file::close() {
  if (std::fclose(file_.release()) != 0) fail(errno);
}

void staged_file::commit() {
  if (staging_.empty()) return;
  std::error_code error;
  fs::rename(staging_, target_, error);
  if (error) fail(error.value());
  staging_.clear();
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  auto same = [](const std::string& a, const std::string& b) {
    std::error_code ignored;
    auto resolved = [](const std::string& path) {
      std::error_code failed;
      return fs::weakly_canonical(fs::absolute(path, failed), failed);
    };
    return fs::equivalent(a, b, ignored) || resolved(a) == resolved(b);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& path = outputs[i];
    if (path.empty()) continue;
    std::error_code ignored;
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
    if (fs::is_directory(path, ignored)) throw user_error(path + ": cannot be written: it is a folder");
    if (!fs::is_directory(folder, ignored))
      throw user_error(path + ": cannot be written: there is no folder " + folder.string());
    for (const std::string& input : inputs)
      if (input != "-" && same(path, input) && fs::is_regular_file(path, ignored))
        throw user_error(path + ": is an input, and would be overwritten");
    for (std::size_t j = 0; j < i; ++j)
      if (!outputs[j].empty() && same(path, outputs[j]) &&
          (!fs::exists(path, ignored) || fs::is_regular_file(path, ignored)))
        throw user_error(path + ": is named for two outputs");
  }
}

}  // namespace app
