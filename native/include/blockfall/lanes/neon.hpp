// Four lanes of NEON, which every 64-bit ARM processor has.
#pragma once

#include <arm_neon.h>

#include "scalar_bits.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int lanes = 4;

struct Word {
  uint32x4_t v;
};
struct Real {
  float32x4_t v;
};
struct Mask {
  uint32x4_t v;
};

inline Word splat(uint32_t value) { return {vdupq_n_u32(value)}; }
inline Real splat_real(float value) { return {vdupq_n_f32(value)}; }
inline Word load(const uint32_t* from) { return {vld1q_u32(from)}; }
inline Word load_bytes(const int8_t* from) {
  uint32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  const int16x8_t wide = vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(four)));
  return {vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(wide)))};
}
inline void store(uint32_t* to, Word value) { vst1q_u32(to, value.v); }
inline uint32_t first_lane(Word word) { return vgetq_lane_u32(word.v, 0); }
inline void store(float* to, Real value) { vst1q_f32(to, value.v); }
inline Real load_real(const float* from) { return {vld1q_f32(from)}; }

inline Word operator&(Word a, Word b) { return {vandq_u32(a.v, b.v)}; }
inline Word operator|(Word a, Word b) { return {vorrq_u32(a.v, b.v)}; }
inline Word operator^(Word a, Word b) { return {veorq_u32(a.v, b.v)}; }
inline Word operator~(Word a) { return {vmvnq_u32(a.v)}; }
inline Word operator+(Word a, Word b) { return {vaddq_u32(a.v, b.v)}; }
inline Word operator-(Word a, Word b) { return {vsubq_u32(a.v, b.v)}; }
inline Word operator<<(Word a, int by) { return {vshlq_u32(a.v, vdupq_n_s32(by))}; }
inline Word operator>>(Word a, int by) { return {vshlq_u32(a.v, vdupq_n_s32(-by))}; }

// NEON shifts by the lowest byte as a signed number: counts above 32 are clamped to 32, which gives 0.
inline Word shift_left(Word word, Word by) {
  return {vshlq_u32(word.v, vreinterpretq_s32_u32(vminq_u32(by.v, vdupq_n_u32(32))))};
}
inline Word shift_right(Word word, Word by) {
  return {vshlq_u32(word.v, vnegq_s32(vreinterpretq_s32_u32(vminq_u32(by.v, vdupq_n_u32(32)))))};
}
inline Word and_not(Word word, Word without) { return {vbicq_u32(word.v, without.v)}; }

inline Word popcount(Word word) { return {vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u32(word.v))))}; }
inline Word bit_length(Word word) { return splat(32) - Word{vclzq_u32(word.v)}; }

inline bool any(Word word) { return vmaxvq_u32(word.v) != 0; }
inline Mask equal(Word a, Word b) { return {vceqq_u32(a.v, b.v)}; }
inline Mask greater(Word a, Word b) { return {vcgtq_s32(vreinterpretq_s32_u32(a.v), vreinterpretq_s32_u32(b.v))}; }
inline Mask not_greater(Word a, Word b) { return {vcleq_s32(vreinterpretq_s32_u32(a.v), vreinterpretq_s32_u32(b.v))}; }
inline Mask greater(Real a, Real b) { return {vcgtq_f32(a.v, b.v)}; }
inline Mask equal(Real a, Real b) { return {vceqq_f32(a.v, b.v)}; }
inline Word select(Mask mask, Word yes, Word no) { return {vbslq_u32(mask.v, yes.v, no.v)}; }
inline Real select(Mask mask, Real yes, Real no) { return {vbslq_f32(mask.v, yes.v, no.v)}; }
inline bool any(Mask mask) { return vmaxvq_u32(mask.v) != 0; }
inline Mask both(Mask a, Mask b) { return {vandq_u32(a.v, b.v)}; }
inline uint32_t lane_bits(Mask mask) {
  const uint32_t bits[4] = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(mask.v, vld1q_u32(bits)));
}
inline Word minimum(Word a, Word b) {
  return {vreinterpretq_u32_s32(vminq_s32(vreinterpretq_s32_u32(a.v), vreinterpretq_s32_u32(b.v)))};
}
inline Word maximum(Word a, Word b) {
  return {vreinterpretq_u32_s32(vmaxq_s32(vreinterpretq_s32_u32(a.v), vreinterpretq_s32_u32(b.v)))};
}
inline Word multiply(Word a, Word b) { return {vmulq_u32(a.v, b.v)}; }

