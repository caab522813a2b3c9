// Beam search: keeps the most promising states of each layer, one move further than the last; for diversity, it may
// limit the children of each parent.
#pragma once

#include <algorithm>
#include <limits>

#include "kept_states.hpp"
#include "run.hpp"
#include "seen.hpp"

namespace blockfall::search {

template <Problem P>
class Beam {
 public:
  explicit Beam(Run<P>& run)
      : run_(run),
        states_(run.problem, run.memory()),
        next_states_(run.problem, run.memory()),
        layer_(CountedAllocator<Node>(run.memory())),
        next_(layer_),
        children_(CountedAllocator<Candidate>(run.memory())),
        candidates_(children_),
        links_(run.memory()),
        seen_(run.memory()),
        diversity_(size_t(run.settings.diversity)),
        acyclic_(run.traits().acyclic),
        prunes_(!acyclic_ && run.traits().admissible) {}

  // Whether no state was dropped: then an acyclic problem's best solution found is optimal.
  bool search(size_t width) {
    complete_ = true;
    State start = run_.problem.start();
    if (run_.problem.is_goal(start)) run_.offer(start, 0, std::vector<Action>());
    states_.add(std::move(start));
    layer_.push_back({0, links_.add({no_node, Action{}}), 0});
    while (!layer_.empty()) {
      candidates_.clear();
      if (acyclic_) seen_.clear();  // a state cannot recur in a later layer
      floor_ = -std::numeric_limits<double>::infinity();
      for (uint32_t i = 0; i < layer_.size(); ++i) {
        expand(i);
        if (candidates_.size() > 4 * width) keep_best(2 * width);
      }
      std::erase_if(candidates_, [&](const Candidate& c) { return !seen_.is_current(c.hash, c.g); });
      if (candidates_.size() > width) keep_best(width);
      descend();
    }
    return complete_;
  }

 private:
  using State = typename P::State;
  using Action = typename P::Action;

  struct Node {  // its state has the same number
    double g;
    uint32_t link;
    int32_t depth;
  };
  struct Link {
    uint32_t parent;
    Action action;
  };
  // A child, whose state is made again only if it is kept.
  struct Candidate {
    double promise, g;
    uint64_t hash;
    uint32_t parent;
    Action action;
  };

  void expand(uint32_t index) {
    P& problem = run_.problem;
    const Node& node = layer_[index];
    const Link& link = links_[node.link];
    const State& state = states_[index];
    if (problem.is_goal(state)) return;
    run_.expanding(
        {node.link, link.parent, node.depth, link.action, node.g, run_.settings.trace ? problem.heuristic(state) : 0},
        state);
    problem.actions(state, actions_);
    run_.generated += int64_t(actions_.size());
    children_.clear();
    for (const Action& action : actions_) {
      const Step<State> step = problem.result(state, action);
      const double g = node.g + step.reward;
      const uint64_t hash = problem.hash(step.state);
      if (!seen_.would_improve(hash, g)) continue;
      if (prunes_ && !run_.better(g + problem.heuristic(step.state))) continue;
      if (run_.better(g) && problem.is_goal(step.state)) run_.offer(step.state, g, path(node.link, action));
      const double value = promise(problem, step.state, g);
      if (value > floor_) children_.push_back({value, g, hash, index, action});
    }
    if (diversity_ > 0 && children_.size() > diversity_) {
      std::nth_element(children_.begin(), children_.begin() + std::ptrdiff_t(diversity_), children_.end(), is_better);
      children_.erase(children_.begin() + std::ptrdiff_t(diversity_), children_.end());
      complete_ = false;
    }
    // Only kept states count as seen: another parent may bring one that this parent gives up.
    for (const Candidate& child : children_)
      if (seen_.improves(child.hash, child.g)) candidates_.push_back(child);
  }

  static bool is_better(const Candidate& a, const Candidate& b) {
    return a.promise != b.promise ? a.promise > b.promise : a.hash < b.hash;
  }

  void keep_best(size_t count) {
    std::nth_element(candidates_.begin(), candidates_.begin() + std::ptrdiff_t(count), candidates_.end(), is_better);
    floor_ = candidates_[count].promise;
    candidates_.erase(candidates_.begin() + std::ptrdiff_t(count), candidates_.end());
    complete_ = false;
  }

  void descend() {
    next_.clear();
    next_states_.clear();
    for (const Candidate& kept : candidates_) {
      const Node& parent = layer_[kept.parent];
      next_states_.add(std::move(run_.problem.result(states_[kept.parent], kept.action).state));
      next_.push_back({kept.g, links_.add({parent.link, kept.action}), parent.depth + 1});
    }
    std::swap(layer_, next_);
    std::swap(states_, next_states_);
  }

  std::vector<Action> path(uint32_t link, const Action& last) {
    std::vector<Action> actions{last};
    for (; links_[link].parent != no_node; link = links_[link].parent) actions.push_back(links_[link].action);
    std::reverse(actions.begin(), actions.end());
    return actions;
  }

  Run<P>& run_;
  KeptStates<P> states_, next_states_;
  Vector<Node> layer_, next_;
  Vector<Candidate> children_, candidates_;
  Pool<Link> links_;
  Seen seen_;
  const size_t diversity_;
  const bool acyclic_;
  const bool prunes_;  // if a solution does not end the search by itself
  std::vector<Action> actions_;
  double floor_ = 0;
  bool complete_ = true;
};

template <Problem P>
void beam(Run<P>& run) {
  if (Beam<P>(run).search(size_t(run.settings.width)) && run.traits().acyclic) run.prove(RestsOn::nothing);
}

}  // namespace blockfall::search
