// A walk from the start towards a goal, move by move, for playouts; and a position on a sequence of moves, for
// annealing.
#pragma once

#include "run.hpp"

namespace blockfall::search {

// splitmix64: small, fast, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
  float uniform() { return float(next() >> 40) * 0x1p-24f; }

 private:
  uint64_t state_;
};

template <Problem P>
class PlainWalk {
 public:
  using State = typename P::State;
  using Action = typename P::Action;
  static constexpr size_t max_steps = 500;  // for problems that walk in circles

  explicit PlainWalk(P& problem) : problem_(&problem), state_(problem.start()) { look(); }

  size_t moves() const { return actions_.size(); }
  float bias(size_t) const { return 0; }  // how much likelier a playout makes the move before it has learnt
  const State& state() const { return state_; }
  double earned() const { return earned_; }
  const std::vector<Action>& path() const { return path_; }
  size_t bytes() const { return sizeof *this + (actions_.capacity() + path_.capacity()) * sizeof(Action); }
  uint32_t node = no_node;  // its number in the trace

  uint32_t code(size_t i) const {
    uint64_t code = 0;
    if constexpr (requires { problem_->code(state_, actions_[i]); })
      code = problem_->code(state_, actions_[i]);
    else
      code = problem_->hash(state_) * 64 + i;
    code *= 0x9E3779B97F4A7C15u;
    return uint32_t(code >> 32);
  }

  void play(size_t i) {
    Step<State> step = problem_->result(state_, actions_[i]);
    path_.push_back(actions_[i]);
    state_ = std::move(step.state);
    earned_ += step.reward;
    look();
  }

  bool is_goal() const { return goal_; }

 private:
  void look() {
    goal_ = problem_->is_goal(state_);
    if (goal_ || path_.size() >= max_steps)
      actions_.clear();
    else
      problem_->actions(state_, actions_);
  }

  P* problem_;
  State state_;
  std::vector<Action> actions_;
  std::vector<Action> path_;
  double earned_ = 0;
  bool goal_ = false;
};

// A place in a sequence of moves whose earlier moves may change, for annealing. A move is known by its index among the
// actions.
template <Problem P>
class PlainPosition {
 public:
  using State = typename P::State;
  using Action = typename P::Action;
  using Move = uint32_t;

  explicit PlainPosition(P& problem) : problem_(&problem), state_(problem.start()) { look(); }

  bool is_goal() const { return goal_; }
  bool is_over() const { return actions_.empty(); }
  double earned() const { return earned_; }
  const State& state() const { return state_; }
  const Action& action(Move move) const { return actions_[move]; }
  Move draw(Random& random) const { return random.below(uint32_t(actions_.size())); }

  // Makes the move of this number, if there is one.
  bool play(Move move, PlainPosition& after) const {
    if (move >= actions_.size()) return false;
    Step<State> step = problem_->result(state_, actions_[move]);
    after.state_ = std::move(step.state);
    after.earned_ = earned_ + step.reward;
    after.steps_ = steps_ + 1;
    after.look();
    return true;
  }

 private:
  void look() {
    goal_ = problem_->is_goal(state_);
    if (goal_ || steps_ >= PlainWalk<P>::max_steps)
      actions_.clear();
    else
      problem_->actions(state_, actions_);
  }

  P* problem_;
  State state_;
  std::vector<Action> actions_;
  double earned_ = 0;
  size_t steps_ = 0;
  bool goal_ = false;
};

// A problem may have faster ones of its own.
template <class P>
struct WalkOf {
  using type = PlainWalk<P>;
};
template <class P>
using Walk = typename WalkOf<P>::type;

template <class P>
struct PositionOf {
  using type = PlainPosition<P>;
};
template <class P>
using Position = typename PositionOf<P>::type;

// Whether a move keeps most of its meaning when earlier moves change. Plain positions name it by a number, which means
// little for another piece or board.
template <class P>
inline constexpr bool moves_keep_their_meaning = !std::same_as<Position<P>, PlainPosition<P>>;

// The worth of a finished walk or line: if not at a goal, less than any goal.
template <Problem P, class End>
double outcome(P& problem, const End& end) {
  return end.is_goal() ? end.earned() : -1e9 + end.earned() + problem.heuristic(end.state());
}

}  // namespace blockfall::search
