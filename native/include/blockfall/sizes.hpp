// The sizes that everything else is built on. Hot headers include only <cstdint>, so that the same source also compiles
// for a GPU (NVRTC has no standard library).
#pragma once

#if defined(__CUDACC_RTC__)
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
#else
#include <cstdint>
#endif

// Each instruction set compiles the hot code into its own namespace (scalar, avx2, avx512): if inline functions shared
// a symbol, the linker could give AVX-512 code to a machine without AVX-512.
#ifndef BLOCKFALL_ARCH
#define BLOCKFALL_ARCH scalar
#endif

// Functions of the innermost loops, which the compiler must inline even in a large file, and their callers, which stay
// functions so that they are compiled once. A GPU compiler would inline everything: there, large functions that are
// called once per piece or board stay calls.
#if defined(__CUDACC__)
#define BLOCKFALL_INLINE __forceinline__
#define BLOCKFALL_OUT_OF_LINE
#define BLOCKFALL_CALL_ON_GPU __noinline__
#elif defined(__SANITIZE_ADDRESS__)  // the checks make such functions too large to inline everywhere
#define BLOCKFALL_INLINE inline
#define BLOCKFALL_OUT_OF_LINE [[gnu::noinline]]
#else
#define BLOCKFALL_INLINE [[gnu::always_inline]] inline
#define BLOCKFALL_OUT_OF_LINE [[gnu::noinline]]
#endif

#ifndef BLOCKFALL_CALL_ON_GPU
#define BLOCKFALL_CALL_ON_GPU inline
#endif

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
inline constexpr int max_custom = 16;                       // of which users may define
inline constexpr int max_layers = 8;                        // hidden layers of a network
inline constexpr int max_width = 256;                       // neurons of a layer
inline constexpr int max_blocks = 16;                       // blocks of a board network
inline constexpr int max_channels = 256;                    // channels of each row
inline constexpr int max_kernel = 7;                        // rows that a convolution sees
inline constexpr int max_hidden = 1024;                     // neurons of the hidden layer
inline constexpr int max_plies = 3;                         // placements that a board network looks ahead
inline constexpr int max_known = 8;                         // the piece to place and those shown after it

}  // namespace blockfall
