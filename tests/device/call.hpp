// One call of the solver, made on the device and on the host, and what each leaves in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <iso/host.hpp>

#include "host/instances.hpp"
#include "image.hpp"
#include "reference/problem.hpp"
#include "solver.hpp"

namespace device_test {

enum class place { apart, over_y, over_w };

template <class T>
struct call {
  image<T> y = {}, w = {}, fit = {};  // w if weighted, fit if apart
  bool weighted = false;
  place output = place::apart;
  bool increasing = true;
  T y_min = -reference::infinity<T>, y_max = reference::infinity<T>;
  bool reports = true;    // status and pools are asked for
  bool workspace = true;  // working memory is given

  iso::shape size() const { return {y.rows, y.length}; }
  const image<T>& target() const { return output == place::over_y ? y : output == place::over_w ? w : fit; }
  // Row r as a problem of its own.
  reference::problem<T> problem(std::int64_t r) const {
    reference::problem<T> p;
    p.y = y.row(r);
    if (weighted) p.w = w.row(r);
    p.weighted = weighted;
    p.increasing = increasing;
    p.y_min = y_min;
    p.y_max = y_max;
    return p;
  }
};

// One dense row, its output apart.
template <class T>
call<T> single(const reference::problem<T>& p) {
  const auto n = static_cast<std::int64_t>(p.y.size());
  call<T> c;
  c.y = dense_input<T>(1, n);
  c.y.memory = p.y;
  if (p.weighted) c.w = c.y;
  if (p.weighted) c.w.memory = p.w;
  c.weighted = p.weighted;
  c.fit = dense_output<T>(1, n);
  c.increasing = p.increasing;
  c.y_min = p.y_min;
  c.y_max = p.y_max;
  return c;
}

// What a call left behind: the memory of the fit, of the row status and of the pools, each with its margins.
template <class T>
struct outcome {
  iso::status called;
  std::vector<T> memory;
  std::vector<iso::row_status> status;
  std::vector<std::uint32_t> pools;
  std::string stray;  // what else was written

  explicit outcome(const call<T>& c) : memory(c.target().memory) {
    const std::int64_t words = c.y.rows * iso::pool_words(c.y.length);
    status.assign(static_cast<std::size_t>(c.y.rows) + 2 * margin(), static_cast<iso::row_status>(99));
    pools.assign(static_cast<std::size_t>(words) + 2 * margin(), 0xdeadbeef);
  }

  // The options for these places of memory, laid out as `status` and `pools` are here.
  iso::options<T> options(const call<T>& c, iso::row_status* status_at, std::uint32_t* pools_at) const {
    iso::options<T> out;
    out.increasing = c.increasing;
    out.y_min = c.y_min;
    out.y_max = c.y_max;
    if (c.reports) out.status = {status_at + margin(), status.size() - 2 * margin()};
    if (c.reports) out.pools = {pools_at + margin(), pools.size() - 2 * margin()};
    return out;
  }
};

template <class T>
outcome<T> on_host(const call<T>& c, int threads = 0) {
  outcome<T> out(c);
  const iso::options<T> opt = out.options(c, out.status.data(), out.pools.data());
  image<T> y = c.output == place::over_y ? image<T>() : c.y, w = c.output == place::over_w ? image<T>() : c.w;
  const auto view = [&](const image<T>& shape, image<T>& own, bool shared) {
    return shape.view(shared ? out.memory.data() : own.memory.data());
  };
  const iso::batch<T> y_rows = view(c.y, y, c.output == place::over_y);
  const iso::batch<T> w_rows = view(c.w, w, c.output == place::over_w);
  const iso::batch<T> fit_rows = c.target().view(out.memory.data());
  out.called = c.weighted ? iso::host::solve<T, true>(y_rows, w_rows, fit_rows, opt, threads)
                          : iso::host::solve<T, false>(y_rows, fit_rows, opt, threads);
  return out;
}

// Working memory that begins at an odd address, and knows if something was written around it.
class guarded_workspace {
 public:
  explicit guarded_workspace(std::size_t bytes)
      : before_(bytes + 2 * margin(), std::byte{0xa5}), memory_(before_) {}
  std::span<std::byte> span() const { return {memory_.data() + margin(), before_.size() - 2 * margin()}; }
  // For work that has been waited for.
  bool overrun() const {
    std::vector<std::byte> around(2 * margin());
    copy_bytes(around.data(), memory_.data(), margin());
    copy_bytes(around.data() + margin(), span().data() + span().size(), margin());
    return around != std::vector<std::byte>(around.size(), std::byte{0xa5});
  }

 private:
  std::vector<std::byte> before_;
  array<std::byte> memory_;
};

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// A call whose memory is on the device, to be made any number of times.
template <class T>
class resident {
 public:
  explicit resident(const call<T>& c)
      : call_(c),
        before_(c),
        y_(c.y.memory),
        w_(c.w.memory),
        apart_(c.output == place::apart ? c.fit.memory : std::vector<T>()),
        status_(before_.status),
        pools_(before_.pools),
        workspace_(c.workspace ? workspace_bytes<T>(c.weighted, c.size()) : 0) {}

  // Other data of the same shape, and rubbish in place of all output.
  void upload(const call<T>& c, stream s) {
    call_ = c;
    y_.upload(c.y.memory, s);
    w_.upload(c.w.memory, s);
    if (c.output == place::apart) apart_.upload(c.fit.memory, s);
    status_.upload(before_.status, s);
    pools_.upload(before_.pools, s);
  }

  iso::status enqueue(stream s) {
    iso::options<T> opt = before_.options(call_, status_.data(), pools_.data());
    opt.workspace = workspace_.span();
    const iso::batch<T> y = call_.y.view(y_.data()), fit = call_.target().view(target().data());
    return call_.weighted ? solver<T, true>::rows(s, y, call_.w.view(w_.data()), fit, opt)
                          : solver<T, false>::rows(s, y, {}, fit, opt);
  }

  // Waits for the stream. `called` is what enqueue() returned.
  outcome<T> collect(iso::status called, stream s) const {
    outcome<T> out(call_);
    out.called = std::move(called);
    out.memory = target().download(s);
    out.status = status_.download(s);
    out.pools = pools_.download(s);
    if (&target() != &y_ && !same_bytes(y_.download(s), call_.y.memory)) out.stray = "y was written";
    if (&target() != &w_ && !same_bytes(w_.download(s), call_.w.memory)) out.stray = "w was written";
    if (workspace_.overrun()) out.stray = "memory around the workspace was written";
    return out;
  }

 private:
  const array<T>& target() const {
    return call_.output == place::over_y ? y_ : call_.output == place::over_w ? w_ : apart_;
  }

  call<T> call_;
  outcome<T> before_;
  array<T> y_, w_, apart_;
  array<iso::row_status> status_;
  array<std::uint32_t> pools_;
  guarded_workspace workspace_;
};

template <class T>
outcome<T> on_device(const call<T>& c, stream s = nullptr) {
  resident<T> memory(c);
  return memory.collect(memory.enqueue(s), s);
}

}  // namespace device_test
