// A player: a search for the best sequence, with the guard against towers around it, and a choice for lost games.
#pragma once

#include "best_sequence.hpp"
#include "look_ahead.hpp"
#include "value/kinds.hpp"

namespace blockfall {

struct Choice {
  Placement placement;
  float value;  // of the best final board; meaningless when every sequence loses
  int64_t placements;
};

namespace BLOCKFALL_ARCH {

// `Search` is BestSequence or LookAhead over a value, or the value's own search. Setting `stop` cuts a long choice
// short; its placement is legal but arbitrary.
template <class Search>
class Player {
 public:
  Player(const Rules& rules, const Agent& agent, const int32_t* stop = nullptr)
      : rules_(rules), agent_(agent), search_(rules, agent, stop) {}

  // The agent's choice. The game must have a placement.
  Placement choose(const Game& game) {
    return choose_by(game, nullptr,
                     [&](int length, bool at_sides) { return search_.find(game, length, at_sides, placements_); });
  }

  // The same among these placements.
  Placement choose_among(const Game& game, const PlacementSet& among) {
    return choose_by(game, &among, [&](int length, bool at_sides) {
      return search_.find_among(game, length, at_sides, among, placements_);
    });
  }

  float value() const { return search_.value(); }     // of the last choice; meaningless when every sequence loses
  int64_t placements() const { return placements_; }  // final boards of the last choice

 private:
  template <class Find>
  Placement choose_by(const Game& game, const PlacementSet* among, const Find& find) {
    placements_ = 0;
    const int length = sequence_length(agent_, game);
    if ((guard_applies(game.board) && find(length, true)) || find(length, false)) return search_.first();
    return first_of_longest_sequence(rules_, game, length, among);
  }

  bool guard_applies(const Board& board) const {
    if (!agent_.guards) return false;
    int highest = 0, bumpiness = 0;
    for (int i = 0; i < rules_.columns; ++i) {
      const int top = height(board.column[i]), before = i ? height(board.column[i - 1]) : top;
      highest = top > highest ? top : highest;
      bumpiness += top > before ? top - before : before - top;
    }
    return highest >= agent_.guard_height && bumpiness >= agent_.guard_bumpiness;
  }

  const Rules& rules_;
  const Agent& agent_;
  Search search_;
  int64_t placements_ = 0;
};

// Calls use(Type<Player<...>>{}) with the player for this agent, which is chosen only here.
template <class Use>
inline auto with_player(const Rules& rules, const Agent& agent, Use use) {
  return with_value(rules, agent.value, [&](auto policy) {
    using Value = typename decltype(policy)::type;
    if constexpr (SearchPolicy<Value>) {
      return use(Type<Player<typename Value::Search>>{});
    } else {
      if constexpr (Value::values_boards)
        if (agent.best_sequences) return use(Type<Player<LookAhead<Value>>>{});
      return use(Type<Player<BestSequence<Value>>>{});
    }
  });
}

template <class AnyPlayer>
Choice choose_by(const Rules& rules, const Agent& agent, const Game& game, const PlacementSet* among) {
  AnyPlayer player(rules, agent);
  const Placement placement = among ? player.choose_among(game, *among) : player.choose(game);
  return {placement, player.value(), player.placements()};
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
