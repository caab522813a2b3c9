// Searches by playouts: nested Monte-Carlo search (Cazenave 2009) and nested rollout policy adaptation (Rosin 2011).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "walk.hpp"

namespace blockfall::search {

inline constexpr double worst = -std::numeric_limits<double>::infinity();

// Four floats at once if the compiler can; accurate to 1e-4, and the same everywhere.
inline float quick_exp(float x) {
  x = x < -60 ? -60 : x > 60 ? 60 : x;
  const float scaled = x * 1.44269504f + 127.0f;
  const auto whole = int32_t(scaled);
  const float part = scaled - float(whole);
  const float power = 1.0f + part * (0.69583354f + part * (0.22606716f + part * 0.07809985f));
  return std::bit_cast<float>(whole << 23) * power;
}

// Draws a move with probability proportional to exp(weight + bias).
template <class Walk, class Weight>
size_t pick(const Walk& walk, Random& random, std::vector<float>& chances, const Weight& weight) {
  chances.resize(walk.moves());
  for (size_t i = 0; i < chances.size(); ++i) chances[i] = weight(i) + walk.bias(i);
  for (float& chance : chances) chance = quick_exp(chance);
  float left = 0;
  for (float chance : chances) left += chance;
  left *= random.uniform();
  size_t picked = 0;
  while (picked + 1 < chances.size() && (left -= chances[picked]) >= 0) ++picked;
  return picked;
}

template <Problem P>
class NestedMonteCarlo {
 public:
  explicit NestedMonteCarlo(Run<P>& run) : run_(run), random_(run.settings.seed) {}

  struct Sequence {
    explicit Sequence(Memory& memory) : moves(CountedAllocator<size_t>(memory)) {}
    double value = worst;
    Vector<size_t> moves;
  };

  // Plays to the end. At each step it tries every move with a search of the level below, and follows the best sequence
  // so far.
  Sequence play(Walk<P> walk, int level) {
    Sequence best(run_.memory()), played(run_.memory());
    const Held held(run_.memory(), walk.bytes());
    while (walk.moves() > 0) {
      run_.stepping(walk);
      if (level == 0) {
        played.moves.push_back(pick(walk, random_, chances_, [](size_t) { return 0.0f; }));
      } else {
        for (size_t i = 0; i < walk.moves(); ++i) {
          Walk<P> child = walk;
          child.play(i);
          Sequence found = play(std::move(child), level - 1);
          // If every sequence is worth minus infinity, none beats nothing: follow the first.
          if (found.value <= best.value && best.moves.size() > played.moves.size()) continue;
          best.value = found.value;
          best.moves = played.moves;
          best.moves.push_back(i);
          best.moves.insert(best.moves.end(), found.moves.begin(), found.moves.end());
        }
        // A user's problem may offer fewer moves when asked again.
        played.moves.push_back(std::min(best.moves[played.moves.size()], walk.moves() - 1));
      }
      walk.play(played.moves.back());
    }
    played.value = outcome(run_.problem, walk);
    if (walk.is_goal()) run_.offer(walk.state(), walk.earned(), walk.path());
    return played;
  }

 private:
  Run<P>& run_;
  Random random_;
  std::vector<float> chances_;
};

template <Problem P>
void nmcs(Run<P>& run) {
  NestedMonteCarlo<P> search(run);
  const Walk<P> start(run.problem);
  const Limits& limits = run.control.limits;
  do search.play(start, run.settings.level ? run.settings.level : 2);
  while ((limits.time_s > 0 || limits.nodes > 0) && start.moves() > 0);
}

template <Problem P>
class PolicyAdaptation {
 public:
  PolicyAdaptation(Run<P>& run, uint64_t seed)
      : run_(run),
        random_(seed),
        start_(run.problem),
        walk_(start_),
        game_(run.memory()),
        iterations_(run.settings.iterations) {}

  // The iterations per level that should use up the time left, judged by a short search.
  void fit_iterations(int level) {
    const Control& control = run_.control;
    constexpr int sample = 50;
    iterations_ = sample;
    const double before = control.seconds();
    search(1);
    const double spent = std::max(control.seconds() - before, 1e-6);
    const double fitting = std::pow(sample * (control.limits.time_s - control.seconds()) / spent, 1.0 / level);
    iterations_ = int(std::clamp(fitting, 5.0, 100.0));
  }

