// A population on many threads: the same games as on one, while another thread reads the counters. Under
// ThreadSanitizer this looks for races.
#include <atomic>
#include <vector>

#include "blockfall/dispatch.hpp"
#include "blockfall/threads.hpp"
#include "check.hpp"
#include "sample_rules.hpp"

using namespace blockfall;

namespace {

constexpr int64_t candidates = 6, games = 8;

Agent three_features(const float* weights) {
  Agent agent{};
  FeatureSet& features = agent.value.features;
  features.count = 3;
  agent.pieces_known = 1;
  for (int i = 0; i < features.count; ++i) {
    features.number[i] = uint16_t(i);
    features.needs |= scalar::Catalogue::facts[i].needs;
  }
  agent.value.parameters = weights;
  return agent;
}

Batch batch_of(std::vector<Outcome>& outcomes, const std::vector<float>& parameters, int64_t max_pieces) {
  Batch batch{};
  batch.seed = 3;
  batch.games = games, batch.max_pieces = max_pieces;
  batch.candidates = candidates, batch.parameters = parameters.data();
  batch.outcomes = outcomes.data();
  return batch;
}

std::vector<Outcome> played(const Rules& rules, const std::vector<float>& parameters, int threads) {
  std::vector<Outcome> outcomes(size_t(candidates * games));
  Batch batch = batch_of(outcomes, parameters, 40);
  const Agent agent = three_features(parameters.data());
  int64_t seen = 0;
  play(scalar_kernels, rules, agent, batch, threads, [&] {
    const int64_t done = __atomic_load_n(&batch.games_done, __ATOMIC_RELAXED),
                  pieces = __atomic_load_n(&batch.pieces_done, __ATOMIC_RELAXED);
    CHECK(done >= seen && pieces >= 0);
    seen = done;
    return true;
  });
  CHECK(batch.games_done == candidates * games);
  return outcomes;
}

void check_population(const Rules& rules, const std::vector<float>& parameters) {
  const std::vector<Outcome> expected = played(rules, parameters, 1);
  for (int threads : {2, 4, 16}) {
    const std::vector<Outcome> outcomes = played(rules, parameters, threads);
    for (size_t i = 0; i < outcomes.size(); ++i) {
      CHECK(outcomes[i].lines == expected[i].lines && outcomes[i].pieces == expected[i].pieces);
      CHECK(outcomes[i].score == expected[i].score && outcomes[i].termination == expected[i].termination);
    }
  }
}

// Endless games are stopped from outside.
void check_stop(const Rules& rules, const std::vector<float>& parameters) {
  std::vector<Outcome> outcomes(size_t(candidates * games));
  Batch batch = batch_of(outcomes, parameters, 0);
  const Agent agent = three_features(parameters.data());
  int asked = 0;
  play(scalar_kernels, rules, agent, batch, 4, [&] { return ++asked < 3; });
  CHECK(batch.games_done <= candidates * games);
}

// Several batches at once, as several visitors of the app play them, share rules and agent.
void check_batches_at_once(const Rules& rules, const std::vector<float>& parameters) {
  const std::vector<Outcome> expected = played(rules, parameters, 1);
  std::atomic<int> same = 0;
  Threads visitors;
  for (int i = 0; i < 4; ++i)
    visitors.start([&] {
      const std::vector<Outcome> outcomes = played(rules, parameters, 2);
      bool equal = true;
      for (size_t n = 0; n < outcomes.size(); ++n) equal = equal && outcomes[n].pieces == expected[n].pieces;
      same += equal;
    });
  visitors.join();
  CHECK(same == 4);
}

}  // namespace

int main() {
  std::vector<float> parameters(size_t(candidates * 3));
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i] = float(int(i * 7 % 13) - 9) * 0.25f;
  const auto compiled = compile(sample_rules(PlacementModel::drop, 6, 12, KEY_LEFT | KEY_RIGHT | KEY_DROP));
  check_population(compiled->rules, parameters);
  check_stop(compiled->rules, parameters);
  check_batches_at_once(compiled->rules, parameters);
}