inline Real to_real(Word word) { return {vcvtq_f32_s32(vreinterpretq_s32_u32(word.v))}; }
inline Real look_up(const float* table, Word index) {
  const float four[4] = {table[vgetq_lane_u32(index.v, 0)], table[vgetq_lane_u32(index.v, 1)],
                         table[vgetq_lane_u32(index.v, 2)], table[vgetq_lane_u32(index.v, 3)]};
  return {vld1q_f32(four)};
}
inline Real operator+(Real a, Real b) { return {vaddq_f32(a.v, b.v)}; }
inline Real operator-(Real a, Real b) { return {vsubq_f32(a.v, b.v)}; }
inline Real operator*(Real a, Real b) { return {vmulq_f32(a.v, b.v)}; }
inline Real operator/(Real a, Real b) { return {vdivq_f32(a.v, b.v)}; }

inline float greatest_lane(Real values) { return vmaxvq_f32(values.v); }
inline Word lane_numbers() {
  const uint32_t numbers[4] = {0, 1, 2, 3};
  return {vld1q_u32(numbers)};
}
inline uint32_t lane_at(Word word, int i) {
  uint32_t lane[4];
  vst1q_u32(lane, word.v);
  return lane[i];
}
// The entries of a table at these indices; only the last four bits of an index count.
inline Word pick(const uint32_t table[max_columns], Word place) {
  const uint32x4_t entry = vandq_u32(place.v, vdupq_n_u32(max_columns - 1));
  const uint32x4_t bytes = vmlaq_n_u32(vdupq_n_u32(0x03020100), entry, 0x04040404);
  const uint8x16x4_t all = vld1q_u8_x4(reinterpret_cast<const uint8_t*>(table));
  return {vreinterpretq_u32_u8(vqtbl4q_u8(all, vreinterpretq_u8_u32(bytes)))};
}
inline uint32_t least_lane(Word word) { return vminvq_u32(word.v); }
inline int first_lane_equal(Word word, uint32_t value) { return __builtin_ctz(lane_bits(equal(word, splat(value)))); }
inline int64_t sum_lanes(Word word) { return int64_t(vaddlvq_u32(word.v)); }

// The columns of four boards, four at a time: transpose 4 x 4 words.
inline void transpose(const uint32_t (*rows)[max_columns], int columns, Word* out) {
  for (int first = 0; first < columns; first += 4) {
    const uint32x4x2_t a = vtrnq_u32(vld1q_u32(rows[0] + first), vld1q_u32(rows[1] + first));
    const uint32x4x2_t b = vtrnq_u32(vld1q_u32(rows[2] + first), vld1q_u32(rows[3] + first));
    const uint32x4_t four[4] = {vcombine_u32(vget_low_u32(a.val[0]), vget_low_u32(b.val[0])),
                                vcombine_u32(vget_low_u32(a.val[1]), vget_low_u32(b.val[1])),
                                vcombine_u32(vget_high_u32(a.val[0]), vget_high_u32(b.val[0])),
                                vcombine_u32(vget_high_u32(a.val[1]), vget_high_u32(b.val[1]))};
    for (int i = 0; i < 4 && first + i < columns; ++i) out[first + i] = {four[i]};
  }
}

}  // namespace blockfall::BLOCKFALL_ARCH
