// Look-ahead over a piece that is not known yet: the best sequences of the known pieces are kept, and each is valued by
// what the next piece can make of its board: the mean over the generator's probabilities.
#pragma once

#include "sequences.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// The most sequences that are kept. Fixed when the code is compiled for one agent.
#if defined(BLOCKFALL_SEQUENCES)
inline constexpr int most_kept = BLOCKFALL_SEQUENCES;
#else
inline constexpr int most_kept = max_sequences;
#endif

// Has the interface of BestSequence.
template <class Value>
class LookAhead {
 public:
  LookAhead(const Rules& rules, const Agent& agent, const int32_t* /*stop: no choice takes long*/ = nullptr)
      : rules_(rules), agent_(agent), value_(rules, agent.value), sequences_(rules) {}

  bool find(const Game& game, int length, bool at_sides, int64_t& placements) {
    return find(game, length, at_sides, nullptr, placements);
  }

  bool find_among(const Game& game, int length, bool at_sides, const PlacementSet& among, int64_t& placements) {
    return find(game, length, at_sides, &among, placements);
  }

  const Placement& first() const { return first_; }
  float value() const { return best_value_; }

 private:
  // A sequence with all known pieces placed.
  struct Kept {
    float value;
    uint64_t order;
    Placement first;
    Board board;
    Path path;
  };

  BLOCKFALL_CALL_ON_GPU bool find(const Game& game, int length, bool at_sides, const PlacementSet* among,
                                  int64_t& placements) {
    kept_ = 0;
    const Piece& last = rules_.piece[game.known[length - 1]];
    const auto may_begin = [&](const Shape& shape, int x, int y) {
      return (!among || among->has(shape.number, x, y)) && (!at_sides || is_at_side(rules_, shape, x));
    };
    sequences_.for_each_batch(game, length, may_begin, [&] {
      auto placed = value_.place(last, sequences_.boards(), game.outcome.lines, at_sides && length == 1);
      placed.for_each_value([&](int n, uint32_t slot, uint32_t row, float value) {
        const Placement placement = placement_at(last, slot, row);
        if (length == 1 && !may_begin(last.shape[placement.shape], placement.x, placement.y)) return;
        keep_if_best(game, n, length > 1 ? sequences_.first(n) : placement, placement, value,
                     sequences_.order(n, slot, row));
      });
      placements += placed.placements();
    });
    value_by_unknown_piece(game, placements);
    return best_value_ > worst_value;
  }

  // Keeps sequences with the best first; among equals, the earlier one first.
  void keep_if_best(const Game& game, int n, const Placement& first, const Placement& last, float value,
                    uint64_t order) {
    if (!(value > worst_value)) return;
    const auto goes_before = [&](const Kept& other) {
      return value > other.value || (value == other.value && order < other.order);
    };
    if (kept_ == agent_.best_sequences && !goes_before(sequence_[kept_ - 1])) return;
    const Candidate found = sequences_.candidate(n, last);
    Kept kept{value, order, first, found.board, {}};
    kept.path = add_placement(rules_, kept.board, found.path, game.outcome.lines,
                              rules_.piece[last.piece].shape[last.shape], last.x, last.y);
    int at = kept_ < agent_.best_sequences ? kept_++ : kept_ - 1;
    for (; at > 0 && goes_before(sequence_[at - 1]); --at) sequence_[at] = sequence_[at - 1];
    sequence_[at] = kept;
  }

  void value_by_unknown_piece(const Game& game, int64_t& placements) {
    float law[piece_kinds], mean[most_kept] = {};
    next_law(game.generator, rules_, law);
    for (int kind = 0; kind < piece_kinds; ++kind) {
      if (!(law[kind] > 0)) continue;
      for (int from = 0; from < kept_; from += Value::boards_at_once) {
        ahead_.count = 0;
        for (int i = from; i < kept_ && i < from + Value::boards_at_once; ++i)
          add_board(sequence_[i].board, sequence_[i].path, ahead_);
        auto placed = value_.place(rules_.piece[kind], ahead_, game.outcome.lines, false);
        BestPlacements<Value::boards_at_once> best;
        placed.find_best(best);
        placements += placed.placements();
        for (int n = 0; n < ahead_.count; ++n) {
          const float value = best.value[n] > worst_value ? best.value[n] : agent_.loss;
          mean[from + n] = mean[from + n] + law[kind] * value;
        }
      }
    }
    best_value_ = worst_value;
    uint64_t order = 0;
    for (int i = 0; i < kept_; ++i)
      if (mean[i] > best_value_ || (mean[i] == best_value_ && sequence_[i].order < order)) {
        best_value_ = mean[i];
        order = sequence_[i].order;
        first_ = sequence_[i].first;
      }
  }

  const Rules& rules_;
  const Agent& agent_;
  const Value value_;
  Sequences<Value> sequences_;
  int kept_ = 0;
  Kept sequence_[most_kept];
  WaitingBoards<Value::boards_at_once> ahead_{};  // the boards of the kept sequences
  float best_value_ = worst_value;
  Placement first_{};
};

}  // namespace blockfall::BLOCKFALL_ARCH
