// Runs the program `calibrate` in a folder of its own and looks at what it leaves there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

struct outcome {
  int code = -1;  // exit code, -1 if the program was ended by a signal
  std::string out, err;
};

// A folder that is made for one test and removed after it.
class sandbox {
 public:
  sandbox();
  ~sandbox();
  sandbox(const sandbox&) = delete;
  sandbox& operator=(const sandbox&) = delete;

  void write(const std::string& name, std::string_view text) const;
  std::string read(const std::string& name) const;
  bool has(const std::string& name) const;
  // The names of all files, hidden ones too, sorted; those in which runs are logged excepted.
  std::vector<std::string> files() const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Runs `calibrate` here with these arguments, which a shell reads; `input` is its standard input.
  outcome run(const std::string& arguments, std::string_view input = {}) const;

 private:
  std::filesystem::path folder_;
};

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> split(const std::string& line, char separator);

// The numbers of the line of the report's table that begins with `name`: rows, base rate, then before and
// after of the ECE, the Brier score and the log-loss. "-" reads as NaN. Empty if there is no such line.
std::vector<double> table_line(const std::string& report, const std::string& name);

// Why `text` is not well-formed XML; empty if it is. Elements, attributes, references and nesting are
// checked.
std::string xml_fault(std::string_view text);
// How many elements of this name begin in `text`.
int count_elements(const std::string& text, const std::string& name);

}  // namespace examples
