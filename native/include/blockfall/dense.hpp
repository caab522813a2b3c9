// Integer layers: sums of 8-bit products, as fast as each instruction set allows.
//
// Inputs are bytes of 0 to 127 and weights are signed bytes, so a pair of products fits into 16 bits and the sum cannot
// overflow 32 bits, in any order. Every instruction set therefore computes the same number.
#pragma once

#include "sizes.hpp"

namespace blockfall {

inline constexpr int dense_block = 32;  // outputs come in blocks of this size

// Weights lie in groups of 16 outputs and 4 inputs: [outputs / 16][inputs / 4][16][4].
struct Dense {
  const int8_t* weights;
  const int32_t* bias;
  const int32_t* shift;  // of each output, 0 to 31
  int32_t inputs;        // a multiple of 4
  int32_t outputs;       // a multiple of dense_block
  bool split;            // a row has twice as many inputs: first the 64ths of a step, 0 to 63, then the whole steps
};

inline constexpr int split_bits = 6;

// Computes the outputs for each of `count` rows of inputs: the sum of products and bias, shifted right (rounding down)
// and clamped to 16 bits. If the inputs are split, the sum of the 64ths is first divided by 64, rounding down.
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

// The kernel of the instruction set with this number of lanes; for sixteen, the VNNI kernel if the processor has VNNI.
DenseKernel dense_kernel(int lanes);

}  // namespace blockfall
