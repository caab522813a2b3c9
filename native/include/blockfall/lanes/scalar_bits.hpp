// Bit counting on one word, for code outside the lanes of any instruction set.
#pragma once

#include "../sizes.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline int bit_count(uint32_t word) {
#if defined(__CUDACC__)
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

// 32 for an empty word.
inline int leading_zeros(uint32_t word) {
#if defined(__CUDACC__)
  return __clz(word);
#else
  return word ? __builtin_clz(word) : 32;
#endif
}

inline int highest_bit(uint32_t word) { return 31 - leading_zeros(word); }

}  // namespace blockfall::BLOCKFALL_ARCH
