// Playing by a table, and tabular Q-learning (data2021, 5.4.3).
//
// A placement has as many entries as there are groups of four columns that it fits into; the best of them is its value.
#pragma once

#include "game.hpp"
#include "value.hpp"

namespace blockfall {

struct TableSettings {
  int64_t explore;       // actions at random first; the best after that
  float rate, discount;  // alpha and gamma of the thesis's formula
  int64_t max_pieces;    // of a learning game; 0 for no limit
};

namespace BLOCKFALL_ARCH {

struct TableChoice {
  Placement placement;
  int32_t entry;  // of the table; negative where no placement has one: all lose
  float value;
};

// As Player, for an agent with a table.
class TablePlayer {
 public:
  TablePlayer(const Rules& rules, const Agent& agent) : rules_(rules), agent_(agent) {
    for (int piece = 0; piece < piece_kinds; ++piece)
      for (int shape = 0; shape < rules.piece[piece].shapes; ++shape)
        number_[piece][shape] = int8_t(fixed_shape_number(rules.piece[piece].shape[shape]));
  }

  // The game must have a placement. With `among`, it is one of these.
  Placement choose(const Game& game, const PlacementSet* among = nullptr) {
    const TableChoice found = best(game, among);
    value_ = found.value;
    return found.placement;
  }

  // The value of a placement. False when it loses.
  bool best_line(const Game& game, const Placement& first, float& value, Candidate& candidate) {
    PlacementSet only{};
    only.add(first);
    const TableChoice found = best(game, &only);
    value = found.value;
    candidate = {game.board, start_path(rules_, game), first};
    return found.entry >= 0;
  }

  float value() const { return value_; }
  int64_t placements() const { return placements_; }

  // The first of the best.
  TableChoice best(const Game& game, const PlacementSet* among = nullptr) {
    TableChoice found{{}, -1, 0};
    bool any = false;
    for_each_entry(game, [&](const Placement& placement, int32_t entry) {
      if (among && !among->has(placement.shape, placement.x, placement.y)) return;
      if (!any) found.placement = placement, any = true;
      if (entry < 0) return;
      const float value = agent_.table[entry];
      if (found.entry < 0 || value > found.value) found = {placement, entry, value};
    });
    return found;
  }

  // One of the entries by chance.
  template <class Below>
  TableChoice any(const Game& game, Below below) {
    TableChoice found{{}, -1, 0};
    uint32_t seen = 0;
    for_each_entry(game, [&](const Placement& placement, int32_t entry) {
      if (below(++seen) == 0) found = {placement, entry, entry < 0 ? 0 : agent_.table[entry]};
    });
    return found;
  }

 private:
  // Every placement with every entry that it has; -1 for one that loses.
  template <class Visit>
  void for_each_entry(const Game& game, Visit visit) {
    int contour[max_columns];
    for (int left = 0; left + window <= rules_.columns; ++left) contour[left] = contour_at(game.board, left);
    placements_ = 0;
    for_each_placement(rules_, game.board, rules_.piece[game.known[0]], game.outcome.lines,
                       [&](const Shape& shape, int x, int y) {
                         ++placements_;
                         const Placement placement{shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                         const int number = number_[shape.piece][shape.number];
                         if (y > shape.highest_row || number < 0) return visit(placement, -1);
                         for (int left = x + shape.width - window; left <= x; ++left)
                           if (left >= 0 && left + window <= rules_.columns)
                             visit(placement, table_entry(contour[left], number, x - left));
                       });
  }

  const Rules& rules_;
  const Agent& agent_;
  int8_t number_[piece_kinds][max_states];  // of each shape among the nineteen
  float value_ = 0;
  int64_t placements_ = 0;
};

inline int holes_in(const Rules& rules, const Board& board) {
  int holes = 0;
  for (int i = 0; i < rules.columns; ++i) holes += height(board.column[i]) - bit_count(board.column[i]);
  return holes;
}

// A learning game. The reward, which the thesis leaves open, is the lines removed less the holes made.
inline int64_t learn_table(const Rules& rules, const TableSettings& set, uint64_t seed, uint64_t number,
                           int64_t actions_before, float* table) {
  Agent agent{};
  agent.table = table;
  TablePlayer player(rules, agent);
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

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
