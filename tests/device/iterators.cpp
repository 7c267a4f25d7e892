// Iterators: values made on the fly, output transformed on its way, other value types.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "difference.hpp"
#include "generated.hpp"
#include "reference/families.hpp"

using namespace device_test;

namespace {

// The call that solve_generated stands for, its weights and rows written out.
template <class T>
call<T> written_out(const std::vector<T>& y, std::int64_t rows) {
  const auto n = static_cast<std::int64_t>(y.size());
  call<T> c;
  c.weighted = true;
  c.y = {rows, n, 0, 1, 0, 0};
  c.y.memory = y;
  c.w = dense_input<T>(rows, n);
  for (std::int64_t k = 0; k < rows * n; ++k) c.w.memory[static_cast<std::size_t>(k)] = hashed_weight<T>{}(k);
  c.fit = dense_output<T>(rows, n);
  return c;
}

template <class T>
outcome<T> through_iterators(const call<T>& c, bool workspace) {
  outcome<T> out(c);
  const array<T> y(c.y.memory), fit(out.memory);
  const array<iso::row_status> status(out.status);
  const array<std::uint32_t> pools(out.pools);
  const guarded_workspace memory(workspace ? workspace_bytes<T>(true, c.size()) : 0);
  iso::options<T> opt = out.options(c, status.data(), pools.data());
  opt.workspace = memory.span();
  out.called = solve_generated<T>(nullptr, y.data(), fit.data() + margin(), c.size(), opt);
  out.memory = fit.download();
  out.status = status.download();
  out.pools = pools.download();
  if (memory.overrun()) out.stray = "memory around the workspace was written";
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("one row under generated weights is each row under its weights", "", float, double) {
  using T = TestType;
  for (const std::size_t n : {std::size_t{1}, std::size_t{16}, std::size_t{33}, std::size_t{300},
                              std::size_t{1025}, std::size_t{9000}}) {
    const call<T> c = written_out<T>(reference::values<T>("noise", n, 3), small() ? 5 : 200);
    outcome<T> owed = on_host(c);
    for (std::size_t k = margin(); k + margin() < owed.memory.size(); ++k) owed.memory[k] *= 2;
    for (const bool workspace : {true, false}) {
      INFO("n = " << n << (workspace ? "" : ", no workspace"));
      CHECK(first_fault(c, through_iterators(c, workspace), owed).text == "");
    }
  }
}

TEST_CASE("values of other types are converted on their way in and out") {
  for (const std::int64_t n : {3, 30, 300, 3000}) {
    const std::int64_t rows = 10;
    std::vector<int> y;
    std::vector<unsigned char> w;
    std::vector<float> y_float, w_float, owed(static_cast<std::size_t>(rows * n));
    reference::random_source random(1);
    for (std::int64_t k = 0; k < rows * n; ++k) {
      y.push_back(static_cast<int>(random.below(2001)) - 1000);
      w.push_back(static_cast<unsigned char>(random.below(256)));
      y_float.push_back(static_cast<float>(y.back()));
      w_float.push_back(static_cast<float>(w.back()));
    }
    CHECK(iso::host::solve<float, true>(iso::batch<const float>(y_float.data(), rows, n),
                                        iso::batch<const float>(w_float.data(), rows, n),
                                        iso::batch<float>(owed.data(), rows, n)));
    const array<int> y_memory(y);
    const array<unsigned char> w_memory(w);
    const array<double> fit(y.size());
    CHECK(solve_converted(nullptr, y_memory.data(), w_memory.data(), fit.data(), {rows, n}, {}));
    CHECK(fit.download() == std::vector<double>(owed.begin(), owed.end()));
  }
}
