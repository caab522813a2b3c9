// The last piece of a sequence, placed everywhere on the boards that wait for it, for values that are computed in
// lanes. There are at most as many boards as lanes.
//
// Either each lane takes a board and all lanes try the same slot, or each lane takes a slot of the same board,
// whichever needs fewer steps: 34 boards of a T piece fill the lanes board by board, a single board slot by slot.
#pragma once

#include "feature_set.hpp"
#include "placements.hpp"
#include "settle.hpp"
#include "value/policy.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The result of a value policy's `place` (value/policy.hpp). `Value::of(piece, in_use, afterstates)` values a word of
// lanes.
template <int Columns, class Value>
class LastPiece {
 public:
  LastPiece(const Rules& rules, const Value& value, const Piece& piece, const WaitingBoards<lanes>& waiting,
            int64_t lines, bool at_sides)
      : rules_(rules), value_(value), piece_(piece), waiting_(waiting), at_sides_(at_sides), drops_(drops(rules)) {
    if (!drops_) find_rest(lines);
  }

  // The number of placements tried, including those that lose.
  int64_t placements() const { return drops_ ? int64_t(waiting_.count) * piece_.slots.count : resting_; }

  void find_best(BestPlacements<lanes>& best) const {
    Leader leader;
    if (boards_fill_lanes()) {
      boards_in_lanes([&](Real value, Mask valid, int slot, Word row) {
        leader.challenge(value, valid, splat(uint32_t(slot)), row);
      });
      store(best.value, leader.value);
      store(best.slot, leader.slot);
      store(best.row, leader.row);
      return;
    }
    for (int n = 0; n < waiting_.count; ++n) {
      leader = Leader{};
      slots_in_lanes(n,
                     [&](Real value, Mask valid, Word slot, Word row) { leader.challenge(value, valid, slot, row); });
      leader.first_of_best(best, n);
    }
  }

  // Calls visit(board, slot, row, value) for every placement that does not lose, in no particular order.
  template <class Visit>
  void for_each_value(Visit visit) const {
    alignas(64) float values[lanes];
    alignas(64) uint32_t rows[lanes], slots[lanes];
    const auto unpack = [&](Real value, Mask valid, Word slot, Word row, auto visit_lane) {
      store(values, value);
      store(rows, row);
      store(slots, slot);
      const uint32_t in_use = lane_bits(valid);
      for (int i = 0; i < lanes; ++i)
        if ((in_use >> i) & 1) visit_lane(i);
    };
    if (boards_fill_lanes()) {
      boards_in_lanes([&](Real value, Mask valid, int slot, Word row) {
        unpack(value, valid, splat(uint32_t(slot)), row, [&](int i) { visit(i, slots[i], rows[i], values[i]); });
      });
      return;
    }
    for (int n = 0; n < waiting_.count; ++n)
      slots_in_lanes(n, [&](Real value, Mask valid, Word slot, Word row) {
        unpack(value, valid, slot, row, [&](int i) { visit(n, slots[i], rows[i], values[i]); });
      });
  }

 private:
  bool boards_fill_lanes() const {
    const int words_of_slots = (piece_.slots.count + lanes - 1) / lanes;
    return waiting_.count * words_of_slots >= piece_.slots.count;
  }

  void find_rest(int64_t lines) {
    Boards boards;
    transpose(waiting_.board, rules_.columns, boards.column);
    alignas(64) uint32_t limit[lanes] = {}, in_use[lanes] = {};
    for (int n = 0; n < waiting_.count; ++n) {
      in_use[n] = ~0u;
      if (limits_keys(rules_)) limit[n] = uint32_t(key_limit(rules_, lines + waiting_.path[n][PATH_LINES]));
    }
    find_resting_places(rules_, boards, piece_, load(limit), rest_);
    Word count = splat(0);
    for (int slot = 0; slot < piece_.slots.count; ++slot) {
      Word& rows = rest_.at[piece_.slots.shape[slot]][piece_.slots.x[slot]];
      rows = rows & load(in_use);
      count = count + popcount(rows);
    }
    resting_ = sum_lanes(count);
  }

  // The best so far in each lane.
  struct Leader {
    Real value = splat_real(worst_value);
    Word slot = splat(0), row = splat(0);

    void challenge(Real by, Mask valid, Word at_slot, Word at_row) {
      const Mask wins = both(greater(by, value), valid);  // a tie stays with the first
      value = select(wins, by, value);
      slot = select(wins, at_slot, slot);
      row = select(wins, at_row, row);
    }

    // Writes the best of all lanes as the best placement on board n; among equals, the first slot.
    void first_of_best(BestPlacements<lanes>& best, int n) const {
      const float greatest = greatest_lane(value);
      best.value[n] = greatest;
      if (!(greatest > worst_value)) return;
      const Mask contends = equal(value, splat_real(greatest));
      int lane = __builtin_ctz(lane_bits(contends));
      if (lane_bits(contends) & (lane_bits(contends) - 1)) {
        const Word contenders = select(contends, slot, splat(max_slots));
        lane = first_lane_equal(contenders, least_lane(contenders));
      }
      best.slot[n] = lane_at(slot, lane);
      best.row[n] = lane_at(row, lane);
    }
  };

  // Calls visit(row, active) for the rows of all lanes, from the top; `active` are the lanes that still have a row.
  template <class Visit>
  static void for_each_row(Word rows, Visit visit) {
    while (any(rows)) {
      const Word row = bit_length(rows) - splat(1);
      visit(row, greater(row, splat(~0u)));
      rows = and_not(rows, shift_left(splat(1), row));
    }
  }

