// A piece placed everywhere on one board, one placement after another: for a thread that has the board to itself, or
// for GPU threads that share its placements (sharing.hpp). The columns stay in registers, because the compiler knows
// every column's index.
#pragma once

#include "placements.hpp"
#include "settle.hpp"
#include "sharing.hpp"
#include "value/policy.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The result of a value policy's `place` (value/policy.hpp), for policies that take one board at a time.
// `Value::of(piece, afterstate)` is the value of one board.
template <int Columns, class Value>
class OneBoard {
  static_assert(Columns > 0 && lanes == 1);

 public:
  OneBoard(const Rules& rules, const Value& value, const Piece& piece, const WaitingBoards<1>& waiting, int64_t lines,
           bool at_sides)
      : rules_(rules), value_(value), piece_(piece), waiting_(waiting), lines_(lines), at_sides_(at_sides) {}

  int64_t placements() const { return placements_; }

  void find_best(BestPlacements<1>& best) {
    float value = worst_value;
    uint32_t slot = 0, row = 0;
    for_each_of_mine([&](uint32_t at_slot, uint32_t at_row, float found) {
      if (found > value) value = found, slot = at_slot, row = at_row;
    });
    if constexpr (threads_per_board > 1) {  // among equal placements, the first wins
      const uint32_t greatest = greatest_of_game(comparable(value));
      const uint32_t mine = comparable(value) == greatest ? ~(slot << 8 | (255 - row)) : 0;
      const uint32_t first = ~greatest_of_game(mine);
      slot = first >> 8, row = 255 - (first & 255);
      value = number_of(greatest);
    }
    best.value[0] = value, best.slot[0] = slot, best.row[0] = row;
  }

  // Only for a thread that has the board to itself.
  template <class Visit>
  void for_each_value(Visit visit) {
    static_assert(threads_per_board == 1 || sizeof(Visit) == 0);
    for_each_of_mine([&](uint32_t slot, uint32_t row, float value) { visit(0, slot, row, value); });
  }

 private:
  static constexpr int height_bits = 6;  // up to 32
  static constexpr int packed_columns = 10;
  static constexpr int high_columns = max_columns - packed_columns;  // the first column of the high word

  // Calls visit(slot, row, value) for the placements of this thread that do not lose, in order.
  template <class Visit>
  void for_each_of_mine(const Visit& visit) {
    for (int i = 0; i < Columns; ++i) column_[i] = waiting_.board[0][i];
    if (drops(rules_))
      drop_everywhere(visit);
    else
      visit_resting_places(visit);
  }

  // The heights of ten columns in one word, so that a shift finds those under a slot.
  uint64_t packed_heights(int from) const {
    uint64_t packed = 0;
    for (int i = 0; i < packed_columns; ++i)
      if (from + i < Columns) packed |= uint64_t(uint32_t(height(column_[from + i]))) << (height_bits * i);
    return packed;
  }

  // A shape, held in registers.
  struct Held {
    uint64_t cells;  // four bits per column
    int32_t bottom[cells_per_piece];
    int32_t width, highest_row;
    LockedPiece piece;

    explicit Held(const Shape& shape)
        : cells(0),
          width(shape.width),
          highest_row(shape.highest_row),
          piece{0, shape.height - 1u, shape.packed_row_cells} {
      for (int i = 0; i < cells_per_piece; ++i) {
        cells |= uint64_t(shape.column[i]) << (4 * i);
        bottom[i] = shape.bottom[i];  // far above all rows if the shape has no such column
      }
    }
  };

  template <class Visit>
  void drop_everywhere(const Visit& visit) {
    const Slots& slots = piece_.slots;
    placements_ = slots.count;
    const uint64_t low = packed_heights(0), high = Columns > packed_columns ? packed_heights(high_columns) : 0;
    if (thread_of_board() >= slots.count) return;
    int number = slots.shape[thread_of_board()], x = slots.x[thread_of_board()];
    Held shape(piece_.shape[number]);
    for (int slot = thread_of_board();;) {
      const bool far = Columns > packed_columns && x > packed_columns - cells_per_piece;
      const uint64_t under = far ? high >> (height_bits * (x - high_columns)) : low >> (height_bits * x);
      int row = int(under & 63) - shape.bottom[0];
      for (int i = 1; i < cells_per_piece; ++i) {
        const int rest = int((under >> (height_bits * i)) & 63) - shape.bottom[i];
        row = rest > row ? rest : row;
      }
      value_at(shape, slot, x, row, visit);
      if ((slot += threads_per_board) >= slots.count) return;
      if (threads_per_board > 1) {
        x = slots.x[slot];
        shape = Held(piece_.shape[slots.shape[slot]]);
      } else if (++x + shape.width > Columns) {
        x = 0;
        shape = Held(piece_.shape[++number]);
      }
    }
  }

  template <class Visit>
  void visit_resting_places(const Visit& visit) {
    const Slots& slots = piece_.slots;
    Boards boards;
    for (int i = 0; i < max_columns; ++i) boards.column[i] = i < Columns ? waiting_.board[0][i] : 0;
    const int limit = limits_keys(rules_) ? key_limit(rules_, lines_ + waiting_.path[0][PATH_LINES]) : 0;
    PoseSet rest;
    find_resting_places(rules_, boards, piece_, uint32_t(limit), rest);
    placements_ = 0;
    uint32_t rows = 0;
    // Each thread takes a placement, then all of them are valued at once.
    for (int slot = -1;;) {
      int at_slot = -1, at_row = 0;
      for (int taken = 0; taken < threads_per_board; ++taken) {
        while (!rows && ++slot < slots.count) rows = rest.at[slots.shape[slot]][slots.x[slot]];
        if (!rows) break;
        const int row = highest_bit(rows);
        rows ^= 1u << row;
        ++placements_;
        if (taken == thread_of_board()) at_slot = slot, at_row = row;
      }
      if (at_slot >= 0) value_at(Held(piece_.shape[slots.shape[at_slot]]), at_slot, slots.x[at_slot], at_row, visit);
      if (!rows && slot >= slots.count) return;
    }
  }

  template <class Visit>
  void value_at(const Held& shape, int slot, int x, int row, const Visit& visit) {
    if (row > shape.highest_row || (at_sides_ && !piece_.slots.at_side[slot])) return;
    Afterstates<Columns> p;
    const uint64_t cells = shape.cells << (4 * x);
    for (int i = 0; i < Columns; ++i) p.board.column(i) = column_[i] | (uint32_t(cells >> (4 * i)) & 15) << row;
    for (int i = 0; i < path_counts; ++i) p.path[i] = waiting_.path[0][i];
    LockedPiece piece = shape.piece;
    piece.bottom = uint32_t(row);
    visit(uint32_t(slot), uint32_t(row), value_.of(piece, p));
  }

  const Rules& rules_;
  const Value value_;  // a copy: its numbers stay in registers
  const Piece& piece_;
  const WaitingBoards<1>& waiting_;
  const int64_t lines_;
  const bool at_sides_;
  uint32_t column_[Columns];
  int64_t placements_ = 0;
};

}  // namespace blockfall::BLOCKFALL_ARCH
