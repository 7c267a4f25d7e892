// Convex chains of vertices, for the tests of bridges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <iso/numeric/sums.hpp>
#include <iso/segment/records.cuh>

namespace segment_test {

using chain_sums = iso::numeric::sums<2, 1>;
using chain_vertex = iso::point<chain_sums>;
using iso::numeric::integer;

struct edge {
  chain_sums by;
  bool operator<(const edge& other) const { return !iso::mean_not_less(by, other.by); }
};

// Edges of strictly increasing slope: sums of up to `bits` bits; some of them as steep as others but for a
// unit.
inline std::vector<edge> random_edges(std::mt19937_64& g, int count, int bits, std::vector<edge>& seen) {
  std::vector<edge> edges;
  while (static_cast<int>(edges.size()) < count) {
    edge e{{integer<2>::from(static_cast<std::int64_t>(g() >> 2)), integer<1>{{1 + g() % 1000}}}};
    e.by.s <<= bits > 62 ? bits - 62 : 0;
    if (bits < 62) e.by.s = integer<2>::from(static_cast<std::int64_t>(e.by.s.word[0] >> (62 - bits)));
    if (g() % 2) e.by.s = integer<2>::zero() - e.by.s;
    if (g() % 3 == 0 && !seen.empty()) {
      e = seen[g() % seen.size()];
      e.by.s += integer<2>::from(static_cast<std::int64_t>(g() % 3) - 1);
    }
    edges.push_back(e);
    seen.push_back(e);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end(),
                            [](const edge& a, const edge& b) { return !(a < b) && !(b < a); }),
                edges.end());
  }
  return edges;
}

inline std::vector<chain_vertex> chain_from(chain_vertex from, const std::vector<edge>& edges) {
  std::vector<chain_vertex> chain{from};
  for (const edge& e : edges) {
    from.at += e.by;
    from.element += static_cast<std::int64_t>(e.by.w.word[0]);
    chain.push_back(from);
  }
  return chain;
}

}  // namespace segment_test
