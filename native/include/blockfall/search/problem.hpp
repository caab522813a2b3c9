// What a problem must have to be searched, and what it may have.
//
// Every search maximises the sum of the rewards on the way to a goal; a cost is a negative reward. A heuristic
// estimates what is still to be earned, so it is admissible where it never says too little.
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

// Which of two equally promising nodes goes first.
enum class Ties : uint8_t {
  first,     // the one found first
  last,      // the one found last
  larger_g,  // the one that has earned more, then the one found first
};

struct Traits {
  bool admissible = false;  // its heuristic
  bool unit_cost = false;   // every step costs the same, so the shortest solution is the best
  bool costs_only = false;  // no step earns anything, so a longer way is never better for its last steps
  bool acyclic = false;     // no state comes twice on a path
  bool remembers = true;    // states met before are not searched again unless more was earned
  Ties ties = Ties::first;
  bool slow = false;              // a node may take long, so limits are looked at before each
  int64_t proof_nodes = 200'000;  // what `best` spends on a proof before it looks for good solutions only
};

template <class P>
concept Problem = requires(P& p, const typename P::State& state, const typename P::Action& action,
                           std::vector<typename P::Action>& actions, double earned) {
  { p.traits() } -> std::convertible_to<Traits>;
  { p.start() } -> std::convertible_to<typename P::State>;
  p.actions(state, actions);  // replaces what was there; in the order that breaks ties
  { p.result(state, action) } -> std::same_as<Step<typename P::State>>;
  { p.is_goal(state) } -> std::convertible_to<bool>;
  { p.heuristic(state) } -> std::convertible_to<double>;
  { p.hash(state) } -> std::convertible_to<uint64_t>;          // equal states are those of equal hash
  { p.points(state, earned) } -> std::convertible_to<double>;  // what people call the sum of the rewards
};

// Whether an open node's state is made again when its turn comes. A problem whose states are only handles keeps them;
// its hashes are numbers from 1 on.
template <class P>
inline constexpr bool remakes_states = !requires { P::states_are_handles; };

// A step that leads to a state: where it comes from, what is done there, and what that earns.
template <class P>
struct Undone {
  typename P::State before;
  typename P::Action action;
  double reward;
};

// A problem that knows its goals, and the steps that lead to a state: it can be searched from both ends.
template <class P>
concept Undoes = requires(P& p, const typename P::State& state, std::vector<typename P::State>& goals,
                          std::vector<Undone<P>>& steps) {
  p.goals(goals);
  p.undo(state, steps);
};

// A step from a state, and the action that takes it.
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
  { p.may_ask(state) } -> std::convertible_to<bool>;  // whether this one's steps are still to be asked for
  { p.ask(states) } -> std::convertible_to<bool>;     // false where one call is not worth it for so few
};

// Earned for certain from here on (feup2016's MaxMin).
template <Problem P>
double sure(P& problem, const typename P::State& state) {
  if constexpr (requires { problem.sure(state); })
    return problem.sure(state);
  else
    return 0;
}

// How a beam ranks states.
template <Problem P>
double promise(P& problem, const typename P::State& state, double earned) {
  if constexpr (requires { problem.promise(state, earned); })
    return problem.promise(state, earned);
  else
    return earned + problem.heuristic(state);
}

// Grows with every step, where the problem has such a count: states of one stage are never each other's successors.
template <Problem P>
double stage(P& problem, const typename P::State& state, double earned) {
  if constexpr (requires { problem.stage(state); })
    return problem.stage(state);
  else
    return -earned;
}

}  // namespace blockfall::search
