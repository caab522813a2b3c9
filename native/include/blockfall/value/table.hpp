// A value that a table gives to a placement (data2021, 3.5.1, after Sarjant 2008): by the contour of four neighbouring
// columns and the shape's place in them. Its parameters are the table's entries.
//
// A contour is the three steps from each column to the next, cut at -3 and 3: 343 in all. (The thesis writes four
// numbers; the first, relative to itself, is always 0.) An action is one of the nineteen shapes at an offset within the
// four columns, so that a table does not depend on how the rules number a piece's states.
#pragma once

#include "../placements.hpp"
#include "policy.hpp"

namespace blockfall {

inline constexpr int window = 4;    // columns
inline constexpr int steepest = 3;  // the largest step that is distinguished
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

// The shape's place among the nineteen; negative for four cells that are not one piece.
inline int fixed_shape_number(const Shape& shape) {
  uint32_t cells = 0;
  for (int i = 0; i < shape.width; ++i) cells |= shape.column[i] << (4 * i);
  for (int number = 0; number < fixed_shapes; ++number)
    if (fixed_shape[number] == cells) return number;
  return -1;
}

// The contour of the columns from `left` on.
inline int contour_at(const uint32_t column[], int left) {
  int contour = 0;
  for (int i = left + 1; i < left + window; ++i) {
    const int step = height(column[i]) - height(column[i - 1]);
    contour = contour * (2 * steepest + 1) + (step < -steepest ? 0 : step > steepest ? 2 * steepest : step + steepest);
  }
  return contour;
}

inline int32_t table_entry(int contour, int shape, int offset) {
  return (contour * fixed_shapes + shape) * window + offset;
}

// The place of each shape of the rules among the nineteen.
struct ShapeNumbers {
  int8_t number[piece_kinds][max_states];

  explicit ShapeNumbers(const Rules& rules) {
    for (int piece = 0; piece < piece_kinds; ++piece)
      for (int shape = 0; shape < rules.piece[piece].shapes; ++shape)
        number[piece][shape] = int8_t(fixed_shape_number(rules.piece[piece].shape[shape]));
  }
};

// The entries of a placement: one for each group of four columns that it fits into, none if it loses.
struct Entries {
  int32_t entry[window];
  int32_t count = 0;
};

// Calls visit(shape, x, y, entries) for every placement of the piece, in order.
template <class Visit>
inline void for_each_entry(const Rules& rules, const ShapeNumbers& numbers, const Board& board, const Piece& piece,
                           int64_t lines, Visit visit) {
  int contour[max_columns];
  for (int left = 0; left + window <= rules.columns; ++left) contour[left] = contour_at(board.column, left);
  for_each_placement(rules, board, piece, lines, [&](const Shape& shape, int x, int y) {
    const int number = numbers.number[shape.piece][shape.number];
    Entries found;
    if (y <= shape.highest_row && number >= 0)
      for (int left = x + shape.width - window; left <= x; ++left)
        if (left >= 0 && left + window <= rules.columns)
          found.entry[found.count++] = table_entry(contour[left], number, x - left);
    visit(shape, x, y, found);
  });
}

// The placements of a piece on the boards that wait for it, valued by a table: the best entry of a placement is its
// value.
class TablePlacements {
 public:
  TablePlacements(const Rules& rules, const ShapeNumbers& numbers, const float* table, const Piece& piece,
                  const WaitingBoards<lanes>& boards, int64_t lines, bool at_sides)
      : rules_(rules),
        numbers_(numbers),
        table_(table),
        piece_(piece),
        boards_(boards),
        lines_(lines),
        at_sides_(at_sides) {}

  int64_t placements() const { return placements_; }

  void find_best(BestPlacements<lanes>& best) {
    for (int n = 0; n < boards_.count; ++n) best.value[n] = worst_value;
    for_each_value([&](int n, uint32_t slot, uint32_t row, float value) {
      if (value > best.value[n]) best.value[n] = value, best.slot[n] = slot, best.row[n] = row;
    });
  }

  template <class Visit>
  void for_each_value(Visit visit) {
    placements_ = 0;
    for (int n = 0; n < boards_.count; ++n)
      for_each_entry(rules_, numbers_, board(n), piece_, lines_ + boards_.path[n][PATH_LINES],
                     [&](const Shape& shape, int x, int y, const Entries& entries) {
                       ++placements_;
                       if (at_sides_ && x != 0 && x + shape.width != rules_.columns) return;
                       float value = worst_value;
                       for (int i = 0; i < entries.count; ++i)
                         if (table_[entries.entry[i]] > value) value = table_[entries.entry[i]];
                       const auto slot = uint32_t(shape.first_slot - piece_.shape[0].first_slot + x);
                       if (entries.count) visit(n, slot, uint32_t(y), value);
                     });
  }

 private:
  Board board(int n) const {
    Board board{};
    for (int i = 0; i < rules_.columns; ++i) board.column[i] = boards_.board[n][i];
    return board;
  }

  const Rules& rules_;
  const ShapeNumbers& numbers_;
  const float* table_;
  const Piece& piece_;
  const WaitingBoards<lanes>& boards_;
  const int64_t lines_;
  const bool at_sides_;
  int64_t placements_ = 0;
};

class Table {
 public:
  static constexpr int boards_at_once = lanes;
  static constexpr bool values_boards = false;

  Table(const Rules& rules, const ValueData& data) : rules_(rules), data_(data), numbers_(rules) {}

  static int parameters(const ValueData&) { return table_entries; }

  TablePlacements place(const Piece& piece, const WaitingBoards<lanes>& boards, int64_t lines, bool at_sides) const {
    return {rules_, numbers_, data_.parameters, piece, boards, lines, at_sides};
  }

 private:
  const Rules& rules_;
  const ValueData& data_;
  const ShapeNumbers numbers_;
};

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
