// All instruction sets of this machine play the same games, on boards of many sizes.
#include <numeric>

#include "blockfall/dispatch.hpp"
#include "check.hpp"
#include "sample_rules.hpp"

namespace blockfall {
extern const Kernels emulated_kernels;  // sixteen lanes on any machine
}

using namespace blockfall;

namespace {

Agent every_feature(int pieces_known) {
  Agent agent{};
  static float weights[scalar::Catalogue::count];
  FeatureSet& features = agent.value.features;
  features.count = scalar::Catalogue::count;
  agent.pieces_known = pieces_known;
  for (int i = 0; i < features.count; ++i) {
    features.number[i] = uint16_t(i);
    weights[i] = float(i % 3 - 1) - 0.25f * float(i % 5);
    features.needs |= scalar::Catalogue::facts[i].needs;
  }
  agent.value.parameters = weights;
  return agent;
}

// The same features through a network whose last layer's width is not a multiple of the lanes.
Agent every_feature_in_a_network(int pieces_known, std::vector<float>& parameters) {
  Agent agent = every_feature(pieces_known);
  agent.value.kind = ValueKind::feature_network;
  agent.value.hidden = {2, {17, 5}};
  parameters.resize(size_t(scalar::parameters_of(agent.value)));
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i] = float(int(i * 7 % 13) - 6) * 0.03125f;
  agent.value.parameters = parameters.data();
  return agent;
}

std::vector<Outcome> play_on(const Kernels& kernels, const Rules& rules, const Agent& agent, int games, int threads) {
  std::vector<Outcome> outcomes(static_cast<size_t>(games));
  Batch batch{};
  batch.seed = 3;
  batch.games = games, batch.max_pieces = 40;
  batch.outcomes = outcomes.data();
  play(kernels, rules, agent, batch, threads, [] { return true; });
  CHECK(batch.games_done == games);
  const int64_t pieces = std::accumulate(outcomes.begin(), outcomes.end(), int64_t{0},
                                         [](int64_t sum, const Outcome& o) { return sum + o.pieces; });
  CHECK(batch.pieces_done == pieces);
  return outcomes;
}

void check_rules(const RulesDescription& description) {
  const auto compiled = compile(description);
  std::vector<float> parameters;
  for (const Agent& agent : {every_feature(1), every_feature(2), every_feature_in_a_network(1, parameters)}) {
    const auto expected = play_on(scalar_kernels, compiled->rules, agent, 6, 1);
    std::vector<const Kernels*> all = supported_kernels();
    all.push_back(&emulated_kernels);
    for (const Kernels* kernels : all)
      for (int threads : {1, 3}) {
        const auto outcomes = play_on(*kernels, compiled->rules, agent, 6, threads);
        for (size_t i = 0; i < outcomes.size(); ++i) {
          CHECK(outcomes[i].lines == expected[i].lines);
          CHECK(outcomes[i].pieces == expected[i].pieces);
          CHECK(outcomes[i].placements == expected[i].placements);
          CHECK(outcomes[i].score == expected[i].score);
          CHECK(outcomes[i].termination == expected[i].termination);
        }
      }
  }
}

void check_interrupt() {
  RulesDescription description = sample_rules(PlacementModel::drop, 10, 20, KEY_LEFT | KEY_RIGHT | KEY_DROP);
  const auto compiled = compile(description);
  const Agent agent = every_feature(2);
  std::vector<Outcome> outcomes(1000);
  Batch batch{};
  batch.games = 1000;
  batch.outcomes = outcomes.data();
  play(scalar_kernels, compiled->rules, agent, batch, 2, [] { return false; });
  CHECK(batch.games_done < 1000);
}

void check_refusals() {
  const auto refuses = [](auto change) {
    RulesDescription description = sample_rules(PlacementModel::drop, 10, 20, KEY_LEFT | KEY_RIGHT | KEY_DROP);
    change(description);
    try {
      compile(description);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(!refuses([](RulesDescription&) {}));
  CHECK(refuses([](RulesDescription& d) { d.columns = 17; }));
  CHECK(refuses([](RulesDescription& d) { d.rows = 33; }));
  CHECK(refuses([](RulesDescription& d) { d.pieces.pop_back(); }));
  CHECK(refuses([](RulesDescription& d) { d.pieces[0].states[0].cells.pop_back(); }));
  CHECK(refuses([](RulesDescription& d) { d.pieces[2].states[0].clockwise.state = 4; }));
  CHECK(refuses([](RulesDescription& d) { d.pieces[0].spawn_column = 8; }));
  CHECK(refuses([](RulesDescription& d) { d.overflow_loses = false; }));
  CHECK(refuses([](RulesDescription& d) { d.script = {7}; }));
}

// Learning touches only its own memory and computes the same numbers everywhere.
void check_learning() {
  const auto compiled = compile(sample_rules(PlacementModel::drop, 7, 12, KEY_LEFT | KEY_RIGHT | KEY_DROP));
  std::vector<float> first;
  std::vector<const Kernels*> all = supported_kernels();
  all.push_back(&emulated_kernels);
  for (const Kernels* kernels : all) {
    std::vector<float> parameters;
    const Agent agent = every_feature_in_a_network(1, parameters);
    Learner learner{};
    learner.settings = {30, true, 0.25f, 3, 20, 7, 2, 0.9f, 0.01f, 3, 2, true, {1, 2, 3, 4}, 0.5f, -1, 15};
    learner.capacity = 64;
    const size_t count = parameters.size();
    std::vector<float> target = parameters, moment_1(count), moment_2(count), gradient(count),
                       state(64 * size_t(agent.value.features.count)), reward(64);
    std::vector<Link> link(64);
    std::vector<float> work(size_t(scalar::Learning<0>::work_floats(agent, learner.settings)) + 16);
    learner.parameters = parameters.data(), learner.target = target.data();
    learner.first_moment = moment_1.data(), learner.second_moment = moment_2.data();
    learner.gradient = gradient.data(), learner.state = state.data(), learner.reward = reward.data();
    learner.link = link.data();
    learner.work = work.data() + (64 - reinterpret_cast<uintptr_t>(work.data()) % 64) % 64 / sizeof(float);
    learn(*kernels, compiled->rules, agent, learner, 300, [] { return true; });
    CHECK(learner.actions >= 300);
    CHECK(learner.updates > 100);
    if (first.empty()) first = parameters;
    CHECK(parameters == first);
  }
}

}  // namespace

int main() {
  const int shifts = KEY_LEFT | KEY_RIGHT, turns = KEY_CLOCKWISE | KEY_COUNTER_CLOCKWISE;
  for (auto [columns, rows] : {std::pair{10, 20}, {4, 6}, {16, 32}, {7, 12}}) {
    check_rules(sample_rules(PlacementModel::drop, columns, rows, shifts | KEY_DROP));
    check_rules(sample_rules(PlacementModel::reachable, columns, rows, shifts | KEY_DOWN));
    check_rules(sample_rules(PlacementModel::reachable, columns, rows, shifts | KEY_DROP));
    check_rules(sample_rules(PlacementModel::reachable, columns, rows, shifts | KEY_DOWN | turns));
    check_rules(sample_rules(PlacementModel::reachable, columns, rows, shifts | KEY_DOWN | turns, true));
    RulesDescription limited = sample_rules(PlacementModel::reachable, columns, rows, shifts | turns);
    limited.keys_per_row = {2, 1};
    limited.lines_per_level = 1;
    check_rules(limited);
  }
  check_interrupt();
  check_learning();
  check_refusals();
}
