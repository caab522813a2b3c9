#include "blockfall/versus.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace blockfall {

using namespace scalar;

void Attack::add(const AttackTable& table, int cleared, Spin spin, bool empty) {
  if (!cleared) {
    combo = 0;
    return;
  }
  const bool hard = cleared == 4 || spin != Spin::none;
  lines += spin == Spin::full   ? table.spin[std::min(cleared, 3) - 1]
           : spin == Spin::mini ? table.mini[std::min(cleared, 2) - 1]
                                : table.lines[std::min(cleared, 4) - 1];
  if (hard && back_to_back) lines += table.back_to_back;
  if (!table.combo.empty()) lines += table.combo[size_t(std::min(combo, int64_t(table.combo.size()) - 1))];
  if (empty) lines += table.perfect_clear;
  ++combo;
  back_to_back = hard;
}

void hold_piece(const Rules& rules, Game& game, uint8_t& held) {
  const uint8_t before = std::exchange(held, game.known[0]);
  if (before == no_piece) {
    next_piece(rules, game, rules.frames_per_piece);
  } else {
    game.known[0] = before;
    end_if_stuck(rules, game);
  }
}

namespace {

struct Move {
  Placement placement;
  float worth;  // minus infinity if every sequence loses
};

class VersusPlayer {
 public:
  VersusPlayer(const Kernels& kernels, const Rules& rules, const Agent& agent, const Versus& versus)
      : kernels_(kernels), rules_(rules), agent_(agent), versus_(versus) {}

  int64_t play(Game& game, const Batch& batch) {
    Attack attack;
    uint8_t held = no_piece;
    while (goes_on(batch, game.outcome)) {
      const Placement placement = versus_.hold ? choose_with_hold(game, held) : choose(game).placement;
      place(game, placement, attack);
    }
    game.outcome.placements = std::exchange(valued_, 0);
    return attack.lines;
  }

 private:
  Choice choose(const Game& game) {
    const Choice choice = kernels_.choose(rules_, agent_, game, nullptr);
    valued_ += choice.placements;
    return choice;
  }

  // Leave the game in the state in which the piece to place is in hand.
  Placement choose_with_hold(Game& game, uint8_t& held) {
    Move best = best_move(game);
    if (held != no_piece || (game.pieces_known > 1 && game.known[1] != no_piece)) {
      Game other = game;
      uint8_t other_held = held;
      hold_piece(rules_, other, other_held);
      if (other.outcome.termination == Termination::running) {
        const Move swapped = best_move(other);
        if (swapped.worth > best.worth) best = swapped, game = other, held = other_held;
      }
    }
    return best.placement;
  }

  Move best_move(const Game& game) {
    const Placement first = choose(game).placement;
    float value = 0;
    Candidate last{};
    const bool lives = kernels_.best_sequence(rules_, agent_, game, first, value, last);
    return {first, lives ? value : -std::numeric_limits<float>::infinity()};
  }

  void place(Game& game, const Placement& placement, Attack& attack) const {
    const Board before = game.board;
    const int64_t lines = game.outcome.lines;
    const uint8_t piece = game.known[0];
    play_unchecked(rules_, game, placement);
    if (!versus_.table) return;
    const auto cleared = int(game.outcome.lines - lines);
    const Spin spin = cleared && piece == PIECE_T ? best_spin(before, placement) : Spin::none;
    attack.add(*versus_.table, cleared, spin, game.cells == 0);
  }

  Spin best_spin(const Board& board, const Placement& placement) const {
    Spin best = Spin::none;
    for (const SpinPlacement& one : find_spins(rules_, board))
      if (one.shape == placement.shape && one.x == placement.x && one.y == placement.y) best = std::max(best, one.spin);
    return best;
  }

  const Kernels& kernels_;
  const Rules& rules_;
  const Agent& agent_;
  const Versus& versus_;
  int64_t valued_ = 0;  // final boards of this game so far
};

}  // namespace

void play_versus(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, const Versus& versus,
                 int threads, const std::function<bool()>& poll) {
  const auto work = [&] {
    VersusPlayer player(kernels, rules, agent, versus);
    for (;;) {
      const int64_t number = add_atomically(batch.next, 1);
      if (number >= batch.games) return;
      Game game =
          start_game(rules, batch.purpose, batch.seed, uint64_t(batch.first_game + number), versus.pieces_shown);
      versus.attack[number] = player.play(game, batch);
      batch.outcomes[number] = game.outcome;
      if (game.outcome.termination == Termination::interrupted) return;
      add_atomically(batch.pieces_done, game.outcome.pieces);
      add_atomically(batch.games_done, 1);
    }
  };
  run_polled(threads, work, batch.stop, poll);
}

}  // namespace blockfall
