// Learning of a weighted sum of features from play, by temporal differences on afterstates.
//
// State t is the features of the board after action t, and reward t + 1 is the gain of the next action. The value of a
// state is w . x, where x are the features and a constant 1. The next action is the one with the largest reward +
// discount * value of the board that it leaves. So the agent's weights are discount * w, and one more for the feature
// that is the reward itself.
//   TD(lambda) (Sutton 1988):   w += rate * (r + discount * w . x' - w . x) z
//   LSTD(lambda) (Boyan 1999):  w solves sum z (x - discount * x')^T w = sum z r, and play continues with the new w:
//                               policy iteration, as in Bertsekas & Ioffe 1996 and Thiery & Scherrer 2010
// with the trace z = discount * lambda * z + x. After a lost game x' = 0. All sums are binary64, in a fixed order.
#pragma once

#include "../measure.hpp"
#include "../player.hpp"
#include "curve.hpp"
#include "exploring.hpp"

namespace blockfall {

struct LinearSettings {
  int64_t warm_up;               // random actions before the first weights
  double exploration;            // the share of random actions after that
  double discount, lambda;       // gamma and lambda
  bool least_squares;            // LSTD; otherwise TD
  double learning_rate;          // of TD, for features of mean square 1: each is divided by its own
  int64_t policy_actions;        // of LSTD: the fewest actions between two solutions
  double memory;                 // of LSTD: how much the sums of earlier policies count in the next solution
  double ridge;                  // of LSTD: added to the diagonal, as a share of the feature's sum of squares
  bool by_points;                // the reward is the points of the rules; otherwise the lines
  double end_reward;             // for losing
  int64_t max_pieces;            // of a game; 0 for no limit
  int32_t inputs, reward_place;  // the learned features are the agent's first; the reward's place among all
};

// The caller owns the memory: inputs + 1 numbers of each kind, and the square of that for the matrices.
struct LinearLearner {
  LinearSettings settings;
  uint64_t seed, first_game;
  float* parameters;       // of the agent
  double* weights;         // w; the constant's weight is last
  double* squares;         // sums of the squares of x
  double *matrix, *right;  // LSTD's two sums
  double* work;            // LinearLearning::work_numbers() numbers
  double states;           // over which the squares were summed
  LearningCurve curve;
  int64_t actions, games, updates, lines;
  int64_t solved_at;  // actions at the last solution
  int32_t stop;       // set to end early; discard what was learned since the last call
};

namespace BLOCKFALL_ARCH {

template <int Columns>
class LinearLearning {
 public:
  LinearLearning(const Rules& rules, const Agent& agent, LinearLearner& learner)
      : rules_(rules),
        agent_(agent),
        learner_(learner),
        set_(learner.settings),
        player_(rules, agent_),
        size_(set_.inputs + 1),
        state_(learner.work),
        next_(state_ + size_),
        trace_(next_ + size_),
        change_(trace_ + size_),
        equations_(change_ + size_) {
    agent_.value.parameters = learner.parameters;
    agent_.pieces_known = 1;
  }

  static int64_t work_numbers(int inputs) { return int64_t(inputs + 1) * (4 + inputs + 2); }

  // Plays whole games until this many actions are done, over all calls.
  void learn(int64_t until) {
    while (learner_.actions < until && !learner_.stop) {
      play_game();
      if (set_.least_squares && learner_.actions >= set_.warm_up &&
          learner_.actions - learner_.solved_at >= set_.policy_actions)
        improve_policy();
    }
  }

 private:
  void play_game() {
    const uint64_t number = learner_.first_game + uint64_t(learner_.games);
    Game game = start_game(rules_, Purpose::learning, learner_.seed, number, 1);
    choices_ = make_stream(Purpose::learning, learner_.seed, number | uint64_t{1} << 63);
    measure_board_columns<Columns>(rules_, agent_.value.features, game.board, measures_);
    see(state_);
    for (int i = 0; i < size_; ++i) trace_[i] = 0;
    while (game.outcome.termination == Termination::running && !__atomic_load_n(&learner_.stop, __ATOMIC_RELAXED)) {
      if (set_.max_pieces && game.outcome.pieces == set_.max_pieces) break;  // what follows is not known
      const Placement placement = act(game);
      const Candidate candidate{game.board, start_path(rules_, game), placement};
      const int64_t lines = game.outcome.lines, points = game.outcome.score;
      play_unchecked(rules_, game, placement);
      __atomic_store_n(&learner_.actions, learner_.actions + 1, __ATOMIC_RELAXED);
      double reward = set_.end_reward;
      if (game.outcome.termination == Termination::running) {
        measure_columns<Columns>(rules_, agent_.value.features, &candidate, 1, measures_);
        see(next_);
        reward = set_.by_points ? double(game.outcome.score - points) : double(game.outcome.lines - lines);
      } else {
        for (int i = 0; i < size_; ++i) next_[i] = 0;
      }
      step(reward);
      double* const last = state_;
      state_ = next_, next_ = last;
    }
    learner_.lines += game.outcome.lines;
    ++learner_.games;
  }

