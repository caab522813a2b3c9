// Learning a network from play: Q-learning over a queue of states, as data2021 describes it (5.4.4), and what makes it
// steadier: targets over several steps, a target network, and the reward of a state counted with the state.
//
// A chain of states: state t is what the network sees of the board after action t, reward t what that action gained.
// Vectors run along the neurons of a layer and never across a sum, and every sum runs in one order, the one of
// network_value: so every instruction set learns the same numbers.
#pragma once

#include "measure.hpp"
#include "player.hpp"

namespace blockfall {

enum class Link : uint8_t {
  lives,  // the next state of the chain follows
  ended,  // the next action lost the game
  cut,    // the game was stopped: nothing is known of what follows
};

inline constexpr int max_sample = 4096;

struct LearningSettings {
  int64_t warm_up;        // actions at random, before the first training
  float exploration;      // the share of actions at random after that
  int32_t train_every;    // actions
  int32_t sample, batch;  // states per training, and of them per update
  int32_t epochs;         // over the sample
  float discount, learning_rate;
  int32_t steps;         // rewards taken from the chain before the network's own estimate
  int32_t target_every;  // updates between two copies of the network into the target network; 0 for none
  bool own_reward;       // whether a state's value includes the reward for reaching it
  float line_reward[cells_per_piece], piece_reward, end_reward;
  int64_t max_pieces;  // of a game; 0 for no limit
};

// The memory is the caller's. Moments and the target have the parameters' layout.
struct Learner {
  LearningSettings settings;
  uint64_t seed, first_game;
  float *parameters, *target, *first_moment, *second_moment, *gradient;
  int64_t capacity;  // of the queue
  float* state;      // capacity rows of the agent's features
  float* reward;
  Link* link;
  float* work;    // Learning::work_floats() of them, aligned to 64 bytes
  int64_t added;  // states ever put into the queue
  int64_t actions, games, updates;
  float loss;     // of the last update
  int64_t lines;  // in all games
  int32_t stop;   // set to end early; what was learned since the last call is then to be thrown away
};

namespace BLOCKFALL_ARCH {

inline constexpr int vector =
    lanes > 4 ? lanes : 4;  // as wide as the instruction set has them; SSE2 for the scalar one
typedef float Vector __attribute__((vector_size(4 * vector), may_alias));

inline constexpr int block = 16;  // rows of neurons are padded to whole blocks
inline int padded(int width) { return (width + block - 1) / block * block; }

// c[m][n] = start[n] + sum over k of a(m, k) * b[k][n], in the order of k; b and c have rows of n floats, n in whole
// blocks. Four rows and two vectors at a time stay in registers.
template <int Rows, int Vectors>
inline void product_tile(const float* a, int64_t a_row, int64_t a_column, const float* b, int k, int n,
                         const float* start, float* c) {
  Vector sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int j = 0; j < Vectors; ++j)
      sum[r][j] = start ? *reinterpret_cast<const Vector*>(start + j * vector) : Vector{};
  for (int i = 0; i < k; ++i, a += a_column, b += n)
    for (int j = 0; j < Vectors; ++j) {
      const Vector weights = *reinterpret_cast<const Vector*>(b + j * vector);
      for (int r = 0; r < Rows; ++r) sum[r][j] = sum[r][j] + a[r * a_row] * weights;
    }
  for (int r = 0; r < Rows; ++r)
    for (int j = 0; j < Vectors; ++j) *reinterpret_cast<Vector*>(c + r * n + j * vector) = sum[r][j];
}

template <int Rows>
inline void product_rows(const float* a, int64_t a_row, int64_t a_column, const float* b, int k, int n,
                         const float* start, float* c) {
  int j = 0;
  for (; j + 2 * vector <= n; j += 2 * vector)
    product_tile<Rows, 2>(a, a_row, a_column, b + j, k, n, start ? start + j : start, c + j);
  for (; j < n; j += vector) product_tile<Rows, 1>(a, a_row, a_column, b + j, k, n, start ? start + j : start, c + j);
}

inline void product(const float* a, int64_t a_row, int64_t a_column, const float* b, int m, int k, int n,
                    const float* start, float* c) {
  int r = 0;
  for (; r + 4 <= m; r += 4) product_rows<4>(a + r * a_row, a_row, a_column, b, k, n, start, c + r * n);
  for (; r < m; ++r) product_rows<1>(a + r * a_row, a_row, a_column, b, k, n, start, c + r * n);
}

// A network with its rows padded to whole blocks, its outputs and errors for a batch of rows, and its gradient.
class PaddedNetwork {
 public:
  PaddedNetwork(const Network& shape, int inputs, int rows, float* work) : layers_(shape.layers + 1) {
    set_widths(shape, inputs, width_);
    for (int i = 0; i < layers_; ++i) {
      float** part[] = {&weights_[i], &transposed_[i], &biases_[i], &out_[i], &error_[i], &gradient_[i]};
      for (int j = 0; j < parts; ++j) {
        *part[j] = work;
        work += floats_of(j, width_[i], width_[i + 1], rows);
      }
    }
  }

