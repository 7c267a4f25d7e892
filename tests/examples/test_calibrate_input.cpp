// What `calibrate` accepts, and how it refuses the rest: file, line and reason, exit code 2, nothing written.
#include <string>
#include <vector>

#include "../catch.hpp"
#include "program.hpp"

using namespace examples;

namespace {

struct mistake {
  const char* what;
  std::string text;
  int line;
  const char* reason;
  const char* options = "";
};

const std::vector<mistake>& mistakes() {
  static const std::vector<mistake> all = {
      {"empty file", "", 1, "empty"},
      {"a byte order mark and no more", "\xEF\xBB\xBF", 1, "empty"},
      {"header only", "score,label\n", 1, "no rows"},
      {"no score", "label,p\n1,0.5\n", 1, "no column is named 'score'"},
      {"no label", "score,y\n1,0.5\n", 1, "no column is named 'label'"},
      {"no weight where one is named", "score,label\n1,0.5\n", 1, "no column is named 'w'", "--weight w"},
      {"no segment for --per-segment", "score,label\n1,0.5\n0,1\n", 1, "segments", "--per-segment"},
      {"two scores", "score,label,score\n1,0,1\n", 1, "two columns are named 'score'"},
      {"text for a score", "score,label\n0.1,1\nhigh,0\n", 3, "the score 'high' is not a number"},
      {"text for a label", "score,label\n0.1,yes\n", 2, "the label 'yes' is not a number"},
      {"text for a weight", "score,label,weight\n0.1,1,much\n", 2, "the weight 'much' is not a number"},
      {"a number with something after it", "score,label\n0.1x,1\n", 2, "not a number"},
      {"hexadecimal", "score,label\n0x10,1\n", 2, "not a number"},
      {"empty score", "score,label\n,1\n", 2, "the score is empty"},
      {"empty label after a blank line", "score,label\n0.5,1\n\n0.5,\n", 4, "the label is empty"},
      {"label above 1", "score,label\n0.5,1\n0.5,1.5\n", 3, "the label '1.5' is outside 0..1"},
      {"label below 0", "score,label\n0.5,-1\n", 2, "the label '-1' is outside 0..1"},
      {"infinite label", "score,label\n0.5,inf\n", 2, "outside 0..1"},
      {"NaN score", "score,label\n0.5,1\nNaN,0\n", 3, "the score is NaN"},
      {"NaN label", "score,label\n0.5,nan\n", 2, "the label is NaN"},
      {"NaN weight", "score,label,weight\n0.5,1,nan\n", 2, "the weight is NaN"},
      {"negative weight", "score,label,weight\n0.5,1,1\n0.5,0,-0.5\n", 3, "the weight '-0.5' is negative"},
      {"infinite weight", "score,label,weight\n0.5,1,inf\n", 2, "the weight is infinite"},
      {"no weight at all", "score,label,weight\n0.5,1,0\n0.5,0,0\n", 3, "all weights are zero"},
      {"a score beyond double", "score,label\n1e999,1\n", 2, "beyond the range"},
      {"too few fields", "score,label\n0.5,1\n0.5\n", 3, "1 field where the header has 2"},
      {"too many fields", "score,label\n0.5,1,1\n", 2, "3 fields where the header has 2"},
      {"a quotation mark not closed", "score,label\n0.5,1\n\"0.5,1\n0.5,0\n", 3, "never closed"},
      {"text after a closing mark", "score,label\n\"0.5\"0,1\n", 2, "follows a closing"},
      {"a mark inside a field", "score,label,name\n0.5,1,5\" nail\n0.5,1,6\" nail\n", 2, "inside a field"},
      {"a line after a quoted line break", "score,label,segment\n0.5,1,\"a\nb\"\n0.5,2,c\n", 4,
       "outside 0..1"},
      {"gzip", "\x1F\x8B\x08", 1, "gzip"},
      {"UTF-16", std::string("\xFF\xFEs\0c\0", 6), 1, "UTF-16"},
      {"one row to cross-fit", "score,label\n0.5,1\n", 2, "cannot be cross-fitted"},
      {"weight in one fold only", "score,label,weight\n0.5,1,0\n0.4,1,1\n", 3, "too few rows have weight"},
  };
  return all;
}

}  // namespace

TEST_CASE("calibrate: bad input stops with file, line and reason, and leaves no file") {
  const sandbox box;
  for (const mistake& m : mistakes()) {
    INFO(m.what);
    box.write("bad.csv", m.text);
    const outcome r = box.run(std::string("--curve c.csv --out o.csv --svg p.svg bad.csv ") + m.options);
    INFO(r.err);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(r.err.starts_with("bad.csv:" + std::to_string(m.line) + ": "));
    CHECK(r.err.find(m.reason) != std::string::npos);
    CHECK(lines_of(r.err).size() == 1);
    CHECK(box.files() == std::vector<std::string>{"bad.csv"});
  }
}

