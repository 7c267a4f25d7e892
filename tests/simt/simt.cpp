// The emulator: rendezvous of lanes, and in which order they go on. Compiled without ThreadSanitizer: only
// what lanes do themselves is to be watched. So nothing here that runs on a lane calls memcpy and the like,
// or a template of the standard library over types that tests use too: ThreadSanitizer watches those.
#include "simt.hpp"

#include <bit>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber.hpp"
#include "lane.hpp"

namespace simt::detail {
namespace {

constexpr unsigned max_threads = 1024;
constexpr unsigned widths = 6;                            // of tiles: 1, 2, 4, ..., 32
constexpr std::size_t stack_size = std::size_t{1} << 18;  // pages are taken as they are touched

struct group {
  unsigned first, size;
  unsigned arrived;
  unsigned leader;    // the first of those to arrive
  unsigned returned;  // lanes that will not come again
  unsigned last_returned;
  // A lane that has gone on may arrive at the next sync before others have left this one, and must not come
  // before them by that: tags alternate. The one after the next cannot begin before all have left.
  unsigned syncs;
  char tags[2];
};

std::uint64_t mix(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

class machine {
 public:
  void run(unsigned threads, std::uint64_t order_seed, void (*body)(void*, unsigned), void* argument);
  void meet(unsigned rank, unsigned width, const call& what, value& inout);

 private:
  static void lane_main();
  void reset(unsigned threads, std::uint64_t order_seed);
  group& group_of(unsigned rank, unsigned width);
  void ready(unsigned first, unsigned size);
  unsigned next();
  void wait();
  void returned();
  void clear_away();
  [[noreturn]] void stop();
  void check_argument(unsigned rank, unsigned width, const call& what);

  unsigned random(unsigned bound) {
    return static_cast<unsigned>(((mix(random_state_) >> 32) * bound) >> 32);
  }
  std::string who(unsigned rank) const;
  std::string disagreement(const group& at, unsigned rank) const;
  std::string early_return(const group& at, unsigned waiting) const;
  std::string deadlock() const;

  fiber own_;
  std::vector<std::unique_ptr<fiber>> fibers_;
  std::vector<lane> lanes_;
  std::vector<group> groups_;  // the block, then the tiles of each width
  unsigned first_group_[widths]{};

  unsigned threads_ = 0;
  void (*body_)(void*, unsigned) = nullptr;
  void* argument_ = nullptr;

  bool active_ = false;
  bool stopping_ = false;
  unsigned running_ = 0;
  unsigned returned_ = 0;
  unsigned ready_count_ = 0;
  unsigned ready_[max_threads]{};  // from the top down when the order is fixed
  std::uint64_t order_seed_ = 0, random_state_ = 0;
  char begin_ = 0, end_ = 0;  // tags: launch() comes before every lane, and they before its return
  std::string message_;
  std::exception_ptr thrown_;
};

thread_local machine this_thread;

void machine::reset(unsigned threads, std::uint64_t order_seed) {
  while (fibers_.size() < threads) fibers_.push_back(std::make_unique<fiber>(stack_size, lane_main));
  threads_ = threads;
  order_seed_ = random_state_ = order_seed;
  lanes_.assign(threads, lane{});
  groups_.assign(1, group{0, threads, 0, 0, 0, 0, 0, {}});
  for (unsigned log = 0; log < widths; ++log) {
    first_group_[log] = static_cast<unsigned>(groups_.size());
    for (unsigned first = 0; first < threads; first += 1U << log)
      groups_.push_back({first, 1U << log, 0, 0, 0, 0, 0, {}});
  }
  stopping_ = false;
  returned_ = ready_count_ = 0;
  message_.clear();
  thrown_ = nullptr;
  ready(0, threads);
}

group& machine::group_of(unsigned rank, unsigned width) {
  if (width == 0) return groups_.data()[0];
  const auto log = static_cast<unsigned>(std::countr_zero(width));
  return groups_.data()[first_group_[log] + (rank >> log)];
}

// These lanes may go on; the last put on top is the first to go.
void machine::ready(unsigned first, unsigned size) {
  unsigned* top = ready_ + ready_count_;
  ready_count_ += size;
  const bool up = order_seed_ == descending;
  for (unsigned k = 0; k < size; ++k) top[k] = up ? first + k : first + size - 1 - k;
  if (order_seed_ == ascending || order_seed_ == descending) return;
  for (unsigned k = size; k > 1; --k) {
    const unsigned other = random(k), rank = top[k - 1];
    top[k - 1] = top[other];
    top[other] = rank;
  }
}

unsigned machine::next() {
  unsigned& top = ready_[--ready_count_];
  if (order_seed_ != ascending && order_seed_ % 2 == 0) {
    unsigned& other = ready_[random(ready_count_ + 1)];
    const unsigned rank = other;
    other = top;
    return rank;
  }
  return top;
}

// Ends the launch from a lane that has said why, or that is being cleared away.
void machine::stop() {
  stopping_ = true;
  release(end_);
  fibers_.data()[running_]->leave_to(own_);
}

// Until the running lane may go on.
void machine::wait() {
  if (ready_count_ == 0) {
    message_ = deadlock();
    stop();
  }
  const unsigned self = running_;
  running_ = next();
  if (running_ == self) return;
  lanes_.data()[self].waiting = true;
  fibers_.data()[self]->switch_to(*fibers_.data()[running_]);
  lanes_.data()[self].waiting = false;
  if (stopping_) stop();
}

// What the hardware leaves undefined whatever the other lanes do.
void machine::check_argument(unsigned rank, unsigned width, const call& what) {
  const bool shift = what.operation == collective::shfl_up || what.operation == collective::shfl_down;
  const char* wrong = nullptr;
  if (rank != running_)
    wrong = "the group is another lane's";
  else if (width != 0 && threads_ % width != 0)
    wrong = "the block is no multiple of the tile";
  else if ((shift && what.argument >= 32) ||
           (what.operation == collective::shfl_xor && what.argument >= width))
    wrong = "the argument reaches outside the tile";
  if (!wrong) return;
  message_ = who(running_) + ": " + wrong;
  stop();
}

void machine::meet(unsigned rank, unsigned width, const call& what, value& inout) {
  if (!active_) throw failure("a collective outside a launch");
  lane& self = lanes_.data()[running_];
  self.what = what;
  self.called = true;
  check_argument(rank, width, what);
  group& at = group_of(rank, width);
  if (at.returned) {
    message_ = early_return(at, rank);
    stop();
  }
  if (at.arrived == 0) at.leader = rank;
  if (!agree(lanes_.data()[at.leader].what, what)) {
    message_ = disagreement(at, rank);
    stop();
  }

  self.brought = inout;
  const bool sync = what.operation == collective::sync;
  char& tag = at.tags[at.syncs % 2];
  if (sync) release(tag);
  if (++at.arrived == at.size) {
    exchange(lanes_.data() + at.first, at.size);
    at.arrived = 0;
    if (sync) ++at.syncs;
    ready(at.first, at.size);
  }
  wait();
  if (sync) acquire(tag);
  inout = self.taken;
}

// The running lane's body has returned.
void machine::returned() {
  for (unsigned width = 0; width <= 32; width = width ? width * 2 : 1) {
    group& of = group_of(running_, width);
    ++of.returned;
    of.last_returned = running_;
    if (of.arrived) {
      message_ = early_return(of, of.leader);
      stop();
    }
  }
  if (++returned_ < threads_ && ready_count_ == 0) {
    message_ = deadlock();
    stop();
  }
  lanes_.data()[running_].inside = false;
  release(end_);
  fiber& self = *fibers_.data()[running_];
  if (returned_ == threads_) {
    self.switch_to(own_);
  } else {
    running_ = next();
    self.switch_to(*fibers_.data()[running_]);
  }
}

// What each fiber runs: one lane of every launch.
void machine::lane_main() {
  machine& m = this_thread;
  for (;;) {
    acquire(m.begin_);
    m.lanes_.data()[m.running_].inside = true;
    try {
      m.body_(m.argument_, m.running_);
    } catch (...) {
      m.thrown_ = std::current_exception();
    }
    if (m.thrown_) m.stop();
    m.returned();
  }
}

// After a stop: lanes that still wait are resumed once more, to leave their stacks for good.
void machine::clear_away() {
  for (unsigned rank = 0; rank < threads_; ++rank) {
    if (!lanes_[rank].inside) continue;
    running_ = rank;
    if (lanes_[rank].waiting) own_.switch_to(*fibers_[rank]);
    fibers_[rank]->restart();
  }
}

void machine::run(unsigned threads, std::uint64_t order_seed, void (*body)(void*, unsigned), void* argument) {
  if (threads == 0 || threads > max_threads)
    throw failure("a block of " + std::to_string(threads) + " threads");
  if (active_) throw failure("a launch inside a launch");
  reset(threads, order_seed);
  body_ = body;
  argument_ = argument;
  active_ = true;
  release(begin_);
  running_ = next();
  own_.switch_to(*fibers_[running_]);
  if (stopping_) clear_away();
  acquire(end_);
  active_ = false;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (stopping_) throw failure(message_);
}

std::string machine::who(unsigned rank) const {
  return "lane " + std::to_string(rank) + " at " + describe(lanes_[rank].what);
}

std::string machine::disagreement(const group& at, unsigned rank) const {
  return "lanes of a group of " + std::to_string(at.size) +
         " meet at different collectives: " + who(at.leader) + ", " + who(rank);
}

std::string machine::early_return(const group& at, unsigned waiting) const {
  std::string text =
      who(waiting) + " waits for lane " + std::to_string(at.last_returned) + ", which has returned";
  if (lanes_[at.last_returned].called) text += "; its last collective: " + who(at.last_returned);
  return text;
}

std::string machine::deadlock() const {
  std::string text = "deadlock:";
  for (const group& at : groups_) {
    if (at.arrived == 0) continue;
    text += ' ' + std::to_string(at.arrived) + " of a group of " + std::to_string(at.size) +
            " wait, the first is " + who(at.leader) + ';';
  }
  return text;
}

}  // namespace

void meet(unsigned rank, unsigned width, const call& what, value& inout) {
  this_thread.meet(rank, width, what, inout);
}

void run(unsigned threads, std::uint64_t order_seed, void (*body)(void*, unsigned), void* argument) {
  this_thread.run(threads, order_seed, body, argument);
}

void fill(std::span<std::byte> bytes, std::uint64_t seed) {
  std::uint64_t state = ~seed;
  for (std::byte& b : bytes) b = static_cast<std::byte>(mix(state) >> 56);
}

}  // namespace simt::detail
