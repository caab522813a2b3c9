// Learning of a network from play: Q-learning over a queue of states, as in data2021 (5.4.4), with optional additions
// that make it steadier: targets over several steps, a target network, and rewards that count with the state that they
// lead to.
//
// States form a chain: state t is the network's input for the board after action t, and reward t is the gain of that
// action.
#pragma once

#include "../measure.hpp"
#include "../player.hpp"
#include "backward.hpp"
#include "curve.hpp"
#include "exploring.hpp"

namespace blockfall {

enum class Link : uint8_t {
  lives,  // the next state of the chain follows
  ended,  // the next action lost the game
  cut,    // the game was stopped, so what follows is not known
};

inline constexpr int max_sample = 4096;

struct LearningSettings {
  int64_t warm_up;        // actions before the first training
  bool random_warm_up;    // whether these are random; otherwise the network chooses them
  float exploration;      // the share of random actions after that
  int32_t train_every;    // actions
  int32_t sample, batch;  // states per training, and per update
  int32_t epochs;         // over the sample
  float discount, learning_rate;
  int32_t steps;         // rewards taken from the chain before the network's estimate
  int32_t target_every;  // updates between two copies of the network into the target network; 0 for none
  bool own_reward;       // whether a state's value includes the reward for reaching it
  float line_reward[cells_per_piece], piece_reward, end_reward;
  int64_t max_pieces;  // of a game; 0 for no limit
};

// The caller owns the memory. Moments and the target network have the parameters' layout.
struct Learner {
  LearningSettings settings;
  uint64_t seed, first_game;
  float *parameters, *target, *first_moment, *second_moment, *gradient;
  int64_t capacity;  // of the queue
  float* state;      // capacity rows of the agent's features
  float* reward;
  Link* link;
  float* work;    // Learning::work_floats() floats, aligned to 64 bytes
  int64_t added;  // states ever put into the queue
  int64_t actions, games, updates;
  LearningCurve curve;
  int64_t lines;  // in all games
  int32_t stop;   // set to end early; discard what was learned since the last call
};

namespace BLOCKFALL_ARCH {

template <int Columns>
class Learning {
 public:
  Learning(const Rules& rules, const Agent& agent, Learner& learner)
      : rules_(rules),
        agent_(agent),
        learner_(learner),
        set_(learner.settings),
        player_(rules, agent_),
        network_(agent.value.hidden, agent.value.features.count, set_.sample, learner.work),
        features_(agent.value.features.count) {
    agent_.value.parameters = learner.parameters;
    agent_.pieces_known = 1;
    inputs_ = learner.work + PaddedNetwork::work_floats(agent.value.hidden, features_, set_.sample);
    ahead_ = inputs_ + int64_t(set_.sample) * features_;
    shuffled_ = ahead_ + int64_t(set_.sample) * features_;
  }

  static int64_t work_floats(const Agent& agent, const LearningSettings& set) {
    const int inputs = agent.value.features.count;
    return PaddedNetwork::work_floats(agent.value.hidden, inputs, set.sample) +
           int64_t(inputs) * (2 * set.sample + set.batch);
  }

  // Plays whole games until this many actions are done, over all calls.
  void learn(int64_t until) {
    while (learner_.actions < until && !learner_.stop) play_game();
  }

 private:
  void play_game() {
    const uint64_t number = learner_.first_game + uint64_t(learner_.games);
    Game game = start_game(rules_, Purpose::learning, learner_.seed, number, 1);
    choices_ = make_stream(Purpose::learning, learner_.seed, number | uint64_t{1} << 63);
    measure_start(game.board);
    put(0);
    while (game.outcome.termination == Termination::running && !__atomic_load_n(&learner_.stop, __ATOMIC_RELAXED)) {
      if (set_.max_pieces && game.outcome.pieces == set_.max_pieces) {
        last_link() = Link::cut;
        break;
      }
      const Placement placement = act(game);
      const Candidate candidate{game.board, start_path(rules_, game), placement};
      const int64_t before = game.outcome.lines;
      play_unchecked(rules_, game, placement);
      ++learner_.actions;
      if (game.outcome.termination == Termination::running) {
        measure_candidate(candidate);
        const auto lines = int(game.outcome.lines - before);
        put(set_.piece_reward + (lines ? set_.line_reward[lines - 1] : 0));
      } else {
        last_link() = Link::ended;
      }
      if (learner_.actions > set_.warm_up && learner_.actions % set_.train_every == 0) train();
    }
    learner_.lines += game.outcome.lines;
    ++learner_.games;
  }

  Placement act(const Game& game) {
    const bool explores = (set_.random_warm_up && learner_.actions < set_.warm_up) ||
                          (set_.exploration > 0 && float(draw(choices_) >> 8) < set_.exploration * float(1 << 24));
    return explores ? any_placement(rules_, game, choices_) : player_.choose(game);
  }

