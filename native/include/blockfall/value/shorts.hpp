// Blocks of 16-bit numbers: the operations of a board network between two sums, on a block of channels at a time.
#pragma once

#include "../dense.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int16_t split_top = (128 << split_bits) - 1;

#if defined(__AVX512BW__)

struct Shorts {
  __m512i v;
};
inline Shorts load_shorts(const int16_t* p) { return {_mm512_loadu_si512(p)}; }
inline void store_shorts(int16_t* p, Shorts a) { _mm512_storeu_si512(p, a.v); }
inline Shorts add_cut(Shorts a, Shorts b) { return {_mm512_adds_epi16(a.v, b.v)}; }
inline Shorts times_factor(Shorts a, Shorts factor) { return {_mm512_mulhrs_epi16(a.v, factor.v)}; }
inline Shorts not_negative(Shorts a) { return {_mm512_max_epi16(a.v, _mm512_setzero_si512())}; }
inline Shorts in_steps(Shorts a) { return {_mm512_srai_epi16(_mm512_adds_epi16(a.v, _mm512_set1_epi16(32)), 6)}; }
inline Shorts split_high(Shorts a) {
  return {_mm512_srai_epi16(_mm512_min_epi16(a.v, _mm512_set1_epi16(split_top)), split_bits)};
}
inline Shorts split_low(Shorts a) {
  return {_mm512_and_si512(_mm512_min_epi16(a.v, _mm512_set1_epi16(split_top)), _mm512_set1_epi16(63))};
}
inline void store_bytes(uint8_t* p, Shorts a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtsepi16_epi8(a.v));
}
inline int32_t sum_of_products(const int16_t* a, const int16_t* b, int count) {
  __m512i sum = _mm512_setzero_si512();
  for (int i = 0; i < count; i += dense_block)
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i)));
  return _mm512_reduce_add_epi32(sum);
}

#elif defined(__AVX2__)

struct Shorts {
  __m256i v[2];
};
inline Shorts load_shorts(const int16_t* p) {
  const auto* words = reinterpret_cast<const __m256i*>(p);
  return {{_mm256_loadu_si256(words), _mm256_loadu_si256(words + 1)}};
}
inline void store_shorts(int16_t* p, Shorts a) {
  auto* words = reinterpret_cast<__m256i*>(p);
  _mm256_storeu_si256(words, a.v[0]);
  _mm256_storeu_si256(words + 1, a.v[1]);
}
inline Shorts add_cut(Shorts a, Shorts b) {
  return {{_mm256_adds_epi16(a.v[0], b.v[0]), _mm256_adds_epi16(a.v[1], b.v[1])}};
}
inline Shorts times_factor(Shorts a, Shorts factor) {
  return {{_mm256_mulhrs_epi16(a.v[0], factor.v[0]), _mm256_mulhrs_epi16(a.v[1], factor.v[1])}};
}
inline Shorts not_negative(Shorts a) {
  const __m256i zero = _mm256_setzero_si256();
  return {{_mm256_max_epi16(a.v[0], zero), _mm256_max_epi16(a.v[1], zero)}};
}
inline Shorts in_steps(Shorts a) {
  const __m256i half = _mm256_set1_epi16(32);
  return {
      {_mm256_srai_epi16(_mm256_adds_epi16(a.v[0], half), 6), _mm256_srai_epi16(_mm256_adds_epi16(a.v[1], half), 6)}};
}
inline Shorts split_high(Shorts a) {
  const __m256i top = _mm256_set1_epi16(split_top);
  return {{_mm256_srai_epi16(_mm256_min_epi16(a.v[0], top), split_bits),
           _mm256_srai_epi16(_mm256_min_epi16(a.v[1], top), split_bits)}};
}
inline Shorts split_low(Shorts a) {
  const __m256i top = _mm256_set1_epi16(split_top), mask = _mm256_set1_epi16(63);
  return {
      {_mm256_and_si256(_mm256_min_epi16(a.v[0], top), mask), _mm256_and_si256(_mm256_min_epi16(a.v[1], top), mask)}};
}
inline void store_bytes(uint8_t* p, Shorts a) {
  const __m256i packed = _mm256_packs_epi16(a.v[0], a.v[1]);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(packed, 0xd8));
}
inline int32_t sum_of_products(const int16_t* a, const int16_t* b, int count) {
  __m256i sum = _mm256_setzero_si256();
  for (int i = 0; i < count; i += 16)
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i)),
                                                  _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i))));
  alignas(32) int32_t part[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(part), sum);
  int32_t total = 0;
  for (int i = 0; i < 8; ++i) total += part[i];
  return total;
}

#else

struct Shorts {
  int16_t v[dense_block];
};
inline int16_t cut(int32_t a) { return int16_t(a < -32768 ? -32768 : a > 32767 ? 32767 : a); }
inline Shorts load_shorts(const int16_t* p) {
  Shorts a;
  for (int i = 0; i < dense_block; ++i) a.v[i] = p[i];
  return a;
}
inline void store_shorts(int16_t* p, const Shorts& a) {
  for (int i = 0; i < dense_block; ++i) p[i] = a.v[i];
}
inline Shorts add_cut(Shorts a, const Shorts& b) {
  for (int i = 0; i < dense_block; ++i) a.v[i] = cut(a.v[i] + b.v[i]);
  return a;
}
inline Shorts times_factor(Shorts a, const Shorts& factor) {
  for (int i = 0; i < dense_block; ++i) a.v[i] = int16_t((a.v[i] * factor.v[i] + 0x4000) >> 15);
  return a;
}
inline Shorts not_negative(Shorts a) {
  for (int i = 0; i < dense_block; ++i) a.v[i] = a.v[i] > 0 ? a.v[i] : int16_t(0);
  return a;
}
inline Shorts in_steps(Shorts a) {
  for (int i = 0; i < dense_block; ++i) a.v[i] = int16_t(cut(a.v[i] + 32) >> 6);
  return a;
}
inline Shorts split_high(Shorts a) {
  for (int i = 0; i < dense_block; ++i) a.v[i] = int16_t((a.v[i] < split_top ? a.v[i] : split_top) >> split_bits);
  return a;
}
inline Shorts split_low(Shorts a) {
  for (int i = 0; i < dense_block; ++i) a.v[i] = int16_t((a.v[i] < split_top ? a.v[i] : split_top) & 63);
  return a;
}
inline void store_bytes(uint8_t* p, const Shorts& a) {
  for (int i = 0; i < dense_block; ++i) p[i] = uint8_t(a.v[i] > 127 ? 127 : a.v[i]);
}
inline int32_t sum_of_products(const int16_t* a, const int16_t* b, int count) {
  int32_t sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

#endif

}  // namespace blockfall::BLOCKFALL_ARCH
