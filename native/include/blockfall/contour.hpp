// What a table knows of a placement (data2021, 3.5.1, after Sarjant 2008): the contour of four neighbouring columns and
// where in them a shape is put.
//
// A contour is the three steps from each column to the next, cut at -3 and 3: 343 in all. (The thesis writes four
// numbers; the first, relative to itself, is always 0.) An action is one of the nineteen shapes at an offset within
// the four columns, so that a table means the same whatever the rules call a piece's states.
#pragma once

#include "rules.hpp"

namespace blockfall {

inline constexpr int window = 4;    // columns
inline constexpr int steepest = 3;  // step that is told apart
inline constexpr int window_states = 343;
inline constexpr int fixed_shapes = 19;
inline constexpr int table_entries = window_states * fixed_shapes * window;  // not all offsets fit a shape

namespace BLOCKFALL_ARCH {

// Four bits per column, the left one first, bit 0 the bottom row: I O T S Z J L, each turned clockwise.
inline constexpr uint16_t fixed_shape[fixed_shapes] = {
    0x1111, 0x000f,                  // I  ####
    0x0033,                          // O
    0x0131, 0x0027, 0x0232, 0x0072,  // T  .#. / ###
    0x0231, 0x0036,                  // S  .## / ##.
    0x0132, 0x0063,                  // Z  ##. / .##
    0x0113, 0x0047, 0x0322, 0x0071,  // J  #.. / ###
    0x0311, 0x0017, 0x0223, 0x0074,  // L  ..# / ###
};

// Its place among the nineteen; negative for four cells that are not one piece.
inline int fixed_shape_number(const Shape& shape) {
  uint32_t cells = 0;
  for (int i = 0; i < shape.width; ++i) cells |= shape.column[i] << (4 * i);
  for (int number = 0; number < fixed_shapes; ++number)
    if (fixed_shape[number] == cells) return number;
  return -1;
}

// Of the columns from `left` on.
inline int contour_at(const Board& board, int left) {
  int contour = 0;
  for (int i = left + 1; i < left + window; ++i) {
    const int step = height(board.column[i]) - height(board.column[i - 1]);
    contour = contour * (2 * steepest + 1) + (step < -steepest ? 0 : step > steepest ? 2 * steepest : step + steepest);
  }
  return contour;
}

inline int32_t table_entry(int contour, int shape, int offset) {
  return (contour * fixed_shapes + shape) * window + offset;
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
