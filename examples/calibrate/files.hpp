// Text for people and for files, and output files that are written whole or not at all.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Appends the shortest text that reads back as `value`.
void append_number(std::string& text, double value);
// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value);
// Fixed-point text with `digits` digits after the point.
std::string fixed(double value, int digits);

// Text inside XML: escaped, and with what XML cannot hold replaced.
std::string xml_text(std::string_view text);

// A file that comes into being under another name in the same folder. commit() gives it its own name; without
// it nothing is left behind. Something that is not a regular file (a pipe, /dev/stdout) is written directly.
// Failures are user_errors.
class staged_file {
 public:
  explicit staged_file(const std::string& path);
  ~staged_file();
  staged_file(const staged_file&) = delete;
  staged_file& operator=(const staged_file&) = delete;

  void write(std::string_view text);
  // Ends writing; after it only commit() can fail.
  void close();
  void commit();

 private:
  [[noreturn]] void fail(int code) const;

  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::string path_;                        // as the user wrote it
  std::filesystem::path target_, staging_;  // staging_ is empty where the target is written directly
  std::unique_ptr<std::FILE, closer> file_;
};

// Stops early if an output cannot come into being: its folder is missing, it is a folder, or it is one of the
// inputs or another output. Empty paths are skipped.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace app
