// The choice of the best sequence of placements: all sequences of the known pieces are played, the last piece is valued
// wherever it can go, and the best sequence wins; among equals, the first.
#pragma once

#include "sequences.hpp"

namespace blockfall::BLOCKFALL_ARCH {

template <class Value>
class BestSequence {
 public:
  BestSequence(const Rules& rules, const Agent& agent, const int32_t* /*stop: no choice takes long*/ = nullptr)
      : rules_(rules), value_(rules, agent.value), sequences_(rules) {}

  // Finds the best sequence of `length` pieces; with `at_sides`, the best that begins at a wall. Adds the number of
  // placements tried to `placements`. Returns false if every sequence loses.
  BLOCKFALL_CALL_ON_GPU bool find(const Game& game, int length, bool at_sides, int64_t& placements) {
    best_value_ = worst_value;
    uint64_t best_place = 0;
    int64_t tried = 0;
    const Piece& last = rules_.piece[game.known[length - 1]];
    const auto may_begin = [&](const Shape& shape, int x, int) { return !at_sides || is_at_side(rules_, shape, x); };
    sequences_.for_each_batch(game, length, may_begin, [&] {
      auto placed = value_.place(last, sequences_.boards(), game.outcome.lines, at_sides && length == 1);
      BestPlacements<Value::boards_at_once> best;
      placed.find_best(best);
      tried += placed.placements();
      for (int n = 0; n < sequences_.boards().count; ++n)
        if (best.value[n] > best_value_) {
          best_value_ = best.value[n];
          best_place = sequences_.place(n);
          first_ = length > 1 ? sequences_.first(n) : placement_at(last, best.slot[n], best.row[n]);
        }
    });
    if constexpr (threads_per_choice > 1) {
      agree(uint32_t(best_place));
      tried = sum_of_game(uint32_t(tried));
    }
    placements += tried;
    return best_value_ > worst_value;
  }

  // The same for sequences that begin with one of these placements.
  bool find_among(const Game& game, int length, bool at_sides, const PlacementSet& among, int64_t& placements) {
    best_value_ = worst_value;
    const Piece& last = rules_.piece[game.known[length - 1]];
    const auto may_begin = [&](const Shape& shape, int x, int y) {
      return among.has(shape.number, x, y) && (!at_sides || is_at_side(rules_, shape, x));
    };
    uint64_t best_order = 0;
    sequences_.for_each_batch(game, length, may_begin, [&] {
      auto placed = value_.place(last, sequences_.boards(), game.outcome.lines, at_sides && length == 1);
      placed.for_each_value([&](int n, uint32_t slot, uint32_t row, float value) {
        const Placement placement = placement_at(last, slot, row);
        if (length == 1 && !among.has(placement.shape, placement.x, placement.y)) return;
        const uint64_t order = sequences_.order(n, slot, row);
        if (!(value > best_value_ || (value == best_value_ && value > worst_value && order < best_order))) return;
        best_value_ = value, best_order = order;
        first_ = length > 1 ? sequences_.first(n) : placement;
      });
      placements += placed.placements();
    });
    return best_value_ > worst_value;
  }

  const Placement& first() const { return first_; }  // of the best sequence
  float value() const { return best_value_; }

 private:
  // Agrees with the other threads of this choice on the best that any of them found; among equals, the first.
  void agree(uint32_t place) {
    const uint32_t greatest = greatest_of_game(comparable(best_value_));
    const uint32_t first = ~greatest_of_game(comparable(best_value_) == greatest ? ~place : 0);
    best_value_ = number_of(greatest);
    const uint32_t packed = said_by(int(first % threads_per_choice), __builtin_bit_cast(uint32_t, first_));
    first_ = __builtin_bit_cast(Placement, packed);
  }

  const Rules& rules_;
  const Value value_;
  Sequences<Value> sequences_;
  float best_value_ = worst_value;
  Placement first_{};
};

}  // namespace blockfall::BLOCKFALL_ARCH
