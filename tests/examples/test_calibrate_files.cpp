// The command line of `calibrate` and the files it writes.
#include <filesystem>
#include <string>
#include <vector>

#include "../catch.hpp"
#include "program.hpp"

using namespace examples;

namespace {

const char* const two_rows = "score,label\n0.25,0\n0.75,1\n";

}  // namespace

TEST_CASE("calibrate: --help names every option, --version the version") {
  const sandbox box;
  const outcome help = box.run("--help");
  CHECK(help.code == 0);
  for (const char* option :
       {"--score", "--label", "--weight", "--segment ", "--test", "--per-segment", "--decreasing", "--folds",
        "--threads", "--bins", "--segments", "--curve", "--out", "--svg", "--title", "--help", "--version"}) {
    INFO(option);
    CHECK(help.out.find(option) != std::string::npos);
  }
  for (const std::string& line : lines_of(help.out)) CHECK(line.size() <= 84);
  CHECK(box.run("-h").out == help.out);
  const outcome version = box.run("--version");
  CHECK(version.code == 0);
  CHECK(version.out.starts_with("calibrate "));
  CHECK(split(version.out, '.').size() == 3);
}

TEST_CASE("calibrate: mistakes of the command line stop with exit code 2") {
  const sandbox box;
  box.write("in.csv", two_rows);
  for (const char* arguments :
       {"--nonsense in.csv", "in.csv in.csv", "--bins 0 in.csv", "--bins 1.5 in.csv", "--bins in.csv",
        "--folds 0 in.csv", "--threads -1 in.csv", "--segments x in.csv", "in.csv --out", "--out= in.csv",
        "--per-segment=yes in.csv", "in.csv --version=3", "--test - -", "missing.csv", ".",
        "--test missing.csv in.csv", "-- --help"}) {
    INFO(arguments);
    const outcome r = box.run(arguments, two_rows);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(lines_of(r.err).size() == 1);
  }
  CHECK(box.files() == std::vector<std::string>{"in.csv"});
}

TEST_CASE("calibrate: an output that cannot be written stops with exit code 2, and no other output is left") {
  const sandbox box;
  box.write("in.csv", two_rows);
  std::filesystem::create_directory(box.path("folder"));
  for (const char* arguments : {"--svg nowhere/p.svg", "--svg folder", "--svg o.csv", "--svg ./o.csv",
                                "--svg in.csv", "--svg /dev/full", "--svg in.csv/p.svg"}) {
    INFO(arguments);
    const outcome r = box.run(std::string("in.csv --out o.csv --curve c.csv ") + arguments);
    INFO(r.err);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(lines_of(r.err).size() == 1);
    CHECK(box.files() == std::vector<std::string>{"folder", "in.csv"});
  }
  CHECK(box.read("in.csv") == two_rows);
  CHECK(box.run("in.csv --out o.csv > /dev/full 2> /dev/null || exit $?; :").code == 2);
  CHECK(!box.has("o.csv"));
}

TEST_CASE("calibrate: outputs replace what was there, through links, and keep permissions") {
  namespace fs = std::filesystem;
  const sandbox box;
  box.write("in.csv", two_rows);
  box.write("target.csv", "older and much longer than what will replace it, by any measure of length\n");
  fs::permissions(box.path("target.csv"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target.csv", box.path("link.csv"));
  REQUIRE(box.run("--out link.csv in.csv").code == 0);
  CHECK(fs::is_symlink(box.path("link.csv")));
  CHECK(lines_of(box.read("target.csv")).size() == 3);
  CHECK(fs::status(box.path("target.csv")).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(box.files() == std::vector<std::string>{"in.csv", "link.csv", "target.csv"});
  const outcome piped = box.run("--out /dev/stdout --folds 1 in.csv");
  CHECK(piped.out.find("calibrated\n0\n1\n") != std::string::npos);
}

TEST_CASE("calibrate: pictures are well-formed whatever the names, rows and options") {
  const sandbox box;
  struct picture {
    const char* what;
    std::string options, text;
  };
  std::string skewed = "score,label\n", many = "score,label,segment\n";
  for (int i = 0; i < 500; ++i) {
    const int noise = i * 7919 % 500;
    skewed += "0.0" + std::to_string(1000 + i) + (noise < 5 ? ",1\n" : ",0\n");
    many += "0." + std::to_string(100 + i) + (noise < i ? ",1,s" : ",0,s") + std::to_string(i % 20) + "\n";
  }
  const std::vector<picture> pictures = {
      {"two rows", "", two_rows},
      {"one row", "--folds 1", "score,label\n0.5,1\n"},
      {"markup in the title", "--title '<\"A&B\">'", two_rows},
      {"bytes that are no UTF-8", "--title \"$(printf 'a\\377\\001\\355\\240\\200b')\"", two_rows},
      {"markup in segments", "--per-segment",
       "score,label,segment\n0.1,0,<&\n0.2,1,<&\n0.3,1,\"\"\"\"\n0.4,0,\"\"\"\"\n"},
      {"one score", "", "score,label\n0,0\n0,0\n0,0\n"},
      {"infinite scores", "--folds 1", "score,label\n-inf,0\ninf,1\n"},
      {"vast scores", "", "score,label\n-1e308,0\n1e308,1\n0,1\n"},
      {"vast scores close together", "", "score,label\n1e17,0\n100000000000000016,1\n"},
      {"all small", "", skewed},
      {"many segments", "--per-segment", many},
      {"decreasing", "--decreasing", many},
  };
  for (const picture& p : pictures) {
    INFO(p.what);
    const outcome r = box.run("--svg p.svg " + p.options, p.text);
    INFO(r.err);
    REQUIRE(r.code == 0);
    const std::string svg = box.read("p.svg");
    CHECK(xml_fault(svg) == "");
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf,") == std::string::npos);
    CHECK(count_elements(svg, "polyline") >= 1);
  }
  box.run("--svg skewed.svg", skewed);
  CHECK(box.read("skewed.svg").find(">1.0</text>") == std::string::npos);  // the axes end near the scores
}
