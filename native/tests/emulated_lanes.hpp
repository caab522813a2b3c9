// Sixteen lanes in plain C++, so that code for sixteen lanes is tested on machines without AVX-512.
#pragma once

#include "blockfall/lanes/scalar_bits.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int lanes = 16;

template <class T>
struct Sixteen {
  T lane[lanes];
};
using Word = Sixteen<uint32_t>;
using Real = Sixteen<float>;
using Mask = Sixteen<bool>;

template <class Function>
auto each(Function function) {
  Sixteen<decltype(function(0))> result;
  for (int i = 0; i < lanes; ++i) result.lane[i] = function(i);
  return result;
}

inline Word splat(uint32_t value) {
  return each([=](int) { return value; });
}
inline Real splat_real(float value) {
  return each([=](int) { return value; });
}
inline Word load(const uint32_t* from) {
  return each([=](int i) { return from[i]; });
}
inline Word load_bytes(const int8_t* from) {
  return each([=](int i) { return uint32_t(int32_t(from[i])); });
}
template <class T>
inline void store(T* to, const Sixteen<T>& value) {
  for (int i = 0; i < lanes; ++i) to[i] = value.lane[i];
}
inline uint32_t first_lane(const Word& word) { return word.lane[0]; }

#define BLOCKFALL_EACH(name, type, expression)                      \
  inline auto name(const type& a, [[maybe_unused]] const type& b) { \
    return each([&](int i) {                                        \
      const auto x = a.lane[i];                                     \
      const auto y = b.lane[i];                                     \
      return expression;                                            \
    });                                                             \
  }
BLOCKFALL_EACH(operator&, Word, x& y)
BLOCKFALL_EACH(operator|, Word, x | y)
BLOCKFALL_EACH(operator^, Word, x ^ y)
BLOCKFALL_EACH(operator+, Word, x + y)
BLOCKFALL_EACH(operator-, Word, x - y)
BLOCKFALL_EACH(and_not, Word, x & ~y)
BLOCKFALL_EACH(multiply, Word, x* y)
BLOCKFALL_EACH(shift_left, Word, y < 32 ? x << y : 0u)
BLOCKFALL_EACH(shift_right, Word, y < 32 ? x >> y : 0u)
BLOCKFALL_EACH(minimum, Word, int32_t(x) < int32_t(y) ? x : y)
BLOCKFALL_EACH(maximum, Word, int32_t(x) > int32_t(y) ? x : y)
BLOCKFALL_EACH(equal, Word, x == y)
BLOCKFALL_EACH(greater, Word, int32_t(x) > int32_t(y))
BLOCKFALL_EACH(not_greater, Word, int32_t(x) <= int32_t(y))
BLOCKFALL_EACH(greater, Real, x > y)
BLOCKFALL_EACH(equal, Real, x == y)
BLOCKFALL_EACH(operator+, Real, x + y)
BLOCKFALL_EACH(operator-, Real, x - y)
BLOCKFALL_EACH(operator*, Real, x* y)
BLOCKFALL_EACH(operator/, Real, x / y)
BLOCKFALL_EACH(both, Mask, x&& y)
#undef BLOCKFALL_EACH

inline Word operator~(const Word& a) { return a ^ splat(~0u); }
inline Word operator<<(const Word& a, int by) { return shift_left(a, splat(uint32_t(by))); }
inline Word operator>>(const Word& a, int by) { return shift_right(a, splat(uint32_t(by))); }
inline Word popcount(const Word& a) {
  return each([&](int i) { return uint32_t(bit_count(a.lane[i])); });
}
inline Word bit_length(const Word& a) {
  return each([&](int i) { return uint32_t(32 - leading_zeros(a.lane[i])); });
}
inline Real to_real(const Word& a) {
  return each([&](int i) { return float(int32_t(a.lane[i])); });
}
inline Real look_up(const float* table, const Word& index) {
  return each([&](int i) { return table[index.lane[i]]; });
}
template <class T>
inline Sixteen<T> select(const Mask& mask, const Sixteen<T>& yes, const Sixteen<T>& no) {
  return each([&](int i) { return mask.lane[i] ? yes.lane[i] : no.lane[i]; });
}
template <class T>
inline bool any(const Sixteen<T>& a) {
  for (T lane : a.lane)
    if (lane) return true;
  return false;
}
inline Real load_real(const float* from) {
  return each([=](int i) { return from[i]; });
}
inline uint32_t lane_bits(const Mask& mask) {
  uint32_t bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= uint32_t(mask.lane[i]) << i;
  return bits;
}
inline int64_t sum_lanes(const Word& a) {
  int64_t sum = 0;
  for (uint32_t lane : a.lane) sum += lane;
  return sum;
}
inline float greatest_lane(const Real& a) {
  float greatest = a.lane[0];
  for (float lane : a.lane) greatest = lane > greatest ? lane : greatest;
  return greatest;
}
inline Word lane_numbers() {
  return each([](int i) { return uint32_t(i); });
}
inline uint32_t lane_at(const Word& a, int i) { return a.lane[i]; }
inline Word pick(const uint32_t table[max_columns], const Word& place) {
  return each([&](int i) { return table[place.lane[i] % max_columns]; });
}
inline uint32_t least_lane(const Word& a) {
  uint32_t least = a.lane[0];
  for (uint32_t lane : a.lane) least = lane < least ? lane : least;
  return least;
}
inline int first_lane_equal(const Word& a, uint32_t value) {
  int i = 0;
  while (a.lane[i] != value) ++i;
  return i;
}
inline void transpose(const uint32_t (*rows)[max_columns], int columns, Word* out) {
  for (int i = 0; i < columns; ++i) out[i] = each([&](int n) { return rows[n][i]; });
}

}  // namespace blockfall::BLOCKFALL_ARCH