  static int64_t work_floats(const Network& shape, int inputs, int rows) {
    int width[max_layers + 2];
    set_widths(shape, inputs, width);
    int64_t sum = 0;
    for (int i = 0; i <= shape.layers; ++i)
      for (int j = 0; j < parts; ++j) sum += floats_of(j, width[i], width[i + 1], rows);
    return sum;
  }

  void load(const float* parameters) {
    for (int i = 0; i < layers_; ++i) {
      const int k = width_[i], width = width_[i + 1], n = padded(width);
      for (int row = 0; row < k; ++row)
        for (int j = 0; j < n; ++j) weights_[i][row * n + j] = j < width ? parameters[row * width + j] : 0;
      for (int j = 0; j < n; ++j) biases_[i][j] = j < width ? parameters[k * width + j] : 0;
      for (int j = 0; j < width; ++j)
        for (int row = 0; row < padded(k); ++row)
          transposed_[i][j * padded(k) + row] = row < k ? parameters[row * width + j] : 0;
      parameters += (k + 1) * width;
    }
  }

  // The value of each row of inputs, one every `stride_of_values` floats.
  const float* values(const float* inputs, int rows) {
    const float* in = inputs;
    int64_t stride = width_[0];
    for (int i = 0; i < layers_; ++i) {
      const int n = padded(width_[i + 1]);
      product(in, stride, 1, weights_[i], rows, width_[i], n, biases_[i], out_[i]);
      if (i + 1 < layers_)
        for (int64_t at = 0; at < int64_t(rows) * n; ++at) out_[i][at] = out_[i][at] > 0 ? out_[i][at] : 0;
      in = out_[i];
      stride = n;
    }
    return out_[layers_ - 1];
  }
  static constexpr int stride_of_values = block;

  // The gradient of the mean squared error over the rows just valued, in the parameters' layout; the error itself.
  float find_gradient(const float* inputs, const float* targets, int rows, float* gradient) {
    const int last = layers_ - 1;
    float loss = 0;
    for (int64_t at = 0; at < int64_t(rows) * block; ++at) error_[last][at] = 0;
    for (int r = 0; r < rows; ++r) {
      const float miss = out_[last][r * block] - targets[r];
      loss = loss + miss * miss / float(rows);
      error_[last][r * block] = 2 * miss / float(rows);
    }
    for (int i = last; i >= 0; --i) {
      const int k = width_[i], n = padded(width_[i + 1]);
      const float* in = i ? out_[i - 1] : inputs;
      const int64_t stride = i ? padded(k) : k;
      product(in, 1, stride, error_[i], k, rows, n, nullptr, gradient_[i]);
      const float one = 1;
      product(&one, 0, 0, error_[i], 1, rows, n, nullptr, gradient_[i] + int64_t(k) * n);
      if (i == 0) break;
      product(error_[i], n, 1, transposed_[i], rows, width_[i + 1], padded(k), nullptr, error_[i - 1]);
      for (int64_t at = 0; at < int64_t(rows) * padded(k); ++at)
        error_[i - 1][at] = out_[i - 1][at] > 0 ? error_[i - 1][at] : 0;
    }
    for (int i = 0; i < layers_; ++i) {
      const int width = width_[i + 1], n = padded(width);
      for (int row = 0; row <= width_[i]; ++row)
        for (int j = 0; j < width; ++j) *gradient++ = gradient_[i][row * n + j];
    }
    return loss;
  }

 private:
  static constexpr int parts = 6;

  // Of the parts of a layer, in the order of the constructor; whole blocks.
  static int64_t floats_of(int part, int inputs, int width, int rows) {
    const int64_t n = padded(width);
    const int64_t floats[parts] = {inputs * n,      int64_t(width) * padded(inputs), n, rows * n, rows * n,
                                   (inputs + 1) * n};
    return floats[part];
  }

  static void set_widths(const Network& shape, int inputs, int* width) {
    width[0] = inputs;
    for (int i = 0; i < shape.layers; ++i) width[i + 1] = shape.width[i];
    width[shape.layers + 1] = 1;
  }

