// Rows in the registers of thread blocks of many shapes, fitted on emulated threads, against the exact
// oracle.
#include <iso/block/block_isotonic.cuh>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "block/register_rows.hpp"
#include "catch.hpp"
#include "simt/simt.hpp"

namespace {

using namespace block_test;

// Fits a row twice with one storage, in which the second fit finds what the first one left, and says what is
// wrong.
template <bool Weighted, int Threads, int Items, class T>
std::string fault(const reference::problem<T>& p, std::uint64_t order) {
  using isotonic = iso::block_isotonic<T, Weighted, Threads, Items>;
  static_assert(simt::shared_storage<typename isotonic::TempStorage>);
  static_assert(isotonic::capacity == isotonic::threads * isotonic::items_per_thread);
  static_assert(isotonic::shared_bytes >= isotonic::capacity * sizeof(T));
  const auto shared = std::make_unique<typename isotonic::TempStorage>();
  simt::fill(*shared, order);
  host_test::outcome<T> first = nothing_yet(p), second = first;
  bool untouched[Threads];
  simt::launch(Threads, order, [&](const simt::thread_block& block) {
    const int thread = static_cast<int>(block.thread_rank()), valid = static_cast<int>(p.y.size());
    untouched[thread] = true;
    for (auto* out : {&first, &second}) {
      block_test::fit_items<Items>(p, thread, *out, untouched[thread],
                                   [&](auto& values, const auto& weights) {
                                     isotonic solver(*shared);
                                     iso::row_status status;
                                     if constexpr (Weighted) {
                                       status = solver.fit(block, values, weights, valid, p.increasing);
                                     } else {
                                       status = solver.fit(block, values, valid, p.increasing);
                                     }
                                     return std::pair(status, solver.starts());
                                   });
      block.sync();
    }
  });
  bool all_untouched = true;
  for (const bool one : untouched) all_untouched = all_untouched && one;
  if (!(first == second)) return "a second fit differs";
  return fault_of(p, first, all_untouched);
}

template <bool Weighted, int Threads, int Items, class T>
void check(const reference::problem<T>& p, const std::string& label, std::uint64_t order) {
  const std::string found = fault<Weighted, Threads, Items>(p, order);
  if (!found.empty()) FAIL_CHECK(label << ", " << Threads << " threads of " << Items << ": " << found);
}

template <class T, bool Weighted, int Threads, int Items>
void check_families() {
  for_all_families<T, Weighted>(Threads * Items,
                                [](const auto& p, const std::string& label, std::uint64_t seed) {
                                  check<Weighted, Threads, Items>(p, label, seed);
                                });
}

template <class T, bool Weighted, int Threads, int Items>
void check_odd_rows() {
  for (const auto& p : odd_rows<T>(Weighted)) {
    for (const std::uint64_t order : {simt::ascending, simt::descending, std::uint64_t{6}}) {
      check<Weighted, Threads, Items>(p, reference::describe(p), order);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("a thread block fits rows of every family exactly", "", float, double) {
  check_families<TestType, false, 32, 1>();
  check_families<TestType, false, 96, 2>();
  check_families<TestType, false, 32, 8>();
  check_families<TestType, true, 64, 1>();
  check_families<TestType, true, 32, 4>();
}

TEMPLATE_TEST_CASE("a thread block tells rows that are not finite or not ok", "", float, double) {
  check_odd_rows<TestType, false, 64, 1>();
  check_odd_rows<TestType, true, 32, 2>();
}

TEMPLATE_TEST_CASE("a thread block fits a row the same in every order of its threads", "", float, double) {
  const auto row = host_test::seeded_row<TestType>("random walk", "exponential", 200, 5);
  const auto wide = host_test::seeded_row<TestType>("exponents", "exponents", 60, 7);
  for (std::uint64_t order = 0; order < 20; ++order) {
    check<true, 64, 4>(row, "random walk", order);
    check<true, 64, 1>(wide, "exponents", order);
  }
}

TEST_CASE("a thread block of 1024 threads fits its longest row exactly") {
  for (const std::string_view family : {"noise", "increasing", "cliff"}) {
    const auto row = host_test::seeded_row<float>(family, "", 32 * 1024, 3);
    const auto got = fault<false, 1024, 32>(row, 2);
    INFO(family);
    CHECK(got == "");
  }
}
