// The numbers that `calibrate` prints and the curve it writes.
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "../catch.hpp"
#include "program.hpp"

using namespace examples;

namespace {

// By hand, with three bins. Before: predictions 0.15, 0.45, 0.85 against 0, 1/2, 1; squares 0.95 / 6. After a
// fit to these rows: 0, 0, 1/2, 1/2, 1, 1, which is right on average; squares 0.5 / 6, logarithms 2 log(2)
// / 6.
const char* const by_hand =
    "score,label\n"
    "0.8,1\n"
    "0.1,0\n"
    "0.3,1\n"
    "0.2,0\n"
    "0.6,0\n"
    "0.9,1\n";

void check_line(const std::vector<double>& got, const std::vector<double>& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("number " << i << ": " << got[i] << ", wanted " << wanted[i]);
    CHECK(std::abs(got[i] - wanted[i]) <= 0.5000001e-5);
  }
}

}  // namespace

TEST_CASE("calibrate: the metrics are those of a hand-computed example") {
  const sandbox box;
  box.write("six.csv", by_hand);
  const outcome r = box.run("--folds 1 --bins 3 --curve curve.csv --out out.csv six.csv");
  REQUIRE(r.code == 0);
  CHECK(r.err.empty());
  const double log_loss = -(2 * std::log(0.9) + 2 * std::log(0.8) + std::log(0.3) + std::log(0.4)) / 6;
  check_line(table_line(r.out, "all"),
             {6, 0.5, 0.35 / 3, 0, 0.95 / 6, 0.5 / 6, log_loss, 2 * std::log(2.0) / 6});
  CHECK(r.out.find("flatters") != std::string::npos);
  CHECK(box.read("curve.csv") == "score,value\n0.1,0\n0.2,0\n0.3,0.5\n0.6,0.5\n0.8,1\n0.9,1\n");
  CHECK(box.read("out.csv") == "calibrated\n1\n0\n0.5\n0\n0.5\n1\n");
}

TEST_CASE("calibrate: a weight equals a repeat count, and a row of weight 0 has no say") {
  const sandbox box;
  const outcome weighted = box.run("--folds 1 --bins 4 --curve w.csv",
                                   "weight,score,label\n3,0.2,0\n1,0.4,1\n0,0.4,0\n2,0.5,0.25\n2,0.7,1\n");
  const outcome repeated = box.run("--folds 1 --bins 4 --curve r.csv",
                                   "score,label\n.2,0\n.2,0\n.2,0\n.4,1\n.5,.25\n.5,.25\n.7,1\n.7,1\n");
  REQUIRE(weighted.code == 0);
  REQUIRE(repeated.code == 0);
  std::vector<double> a = table_line(weighted.out, "all"), b = table_line(repeated.out, "all");
  REQUIRE(a.size() == 8);
  CHECK(a[0] == 5);
  CHECK(b[0] == 8);
  a[0] = b[0] = 0;
  CHECK(a == b);
  CHECK(box.read("w.csv") == box.read("r.csv"));
  CHECK(box.read("w.csv") == "score,value\n0.2,0\n0.4,0.5\n0.5,0.5\n0.7,1\n");
}

TEST_CASE("calibrate: cross-fitted numbers are worse than in-sample ones where labels are noise") {
  const sandbox box;
  std::string text = "score,label\n";
  unsigned state = 1;
  auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < 400; ++i)
    text += "0." + std::to_string(100000 + random() % 900000) + "," + std::to_string(random() % 2) + "\n";
  box.write("noise.csv", text);
  const auto flattered = table_line(box.run("--folds 1 noise.csv").out, "all");
  const auto honest = table_line(box.run("noise.csv").out, "all");
  REQUIRE(flattered.size() == 8);
  REQUIRE(honest.size() == 8);
  CHECK(flattered[3] < 1e-5);  // the ECE of a curve on its own rows is zero
  CHECK(honest[3] > 0.005);
  CHECK(flattered[5] < 0.25);  // a curve that learnt noise seems better than a coin
  CHECK(honest[5] > flattered[5]);
}

TEST_CASE("calibrate: --test judges on the other file, by the curve of the first") {
  const sandbox box;
  box.write("fit.csv", "score,label,segment\n0,0,a\n1,0.5,a\n0,0.25,b\n1,1,b\n");
  box.write("new.csv", "segment,label,score\nb,1,0.5\na,0,0.5\nunknown,1,1\n");
  const outcome one = box.run("--test new.csv --out one.csv fit.csv");
  REQUIRE(one.code == 0);
  CHECK(box.read("one.csv") == "calibrated\n0.4375\n0.4375\n0.75\n");
  CHECK(one.out.find("judged on new.csv") != std::string::npos);
  CHECK(table_line(one.out, "all").at(0) == 3);
  CHECK(table_line(one.out, "unknown").at(0) == 1);
  CHECK(std::abs(table_line(one.out, "unknown").at(5) - 0.0625) < 1e-9);

  const outcome each = box.run("--per-segment --test new.csv --out each.csv --curve curve.csv fit.csv");
  REQUIRE(each.code == 0);
  CHECK(box.read("each.csv") ==
        "calibrated\n0.625\n0.25\n0.75\n");  // an unknown segment: the curve of all rows
  CHECK(box.read("curve.csv") == "score,value,segment\n0,0,a\n1,0.5,a\n0,0.25,b\n1,1,b\n");
}

