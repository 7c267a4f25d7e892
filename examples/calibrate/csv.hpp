// Records of a CSV stream, read in large blocks: quoted fields, LF or CRLF, a byte order mark at the start.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Reads one file or standard input, record by record.
//
//   csv_reader in("scores.csv");
//   while (in.next()) use(in.fields());
//
// Every mistake is a user_error whose message names the file and, where there is one, the line.
class csv_reader {
 public:
  // "-" is standard input.
  explicit csv_reader(const std::string& path);

  // Moves to the next record that is not a blank line; false at the end.
  bool next();

  // The fields of the record; they live until the next call of next().
  const std::vector<std::string_view>& fields() const noexcept { return fields_; }
  // The line the record begins at, from 1.
  std::int64_t line() const noexcept { return line_; }
  // The lines read in all.
  std::int64_t lines() const noexcept { return next_line_ - 1; }
  const std::string& name() const noexcept { return name_; }
  // Bytes read so far, and in all (0 if unknown).
  std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  std::uint64_t bytes_total() const noexcept { return bytes_total_; }

  // Stops with "file:line: reason".
  [[noreturn]] void fail(const std::string& reason) const { fail(line_, reason); }
  [[noreturn]] void fail(std::int64_t line, const std::string& reason) const;

 private:
  // Brings more bytes into the buffer; false if there are none.
  bool fill();
  // One past the record that begins at begin_, without its line end; npos if the file ends before.
  std::size_t find_record_end();
  void split_plain(std::string_view record);
  void split_quoted(std::string_view record);

  struct closer {
    void operator()(std::FILE* file) const noexcept {
      if (file != stdin) std::fclose(file);
    }
  };

  std::string name_;
  std::unique_ptr<std::FILE, closer> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the bytes of the buffer that are not consumed yet
  bool at_end_ = false;
  bool quotes_ = false;  // whether the record has a quotation mark
  std::int64_t line_ = 1, next_line_ = 1;
  std::uint64_t bytes_read_ = 0, bytes_total_ = 0;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // the text of quoted fields, which differs from the file's
};

// A field as CSV: quoted if it has to be.
std::string csv_field(std::string_view text);

}  // namespace app