  Placement act(const Game& game) {
    const bool explores = learner_.actions < set_.warm_up ||
                          (set_.exploration > 0 && double(draw(choices_)) < set_.exploration * 4294967296.0);
    return explores ? any_placement(rules_, game, choices_) : player_.choose(game);
  }

  void see(double* state) const {
    for (int i = 0; i < set_.inputs; ++i) state[i] = double(measures_[i]);
    state[set_.inputs] = 1;
  }

  // From state_ to next_.
  void step(double reward) {
    for (int i = 0; i < size_; ++i) {
      trace_[i] = set_.discount * set_.lambda * trace_[i] + state_[i];
      change_[i] = state_[i] - set_.discount * next_[i];
      learner_.squares[i] += state_[i] * state_[i];
    }
    learner_.states += 1;
    double value = 0, error = reward;
    for (int i = 0; i < size_; ++i) {
      value += learner_.weights[i] * state_[i];
      error -= learner_.weights[i] * change_[i];
    }
    add_prediction(learner_.curve, value, error);
    set_.least_squares ? add_equations(reward) : update(error);
  }

  void update(double error) {
    const double rate = set_.learning_rate * error * learner_.states / size_;
    for (int i = 0; i < size_; ++i)
      if (learner_.squares[i] > 0) learner_.weights[i] += rate * trace_[i] / learner_.squares[i];
    ++learner_.updates;
    if (learner_.actions >= set_.warm_up) use_weights();
  }

  void add_equations(double reward) {
    for (int i = 0; i < size_; ++i) {
      double* row = learner_.matrix + int64_t(i) * size_;
      for (int k = 0; k < size_; ++k) row[k] += trace_[i] * change_[k];
      learner_.right[i] += trace_[i] * reward;
    }
  }

  void improve_policy() {
    solve();
    use_weights();
    for (int64_t i = 0; i < int64_t(size_) * size_; ++i) learner_.matrix[i] *= set_.memory;
    for (int i = 0; i < size_; ++i) learner_.right[i] *= set_.memory, learner_.squares[i] *= set_.memory;
    learner_.states *= set_.memory;
    learner_.solved_at = learner_.actions;
    ++learner_.updates;
  }

  // Gaussian elimination with the largest pivot of each column.
  void solve() {
    const int width = size_ + 1;
    const auto row = [&](int i) { return equations_ + int64_t(i) * width; };
    for (int i = 0; i < size_; ++i) {
      for (int k = 0; k < size_; ++k) row(i)[k] = learner_.matrix[int64_t(i) * size_ + k];
      row(i)[i] +=
          learner_.squares[i] > 0 ? set_.ridge * learner_.squares[i] : 1;  // a feature that was always 0 gets weight 0
      row(i)[size_] = learner_.right[i];
    }
    for (int column = 0; column < size_; ++column) {
      int pivot = column;
      for (int i = column + 1; i < size_; ++i)
        if (__builtin_fabs(row(i)[column]) > __builtin_fabs(row(pivot)[column])) pivot = i;
      for (int k = column; k < width; ++k) {
        const double kept = row(column)[k];
        row(column)[k] = row(pivot)[k], row(pivot)[k] = kept;
      }
      if (row(column)[column] == 0) continue;
      for (int i = column + 1; i < size_; ++i) {
        const double factor = row(i)[column] / row(column)[column];
        for (int k = column; k < width; ++k) row(i)[k] -= factor * row(column)[k];
      }
    }
    for (int i = size_ - 1; i >= 0; --i) {
      double left = row(i)[size_];
      for (int k = i + 1; k < size_; ++k) left -= row(i)[k] * learner_.weights[k];
      learner_.weights[i] = row(i)[i] == 0 ? 0 : left / row(i)[i];
    }
  }

  void use_weights() {
    for (int i = 0; i < agent_.value.features.count; ++i) {
      const double learned = i < set_.inputs ? set_.discount * learner_.weights[i] : 0;
      learner_.parameters[i] = float(learned + (i == set_.reward_place ? 1 : 0));
    }
  }

  const Rules& rules_;
  Agent agent_;
  LinearLearner& learner_;
  const LinearSettings& set_;
  Player<BestSequence<WeightedFeatures<Columns>>> player_;
  const int size_;
  Stream choices_{};
  float measures_[max_features];
  double *state_, *next_, *trace_, *change_, *equations_;  // x, x', z, x - discount * x', and the equations
};

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
