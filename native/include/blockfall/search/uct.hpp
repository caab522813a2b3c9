// UCT (Kocsis and Szepesvari 2006): a tree of tried moves that grows where playouts went well or were few. For one
// player: outcomes are points, as shares of the widest gap between two outcomes so far.
#pragma once

#include <cmath>
#include <numbers>

#include "monte_carlo.hpp"

namespace blockfall::search {

template <Problem P>
class Uct {
 public:
  explicit Uct(Run<P>& run) : run_(run), random_(run.settings.seed), nodes_(run.memory()) {}

  // Makes this many playouts, or as many as a limit allows. It ends early once every line was played.
  void search(int64_t playouts) {
    const Walk<P> start(run_.problem);
    if (start.is_goal()) run_.offer(start.state(), 0, start.path());
    if (start.moves() == 0) return;
    nodes_.add({});
    for (int64_t i = 0; (i < playouts || run_.limited()) && !nodes_[0].closed; ++i) play(start);
  }

 private:
  struct Node {
    uint32_t parent = no_node;
    uint32_t first = no_node, moves = 0;  // its children, one per move
    uint32_t visits = 0;
    bool closed = false;  // everything below has been played
    double sum = 0;       // of outcomes
  };

  void play(const Walk<P>& start) {
    Walk<P> walk = start;
    const Held held(run_.memory(), walk.bytes());
    uint32_t at = 0;
    bool inside = true;
    while (walk.moves() > 0) {
      run_.stepping(walk);
      if (inside) {
        if (nodes_[at].first == no_node) grow(at, walk.moves());
        // A user's problem may offer fewer moves when asked again.
        const size_t move = std::min(choose(nodes_[at]), walk.moves() - 1);
        at = nodes_[at].first + uint32_t(move);
        inside = nodes_[at].visits > 0;
        walk.play(move);
        nodes_[at].closed = walk.moves() == 0;
      } else {
        walk.play(pick(walk, random_, chances_, [](size_t) { return 0.0f; }));
      }
    }
    finish(walk, at);
  }

  void grow(uint32_t at, size_t moves) {
    nodes_[at].first = nodes_.size();
    nodes_[at].moves = uint32_t(moves);
    for (size_t i = 0; i < moves; ++i) nodes_.add({.parent = at});
  }

  // The first untried child, or the one whose mean has the largest upper bound.
  size_t choose(const Node& node) {
    const double spread = std::numbers::sqrt2 * (high_ - low_);
    size_t best = 0;
    double most = worst;
    for (uint32_t i = 0; i < node.moves; ++i) {
      const Node& child = nodes_[node.first + i];
      if (child.closed) continue;
      if (child.visits == 0) return i;
      const double bound = child.sum / child.visits + spread * std::sqrt(std::log(node.visits) / child.visits);
      if (bound > most) most = bound, best = i;
    }
    return best;
  }

  void finish(const Walk<P>& walk, uint32_t at) {
    double value = low_;  // if not a goal: as bad as the worst so far
    if (walk.is_goal()) {
      value = walk.earned();
      low_ = seen_ ? std::min(low_, value) : value;
      high_ = seen_ ? std::max(high_, value) : value;
      seen_ = true;
      run_.offer(walk.state(), value, walk.path());
    }
    for (; at != no_node; at = nodes_[at].parent) {
      Node& node = nodes_[at];
      ++node.visits;
      node.sum += value;
      if (node.first == no_node || node.closed) continue;
      bool closed = true;
      for (uint32_t i = 0; i < node.moves && closed; ++i) closed = nodes_[node.first + i].closed;
      node.closed = closed;
    }
  }

  Run<P>& run_;
  Random random_;
  Pool<Node> nodes_;
  std::vector<float> chances_;
  double low_ = 0, high_ = 0;  // range of the outcomes so far
  bool seen_ = false;
};

template <Problem P>
void uct(Run<P>& run) {
  Uct<P>(run).search(10'000);
}

}  // namespace blockfall::search
