// Tabular Q-learning on the contour of four columns (data2021, 3.5.1 and 5.4.3, after Sarjant 2008).
//
// A state is what four neighbouring columns look like from above: the three steps from each to the next, cut at -3 and
// 3, 343 in all. (The thesis writes four numbers; the first, relative to itself, is always 0.) An action is a shape of
// a piece at an offset within them. A placement has as many (state, action) pairs as there are groups of four columns
// that it fits into; the best of them is its value.
#pragma once

#include "game.hpp"

namespace blockfall {

inline constexpr int window = 4, window_states = 7 * 7 * 7;
inline constexpr int window_actions = piece_kinds * max_states * window;  // not all are used

struct TableSettings {
  int64_t explore;       // actions at random first; the best after that
  float rate, discount;  // alpha and gamma of the thesis's formula
  int64_t max_pieces;    // of a learning game; 0 for no limit
};

namespace BLOCKFALL_ARCH {

// The best placement of a piece by the table.
struct TableChoice {
  Placement placement;
  int32_t entry;  // of the table; negative where every placement loses
  float value;
};

class TablePlayer {
 public:
  TablePlayer(const Rules& rules, float* table) : rules_(rules), table_(table) {}

  TableChoice best(const Game& game) const {
    TableChoice found{{}, -1, 0};
    bool any = false;
    for_each_entry(game, [&](const Placement& placement, int32_t entry) {
      if (!any) found.placement = placement, any = true;
      if (entry >= 0 && (found.entry < 0 || table_[entry] > found.value)) found = {placement, entry, table_[entry]};
    });
    return found;
  }

  // One of the placements by chance, with the first of its entries.
  template <class Below>
  TableChoice any(const Game& game, Below below) const {
    TableChoice found{{}, -1, 0};
    uint32_t seen = 0;
    for_each_entry(game, [&](const Placement& placement, int32_t entry) {
      if (below(++seen) == 0) found = {placement, entry, entry < 0 ? 0 : table_[entry]};
    });
    return found;
  }

 private:
  // Every placement with every entry that it has; -1 for one that loses.
  template <class Visit>
  void for_each_entry(const Game& game, Visit visit) const {
    int32_t contour[max_columns];
    for (int c = 0; c + window <= rules_.columns; ++c) {
      contour[c] = 0;
      for (int i = 1; i < window; ++i) {
        const int step = height(game.board.column[c + i]) - height(game.board.column[c + i - 1]);
        contour[c] = contour[c] * 7 + (step < -3 ? -3 : step > 3 ? 3 : step) + 3;
      }
    }
    for_each_placement(rules_, game.board, rules_.piece[game.known[0]], game.outcome.lines,
                       [&](const Shape& shape, int x, int y) {
                         const Placement placement{shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                         if (y > shape.highest_row) return visit(placement, -1);
                         for (int c = x + shape.width - window; c <= x; ++c) {
                           if (c < 0 || c + window > rules_.columns) continue;
                           const int action = (shape.piece * max_states + shape.number) * window + x - c;
                           visit(placement, contour[c] * window_actions + action);
                         }
                       });
  }

  const Rules& rules_;
  float* table_;
};

inline int holes_in(const Rules& rules, const Board& board) {
  int holes = 0;
  for (int i = 0; i < rules.columns; ++i) holes += height(board.column[i]) - bit_count(board.column[i]);
  return holes;
}

// A learning game. The reward, which the thesis leaves open, is the lines removed less the holes made.
inline int64_t learn_table(const Rules& rules, const TableSettings& set, uint64_t seed, uint64_t number,
                           int64_t actions_before, float* table) {
  const TablePlayer player(rules, table);
  Game game = start_game(rules, Purpose::learning, seed, number, 1);
  Stream choices = make_stream(Purpose::learning, seed, number | uint64_t{1} << 63);
  const auto choose = [&](int64_t actions) {
    const auto below = [&](uint32_t n) { return draw_below(choices, n); };
    return actions < set.explore ? player.any(game, below) : player.best(game);
  };
  int64_t actions = actions_before;
  while (game.outcome.termination == Termination::running &&
         (set.max_pieces == 0 || game.outcome.pieces < set.max_pieces)) {
    const TableChoice chosen = choose(actions);
    const int holes = holes_in(rules, game.board);
    const int64_t lines = game.outcome.lines;
    play(rules, game, chosen.placement);
    ++actions;
    if (chosen.entry < 0) continue;
    const auto reward = float(game.outcome.lines - lines - (holes_in(rules, game.board) - holes));
    float& value = table[chosen.entry];
    float next = value;
    if (game.outcome.termination == Termination::running) {
      const TableChoice following = player.best(game);
      if (following.entry >= 0 && following.value > next) next = following.value;
    }
    value = value + set.rate * (reward + set.discount * next - value);  // 5.4.3
  }
  return actions;
}

inline Outcome play_table(const Rules& rules, Purpose purpose, uint64_t seed, uint64_t number, int64_t max_pieces,
                          float* table) {
  const TablePlayer player(rules, table);
  Game game = start_game(rules, purpose, seed, number, 1);
  while (game.outcome.termination == Termination::running) {
    if (game.outcome.pieces == max_pieces && max_pieces)
      game.outcome.termination = Termination::piece_limit;
    else
      play(rules, game, player.best(game).placement);
  }
  return game.outcome;
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
