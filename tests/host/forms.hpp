// Iterators that are more than pointers: values made on the fly, and a sink that is no memory.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace host_test {

// Random-access iterator over f(0), f(1), ..., as a transform iterator over a counting one. `f` outlives it.
template <class F>
class generated {
 public:
  using difference_type = std::int64_t;
  using value_type = decltype(std::declval<const F&>()(std::int64_t{}));
  using reference = value_type;
  using pointer = const value_type*;
  using iterator_category = std::random_access_iterator_tag;

  generated() = default;
  explicit generated(const F& f, std::int64_t at = 0) : f_(&f), at_(at) {}

  value_type operator*() const { return (*f_)(at_); }
  value_type operator[](std::int64_t i) const { return (*f_)(at_ + i); }
  generated& operator+=(std::int64_t n) { return at_ += n, *this; }
  generated& operator-=(std::int64_t n) { return at_ -= n, *this; }
  generated& operator++() { return ++at_, *this; }
  generated& operator--() { return --at_, *this; }
  generated operator++(int) { return generated(*f_, at_++); }
  generated operator--(int) { return generated(*f_, at_--); }
  friend generated operator+(generated a, std::int64_t n) { return a += n; }
  friend generated operator+(std::int64_t n, generated a) { return a += n; }
  friend generated operator-(generated a, std::int64_t n) { return a -= n; }
  friend std::int64_t operator-(const generated& a, const generated& b) { return a.at_ - b.at_; }
  friend bool operator==(const generated& a, const generated& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const generated& a, const generated& b) { return a.at_ <=> b.at_; }

 private:
  const F* f_ = nullptr;
  std::int64_t at_ = 0;
};

// Output iterator that hands (position, value) to a function; positions start at `at`.
template <class F>
class sink {
 public:
  using difference_type = std::int64_t;
  using value_type = void;
  using reference = void;
  using pointer = void;
  using iterator_category = std::output_iterator_tag;

  struct place {
    const F* f;
    std::int64_t at;
    template <class T>
    const place& operator=(const T& value) const {
      return (*f)(at, value), *this;
    }
  };

  explicit sink(const F& f, std::int64_t at = 0) : f_(&f), at_(at) {}

  place operator*() const { return {f_, at_}; }
  place operator[](std::int64_t i) const { return {f_, at_ + i}; }
  sink& operator+=(std::int64_t n) { return at_ += n, *this; }
  sink& operator++() { return ++at_, *this; }
  sink operator++(int) { return sink(*f_, at_++); }
  friend sink operator+(sink a, std::int64_t n) { return a += n; }

 private:
  const F* f_;
  std::int64_t at_;
};

}  // namespace host_test
