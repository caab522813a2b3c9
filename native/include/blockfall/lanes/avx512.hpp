// Sixteen lanes of AVX-512 (F, BW, VL, CD and VPOPCNTDQ: Ice Lake and Zen 4 on).
#pragma once

#include <immintrin.h>

#include "scalar_bits.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int lanes = 16;

struct Word {
  __m512i v;
};
struct Real {
  __m512 v;
};
using Mask = __mmask16;

inline Word splat(uint32_t value) { return {_mm512_set1_epi32(int(value))}; }
inline Real splat_real(float value) { return {_mm512_set1_ps(value)}; }
inline Word load(const uint32_t* from) { return {_mm512_load_si512(from)}; }
inline Word load_bytes(const int8_t* from) {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
}
inline void store(uint32_t* to, Word value) { _mm512_store_si512(to, value.v); }
inline uint32_t first_lane(Word word) { return uint32_t(_mm512_cvtsi512_si32(word.v)); }
inline void store(float* to, Real value) { _mm512_store_ps(to, value.v); }
inline Real load_real(const float* from) { return {_mm512_load_ps(from)}; }

inline Word operator&(Word a, Word b) { return {_mm512_and_si512(a.v, b.v)}; }
inline Word operator|(Word a, Word b) { return {_mm512_or_si512(a.v, b.v)}; }
inline Word operator^(Word a, Word b) { return {_mm512_xor_si512(a.v, b.v)}; }
inline Word operator~(Word a) { return a ^ splat(~0u); }
inline Word operator+(Word a, Word b) { return {_mm512_add_epi32(a.v, b.v)}; }
inline Word operator-(Word a, Word b) { return {_mm512_sub_epi32(a.v, b.v)}; }
inline Word operator<<(Word a, int by) { return {_mm512_slli_epi32(a.v, unsigned(by))}; }
inline Word operator>>(Word a, int by) { return {_mm512_srli_epi32(a.v, unsigned(by))}; }

inline Word shift_left(Word word, Word by) { return {_mm512_sllv_epi32(word.v, by.v)}; }
inline Word shift_right(Word word, Word by) { return {_mm512_srlv_epi32(word.v, by.v)}; }
inline Word and_not(Word word, Word without) { return {_mm512_andnot_si512(without.v, word.v)}; }
inline Word popcount(Word word) { return {_mm512_popcnt_epi32(word.v)}; }
inline Word bit_length(Word word) { return {_mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_lzcnt_epi32(word.v))}; }

inline bool any(Word word) { return _mm512_test_epi32_mask(word.v, word.v) != 0; }
inline Mask equal(Word a, Word b) { return _mm512_cmpeq_epi32_mask(a.v, b.v); }
inline Mask greater(Word a, Word b) { return _mm512_cmpgt_epi32_mask(a.v, b.v); }
inline Mask not_greater(Word a, Word b) { return _mm512_cmple_epi32_mask(a.v, b.v); }
inline Mask greater(Real a, Real b) { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ); }
inline Mask equal(Real a, Real b) { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ); }
inline Word select(Mask mask, Word yes, Word no) { return {_mm512_mask_blend_epi32(mask, no.v, yes.v)}; }
inline Real select(Mask mask, Real yes, Real no) { return {_mm512_mask_blend_ps(mask, no.v, yes.v)}; }
inline bool any(Mask mask) { return mask != 0; }
inline Mask both(Mask a, Mask b) { return a & b; }
inline uint32_t lane_bits(Mask mask) { return mask; }
inline Word minimum(Word a, Word b) { return {_mm512_min_epi32(a.v, b.v)}; }
inline Word maximum(Word a, Word b) { return {_mm512_max_epi32(a.v, b.v)}; }
inline Word multiply(Word a, Word b) { return {_mm512_mullo_epi32(a.v, b.v)}; }

inline Real to_real(Word word) { return {_mm512_cvtepi32_ps(word.v)}; }
inline Real look_up(const float* table, Word index) { return {_mm512_i32gather_ps(index.v, table, 4)}; }
inline Real operator+(Real a, Real b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Real operator-(Real a, Real b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline Real operator*(Real a, Real b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline Real operator/(Real a, Real b) { return {_mm512_div_ps(a.v, b.v)}; }

inline float greatest_lane(Real values) { return _mm512_reduce_max_ps(values.v); }
inline Word lane_numbers() { return {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)}; }
inline uint32_t lane_at(Word word, int i) {
  return uint32_t(_mm512_cvtsi512_si32(_mm512_permutexvar_epi32(_mm512_set1_epi32(i), word.v)));
}
// The entries of a table at these indices; only the last four bits of an index count.
inline Word pick(const uint32_t table[max_columns], Word place) {
  return {_mm512_permutexvar_epi32(place.v, load(table).v)};
}
inline uint32_t least_lane(Word word) { return _mm512_reduce_min_epu32(word.v); }
inline int first_lane_equal(Word word, uint32_t value) {
  return __builtin_ctz(_mm512_cmpeq_epi32_mask(word.v, _mm512_set1_epi32(int(value))));
}
inline int64_t sum_lanes(Word word) { return _mm512_reduce_add_epi32(word.v); }

// Transpose 16 x 16 words: within 128-bit quarters, then the quarters themselves.
inline void transpose(const uint32_t (*rows)[max_columns], int columns, Word* out) {
  __m512i a[16], b[16];
  for (int i = 0; i < 16; ++i) a[i] = _mm512_load_si512(rows[i]);
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {  // a[i + k]: columns k, k+4, k+8, k+12 of boards i .. i+3
    a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
    a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
    a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
    a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
  }
  Word all[16];
  for (int k = 0; k < 4; ++k) {
    const __m512i low01 = _mm512_shuffle_i32x4(a[k], a[k + 4], 0x44),
                  high01 = _mm512_shuffle_i32x4(a[k], a[k + 4], 0xee);
    const __m512i low23 = _mm512_shuffle_i32x4(a[k + 8], a[k + 12], 0x44),
                  high23 = _mm512_shuffle_i32x4(a[k + 8], a[k + 12], 0xee);
    all[k] = {_mm512_shuffle_i32x4(low01, low23, 0x88)};
    all[k + 4] = {_mm512_shuffle_i32x4(low01, low23, 0xdd)};
    all[k + 8] = {_mm512_shuffle_i32x4(high01, high23, 0x88)};
    all[k + 12] = {_mm512_shuffle_i32x4(high01, high23, 0xdd)};
  }
  for (int i = 0; i < columns; ++i) out[i] = all[i];
}

}  // namespace blockfall::BLOCKFALL_ARCH
