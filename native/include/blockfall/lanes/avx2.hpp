// Eight lanes of AVX2.
#pragma once

#include <immintrin.h>

#include "scalar_bits.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int lanes = 8;

struct Word {
  __m256i v;
};
struct Real {
  __m256 v;
};
struct Mask {
  __m256i v;
};

inline Word splat(uint32_t value) { return {_mm256_set1_epi32(int(value))}; }
inline Real splat_real(float value) { return {_mm256_set1_ps(value)}; }
inline Word load(const uint32_t* from) { return {_mm256_load_si256(reinterpret_cast<const __m256i*>(from))}; }
inline Word load_bytes(const int8_t* from) {
  return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)))};
}
inline void store(uint32_t* to, Word value) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), value.v); }
inline uint32_t first_lane(Word word) { return uint32_t(_mm256_cvtsi256_si32(word.v)); }
inline void store(float* to, Real value) { _mm256_store_ps(to, value.v); }
inline Real load_real(const float* from) { return {_mm256_load_ps(from)}; }

inline Word operator&(Word a, Word b) { return {_mm256_and_si256(a.v, b.v)}; }
inline Word operator|(Word a, Word b) { return {_mm256_or_si256(a.v, b.v)}; }
inline Word operator^(Word a, Word b) { return {_mm256_xor_si256(a.v, b.v)}; }
inline Word operator~(Word a) { return a ^ splat(~0u); }
inline Word operator+(Word a, Word b) { return {_mm256_add_epi32(a.v, b.v)}; }
inline Word operator-(Word a, Word b) { return {_mm256_sub_epi32(a.v, b.v)}; }
inline Word operator<<(Word a, int by) { return {_mm256_slli_epi32(a.v, by)}; }
inline Word operator>>(Word a, int by) { return {_mm256_srli_epi32(a.v, by)}; }

inline Word shift_left(Word word, Word by) { return {_mm256_sllv_epi32(word.v, by.v)}; }
inline Word shift_right(Word word, Word by) { return {_mm256_srlv_epi32(word.v, by.v)}; }
inline Word and_not(Word word, Word without) { return {_mm256_andnot_si256(without.v, word.v)}; }

// Mula's nibble table; two multiply-adds sum the four byte counts of a word.
inline Word popcount(Word word) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i bytes =
      _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(word.v, low)),
                      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(word.v, 4), low)));
  return {_mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1))};
}

// The exponent of the word as a float. First clearing every bit below a set bit keeps rounding from raising it; the
// unsigned minimum clamps bit 31, the sign.
inline Word bit_length(Word word) {
  const Word top = and_not(word, word >> 1);
  const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(top.v)), 23);
  const __m256i length = _mm256_subs_epu16(exponent, _mm256_set1_epi32(126));
  return {_mm256_min_epu32(length, _mm256_set1_epi32(32))};
}

inline bool any(Word word) { return !_mm256_testz_si256(word.v, word.v); }
inline Mask equal(Word a, Word b) { return {_mm256_cmpeq_epi32(a.v, b.v)}; }
inline Mask greater(Word a, Word b) { return {_mm256_cmpgt_epi32(a.v, b.v)}; }
inline Mask not_greater(Word a, Word b) { return {_mm256_xor_si256(greater(a, b).v, _mm256_set1_epi32(-1))}; }
inline Mask greater(Real a, Real b) { return {_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ))}; }
inline Mask equal(Real a, Real b) { return {_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ))}; }
inline Word select(Mask mask, Word yes, Word no) { return {_mm256_blendv_epi8(no.v, yes.v, mask.v)}; }
inline Real select(Mask mask, Real yes, Real no) {
  return {_mm256_blendv_ps(no.v, yes.v, _mm256_castsi256_ps(mask.v))};
}
inline bool any(Mask mask) { return _mm256_movemask_epi8(mask.v) != 0; }
inline Mask both(Mask a, Mask b) { return {_mm256_and_si256(a.v, b.v)}; }
inline uint32_t lane_bits(Mask mask) { return uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(mask.v))); }
inline Word minimum(Word a, Word b) { return {_mm256_min_epi32(a.v, b.v)}; }
inline Word maximum(Word a, Word b) { return {_mm256_max_epi32(a.v, b.v)}; }
inline Word multiply(Word a, Word b) { return {_mm256_mullo_epi32(a.v, b.v)}; }

