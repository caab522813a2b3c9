// Tabular Q-learning (data2021, 5.4.3).
#pragma once

#include "../game.hpp"
#include "../value/table.hpp"
#include "curve.hpp"

namespace blockfall {

struct TableSettings {
  int64_t explore;       // random actions at the start; the best ones after that
  float rate, discount;  // alpha and gamma in the thesis's formula
  int64_t max_pieces;    // of a learning game; 0 for no limit
};

namespace BLOCKFALL_ARCH {

struct TableAction {
  Placement placement;
  int32_t entry;  // of the table; negative if the placement loses
  float value;
};

// The actions of a state: each placement with each of its entries. A losing placement is one action.
class TableActions {
 public:
  TableActions(const Rules& rules, const float* table) : rules_(rules), table_(table), numbers_(rules) {}

  // The first of the best actions.
  TableAction best(const Game& game) const {
    TableAction found{{}, -1, 0};
    bool any = false;
    for_each(game, [&](const TableAction& action) {
      if (!any) found.placement = action.placement, any = true;
      if (action.entry >= 0 && (found.entry < 0 || action.value > found.value)) found = action;
    });
    return found;
  }

  // A random action; below(n) draws a number from 0 to n - 1.
  template <class Below>
  TableAction any(const Game& game, Below below) const {
    TableAction found{{}, -1, 0};
    uint32_t seen = 0;
    for_each(game, [&](const TableAction& action) {
      if (below(++seen) == 0) found = action;
    });
    return found;
  }

 private:
  template <class Visit>
  void for_each(const Game& game, Visit visit) const {
    for_each_entry(rules_, numbers_, game.board, rules_.piece[game.known[0]], game.outcome.lines,
                   [&](const Shape& shape, int x, int y, const Entries& entries) {
                     const Placement placement{shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                     if (entries.count == 0) visit({placement, -1, 0});
                     for (int i = 0; i < entries.count; ++i)
                       visit({placement, entries.entry[i], table_[entries.entry[i]]});
                   });
  }

  const Rules& rules_;
  const float* table_;
  const ShapeNumbers numbers_;
};

inline int holes_in(const Rules& rules, const Board& board) {
  int holes = 0;
  for (int i = 0; i < rules.columns; ++i) holes += height(board.column[i]) - bit_count(board.column[i]);
  return holes;
}

// Plays a learning game. The reward, which the thesis leaves open, is the number of lines removed minus the number of
// holes made. Returns the actions of all games. Gives the game up once go_on(actions of all games) returns false.
template <class GoOn>
inline int64_t learn_table(const Rules& rules, const TableSettings& set, uint64_t seed, uint64_t number,
                           int64_t actions_before, float* table, LearningCurve& curve, const GoOn& go_on) {
  const TableActions table_actions(rules, table);
  Game game = start_game(rules, Purpose::learning, seed, number, 1);
  Stream choices = make_stream(Purpose::learning, seed, number | uint64_t{1} << 63);
  const auto choose = [&](int64_t actions) {
    const auto below = [&](uint32_t n) { return draw_below(choices, n); };
    return actions < set.explore ? table_actions.any(game, below) : table_actions.best(game);
  };
  int64_t actions = actions_before;
  while (game.outcome.termination == Termination::running &&
         (set.max_pieces == 0 || game.outcome.pieces < set.max_pieces) && go_on(actions)) {
    const TableAction chosen = choose(actions);
    const int holes = holes_in(rules, game.board);
    const int64_t lines = game.outcome.lines;
    play_unchecked(rules, game, chosen.placement);
    ++actions;
    if (chosen.entry < 0) continue;
    const auto reward = float(game.outcome.lines - lines - (holes_in(rules, game.board) - holes));
    float& value = table[chosen.entry];
    float next = value;
    if (game.outcome.termination == Termination::running) {
      const TableAction following = table_actions.best(game);
      if (following.entry >= 0 && following.value > next) next = following.value;
    }
    add_prediction(curve, value, reward + set.discount * next - value);
    value = value + set.rate * (reward + set.discount * next - value);  // 5.4.3
  }
  return actions;
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