TEST_CASE("calibrate: scores that are no probabilities have no numbers before") {
  const sandbox box;
  const outcome r = box.run("--decreasing --curve c.csv --svg p.svg",
                            "score,label\n-inf,1\n-2.5,1\n0,0\n3,1\n1e300,0\ninf,0\n");
  REQUIRE(r.code == 0);
  const auto all = table_line(r.out, "all");
  REQUIRE(all.size() == 8);
  for (const int before : {2, 4, 6}) CHECK(std::isnan(all[static_cast<std::size_t>(before)]));
  for (const int after : {3, 5, 7}) CHECK(std::isfinite(all[static_cast<std::size_t>(after)]));
  CHECK(r.out.find("scores run from -inf to inf") != std::string::npos);
  CHECK(box.read("c.csv") == "score,value\n-inf,1\n-2.5,1\n0,0.5\n3,0.5\n1e+300,0\ninf,0\n");
  CHECK(xml_fault(box.read("p.svg")) == "");
}

TEST_CASE("calibrate: a smaller number of lines and a segment without weight") {
  const sandbox box;
  box.write(
      "s.csv",
      "score,label,weight,segment\n0.1,0,1,x\n0.2,1,1,x\n0.3,1,1,x\n0.1,1,1,y\n0.4,0,1,y\n0.5,1,0,dead\n");
  const outcome all = box.run("--per-segment --curve c.csv s.csv");
  REQUIRE(all.code == 0);
  const auto dead = table_line(all.out, "dead");
  REQUIRE(dead.size() == 8);
  for (std::size_t i = 1; i < 8; ++i) CHECK(std::isnan(dead[i]));
  CHECK(box.read("c.csv").find(",dead\n") != std::string::npos);
  const outcome few = box.run("--segments 1 s.csv");
  CHECK(table_line(few.out, "x").size() == 8);
  CHECK(table_line(few.out, "y").empty());
  CHECK(few.out.find("Not shown: 2 smaller segments") != std::string::npos);
}

TEST_CASE("calibrate: real flights") {
  const sandbox box;
  const std::string data = "'" FLIGHTS_CSV "'";
  const outcome r = box.run("--curve curve.csv --out out.csv --svg picture.svg " + data);
  REQUIRE(r.code == 0);
  CHECK(r.err.empty());
  const auto all = table_line(r.out, "all");
  REQUIRE(all.size() == 8);
  // Base rate, Brier score and log-loss of the scores as scikit-learn 1.9 gives them.
  check_line({all[0], all[1], all[4], all[6]}, {60000, 0.200767, 0.1569601, 0.4903739});
  CHECK(all[2] > 0.05);  // far from calibrated before,
  CHECK(all[3] < 0.01);  // and not after
  CHECK(all[5] < 0.149);
  CHECK(all[7] < 0.47);
  double rows = 0;
  for (const char* origin : {"EWR", "JFK", "LGA"}) {
    const auto line = table_line(r.out, origin);
    REQUIRE(line.size() == 8);
    rows += line[0];
    CHECK(line[3] < line[2]);
    CHECK(line[5] < line[4]);
    CHECK(line[7] < line[6]);
  }
  CHECK(rows == 60000);

  const auto knots = lines_of(box.read("curve.csv"));
  REQUIRE(knots.size() > 20);
  CHECK(knots[0] == "score,value");
  double score = -1, value = 0;
  for (std::size_t i = 1; i < knots.size(); ++i) {
    const auto fields = split(knots[i], ',');
    REQUIRE(fields.size() == 2);
    CHECK(std::stod(fields[0]) > score);
    CHECK(std::stod(fields[1]) >= value);
    score = std::stod(fields[0]), value = std::stod(fields[1]);
  }
  CHECK(value <= 1);
  CHECK(lines_of(box.read("out.csv")).size() == 60001);

  const std::string picture = box.read("picture.svg");
  CHECK(xml_fault(picture) == "");
  CHECK(count_elements(picture, "polyline") == 1);
  CHECK(count_elements(picture, "circle") >= 2 * 12 + 2);  // the bins of both panels, and two in the legend
  CHECK(picture.find("Reliability of flights.csv") != std::string::npos);
  CHECK(picture.find("60,000 rows") != std::string::npos);

  const outcome again = box.run("--threads 1 --curve curve1.csv --out out1.csv --svg picture1.svg " + data);
  REQUIRE(again.code == 0);
  CHECK(box.read("curve1.csv") == box.read("curve.csv"));
  CHECK(box.read("out1.csv") == box.read("out.csv"));
  CHECK(box.read("picture1.svg") == picture);
}

TEST_CASE("calibrate: a million rows take seconds") {
  const sandbox box;
  std::string text = "score,label\n";
  unsigned long long state = 7;
  for (int i = 0; i < 1'000'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double score = static_cast<double>(state >> 40) / 16777216.0;
    text += std::to_string(score) +
            (static_cast<double>(state >> 20 & 0xFFFF) < score * score * 65536 ? ",1\n" : ",0\n");
  }
  box.write("million.csv", text);
  const auto start = std::chrono::steady_clock::now();
  const outcome r = box.run("--out out.csv million.csv");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  REQUIRE(r.code == 0);
  CHECK(table_line(r.out, "all").at(0) == 1'000'000);
  CHECK(table_line(r.out, "all").at(3) < 0.005);
  CHECK(lines_of(box.read("out.csv")).size() == 1'000'001);
  CHECK(taken.count() < 90);  // 2 s by itself; the rest is for sanitizers and a busy machine
}