inline Real to_real(Word word) { return {_mm256_cvtepi32_ps(word.v)}; }
inline Real look_up(const float* table, Word index) { return {_mm256_i32gather_ps(table, index.v, 4)}; }
inline Real operator+(Real a, Real b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Real operator-(Real a, Real b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline Real operator*(Real a, Real b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Real operator/(Real a, Real b) { return {_mm256_div_ps(a.v, b.v)}; }

inline float greatest_lane(Real values) {
  __m256 v = values.v;
  v = _mm256_max_ps(v, _mm256_permute2f128_ps(v, v, 1));
  v = _mm256_max_ps(v, _mm256_permute_ps(v, 0x4e));
  v = _mm256_max_ps(v, _mm256_permute_ps(v, 0xb1));
  return _mm256_cvtss_f32(v);
}
inline Word lane_numbers() { return {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)}; }
inline uint32_t lane_at(Word word, int i) {
  return uint32_t(_mm256_cvtsi256_si32(_mm256_permutevar8x32_epi32(word.v, _mm256_set1_epi32(i))));
}
// The entries of a table at these indices; only the last four bits of an index count.
inline Word pick(const uint32_t table[max_columns], Word place) {
  const __m256i low = _mm256_permutevar8x32_epi32(load(table).v, place.v);
  const __m256i high = _mm256_permutevar8x32_epi32(load(table + 8).v, place.v);
  return {_mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                                               _mm256_castsi256_ps(_mm256_slli_epi32(place.v, 28))))};
}
inline uint32_t least_lane(Word word) {
  __m256i v = word.v;
  v = _mm256_min_epu32(v, _mm256_permute2x128_si256(v, v, 1));
  v = _mm256_min_epu32(v, _mm256_shuffle_epi32(v, 0x4e));
  v = _mm256_min_epu32(v, _mm256_shuffle_epi32(v, 0xb1));
  return uint32_t(_mm256_cvtsi256_si32(v));
}
inline int first_lane_equal(Word word, uint32_t value) {
  const __m256i same = _mm256_cmpeq_epi32(word.v, _mm256_set1_epi32(int(value)));
  return __builtin_ctz(unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(same))));
}
inline int64_t sum_lanes(Word word) {
  alignas(32) uint32_t lane[8];
  store(lane, word);
  int64_t sum = 0;
  for (uint32_t value : lane) sum += value;
  return sum;
}

// Eight columns of eight boards: transpose 8 x 8 words.
inline void transpose_eight(const uint32_t (*rows)[max_columns], int first, Word* out) {
  __m256i a[8], b[8];
  for (int i = 0; i < 8; ++i) a[i] = _mm256_load_si256(reinterpret_cast<const __m256i*>(rows[i] + first));
  for (int i = 0; i < 8; i += 2) {
    b[i] = _mm256_unpacklo_epi32(a[i], a[i + 1]);
    b[i + 1] = _mm256_unpackhi_epi32(a[i], a[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    a[i] = _mm256_unpacklo_epi64(b[i], b[i + 2]);
    a[i + 1] = _mm256_unpackhi_epi64(b[i], b[i + 2]);
    a[i + 2] = _mm256_unpacklo_epi64(b[i + 1], b[i + 3]);
    a[i + 3] = _mm256_unpackhi_epi64(b[i + 1], b[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    out[i] = {_mm256_permute2x128_si256(a[i], a[i + 4], 0x20)};
    out[i + 4] = {_mm256_permute2x128_si256(a[i], a[i + 4], 0x31)};
  }
}

inline void transpose(const uint32_t (*rows)[max_columns], int columns, Word* out) {
  Word all[max_columns];
  transpose_eight(rows, 0, all);
  if (columns > 8) transpose_eight(rows, 8, all + 8);
  for (int i = 0; i < columns; ++i) out[i] = all[i];
}

}  // namespace blockfall::BLOCKFALL_ARCH