  int layers_;  // the last one included
  int width_[max_layers + 2];
  float *weights_[max_layers + 1], *transposed_[max_layers + 1], *biases_[max_layers + 1], *out_[max_layers + 1],
      *error_[max_layers + 1], *gradient_[max_layers + 1];
};

// Adam: Kingma & Ba 2015, algorithm 1, with the constants of Keras.
inline void adam_step(int64_t count, int64_t update, float rate, const float* gradient, float* first, float* second,
                      float* parameters) {
  constexpr float decay_1 = 0.9f, decay_2 = 0.999f, epsilon = 1e-7f;
  double power_1 = 1, power_2 = 1;  // by squaring: the same on every machine
  double base_1 = decay_1, base_2 = decay_2;
  for (int64_t left = update; left; left >>= 1) {
    if (left & 1) power_1 *= base_1, power_2 *= base_2;
    base_1 *= base_1, base_2 *= base_2;
  }
  const auto step = float(double(rate) * __builtin_sqrt(1 - power_2) / (1 - power_1));
  for (int64_t i = 0; i < count; ++i) {
    first[i] = decay_1 * first[i] + (1 - decay_1) * gradient[i];
    second[i] = decay_2 * second[i] + (1 - decay_2) * gradient[i] * gradient[i];
    parameters[i] = parameters[i] - step * first[i] / (__builtin_sqrtf(second[i]) + epsilon);
  }
}

// The same for rows of inputs of one's own: for tests, and for whoever trains a network on other data.
inline float gradient_of(const Network& network, int inputs, const float* rows, const float* targets, int count,
                         float* work, float* gradient) {
  PaddedNetwork padded_network(network, inputs, count, work);
  padded_network.load(network.parameters);
  padded_network.values(rows, count);
  return padded_network.find_gradient(rows, targets, count, gradient);
}

template <int Columns>
class Learning {
 public:
  Learning(const Rules& rules, const Agent& agent, Learner& learner)
      : rules_(rules),
        agent_(agent),
        learner_(learner),
        set_(learner.settings),
        player_(rules, agent_),
        network_(agent.network, agent.features, set_.sample, learner.work) {
    agent_.network.parameters = learner.parameters;
    agent_.pieces_known = 1;
    inputs_ = learner.work + PaddedNetwork::work_floats(agent.network, agent.features, set_.sample);
    ahead_ = inputs_ + int64_t(set_.sample) * agent.features;
    shuffled_ = ahead_ + int64_t(set_.sample) * agent.features;
  }

  static int64_t work_floats(const Agent& agent, const LearningSettings& set) {
    return PaddedNetwork::work_floats(agent.network, agent.features, set.sample) +
           int64_t(agent.features) * (2 * set.sample + set.batch);
  }

  // Whole games until so many actions are done, over all calls.
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
      play(rules_, game, placement);
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
    const bool explores = learner_.actions < set_.warm_up ||
                          (set_.exploration > 0 && float(draw(choices_) >> 8) < set_.exploration * float(1 << 24));
    if (!explores) return player_.choose(game);
    Placement found{};
    uint32_t seen = 0;  // each placement replaces the one found with chance 1 / (placements so far)
    for_each_placement(rules_, game.board, rules_.piece[game.known[0]], game.outcome.lines,
                       [&](const Shape& shape, int x, int y) {
                         if (draw_below(choices_, ++seen) == 0)
                           found = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
                       });
    return found;
  }

  float* state_at(int64_t number) const { return learner_.state + number % learner_.capacity * agent_.features; }
  Link& last_link() { return learner_.link[(learner_.added - 1) % learner_.capacity]; }

  void measure_start(const Board& board) { measure_board_columns<Columns>(rules_, agent_, board, measures_); }
  void measure_candidate(const Candidate& c) { measure_columns<Columns>(rules_, agent_, &c, 1, measures_); }

  // The state last measured goes into the queue, in place of the oldest when it is full.
  void put(float reward) {
    float* state = state_at(learner_.added);
    for (int i = 0; i < agent_.features; ++i) state[i] = measures_[i];
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

  // Draws the sample. A target is the rewards of the next steps and, unless the game ended, the value of the state
  // that they lead to (data2021: one step).
  void find_targets() {
    const int64_t held = learner_.added < learner_.capacity ? learner_.added : learner_.capacity;
    const int64_t oldest = learner_.added - held;
    for (int s = 0; s < set_.sample; ++s) {
      int64_t number;
      do number = oldest + int64_t(draw_below(choices_, uint32_t(held - 1)));
      while (link_at(number) == Link::cut);
      copy_state(number, inputs_ + int64_t(s) * agent_.features);
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
      copy_state(at, ahead_ + int64_t(s) * agent_.features);
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
    for (int i = 0; i < agent_.features; ++i) to[i] = from[i];
  }

  void update(int from, int rows) {
    for (int r = 0; r < rows; ++r) {
      const float* row = inputs_ + int64_t(order_[from + r]) * agent_.features;
      for (int i = 0; i < agent_.features; ++i) shuffled_[r * agent_.features + i] = row[i];
      batch_targets_[r] = targets_[order_[from + r]];
    }
    network_.load(learner_.parameters);
    network_.values(shuffled_, rows);
    learner_.loss = network_.find_gradient(shuffled_, batch_targets_, rows, learner_.gradient);
    const int count = parameters_of(agent_);
    adam_step(count, ++learner_.updates, set_.learning_rate, learner_.gradient, learner_.first_moment,
              learner_.second_moment, learner_.parameters);
    if (set_.target_every && learner_.updates % set_.target_every == 0)
      for (int i = 0; i < count; ++i) learner_.target[i] = learner_.parameters[i];
  }

  const Rules& rules_;
  Agent agent_;
  Learner& learner_;
  const LearningSettings& set_;
  Player<Columns> player_;
  PaddedNetwork network_;
  Stream choices_{};
  float measures_[max_features];
  float *inputs_, *ahead_, *shuffled_;  // the sample, the states that its rewards lead to, and a batch of it
  float targets_[max_sample], batch_targets_[max_sample], bootstrap_[max_sample];
  int32_t order_[max_sample];
};

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
