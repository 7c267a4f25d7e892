// A fiber: a stack of its own that a thread can switch to and from in a few nanoseconds. What the emulated
// lanes run on; simt.hpp is the interface for tests.
#pragma once

#include <cstddef>

namespace simt::detail {

// AddressSanitizer and ThreadSanitizer are told of every switch. ThreadSanitizer sees each fiber as a thread
// that no switch orders with any other: only release() and acquire() do.
class fiber {
 public:
  fiber();  // the calling thread's own stack
  // A mapping with a guard page below it; the first switch there calls entry(), which must not return.
  fiber(std::size_t stack_size, void (*entry)());
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  // For a fiber that has been left for good: the next switch there calls entry() on an empty stack.
  void restart();

  // Called on this fiber: goes on with `next`, and returns when somebody switches back.
  void switch_to(fiber& next);
  // The same, never to return; nothing on this stack is destroyed.
  [[noreturn]] void leave_to(fiber& next);

 private:
  static void enter();
  void prepare();
  void forget();
  void jump(fiber& next, bool leaving);
  void landed();

  void* context_ = nullptr;  // where it stands: its stack pointer, or its ucontext_t
  void (*entry_)() = nullptr;
  std::byte* mapping_ = nullptr;
  std::size_t mapping_size_ = 0;
  std::size_t usable_size_ = 0;  // of the mapping, up to the first frame
  const void* stack_ = nullptr;  // the stack, for AddressSanitizer
  std::size_t stack_size_ = 0;
  void* fake_stack_ = nullptr;  // AddressSanitizer's second stack, while the fiber waits
  void* thread_ = nullptr;      // ThreadSanitizer's name for it
};

// Happens-before for ThreadSanitizer: whoever acquires a tag comes after all who have released it.
void release(char& tag);
void acquire(char& tag);

}  // namespace simt::detail
