// Compiled once per instruction set, and once more for AVX-512 processors with an instruction for sums of 8-bit
// products (VNNI). Like kernels.cpp, it uses no standard library.
#include "blockfall/dense.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// Unrolls loops over registers: an array that is not unrolled early stays in memory.
#define BLOCKFALL_UNROLL _Pragma("GCC unroll 24")

namespace blockfall::BLOCKFALL_ARCH {
namespace {

[[maybe_unused]] inline int four_bytes(const uint8_t* at) {
  int four;
  __builtin_memcpy(&four, at, sizeof four);
  return four;
}

#if defined(__AVX512BW__)

inline __m512i add_products(__m512i sum, __m512i in, __m512i weights) {
#if defined(__AVX512VNNI__)
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(in), "v"(weights));  // GCC 12 spills around its own intrinsic
  return sum;
#else
  const __m512i pairs = _mm512_maddubs_epi16(in, weights);
  return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
#endif
}

// Computes this many rows and words of sixteen outputs at once, whose sums stay in registers.
template <int Rows, int Words>
inline void tile(const Dense& layer, const uint8_t* const* in, int first, int16_t* out) {
  const int8_t* weights = layer.weights + int64_t(first) * layer.inputs;
  const int64_t word = int64_t(layer.inputs) * 16;
  __m512i sum[Rows][Words];
  BLOCKFALL_UNROLL
  for (int n = 0; n < Rows * Words; ++n) sum[n / Words][n % Words] = _mm512_setzero_si512();
  for (int start = 0; start <= (layer.split ? layer.inputs : 0); start += layer.inputs) {
    if (start) {
      BLOCKFALL_UNROLL
      for (int n = 0; n < Rows * Words; ++n)
        sum[n / Words][n % Words] = _mm512_srai_epi32(sum[n / Words][n % Words], split_bits);
    }
    for (int i = 0; i < layer.inputs; i += 4) {
      __m512i column[Words], spread;
      BLOCKFALL_UNROLL
      for (int w = 0; w < Words; ++w) column[w] = _mm512_loadu_si512(weights + w * word + 16 * i);
      BLOCKFALL_UNROLL
      for (int n = 0; n < Rows * Words; ++n) {
        if (n % Words == 0) spread = _mm512_set1_epi32(four_bytes(in[n / Words] + start + i));
        sum[n / Words][n % Words] = add_products(sum[n / Words][n % Words], spread, column[n % Words]);
      }
    }
  }
  BLOCKFALL_UNROLL
  for (int n = 0; n < Rows * Words; ++n) {
    const int64_t at = first + 16 * (n % Words);
    const __m512i whole = _mm512_add_epi32(sum[n / Words][n % Words], _mm512_loadu_si512(layer.bias + at));
    const __m512i shifted = _mm512_srav_epi32(whole, _mm512_loadu_si512(layer.shift + at));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + int64_t(n / Words) * layer.outputs + at),
                        _mm512_cvtsepi32_epi16(shifted));
  }
}

template <int Words, int Rows>
inline void block(const Dense& layer, const uint8_t* const* in, int count, int first, int16_t* out) {
  int row = 0;
  for (; row + Rows <= count; row += Rows)
    tile<Rows, Words>(layer, in + row, first, out + int64_t(row) * layer.outputs);
  for (; row + 3 <= count; row += 3) tile<3, Words>(layer, in + row, first, out + int64_t(row) * layer.outputs);
  for (; row < count; ++row) tile<1, Words>(layer, in + row, first, out + int64_t(row) * layer.outputs);
}

#elif defined(__AVX2__)

inline __m256i load_word(const void* at) { return _mm256_loadu_si256(static_cast<const __m256i*>(at)); }

// Computes sixteen outputs of four rows or of one row.
template <int Rows>
inline void tile(const Dense& layer, const uint8_t* const* in, int first, int16_t* out) {
  const int8_t* weights = layer.weights + int64_t(first) * layer.inputs;
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i low[Rows], high[Rows];
  BLOCKFALL_UNROLL
  for (int r = 0; r < Rows; ++r) low[r] = high[r] = _mm256_setzero_si256();
  for (int start = 0; start <= (layer.split ? layer.inputs : 0); start += layer.inputs) {
    if (start) {
      BLOCKFALL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        low[r] = _mm256_srai_epi32(low[r], split_bits);
        high[r] = _mm256_srai_epi32(high[r], split_bits);
      }
    }
    for (int i = 0; i < layer.inputs; i += 4) {
      const __m256i left = load_word(weights + 16 * i), right = load_word(weights + 16 * i + 32);
      BLOCKFALL_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const __m256i spread = _mm256_set1_epi32(four_bytes(in[r] + start + i));
        low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(_mm256_maddubs_epi16(spread, left), ones));
        high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(_mm256_maddubs_epi16(spread, right), ones));
      }
    }
  }
  BLOCKFALL_UNROLL
  for (int r = 0; r < Rows; ++r) {
    const __m256i left = _mm256_add_epi32(low[r], load_word(layer.bias + first)),
                  right = _mm256_add_epi32(high[r], load_word(layer.bias + first + 8));
    const __m256i packed = _mm256_packs_epi32(_mm256_srav_epi32(left, load_word(layer.shift + first)),
                                              _mm256_srav_epi32(right, load_word(layer.shift + first + 8)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + int64_t(r) * layer.outputs + first),
                        _mm256_permute4x64_epi64(packed, 0xd8));
  }
}

#endif

}  // namespace

void dense(const Dense& layer, const uint8_t* const* in, int count, int16_t* out) {
#if defined(__AVX512BW__)
  int first = 0;
  for (; first + 64 <= layer.outputs; first += 64) block<4, 6>(layer, in, count, first, out);
  if (first < layer.outputs) block<2, 12>(layer, in, count, first, out);
#elif defined(__AVX2__)
  for (int first = 0; first < layer.outputs; first += 16) {
    int row = 0;
    for (; row + 4 <= count; row += 4) tile<4>(layer, in + row, first, out + int64_t(row) * layer.outputs);
    for (; row < count; ++row) tile<1>(layer, in + row, first, out + int64_t(row) * layer.outputs);
  }
#else
  for (int row = 0; row < count; ++row)
    for (int first = 0; first < layer.outputs; first += 16) {
      const int8_t* weights = layer.weights + int64_t(first) * layer.inputs;
      int32_t sum[16] = {};
      for (int start = 0; start <= (layer.split ? layer.inputs : 0); start += layer.inputs) {
        if (start)
          for (int n = 0; n < 16; ++n) sum[n] >>= split_bits;
        for (int i = 0; i < layer.inputs; i += 4)
          for (int n = 0; n < 16; ++n)
            for (int k = 0; k < 4; ++k) sum[n] += in[row][start + i + k] * weights[16 * i + 4 * n + k];
      }
      for (int n = 0; n < 16; ++n) {
        const int32_t shifted = (sum[n] + layer.bias[first + n]) >> layer.shift[first + n];
        out[int64_t(row) * layer.outputs + first + n] = int16_t(shifted < -32768  ? -32768
                                                                : shifted > 32767 ? 32767
                                                                                  : shifted);
      }
    }
#endif
}

}  // namespace blockfall::BLOCKFALL_ARCH
