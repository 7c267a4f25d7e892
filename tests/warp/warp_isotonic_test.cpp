// Rows of a warp or less in registers, fitted on emulated lanes, against the exact oracle.
#include <iso/warp/warp_isotonic.cuh>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "block/register_rows.hpp"
#include "catch.hpp"
#include "simt/simt.hpp"

namespace {

using namespace block_test;

// Fits up to 32 / Lanes rows with one warp, and says which is wrong.
template <bool Weighted, int Lanes, int Items, class T>
std::string fault(const std::vector<reference::problem<T>>& rows, std::uint64_t order) {
  using isotonic = iso::warp_isotonic<T, Weighted, Lanes, Items>;
  static_assert(simt::shared_storage<typename isotonic::TempStorage>);
  static_assert(isotonic::capacity == isotonic::lanes * isotonic::items_per_lane);
  static_assert(isotonic::rows_per_warp * isotonic::lanes == 32);
  const auto shared = std::make_unique<typename isotonic::TempStorage>();
  simt::fill(*shared, order);
  std::vector<host_test::outcome<T>> out;
  for (const auto& p : rows) out.push_back(nothing_yet(p));
  const reference::problem<T> none = reference::row<T>({});
  host_test::outcome<T> nothing[32];
  bool untouched[32];
  simt::launch(32, order, [&](const simt::thread_block& block) {
    const auto warp = simt::tiled_partition<32>(block);
    const auto rank = warp.thread_rank(), number = rank / Lanes;
    const bool present = number < rows.size();
    const auto& p = present ? rows[number] : none;
    untouched[rank] = true;
    block_test::fit_items<Items>(p, static_cast<int>(rank % Lanes), present ? out[number] : nothing[rank],
                                 untouched[rank], [&](auto& values, const auto& weights) {
                                   const int valid = static_cast<int>(p.y.size());
                                   isotonic solver(*shared);
                                   iso::row_status status;
                                   if constexpr (Weighted) {
                                     status = solver.fit(warp, values, weights, valid, p.increasing);
                                   } else {
                                     status = solver.fit(warp, values, valid, p.increasing);
                                   }
                                   return std::pair(status, solver.starts());
                                 });
  });
  bool all_untouched = true;
  for (const bool one : untouched) all_untouched = all_untouched && one;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string found = fault_of(rows[r], out[r], all_untouched);
    if (!found.empty()) return "row " + std::to_string(r) + " of the warp: " + found;
  }
  return {};
}

// Gathers rows until a warp is full, less one now and then.
template <class T, bool Weighted, int Lanes, int Items>
class warps {
 public:
  ~warps() { solve(); }
  void add(const reference::problem<T>& p, const std::string& label) {
    rows_.push_back(p);
    labels_ += "\n" + label;
    if (rows_.size() == 32 / Lanes) solve();
    if (rows_.size() + 1 == 32 / Lanes && Lanes < 32 && count_ % 3 == 0) solve();
  }

 private:
  void solve() {
    const std::string found = fault<Weighted, Lanes, Items>(rows_, ++count_);
    if (!found.empty()) FAIL_CHECK(Lanes << " lanes of " << Items << ": " << found << labels_);
    rows_.clear();
    labels_.clear();
  }

  std::vector<reference::problem<T>> rows_;
  std::string labels_;
  std::uint64_t count_ = 0;
};

template <class T, bool Weighted, int Lanes, int Items>
void check_families() {
  warps<T, Weighted, Lanes, Items> to;
  for_all_families<T, Weighted>(
      Lanes * Items, [&](const auto& p, const std::string& label, std::uint64_t) { to.add(p, label); });
}

template <class T, bool Weighted, int Lanes, int Items>
void check_odd_rows() {
  warps<T, Weighted, Lanes, Items> to;
  for (const auto& p : odd_rows<T>(Weighted)) to.add(p, reference::describe(p));
}

}  // namespace

TEMPLATE_TEST_CASE("some lanes of a warp fit rows of every family exactly", "", float, double) {
  check_families<TestType, false, 1, 32>();
  check_families<TestType, false, 2, 1>();
  check_families<TestType, false, 8, 4>();
  check_families<TestType, true, 1, 8>();
  check_families<TestType, true, 4, 4>();
  check_families<TestType, true, 16, 2>();
}

TEMPLATE_TEST_CASE("a warp fits rows of every family exactly", "", float, double) {
  check_families<TestType, false, 32, 8>();
  check_families<TestType, true, 32, 2>();
}

TEMPLATE_TEST_CASE("lanes of a warp tell rows that are not finite or not ok", "", float, double) {
  check_odd_rows<TestType, false, 2, 4>();
  check_odd_rows<TestType, false, 32, 1>();
  check_odd_rows<TestType, true, 8, 1>();
  check_odd_rows<TestType, true, 32, 2>();
}

TEMPLATE_TEST_CASE("lanes of a warp fit rows the same in every order", "", float, double) {
  std::vector<reference::problem<TestType>> rows;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const bool wide = seed % 2 == 1;
    rows.push_back(host_test::seeded_row<TestType>(wide ? "exponents" : "noise", wide ? "exponents" : "zeros",
                                                   20 + 4 * seed, seed));
  }
  for (std::uint64_t order = 0; order < 50; ++order) CHECK(fault<true, 8, 4>(rows, order) == "");
}