  float* state_at(int64_t number) const { return learner_.state + number % learner_.capacity * features_; }
  Link& last_link() { return learner_.link[(learner_.added - 1) % learner_.capacity]; }

  void measure_start(const Board& board) {
    measure_board_columns<Columns>(rules_, agent_.value.features, board, measures_);
  }
  void measure_candidate(const Candidate& c) {
    measure_columns<Columns>(rules_, agent_.value.features, &c, 1, measures_);
  }

  // Puts the last measured state into the queue; a full queue loses its oldest state.
  void put(float reward) {
    float* state = state_at(learner_.added);
    for (int i = 0; i < features_; ++i) state[i] = measures_[i];
    learner_.reward[learner_.added % learner_.capacity] = reward;
    learner_.link[learner_.added % learner_.capacity] = Link::lives;
    ++learner_.added;
  }

  void train() {
    find_targets();
    for (int epoch = 0; epoch < set_.epochs; ++epoch) {
      for (int i = 0; i < set_.sample; ++i) order_[i] = i;
      for (int i = set_.sample - 1; i > 0; --i) {  // Fisher-Yates
        const auto other = int(draw_below(choices_, uint32_t(i + 1)));
        const int32_t kept = order_[i];
        order_[i] = order_[other], order_[other] = kept;
      }
      for (int from = 0; from < set_.sample; from += set_.batch)
        update(from, set_.sample - from < set_.batch ? set_.sample - from : set_.batch);
    }
  }

  // Draws the sample. A target is the sum of the rewards of the next steps and, unless the game ended, the value of the
  // state that they lead to (data2021: one step).
  void find_targets() {
    const int64_t held = learner_.added < learner_.capacity ? learner_.added : learner_.capacity;
    const int64_t oldest = learner_.added - held;
    for (int s = 0; s < set_.sample; ++s) {
      int64_t number;
      do number = oldest + int64_t(draw_below(choices_, uint32_t(held - 1)));
      while (link_at(number) == Link::cut);
      copy_state(number, inputs_ + int64_t(s) * features_);
      float target = set_.own_reward ? reward_at(number) : 0, factor = set_.own_reward ? set_.discount : 1;
      int64_t at = number;
      for (int step = 0; step < set_.steps && at + 1 < learner_.added && link_at(at) == Link::lives; ++step) {
        target = target + factor * reward_at(++at);
        factor = factor * set_.discount;
      }
      const bool ended = link_at(at) == Link::ended && at - number < set_.steps;
      if (ended) target = target + factor * set_.end_reward;
      targets_[s] = target;
      bootstrap_[s] = ended ? 0 : factor;
      copy_state(at, ahead_ + int64_t(s) * features_);
    }
    network_.load(set_.target_every ? learner_.target : learner_.parameters);
    const float* values = network_.values(ahead_, set_.sample);
    for (int s = 0; s < set_.sample; ++s)
      targets_[s] = targets_[s] + bootstrap_[s] * values[s * PaddedNetwork::stride_of_values];
  }

  Link link_at(int64_t number) const { return learner_.link[number % learner_.capacity]; }
  float reward_at(int64_t number) const { return learner_.reward[number % learner_.capacity]; }
  void copy_state(int64_t number, float* to) const {
    const float* from = state_at(number);
    for (int i = 0; i < features_; ++i) to[i] = from[i];
  }

  void update(int from, int rows) {
    for (int r = 0; r < rows; ++r) {
      const float* row = inputs_ + int64_t(order_[from + r]) * features_;
      for (int i = 0; i < features_; ++i) shuffled_[r * features_ + i] = row[i];
      batch_targets_[r] = targets_[order_[from + r]];
    }
    network_.load(learner_.parameters);
    const float* values = network_.values(shuffled_, rows);
    for (int r = 0; r < rows; ++r) {
      const float value = values[r * PaddedNetwork::stride_of_values];
      add_prediction(learner_.curve, value, batch_targets_[r] - value);
    }
    network_.find_gradient(shuffled_, batch_targets_, rows, learner_.gradient);
    const int count = parameters_of(agent_.value);
    adam_step(count, ++learner_.updates, set_.learning_rate, learner_.gradient, learner_.first_moment,
              learner_.second_moment, learner_.parameters);
    if (set_.target_every && learner_.updates % set_.target_every == 0)
      for (int i = 0; i < count; ++i) learner_.target[i] = learner_.parameters[i];
  }

  const Rules& rules_;
  Agent agent_;
  Learner& learner_;
  const LearningSettings& set_;
  Player<BestSequence<FeatureNetwork<Columns>>> player_;
  PaddedNetwork network_;
  const int features_;
  Stream choices_{};
  float measures_[max_features];
  float *inputs_, *ahead_, *shuffled_;  // the sample, the states that its rewards lead to, and a batch of the sample
  float targets_[max_sample], batch_targets_[max_sample], bootstrap_[max_sample];
  int32_t order_[max_sample];
};

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
