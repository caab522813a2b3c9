// The sizes everything else is built on. Hot headers include nothing but <cstdint>, so that the same source also
// compiles for a GPU (NVRTC has no standard library).
#pragma once

#if defined(__CUDACC_RTC__)
#include <cuda/std/cstdint>
using cuda::std::int16_t;
using cuda::std::int32_t;
using cuda::std::int64_t;
using cuda::std::int8_t;
using cuda::std::uint16_t;
using cuda::std::uint32_t;
using cuda::std::uint64_t;
using cuda::std::uint8_t;
#else
#include <cstdint>
#endif

// Each instruction set compiles the hot code into a namespace of its own (scalar, avx2, avx512): inline functions
// that share a symbol would let the linker hand AVX-512 code to a machine that has none.
#ifndef BLOCKFALL_ARCH
#define BLOCKFALL_ARCH scalar
#endif

// Functions of the innermost loops, which the compiler must not leave out of line when a file of many of them grows;
// and their callers, which stay functions so that they are compiled once.
#if defined(__SANITIZE_ADDRESS__)  // the checks make such functions too large to copy everywhere
#define BLOCKFALL_INLINE inline
#else
#define BLOCKFALL_INLINE [[gnu::always_inline]] inline
#endif
#define BLOCKFALL_OUT_OF_LINE [[gnu::noinline]]

namespace blockfall {

inline constexpr int min_columns = 4, max_columns = 16;
inline constexpr int min_rows = 6, max_rows = 32;  // one bit per row in a column's word
inline constexpr int piece_kinds = 7;
inline constexpr int cells_per_piece = 4;
inline constexpr int max_states = 4;                        // rotation states of a piece
inline constexpr int max_tests = 6;                         // the plain rotation and up to five kicks
inline constexpr int max_slots = max_states * max_columns;  // (shape, column) pairs of one piece
inline constexpr int max_levels = 32;                       // rows of a table by level
inline constexpr int max_features = 128;                    // features of one agent
inline constexpr int max_custom = 16;                       // of them a user's own
inline constexpr int max_layers = 8;                        // hidden layers of a network
inline constexpr int max_width = 256;                       // neurons of a layer
inline constexpr int max_blocks = 16;                       // of a network over the board
inline constexpr int max_channels = 256;                    // of each of its rows
inline constexpr int max_kernel = 7;                        // rows that its convolutions see
inline constexpr int max_hidden = 1024;                     // neurons of its hidden layer
inline constexpr int max_plies = 3;                         // placements that it looks ahead
inline constexpr int max_known = 8;                         // the piece to place and those shown after it

}  // namespace blockfall