  // One board per lane, all at the same slot: take(value, valid, slot, row).
  template <class Take>
  void boards_in_lanes(Take take) const {
    Stack<Columns> boards;
    boards.run_time_columns = rules_.columns;
    transpose(waiting_.board, boards.columns(), &boards.column(0));
    Word counts[path_counts];
    transpose(waiting_.path, path_counts, counts);
    alignas(64) uint32_t in_use[lanes] = {};
    for (int n = 0; n < waiting_.count; ++n) in_use[n] = 1;
    const Mask used = equal(load(in_use), splat(1));
    if (drops_) find_heights(boards);
    Afterstates<Columns> p;
    p.board.run_time_columns = rules_.columns;
    for (int slot = 0; slot < piece_.slots.count; ++slot) {
      if (at_sides_ && !piece_.slots.at_side[slot]) continue;
      const Shape& shape = piece_.shape[piece_.slots.shape[slot]];
      const int x = piece_.slots.x[slot];
      const Word highest = splat(uint32_t(int32_t(shape.highest_row)));
      const auto lock_at = [&](Word row, Mask active) {
        const Mask valid = both(active, not_greater(row, highest));
        if (!any(valid)) return;
        for (int i = 0; i < boards.columns(); ++i) p.board.column(i) = boards.column(i);
        for (int i = 0; i < shape.width; ++i)
          p.board.column(x + i) = p.board.column(x + i) | shift_left(splat(shape.column[i]), row);
        for (int i = 0; i < path_counts; ++i) p.path[i] = counts[i];
        const LockedPiece piece{row, splat(shape.height - 1u), splat(shape.packed_row_cells)};
        take(value_apart(piece, lane_bits(valid), p), valid, slot, row);
      };
      if (!drops_) {
        for_each_row(rest_.at[shape.number][x], lock_at);
        continue;
      }
      Word row = boards.height[x] - splat(uint32_t(int32_t(shape.bottom[0])));
      for (int i = 1; i < shape.width; ++i)
        row = maximum(row, boards.height[x + i] - splat(uint32_t(int32_t(shape.bottom[i]))));
      lock_at(row, used);
    }
  }

  // Not inlined, for uses where another copy costs more than it gains: loops over boards, and a single lane.
  BLOCKFALL_OUT_OF_LINE Real value_apart(const LockedPiece& piece, uint32_t in_use, Afterstates<Columns>& p) const {
    return value_.of(piece, in_use, p);
  }
  template <class Take>
  BLOCKFALL_OUT_OF_LINE void lock_apart(int n, int slot, Word row, Mask active, const Take& take) const {
    lock_in_lanes(n, slot, row, active, take);
  }

  // One slot of board n per lane: take(value, valid, slots, row).
  template <class Take>
  void slots_in_lanes(int n, Take take) const {
    const Slots& slots = piece_.slots;
    if (drops_) {
      alignas(64) uint32_t top[max_columns];
      for (int i = 0; i < max_columns; i += lanes) store(top + i, bit_length(load(waiting_.board[n] + i)));
      for (int slot = 0; slot < slots.count; slot += lanes) {
        const Word row = drop_row(top, slots, slot);
        if constexpr (lanes > 1)
          lock_in_lanes(n, slot, row, equal(row, row), take);
        else
          lock_apart(n, slot, row, equal(row, row), take);
      }
      return;
    }
    alignas(64) uint32_t rows[max_slots];
    for (int slot = 0; slot < max_slots; ++slot)
      rows[slot] = slot < slots.count ? lane_at(rest_.at[slots.shape[slot]][slots.x[slot]], n) : 0;
    for (int slot = 0; slot < slots.count; slot += lanes)
      for_each_row(load(rows + slot), [&](Word row, Mask active) { lock_apart(n, slot, row, active, take); });
  }

  // Locks the piece at the active slots from `slot` on, each at its row.
  template <class Take>
  BLOCKFALL_INLINE void lock_in_lanes(int n, int slot, Word row, Mask active, const Take& take) const {
    const Slots& slots = piece_.slots;
    const Mask allowed = equal(load(slots.at_side + slot), load(slots.at_side + slot) | splat(at_sides_ ? 1 : 0));
    const Mask valid = both(both(active, allowed), not_greater(row, load(slots.highest_row + slot)));
    if (!any(valid)) return;
    const uint32_t *board = waiting_.board[n], *counts = waiting_.path[n];
    Afterstates<Columns> p;
    p.board.run_time_columns = rules_.columns;
    for (int i = 0; i < p.columns(); ++i)
      p.board.column(i) = splat(board[i]) | shift_left(load(slots.column[i] + slot), row);
    for (int i = 0; i < path_counts; ++i) p.path[i] = splat(counts[i]);
    const LockedPiece piece{row, load(slots.extent + slot), load(slots.row_cells + slot)};
    const uint32_t in_use = lane_bits(valid);
    const Real value = lanes > 1 ? value_.of(piece, in_use, p) : value_apart(piece, in_use, p);
    take(value, valid, splat(uint32_t(slot)) + lane_numbers(), row);
  }

  // The rows where the piece comes to rest at the slots from `slot` on. Lanes past the last slot get an invalid row.
  static Word drop_row(const uint32_t top[max_columns], const Slots& slots, int slot) {
    const Word x = load_bytes(slots.x + slot);
    Word row = pick(top, x) - load_bytes(slots.bottom[0] + slot);
    for (int i = 1; i < cells_per_piece; ++i)
      row = maximum(row, pick(top, x + splat(uint32_t(i))) - load_bytes(slots.bottom[i] + slot));
    return row;
  }

  const Rules& rules_;
  const Value& value_;
  const Piece& piece_;
  const WaitingBoards<lanes>& waiting_;
  const bool at_sides_, drops_;
  PoseSet rest_;
  int64_t resting_ = 0;
};

}  // namespace blockfall::BLOCKFALL_ARCH
