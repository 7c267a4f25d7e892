// What a look at every element finds out: is the data sound, and on which grid does it lie?
#pragma once

#include <cstdint>

#include <iso/detail/config.hpp>
#include <iso/numeric/format.hpp>
#include <iso/numeric/sums.hpp>
#include <iso/status.hpp>

namespace iso {

// Collects over elements, then over lanes, then over chunks; every order gives the same. Positions of
// elements are the caller's.
struct findings {
  enum flag : std::uint32_t {
    bad_weight = 1,
    nan = 2,
    infinite = 4,  // an infinite value of positive weight
    weight = 8,    // a positive weight
  };

  // Positions low <= p < high of the bits of the finite products of positive weight, and of the weights.
  std::int32_t low, high, low_w, high_w;
  std::uint32_t flags;

  static constexpr std::int32_t none = 1 << 14;

  ISO_HOST_DEVICE static findings nothing() { return {none, 0, none, 0, 0}; }

  ISO_HOST_DEVICE void include(const findings& b) {
    low = b.low < low ? b.low : low;
    high = b.high > high ? b.high : high;
    low_w = b.low_w < low_w ? b.low_w : low_w;
    high_w = b.high_w > high_w ? b.high_w : high_w;
    flags |= b.flags;
  }

  template <class T, bool Weighted>
  ISO_HOST_DEVICE void include_element(const T& y, const T& w) {
    using f = numeric::format<T>;
    const auto size = f::size_bits(y);
    int at = f::position(size), bits = f::digits;
    bool heavy = true;
    if constexpr (Weighted) {
      const auto weight_size = f::size_bits(w);
      heavy = weight_size != 0;
      if (weight_size >= f::infinity_bits || (heavy && f::is_negative(w))) flags |= bad_weight;
      const int at_w = f::position(weight_size);
      if (heavy) {
        low_w = at_w < low_w ? at_w : low_w;
        high_w = at_w + f::digits > high_w ? at_w + f::digits : high_w;
      }
      at += at_w;
      bits += f::digits;
    }
    if (heavy) flags |= weight;
    if (size >= f::infinity_bits) {
      if (size > f::infinity_bits) flags |= nan;
      if (size == f::infinity_bits && heavy) flags |= infinite;
    } else if (heavy && size != 0) {
      low = at < low ? at : low;
      high = at + bits > high ? at + bits : high;
    }
  }

  // Of values and weights apart, what it is of their products: each of the values may have each of the
  // weights.
  template <bool Weighted>
  ISO_HOST_DEVICE findings joined() const {
    findings r = *this;
    if constexpr (Weighted) {
      if ((flags & weight) == 0) {
        r.low = none;
        r.high = 0;
      } else if (high > 0) {
        r.low += low_w;
        r.high += high_w;
      }
    }
    return r;
  }

  // Infinities are looked into elsewhere.
  ISO_HOST_DEVICE row_status status() const {
    if (flags & bad_weight) return row_status::bad_weight;
    if (flags & nan) return row_status::nan;
    return flags & weight ? row_status::ok : row_status::no_weight;
  }

  template <bool Weighted>
  ISO_HOST_DEVICE numeric::grid grid() const {
    numeric::grid g{{INT16_MAX, 0}, {INT16_MAX, 0}};
    if (high > 0) g.products.include(low, high);
    if constexpr (Weighted) {
      if (high_w > 0) g.weights.include(low_w, high_w);
    } else {
      g.weights.include(0, 1);
    }
    return g;
  }
};

// The same look at usual elements, in fewer instructions: least and greatest sizes, as bits. The grid it
// finds may be wider than need be.
template <class T, bool Weighted>
struct quick_look {
  using f = numeric::format<T>;
  using bits = typename f::bits_type;

  // Of the sizes of y and of w: the greatest, and the least above zero, less 1; of w with its sign.
  bits most = 0, least = static_cast<bits>(~bits{0});
  bits most_w = 0, least_w = static_cast<bits>(~bits{0});

  ISO_HOST_DEVICE void include(const T& y, const T& w) {
    const bits size = f::size_bits(y), less = static_cast<bits>(size - 1);
    most = size > most ? size : most;
    least = less < least ? less : least;
    if constexpr (Weighted) {
      const bits size_w = f::to_bits(w), less_w = static_cast<bits>(size_w - 1);
      most_w = size_w > most_w ? size_w : most_w;
      least_w = less_w < least_w ? less_w : least_w;
    }
  }

  // Whether elements are not finite, or weights have a sign: then each must be looked at by itself.
  ISO_HOST_DEVICE bool odd() const { return most >= f::infinity_bits || most_w >= f::infinity_bits; }

  // What it found, or nothing. Positions are those of values and of weights apart, not of products.
  ISO_HOST_DEVICE findings apart(bool any) const {
    findings r = findings::nothing();
    const bits last = static_cast<bits>(~bits{0});
    if (any && (!Weighted || least_w != last)) {
      r.flags |= findings::weight;
      if constexpr (Weighted) {
        r.low_w = f::position(static_cast<bits>(least_w + 1));
        r.high_w = f::position(most_w) + f::digits;
      }
    }
    if (any && least != last) {
      r.low = f::position(static_cast<bits>(least + 1));
      r.high = f::position(most) + f::digits;
    }
    return r;
  }
  ISO_HOST_DEVICE findings found(bool any) const { return apart(any).template joined<Weighted>(); }
};

}  // namespace iso