TEST_CASE("calibrate: bad input leaves older output files as they were") {
  const sandbox box;
  box.write("bad.csv", "score,label\n0.5,7\n");
  box.write("o.csv", "older");
  CHECK(box.run("--out o.csv bad.csv").code == 2);
  CHECK(box.read("o.csv") == "older");
}

TEST_CASE("calibrate: a mistake in the test file or in standard input is named as such") {
  const sandbox box;
  box.write("good.csv", "score,label\n0.5,1\n0.4,0\n");
  box.write("bad.csv", "score,label\n0.5,1\n0.4,2\n");
  CHECK(box.run("--test bad.csv good.csv").err.starts_with("bad.csv:3: "));
  const outcome r = box.run("-", "score,label\n0.5,1\n0.4,2\n");
  CHECK(r.code == 2);
  CHECK(r.err.starts_with("<stdin>:3: "));
}

TEST_CASE("calibrate: the same rows in any clothes give the same files") {
  const sandbox box;
  const std::string options = "--per-segment --curve c.csv --out o.csv ";
  box.write("plain.csv",
            "score,label,weight,segment\n0.5,1,2,a\n0.25,0,1,\"b,\"\"c\"\"\"\n0.75,0.5,1,a\n0.1,1,1,a\n");
  REQUIRE(box.run(options + "plain.csv").code == 0);
  const std::string curve = box.read("c.csv"), out = box.read("o.csv");
  CHECK(curve.find("0.25,0,\"b,\"\"c\"\"\"\n") != std::string::npos);
  CHECK(lines_of(out).size() == 5);

  struct dress {
    const char* name;
    std::string text, options;
  };
  const std::vector<dress> dresses = {
      {"CRLF, no line end at the end",
       "score,label,weight,segment\r\n0.5,1,2,a\r\n0.25,0,1,\"b,\"\"c\"\"\"\r\n0.75,0.5,1,a\r\n0.1,1,1,a",
       ""},
      {"byte order mark, quoted header",
       "\xEF\xBB\xBF\"score\",\"label\",weight,segment\n0.5,1,2,a\n0.25,0,1,\"b,\"\"c\"\"\"\n0.75,0.5,1,a\n0."
       "1,1,1,a\n",
       ""},
      {"every field quoted",
       "\"score\",\"label\",\"weight\",\"segment\"\n\"0.5\",\"1\",\"2\",\"a\"\n\"0.25\",\"0\",\"1\",\"b,"
       "\"\"c\"\"\"\n"
       "\"0.75\",\"0.5\",\"1\",\"a\"\n\"0.1\",\"1\",\"1\",\"a\"\n",
       ""},
      {"other order, spaces, signs, exponents, blank lines, a column nobody needs",
       "\nid,segment, weight ,label,score\n1,a,+2,1, "
       "5e-1\n\n\n\"2\",\"b,\"\"c\"\"\",1,-0,.25\n3,a,1e0,.5,+0.75\n\"4\n\",a,1,1,0.10\n\n",
       ""},
      {"other names", "p,y,w,g\n0.5,1,2,a\n0.25,0,1,\"b,\"\"c\"\"\"\n0.75,0.5,1,a\n0.1,1,1,a\n",
       "--score p --label=y --weight w --segment=g "},
  };
  for (const dress& d : dresses) {
    INFO(d.name);
    const outcome r = box.run(options + d.options, d.text);
    INFO(r.err);
    CHECK(r.code == 0);
    CHECK(box.read("c.csv") == curve);
    CHECK(box.read("o.csv") == out);
  }
}

TEST_CASE("calibrate: records longer than one read are read whole") {
  const sandbox box;
  const std::string wide(3 << 20, 'x');
  const outcome r = box.run("--folds 1 --out o.csv", "score,label,note\n0.5,1,\"" + wide + "\n" + wide +
                                                         "\"\n0.25,0," + wide + "\n0.75,0.5,\n");
  CHECK(r.err == "");
  REQUIRE(r.code == 0);
  CHECK(box.read("o.csv") == "calibrated\n0.75\n0\n0.75\n");
}

TEST_CASE("calibrate: numbers are written so that they read back the same") {
  const sandbox box;
  REQUIRE(box.run("--folds 1 --curve c.csv",
                  "score,label\n5e-324,0.1\n0.1,0.30000000000000004\n0.30000000000000004,0.7\n1e-400,0\n")
              .code == 0);
  CHECK(box.read("c.csv") ==
        "score,value\n0,0\n5e-324,0.1\n0.1,0.30000000000000004\n0.30000000000000004,0.7\n");
}