  // A search of this level from an untrained policy.
  void search(int level) {
    while (int(levels_.size()) <= level) levels_.emplace_back(run_.memory());
    levels_[size_t(level)].policy.assign(size_t{1} << policy_bits, 0.0f);
    adapt_at(level);
  }

 private:
  static constexpr int policy_bits = 16;
  static constexpr int playouts_per_step = 4;  // stabilised NRPA (Cazenave, Sevestre and Toulemont 2020)
  static constexpr uint32_t policy_mask = (1u << policy_bits) - 1;

  // A finished playout: the codes and biases of all moves at each step, and the one made.
  struct Game {
    explicit Game(Memory& memory)
        : codes(CountedAllocator<uint32_t>(memory)),
          biases(CountedAllocator<float>(memory)),
          ends(codes),
          chosen(codes) {}
    double value = worst;
    Vector<uint32_t> codes;
    Vector<float> biases;
    Vector<uint32_t> ends, chosen;  // by step, indices into `codes`
  };
  struct Level {
    explicit Level(Memory& memory) : policy(CountedAllocator<float>(memory)), best(memory) {}
    Vector<float> policy;
    Game best;
  };

  void adapt_at(int level) {
    Level& own = levels_[size_t(level)];
    own.best.value = worst;
    for (int i = 0; i < iterations_; ++i) {
      run_.look_at_limits();
      if (level > 1) {
        Level& below = levels_[size_t(level - 1)];
        below.policy = own.policy;
        adapt_at(level - 1);
        if (below.best.value >= own.best.value) own.best = below.best;
      } else {
        for (int j = 0; j < playouts_per_step; ++j) {
          playout(own.policy);
          if (game_.value >= own.best.value) std::swap(own.best, game_);
        }
      }
      adapt(own.policy, own.best);
    }
  }

  void playout(const Vector<float>& policy) {
    walk_ = start_;
    game_.codes.clear(), game_.biases.clear(), game_.ends.clear(), game_.chosen.clear();
    while (const size_t moves = walk_.moves()) {
      run_.stepping(walk_);
      const size_t first = game_.codes.size();
      for (size_t i = 0; i < moves; ++i) {
        game_.codes.push_back(walk_.code(i) & policy_mask);
        game_.biases.push_back(walk_.bias(i));
      }
      const size_t picked = pick(walk_, random_, chances_, [&](size_t i) { return policy[game_.codes[first + i]]; });
      game_.chosen.push_back(uint32_t(first + picked));
      game_.ends.push_back(uint32_t(game_.codes.size()));
      walk_.play(picked);
    }
    game_.value = outcome(run_.problem, walk_);
    if (walk_.is_goal()) run_.offer(walk_.state(), walk_.earned(), walk_.path());
  }

  // Makes the playout's moves likelier, each at the cost of the others offered with it.
  void adapt(Vector<float>& policy, const Game& game) {
    chances_.resize(game.codes.size());
    for (size_t i = 0; i < chances_.size(); ++i) chances_[i] = policy[game.codes[i]] + game.biases[i];
    for (float& chance : chances_) chance = quick_exp(chance);
    for (size_t step = 0, i = 0; step < game.ends.size(); ++step) {
      float sum = 0;
      for (size_t j = i; j < game.ends[step]; ++j) sum += chances_[j];
      const float share = 1 / sum;
      for (; i < game.ends[step]; ++i) policy[game.codes[i]] -= chances_[i] * share;
      policy[game.codes[game.chosen[step]]] += 1;
    }
  }

  Run<P>& run_;
  Random random_;
  const Walk<P> start_;
  Walk<P> walk_;
  Game game_;
  std::vector<float> chances_;
  std::vector<Level> levels_;
  int iterations_;
};

template <Problem P>
void nrpa(Run<P>& run) {
  PolicyAdaptation<P> search(run, run.settings.seed);
  const Limits& limits = run.control.limits;
  do search.search(run.settings.level ? run.settings.level : 3);
  while ((limits.time_s > 0 || limits.nodes > 0) && run.expanded > 0);
}

}  // namespace blockfall::search
