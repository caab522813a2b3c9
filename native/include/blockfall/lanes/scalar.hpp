// One lane: the portable word. Every lanes header defines the same names: Word, Real, lanes, and the operations below.
#pragma once

#include "scalar_bits.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline constexpr int lanes = 1;
using Word = uint32_t;
using Real = float;
using Mask = bool;

inline Word splat(uint32_t value) { return value; }
inline Real splat_real(float value) { return value; }
inline Word load(const uint32_t* from) { return *from; }
inline Word load_bytes(const int8_t* from) { return Word(int32_t(*from)); }  // sign-extended
inline void store(uint32_t* to, Word value) { *to = value; }
inline Real load_real(const float* from) { return *from; }
inline uint32_t first_lane(Word word) { return word; }
inline void store(float* to, Real value) { *to = value; }

inline Word shift_left(Word word, Word by) { return by < 32 ? word << by : 0; }
inline Word shift_right(Word word, Word by) { return by < 32 ? word >> by : 0; }
inline Word and_not(Word word, Word without) { return word & ~without; }
inline Word popcount(Word word) { return Word(bit_count(word)); }
// The index of the highest bit plus one; 0 for an empty word.
inline Word bit_length(Word word) { return Word(32 - leading_zeros(word)); }

inline bool any(Word word) { return word != 0; }
inline Mask equal(Word a, Word b) { return a == b; }
inline Mask greater(Word a, Word b) { return int32_t(a) > int32_t(b); }
inline Mask not_greater(Word a, Word b) { return int32_t(a) <= int32_t(b); }
inline Mask greater(Real a, Real b) { return a > b; }
inline Mask equal(Real a, Real b) { return a == b; }
inline Word select(Mask mask, Word yes, Word no) { return mask ? yes : no; }
inline Real select(Mask mask, Real yes, Real no) { return mask ? yes : no; }
inline bool any(Mask mask) { return mask; }
inline Mask both(Mask a, Mask b) { return a && b; }
inline uint32_t lane_bits(Mask mask) { return mask; }
inline Word minimum(Word a, Word b) { return int32_t(a) < int32_t(b) ? a : b; }
inline Word maximum(Word a, Word b) { return int32_t(a) > int32_t(b) ? a : b; }
inline Word multiply(Word a, Word b) { return a * b; }

inline Real to_real(Word word) { return Real(int32_t(word)); }
inline Real look_up(const float* table, Word index) { return table[index]; }

inline Word lane_numbers() { return 0; }
inline uint32_t lane_at(Word word, int) { return word; }
// The entries of a table at these indices; only the last four bits of an index count.
inline Word pick(const uint32_t table[max_columns], Word place) { return table[place % max_columns]; }
inline float greatest_lane(Real values) { return values; }
inline uint32_t least_lane(Word word) { return word; }  // unsigned
inline int first_lane_equal(Word, uint32_t) { return 0; }
inline int64_t sum_lanes(Word word) { return int64_t(word); }

// Turns candidate boards, one row of max_columns words each, into one word of lanes per column.
inline void transpose(const uint32_t (*rows)[max_columns], int columns, Word* out) {
  for (int i = 0; i < columns; ++i) out[i] = rows[0][i];
}

}  // namespace blockfall::BLOCKFALL_ARCH
