// Fibers: the switch, the stacks, and what the sanitizers must hear. Compiled without ThreadSanitizer, which
// would take the emulator's own bookkeeping for races between lanes; its runtime is found by weak symbols.
#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(SIMT_UCONTEXT) && !(defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)))
#define SIMT_UCONTEXT
#endif
#if defined(SIMT_UCONTEXT)
#include <ucontext.h>
#endif

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* begin, std::size_t size);
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void __tsan_destroy_fiber(void* thread);
[[gnu::weak]] void __tsan_switch_to_fiber(void* thread, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void* tag);
[[gnu::weak]] void __tsan_release(void* tag);
}

// simt_switch(from, to): saves what a callee must preserve on this stack, leaves the stack pointer in *from,
// and takes up the stack `to` the same way. Rounding modes are not saved: lanes share them.
#if !defined(SIMT_UCONTEXT)
extern "C" void simt_switch(void** from, void* to);
#if defined(__x86_64__)
constexpr std::size_t saved_words = 8;     // six registers, the return address, and that of entry's caller
constexpr std::size_t return_address = 6;  // its index in these words
asm(R"(
  .pushsection .text
  .type simt_switch, @function
  .hidden simt_switch
  .globl simt_switch
simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size simt_switch, .-simt_switch
  .popsection
)");
#else
constexpr std::size_t saved_words = 20;  // x19 to x30, d8 to d15
constexpr std::size_t return_address = 11;
asm(R"(
  .pushsection .text
  .type simt_switch, %function
  .hidden simt_switch
  .globl simt_switch
simt_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size simt_switch, .-simt_switch
  .popsection
)");
#endif
#endif

namespace simt::detail {
namespace {

// The latest switch of this thread.
thread_local fiber* switched_from;
thread_local fiber* switched_to;

}  // namespace

fiber::fiber() {
#if defined(SIMT_UCONTEXT)
  context_ = new ucontext_t;
#endif
  if (__tsan_get_current_fiber) thread_ = __tsan_get_current_fiber();
}

fiber::fiber(std::size_t stack_size, void (*entry)()) : entry_(entry) {
  // Stacks start at different cache lines of their pages: at one and the same line a warp of lanes would
  // evict each other's frames from the first-level cache.
  static thread_local std::size_t count = 0;
  const std::size_t line = count++ * 7 % 32 * 128;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  mapping_size_ = (stack_size + page - 1) / page * page + 2 * page;
  void* memory = mmap(nullptr, mapping_size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(memory);
  if (mprotect(mapping_, page, PROT_NONE) != 0) {
    munmap(mapping_, mapping_size_);
    throw std::bad_alloc();
  }
  stack_ = mapping_ + page;
  stack_size_ = mapping_size_ - page;
  usable_size_ = mapping_size_ - line;
#if defined(SIMT_UCONTEXT)
  context_ = new ucontext_t;
#endif
  if (__tsan_create_fiber) thread_ = __tsan_create_fiber(0);
  prepare();
}

fiber::~fiber() {
#if defined(SIMT_UCONTEXT)
  delete static_cast<ucontext_t*>(context_);
#endif
  if (!mapping_) return;
  forget();
  munmap(mapping_, mapping_size_);
}

// What the sanitizers know of calls that will not return.
void fiber::forget() {
  if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(stack_, stack_size_);
  if (__tsan_destroy_fiber) __tsan_destroy_fiber(thread_);
}

void fiber::restart() {
  forget();
  if (__tsan_create_fiber) thread_ = __tsan_create_fiber(0);
  prepare();
}

// Puts entry() on an empty stack.
void fiber::prepare() {
  fake_stack_ = nullptr;
#if defined(SIMT_UCONTEXT)
  auto* context = static_cast<ucontext_t*>(context_);
  const auto guard = mapping_size_ - stack_size_;
  getcontext(context);
  context->uc_stack.ss_sp = mapping_ + guard;
  context->uc_stack.ss_size = usable_size_ - guard;
  context->uc_link = nullptr;
  makecontext(context, enter, 0);
#else
  auto* words = reinterpret_cast<std::uintptr_t*>(mapping_ + usable_size_) - saved_words;
  for (std::size_t i = 0; i < saved_words; ++i) words[i] = 0;
  words[return_address] = reinterpret_cast<std::uintptr_t>(&fiber::enter);
  context_ = words;
#endif
}

void fiber::enter() {
  fiber& self = *switched_to;
  self.landed();
  self.entry_();
  std::abort();
}

void fiber::jump(fiber& next, bool leaving) {
  constexpr unsigned no_happens_before = 1;
  switched_from = this;
  switched_to = &next;
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(leaving ? nullptr : &fake_stack_, next.stack_, next.stack_size_);
  if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(next.thread_, no_happens_before);
#if defined(SIMT_UCONTEXT)
  swapcontext(static_cast<ucontext_t*>(context_), static_cast<ucontext_t*>(next.context_));
#else
  simt_switch(&context_, next.context_);
#endif
}

// The fiber left is told where its stack is: of a thread's own stack only the sanitizer knows.
void fiber::landed() {
  if (!__sanitizer_finish_switch_fiber) return;
  fiber& left = *switched_from;
  __sanitizer_finish_switch_fiber(fake_stack_, &left.stack_, &left.stack_size_);
}

void fiber::switch_to(fiber& next) {
  jump(next, false);
  landed();
}

void fiber::leave_to(fiber& next) {
  jump(next, true);
  std::abort();
}

void release(char& tag) {
  if (__tsan_release) __tsan_release(&tag);
}

void acquire(char& tag) {
  if (__tsan_acquire) __tsan_acquire(&tag);
}

}  // namespace simt::detail
