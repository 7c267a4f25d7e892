// Records of a CSV stream; see csv.hpp.
#include "csv.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "error.hpp"

namespace app {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;
// A record longer than this is taken for a file that is not CSV, rather than read into memory.
constexpr std::size_t longest_record = std::size_t{64} << 20;

std::string system_message(int code) {
  return std::generic_category().message(code);
}

}  // namespace

csv_reader::csv_reader(const std::string& path) : name_(path == "-" ? "<stdin>" : path) {
  if (path == "-") {
    file_.reset(stdin);
  } else {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw user_error(name_ + ": is a folder");
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) throw user_error(name_ + ": cannot be opened: " + system_message(errno));
    std::error_code no_size;
    const auto size = std::filesystem::file_size(path, no_size);
    if (!no_size) bytes_total_ = size;
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // blocks are large enough, a second buffer would only copy
  buffer_.resize(block);
  while (end_ < 3 && fill()) {
  }
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with("\xEF\xBB\xBF")) begin_ = 3;
  if (start.starts_with("\x1F\x8B")) fail(1, "is compressed with gzip; unpack it first");
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) fail(1, "is UTF-16; save it as UTF-8");
}

void csv_reader::fail(std::int64_t line, const std::string& reason) const {
  throw user_error(name_ + ":" + std::to_string(line) + ": " + reason);
}

bool csv_reader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (end_ > longest_record) fail(next_line_, "the line is longer than 64 MiB");
    buffer_.resize(buffer_.size() * 2);
  }
  errno = 0;
  const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
  if (got == 0 && std::ferror(file_.get()))
    throw user_error(name_ + ": cannot be read: " + system_message(errno));
  at_end_ = got == 0 || std::feof(file_.get());
  end_ += got;
  bytes_read_ += got;
  return got > 0;
}

std::size_t csv_reader::find_record_end() {
  quotes_ = false;
  bool inside = false;       // inside a quoted field
  std::size_t scanned = 0;   // bytes of the record whose quotation marks have been counted
  std::size_t searched = 0;  // bytes in which the end of the line is known not to be
  for (;;) {
    const char* record = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    const void* newline = searched < size ? std::memchr(record + searched, '\n', size - searched) : nullptr;
    const std::size_t line_end =
        newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - record) : size;
    while (const void* mark = std::memchr(record + scanned, '"', line_end - scanned)) {
      quotes_ = true;
      inside = !inside;
      scanned = static_cast<std::size_t>(static_cast<const char*>(mark) - record) + 1;
      if (scanned == line_end) break;
    }
    scanned = line_end;
    if (newline) {
      ++next_line_;
      if (!inside) return begin_ + line_end;
      searched = scanned = line_end + 1;
    } else {
      searched = size;
      if (fill()) continue;
      if (inside) fail(line_, "a quotation mark is never closed");
      if (size > 0) ++next_line_;
      return begin_ + size;
    }
  }
}

bool csv_reader::next() {
  for (;;) {
    if (begin_ == end_ && !fill()) return false;
    line_ = next_line_;
    const std::size_t stop = find_record_end();
    std::string_view record(buffer_.data() + begin_, stop - begin_);
    begin_ = stop < end_ ? stop + 1 : end_;
    if (record.ends_with('\r')) record.remove_suffix(1);
    if (record.empty()) continue;
    if (quotes_)
      split_quoted(record);
    else
      split_plain(record);
    return true;
  }
}

void csv_reader::split_plain(std::string_view record) {
  fields_.clear();
  for (;;) {
    const std::size_t comma = record.find(',');
    fields_.push_back(record.substr(0, comma));
    if (comma == std::string_view::npos) return;
    record.remove_prefix(comma + 1);
  }
}

void csv_reader::split_quoted(std::string_view record) {
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(record.size());  // the views into it stay valid
  std::size_t at = 0;
  for (;;) {
    if (at < record.size() && record[at] == '"') {
      const std::size_t first = unquoted_.size();
      for (++at; at < record.size(); ++at) {
        if (record[at] == '"') {
          if (at + 1 == record.size() || record[at + 1] != '"') break;
          ++at;  // two marks stand for one
        }
        unquoted_.push_back(record[at]);
      }
      ++at;
      if (at < record.size() && record[at] != ',') fail("text follows a closing quotation mark");
      fields_.push_back(std::string_view(unquoted_).substr(first));
    } else {
      const std::size_t comma = (std::min)(record.find(',', at), record.size());
      fields_.push_back(record.substr(at, comma - at));
      if (fields_.back().find('"') != std::string_view::npos)
        fail("a quotation mark stands inside a field that is not quoted");
      at = comma;
    }
    if (at >= record.size()) return;
    ++at;  // the comma; at the end of the record an empty field follows it
  }
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace app
