// The board: one word per column, bit 0 is the floor row.
//
//     row 2   . # .        column[0] = 0b011
//     row 1   # # .        column[1] = 0b111
//     row 0   # # #        column[2] = 0b001
#pragma once

#include "lanes/scalar_bits.hpp"
#include "sizes.hpp"

namespace blockfall {

struct alignas(64) Board {
  uint32_t column[max_columns];  // zero beyond the board's width
};

namespace BLOCKFALL_ARCH {

inline uint32_t rows_mask(int rows) { return rows >= 32 ? ~0u : (1u << rows) - 1; }

inline int height(uint32_t column) { return 32 - leading_zeros(column); }

inline uint32_t full_rows(const uint32_t column[], int columns) {
  uint32_t full = ~0u;
  for (int i = 0; i < columns; ++i) full &= column[i];
  return full;
}

// Removes the rows in `full`; the rows above them fall.
inline void remove_rows(uint32_t column[], uint32_t full, int columns) {
  while (full) {
    const uint32_t below = (full & (0u - full)) - 1;
    for (int i = 0; i < columns; ++i) {
      const uint32_t c = column[i];
      column[i] = (c & below) | ((c >> 1) & ~below);
    }
    full = (full >> 1) & ~below;
  }
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
