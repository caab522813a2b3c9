// Layers of whole numbers: sums of 8-bit products, as fast as each instruction set can make them.
//
// Inputs are bytes of 0 to 127 and weights are signed bytes, so a pair of products fits 16 bits and no order of the sum
// can overflow 32 bits: every instruction set comes to the same number.
#pragma once

#include "sizes.hpp"

namespace blockfall {

inline constexpr int dense_block = 32;  // outputs are counted in these

// Weights lie in groups of 16 outputs and 4 inputs: [outputs / 16][inputs / 4][16][4].
struct Dense {
  const int8_t* weights;
  const int32_t* bias;
  const int32_t* shift;  // of each output, 0 to 31
  int32_t inputs;        // a multiple of 4
  int32_t outputs;       // a multiple of dense_block
  bool split;            // a row has twice as many inputs: first 64ths of a step, 0 to 63, and then whole steps
};

inline constexpr int split_bits = 6;

// For each of `count` rows of inputs: the sum of products and bias of each output, shifted right (rounding down) and
// cut to 16 bits. Where inputs are split, the sum of the 64ths is divided by 64, rounding down, before all else.
using DenseKernel = void (*)(const Dense& layer, const uint8_t* const* in, int count, int16_t* out);

namespace scalar {
void dense(const Dense& layer, const uint8_t* const* in, int count, int16_t* out);
}
namespace avx2 {
void dense(const Dense& layer, const uint8_t* const* in, int count, int16_t* out);
}
namespace avx512 {
void dense(const Dense& layer, const uint8_t* const* in, int count, int16_t* out);
}
namespace neon {
void dense(const Dense& layer, const uint8_t* const* in, int count, int16_t* out);
}
namespace avx512vnni {
void dense(const Dense& layer, const uint8_t* const* in, int count, int16_t* out);
}

// The kernel of an instruction set by its number of lanes; with sixteen, the one that has instructions for such sums
// where the processor has them.
DenseKernel dense_kernel(int lanes);

}  // namespace blockfall
