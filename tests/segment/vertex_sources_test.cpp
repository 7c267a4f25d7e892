// The vertex sources of the library give the vertices that they were made of, and lists on them the fit.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <iso/segment/vertex_sources.cuh>

#include "catch.hpp"
#include "listed_row.hpp"
#include "reference/families.hpp"

namespace {

using namespace segment_test;

// A row's vertices in slots, relative to their chunks.
template <class Sums>
struct slots {
  std::vector<Sums> start, at;
  std::vector<std::uint16_t> element;
  iso::slot_vertices<Sums> source;

  template <class Row>
  explicit slots(const Row& row) {
    const int capacity = static_cast<int>(row.chunk_elements) + 1;
    for (std::int64_t c = 0; c < row.chunks; ++c) {
      start.push_back(row.before[static_cast<std::size_t>(c * row.chunk_elements)]);
      for (const auto& p : row.hulls[static_cast<std::size_t>(c)]) {
        at.push_back(p.at);
        at.back().s -= start.back().s;
        at.back().w -= start.back().w;
        element.push_back(static_cast<std::uint16_t>(p.element - c * row.chunk_elements));
      }
      at.resize(static_cast<std::size_t>((c + 1) * capacity), Sums::zero());
      element.resize(at.size());
    }
    source = {row.chunk_elements, capacity, start.data(), at.data(), element.data()};
  }
};

constexpr int lanes = 4, lane_elements = 8;

// A row's vertices as bits, one lane of 8 elements a word.
template <class T, bool Weighted, class Sums>
struct bits_of_row {
  std::vector<std::uint32_t> bits;
  std::vector<Sums> start;
  iso::bit_vertices<T, Weighted, Sums, lanes, lane_elements> source;

  template <class Row>
  explicit bits_of_row(const Row& row) : bits(static_cast<std::size_t>(row.chunks * lanes)) {
    for (const auto& hull : row.hulls) {
      for (std::size_t v = 0; v + 1 < hull.size(); ++v) {
        const auto k = static_cast<std::size_t>(hull[v].element);
        bits[k / lane_elements] |= std::uint32_t{1} << k % lane_elements;
      }
    }
    for (std::int64_t k = 0; k < row.length; k += lane_elements) {
      start.push_back(row.before[static_cast<std::size_t>(k)]);
    }
    start.push_back(row.before.back());
    const auto& p = row.problem;
    source = {row.length, p.y.data(), p.w.data(), row.on, bits.data(), start.data()};
  }
};

template <class Row, class Source>
void check_vertices(const Row& row, const Source& source) {
  for (std::size_t c = 0; c < row.hulls.size(); ++c) {
    for (std::size_t v = 0; v < row.hulls[c].size(); ++v) {
      const auto got = source.vertex(static_cast<std::int64_t>(c), static_cast<int>(v));
      REQUIRE(got.element == row.hulls[c][v].element);
      auto difference = got.at;
      difference.s -= row.hulls[c][v].at.s;
      difference.w -= row.hulls[c][v].at.w;
      REQUIRE((difference.s.is_zero() && difference.w.is_zero()));
    }
  }
}

template <class T, class Row, class Source>
void check_source(const Row& row, const Source& source) {
  check_vertices(row, source);
  owned_lists lists(row);
  const segment_list root = merged(source, lists);
  if (!root.empty()) check_fit<T>(row, source, root);
}

template <class T, bool Weighted>
int check_family(std::string_view values, std::string_view weights, std::uint64_t seed) {
  using sums = iso::large_sums<T, Weighted>;
  const std::size_t n = 1 + reference::random_source(seed).below(300);
  INFO(values << " / " << weights << ", n = " << n << ", seed " << seed);
  auto p = reference::row(reference::values<T>(values, n, seed));
  p.weighted = Weighted;
  if (Weighted) p.w = reference::weights<T>(weights, n, seed);
  using row_type = listed_row<T, Weighted, sums>;
  if (!row_type::fits(p)) return 0;
  const row_type row(p, lanes * lane_elements);
  const slots<sums> in_slots(row);
  const bits_of_row<T, Weighted, sums> in_bits(row);
  check_source<T>(row, in_slots.source);
  check_source<T>(row, in_bits.source);
  for (std::size_t c = 0; c < row.hulls.size(); ++c) {
    CHECK(in_bits.source.vertices(static_cast<std::int64_t>(c)) == static_cast<int>(row.hulls[c].size()));
  }
  return 1;
}

}  // namespace

TEMPLATE_TEST_CASE("vertices in slots and as bits are the chunks' own, and give the fit", "", float, double) {
  std::uint64_t seed = 0;
  int rows = 0;
  for (const auto values : reference::value_families) {
    for (int k = 0; k < 8; ++k) rows += check_family<TestType, false>(values, "", ++seed);
    for (const auto weights : reference::weight_families) {
      rows += check_family<TestType, true>(values, weights, ++seed);
    }
  }
  CHECK(rows > 250);
}
