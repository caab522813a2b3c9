#include "blockfall/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace blockfall {

using namespace scalar;

bool can_be_estimated(const Rules& rules) {
  switch (rules.generator) {
    case GeneratorKind::script:
    case GeneratorKind::snake:
    case GeneratorKind::nes_lfsr: return false;  // their pieces are not random
    default: return drops(rules);                // timed pieces fall faster later in the game
  }
}

namespace {

constexpr int64_t settling_pieces = 1000;  // until the stack has its usual height
constexpr int64_t watched_pieces = 1000;   // from which the usual height is measured
// Limits that end every estimate, for any player; most climbs end within a hundred pieces.
constexpr int64_t longest_climb = 1'000'000;
constexpr int64_t rarest_rise = 1000;
constexpr int any_height = std::numeric_limits<int>::max();

class Estimate {
 public:
  Estimate(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int64_t number, int64_t tries)
      : kernels_(kernels),
        rules_(rules),
        agent_(agent),
        batch_(batch),
        tries_(tries),
        own_(make_stream(batch.purpose, batch.seed, uint64_t(number))) {
    key_ = uint64_t{draw(own_)} << 32;
    key_ |= draw(own_);
    start();
  }

  Outcome make() {
    find_usual_height();
    const int64_t pieces_before = pieces_, lines_before = lines_;
    gather_rises();
    const auto pieces = double(pieces_ - pieces_before), lines = double(lines_ - lines_before);
    bool found = !reached_.empty();
    double chance = double(std::max<size_t>(1, reached_.size())) / pieces;  // of a rise at any piece
    for (int goal = usual_ + 2; found && !stopped() && !all_lost(); ++goal) {
      const auto won = int64_t(climb_to(goal));
      found = won > 0;
      chance *= double(std::max<int64_t>(1, won)) / double(tries_);
    }
    Outcome outcome{};
    outcome.placements = placements_;
    outcome.termination = Termination::interrupted;
    if (stopped()) return outcome;
    outcome.pieces = int64_t(std::min(std::round(1 / chance), std::ldexp(1, 61)));
    outcome.lines = int64_t(std::round(double(outcome.pieces) * lines / pieces));
    // If none came higher, this is a lower bound.
    outcome.termination = found ? Termination::estimated : Termination::piece_limit;
    return outcome;
  }

 private:
  bool stopped() const { return load_atomically(batch_.stop); }
  static bool lost(const Game& game) { return game.outcome.termination != Termination::running; }
  bool stands_over(int height) const { return !lost(game_) && tallest(rules_, game_.board) > height; }
  bool all_lost() const { return std::all_of(reached_.begin(), reached_.end(), lost); }

  void start() { game_ = start_game(rules_, batch_.purpose, key_, next_number_++, agent_.pieces_known); }

  // The same position, with its own pieces to come.
  Game split(const Game& from) {
    Game game = from;
    game.generator.stream = make_stream(batch_.purpose, key_, next_number_++);
    if (rules_.generator == GeneratorKind::bag7) shuffle_bag(game.generator);
    return game;
  }

  void climb(Game* games, int64_t count, int floor, int goal, int64_t max_pieces) {
    Climb asked{games, count, floor, goal, max_pieces, &batch_.stop, 0, 0};
    kernels_.climb(rules_, agent_, asked);
    pieces_ += asked.pieces;
    placements_ += asked.placements;
    add_atomically(batch_.pieces_done, asked.pieces);
  }

  // Continues the long game, or starts a new one after a loss.
  void go_on(int floor, int goal, int64_t max_pieces) {
    if (lost(game_)) start();
    const int64_t before = game_.outcome.lines;
    climb(&game_, 1, floor, goal, max_pieces);
    lines_ += game_.outcome.lines - before;
  }

  void find_usual_height() {
    while (pieces_ < settling_pieces && !stopped()) go_on(-1, any_height, settling_pieces - pieces_);
    std::vector<int> heights;
    for (int64_t i = 0; i < watched_pieces && !stopped(); ++i) {
      go_on(-1, any_height, 1);
      heights.push_back(tallest(rules_, game_.board));
    }
    if (heights.empty()) return;
    std::sort(heights.begin(), heights.end());
    usual_ = heights[heights.size() / 2];
  }

  // Collects the positions in which the long game has just risen above its usual height.
  void gather_rises() {
    const int64_t end = pieces_ + longest_climb + rarest_rise * tries_;
    while (int64_t(reached_.size()) < tries_ && pieces_ < end && !stopped()) {
      if (!lost(game_)) go_on(usual_, any_height, longest_climb);
      if (stands_over(usual_)) start();  // it does not fall back
      go_on(-1, usual_ + 1, longest_climb);
      if (lost(game_) || stands_over(usual_)) reached_.push_back(game_);
    }
  }

  // Continues many games from the positions that others reached, until they reach the goal or fall back. Keeps those
  // that reach it.
  size_t climb_to(int goal) {
    std::vector<Game> games, kept;
    for (int64_t i = 0; i < tries_; ++i) {
      const Game& from = reached_[draw_below(own_, uint32_t(reached_.size()))];
      games.push_back(lost(from) ? from : split(from));
    }
    climb(games.data(), tries_, usual_, goal, longest_climb);
    for (const Game& game : games)
      if (lost(game) || tallest(rules_, game.board) >= goal) kept.push_back(game);
    reached_.swap(kept);
    return reached_.size();
  }

  const Kernels& kernels_;
  const Rules& rules_;
  const Agent& agent_;
  Batch& batch_;
  int64_t tries_;
  Stream own_;    // draws the games to continue
  uint64_t key_;  // the seed of all pieces
  uint64_t next_number_ = 0;
  Game game_{};  // the long game
  int usual_ = 0;
  std::vector<Game> reached_;
  int64_t pieces_ = 0, placements_ = 0;
  int64_t lines_ = 0;  // of the long game
};

}  // namespace

void estimate(const Kernels& kernels, const Rules& rules, const Agent& agent, Batch& batch, int64_t tries, int threads,
              const std::function<bool()>& poll) {
  constexpr int64_t games_held = 4'000'000;  // by all threads together: one or two gigabytes
  threads = int(std::min<int64_t>(threads, std::max<int64_t>(1, games_held / (3 * tries))));
  const int64_t parameters = parameters_of(agent.value);
  const auto work = [&] {
    Agent candidate = agent;
    for (;;) {
      const int64_t number = add_atomically(batch.next, 1);
      if (number >= batch.candidates * batch.games) return;
      if (batch.parameters) candidate.value.parameters = batch.parameters + number / batch.games * parameters;
      const int64_t index = batch.first_game + number % batch.games;
      const Outcome outcome = Estimate(kernels, rules, candidate, batch, index, tries).make();
      batch.outcomes[number] = outcome;
      if (outcome.termination == Termination::interrupted) return;
      add_atomically(batch.games_done, 1);
    }
  };
  run_polled(threads, work, batch.stop, poll);
}

}  // namespace blockfall
