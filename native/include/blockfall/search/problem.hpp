// The required and optional parts of a search problem.
//
// Every search maximises the sum of rewards on the path to a goal; a cost is a negative reward. A heuristic estimates
// what can still be earned, so it is admissible if it never says too little.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

namespace blockfall::search {

template <class State>
struct Step {
  State state;
  double reward;
};

// The order of two equally promising nodes.
enum class Ties : uint8_t {
  first,     // found first
  last,      // found last
  larger_g,  // earned more, then found first
};

struct Traits {
  bool admissible = false;  // of the heuristic
  bool unit_cost = false;   // every step costs the same, so the shortest solution is the best
  bool costs_only = false;  // no step earns anything, so further steps never make a path better
  bool acyclic = false;     // no state recurs on a path
  bool skip_seen = true;    // states seen before are not searched again unless more was earned
  Ties ties = Ties::first;
  bool slow = false;              // a node may take long, so limits are checked before each
  int64_t proof_nodes = 200'000;  // what `best` spends on a proof before it settles for good solutions
};

template <class P>
concept Problem = requires(P& p, const typename P::State& state, const typename P::Action& action,
                           std::vector<typename P::Action>& actions, double earned) {
  { p.traits() } -> std::convertible_to<Traits>;
  { p.start() } -> std::convertible_to<typename P::State>;
  p.actions(state, actions);  // replaces the contents; in the order that breaks ties
  { p.result(state, action) } -> std::same_as<Step<typename P::State>>;
  { p.is_goal(state) } -> std::convertible_to<bool>;
  { p.heuristic(state) } -> std::convertible_to<double>;
  { p.hash(state) } -> std::convertible_to<uint64_t>;          // states are equal if their hashes are
  { p.points(state, earned) } -> std::convertible_to<double>;  // the sum of rewards as people count it
};

// Whether an open node's state is made again when its turn comes. A problem whose states are mere handles keeps them;
// its hashes are numbers from 1.
template <class P>
inline constexpr bool remakes_states = !requires { P::states_are_handles; };

// A step that leads to a state: the state before, the action and the reward.
template <class P>
struct Undone {
  typename P::State before;
  typename P::Action action;
  double reward;
};

// A problem that knows its goals and the steps that lead to a state, so it can be searched from both ends.
template <class P>
concept Undoes = requires(P& p, const typename P::State& state, std::vector<typename P::State>& goals,
                          std::vector<Undone<P>>& steps) {
  p.goals(goals);
  p.undo(state, steps);
};

// A step from a state, with its action.
template <class P>
struct Edge {
  typename P::Action action;
  Step<typename P::State> step;
};

// A problem that gives all steps from a state at once.
template <class P>
concept GivesEdges =
    requires(P& p, const typename P::State& state, std::vector<Edge<P>>& edges) { p.edges(state, edges); };

// A problem that can be asked for the steps of many states in one call, ahead of their turn.
template <class P>
concept AsksAhead = requires(P& p, const typename P::State& state, const std::vector<typename P::State*>& states) {
  { p.may_ask(state) } -> std::convertible_to<bool>;  // whether its steps have not been asked for yet
  { p.ask(states) } -> std::convertible_to<bool>;     // false if so few states are not worth a call
};

// The points sure to be earned from here on (feup2016's MaxMin).
template <Problem P>
double sure(P& problem, const typename P::State& state) {
  if constexpr (requires { problem.sure(state); })
    return problem.sure(state);
  else
    return 0;
}

// The rank of a state in a beam.
template <Problem P>
double promise(P& problem, const typename P::State& state, double earned) {
  if constexpr (requires { problem.promise(state, earned); })
    return problem.promise(state, earned);
  else
    return earned + problem.heuristic(state);
}

// A count that grows with every step, if the problem has one: no state leads to another of its stage.
template <Problem P>
double stage(P& problem, const typename P::State& state, double earned) {
  if constexpr (requires { problem.stage(state); })
    return problem.stage(state);
  else
    return -earned;
}

}  // namespace blockfall::search
