// Running the program; see program.hpp.
#include "program.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>

namespace examples {
namespace fs = std::filesystem;
namespace {

constexpr const char* log_out = ".stdout";
constexpr const char* log_err = ".stderr";
constexpr const char* log_in = ".stdin";

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == ':' || c == '.';
}

// Text and attribute values: no bare < or &, only references to the predefined entities.
std::string text_fault(std::string_view text) {
  if (text.find('<') != std::string_view::npos) return "a bare <";
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const std::string_view rest = text.substr(at);
    const bool known = rest.starts_with("&amp;") || rest.starts_with("&lt;") || rest.starts_with("&gt;") ||
                       rest.starts_with("&quot;") || rest.starts_with("&apos;");
    if (!known) return "a bare &";
  }
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return "a control character";
  return {};
}

std::string attributes_fault(std::string_view text) {
  while (!text.empty()) {
    if (text[0] != ' ') return "no space before an attribute";
    text.remove_prefix((std::min)(text.find_first_not_of(' '), text.size()));
    if (text.empty()) break;
    std::size_t name = 0;
    while (name < text.size() && is_name(text[name])) ++name;
    if (name == 0 || text.substr(name, 2) != "=\"") return "an attribute without a quoted value";
    text.remove_prefix(name + 2);
    const std::size_t end = text.find('"');
    if (end == std::string_view::npos) return "an attribute that does not end";
    if (std::string fault = text_fault(text.substr(0, end)); !fault.empty()) return fault;
    text.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

sandbox::sandbox() {
  std::random_device random;
  do {
    folder_ = fs::temp_directory_path() / ("iso-calibrate-" + std::to_string(random()));
  } while (!fs::create_directory(folder_));
}

sandbox::~sandbox() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void sandbox::write(const std::string& name, std::string_view text) const {
  std::ofstream file(folder_ / name, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + name);
}

std::string sandbox::read(const std::string& name) const {
  std::ifstream file(folder_ / name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool sandbox::has(const std::string& name) const {
  return fs::exists(folder_ / name);
}

std::vector<std::string> sandbox::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name != log_out && name != log_err && name != log_in) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

outcome sandbox::run(const std::string& arguments, std::string_view input) const {
  write(log_in, input);
  const std::string command = "cd '" + folder_.string() + "' && '" CALIBRATE_PROGRAM "' " + arguments +
                              " < " + log_in + " > " + log_out + " 2> " + log_err;
  const int status = std::system(command.c_str());
  outcome result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  result.out = read(log_out);
  result.err = read(log_err);
  return result;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> lines_of(const std::string& text) {
  return split(text, '\n');
}

std::vector<double> table_line(const std::string& report, const std::string& name) {
  for (const std::string& line : lines_of(report)) {
    if (!line.starts_with(name + " ")) continue;
    std::istringstream in(line.substr(name.size()));
    std::vector<double> numbers;
    for (std::string word; in >> word;) {
      word.erase(std::remove(word.begin(), word.end(), ','), word.end());
      numbers.push_back(word == "-" ? std::numeric_limits<double>::quiet_NaN() : std::stod(word));
    }
    if (numbers.size() == 8) return numbers;
  }
  return {};
}

std::string xml_fault(std::string_view text) {
  std::vector<std::string_view> open;
  bool root_seen = false;
  while (!text.empty()) {
    const std::size_t tag = (std::min)(text.find('<'), text.size());
    const std::string_view between = text.substr(0, tag);
    if (std::string fault = text_fault(between); !fault.empty()) return fault;
    if (open.empty() && between.find_first_not_of(" \n") != std::string_view::npos)
      return "text outside the root";
    if (tag == text.size()) break;
    const std::size_t end = text.find('>', tag);
    if (end == std::string_view::npos) return "a tag that does not end";
    std::string_view inside = text.substr(tag + 1, end - tag - 1);
    text.remove_prefix(end + 1);
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1))
        return std::string(inside.substr(1)).append(" ends without having begun");
      open.pop_back();
      continue;
    }
    const bool whole = inside.ends_with('/');
    if (whole) inside.remove_suffix(1);
    std::size_t name = 0;
    while (name < inside.size() && is_name(inside[name])) ++name;
    if (name == 0) return "a tag without a name";
    if (std::string fault = attributes_fault(inside.substr(name)); !fault.empty()) return fault;
    if (open.empty() && root_seen) return "a second root";
    root_seen = true;
    if (!whole) open.push_back(inside.substr(0, name));
  }
  if (!open.empty()) return std::string(open.back()).append(" is not closed");
  return root_seen ? "" : "no element";
}

int count_elements(const std::string& text, const std::string& name) {
  int count = 0;
  const std::string tag = std::string("<").append(name);
  for (std::size_t at = text.find(tag); at != std::string::npos; at = text.find(tag, at + 1))
    count += !is_name(text[at + tag.size()]);
  return count;
}

}  // namespace examples
