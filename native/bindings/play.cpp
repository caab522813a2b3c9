#include <atomic>
#include <exception>

#include "bindings.hpp"

namespace blockfall::bindings {
namespace {

std::vector<uint16_t> to_features(const std::vector<int>& numbers) {
  std::vector<uint16_t> features;
  for (int number : numbers) {
    if (number < 0 || number >= scalar::Catalogue::count) throw std::invalid_argument("no such feature");
    features.push_back(uint16_t(number));
  }
  return features;
}

Agent make_agent(const std::vector<int>& features, const std::vector<float>& weights, int pieces_known) {
  if (features.empty() || features.size() > max_features || features.size() != weights.size())
    throw std::invalid_argument("an agent has 1 to 128 features, each with a weight");
  if (pieces_known < 1 || pieces_known > max_known) throw std::invalid_argument("1 to 8 pieces are known");
  const std::vector<uint16_t> numbers = to_features(features);
  Agent agent{};
  agent.features = int32_t(features.size());
  agent.pieces_known = pieces_known;
  for (size_t i = 0; i < features.size(); ++i) {
    agent.feature[i] = numbers[i];
    agent.weight[i] = weights[i];
    agent.needs |= scalar::Catalogue::facts[numbers[i]].needs;
  }
  return agent;
}

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

// Whole batches come back as one array per count.
Arrays to_arrays(const std::vector<Outcome>& outcomes) {
  const size_t n = outcomes.size();
  auto lines = new_array<int64_t>(n), pieces = new_array<int64_t>(n), placements = new_array<int64_t>(n),
       score = new_array<int64_t>(n), clears = new_array<int64_t>(n, cells_per_piece);
  auto termination = new_array<uint8_t>(n);
  for (size_t i = 0; i < n; ++i) {
    const Outcome& o = outcomes[i];
    lines.data()[i] = o.lines;
    pieces.data()[i] = o.pieces;
    placements.data()[i] = o.placements;
    score.data()[i] = o.score;
    std::memcpy(clears.data() + i * cells_per_piece, o.clears, sizeof o.clears);
    termination.data()[i] = uint8_t(o.termination);
  }
  Arrays arrays;
  arrays["lines"] = lines, arrays["pieces"] = pieces, arrays["placements"] = placements;
  arrays["score"] = score, arrays["clears"] = clears, arrays["termination"] = termination;
  return arrays;
}

Arrays play_games(const CompiledRules& rules, const Agent& agent, uint64_t seed, int64_t first_game, int64_t games,
                  int64_t max_pieces, int threads, const std::string& simd, Purpose purpose, nb::object progress) {
  if (games < 1 || first_game < 0 || max_pieces < 0 || threads < 1 || threads > 1024)
    throw std::invalid_argument("at least one game and one thread, and no negative counts");
  std::vector<Outcome> outcomes(static_cast<size_t>(games));
  Batch batch{};
  batch.purpose = purpose, batch.seed = seed;
  batch.first_game = first_game, batch.games = games, batch.max_pieces = max_pieces;
  batch.outcomes = outcomes.data();
  const Kernels& kernels = kernels_named(simd);
  std::exception_ptr raised;
  const auto poll = [&]() -> bool {
    if (raised) return false;
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!progress.is_none())
        progress(__atomic_load_n(&batch.games_done, __ATOMIC_RELAXED),
                 __atomic_load_n(&batch.pieces_done, __ATOMIC_RELAXED));
    } catch (...) {
      raised = std::current_exception();
    }
    return !raised;
  };
  {
    const nb::gil_scoped_release release;
    play(kernels, rules.rules, agent, batch, int(std::min<int64_t>(threads, games)), poll);
  }
  if (raised) std::rethrow_exception(raised);
  return to_arrays(outcomes);
}

nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> feature_facts() {
  nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> rows;
  for (const FeatureFacts& facts : scalar::Catalogue::facts) {
    nb::dict row;
    row["name"] = facts.name, row["aliases"] = facts.aliases, row["definition"] = facts.definition;
    row["formula"] = facts.formula, row["source"] = facts.source;
    row["looks_at"] = facts.looks_at, row["cost"] = facts.cost, row["example"] = facts.example;
    row["example_value"] = facts.example_value;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_play(nb::module_& m) {
  nb::class_<Agent>(m, "Agent", "A linear agent as the core plays it.")
      .def(nb::new_(&make_agent), nb::arg("features"), nb::arg("weights"), nb::arg("pieces_known"))
      .def_ro("pieces_known", &Agent::pieces_known);

  m.def("play_games", &play_games, nb::arg("rules"), nb::arg("agent"), nb::arg("seed"), nb::arg("first_game"),
        nb::arg("games"), nb::arg("max_pieces"), nb::arg("threads"), nb::arg("simd"), nb::arg("purpose"),
        nb::arg("progress").none(),
        "Plays games to their end; `progress` is called now and then with the games and pieces done.");

  m.def(
      "measure",
      [](const CompiledRules& rules, const std::vector<int>& features, const Columns& columns, int piece,
         const nb::ndarray<const int32_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>& placements,
         const std::string& simd) {
        const std::vector<uint16_t> ids = to_features(features);
        const Board board = to_board(rules.rules, columns);
        Path path{};
        path.fact[FACT_CELLS] = uint32_t(scalar::count_cells(rules.rules, board));
        path.fact[FACT_LEVEL_FACTOR] = scalar::level_factor(rules.rules, 0);
        std::vector<Candidate> candidates;
        for (size_t i = 0; i < placements.shape(0); ++i)
          candidates.push_back(
              {board, path, to_placement(rules.rules, piece, placements(i, 0), placements(i, 1), placements(i, 2))});
        auto values = new_array<float>(candidates.size(), ids.size());
        kernels_named(simd).measure(rules.rules, ids.data(), int(ids.size()), candidates.data(),
                                    int64_t(candidates.size()), values.data());
        return values;
      },
      nb::arg("rules"), nb::arg("features"), nb::arg("columns"), nb::arg("piece"), nb::arg("placements"),
      nb::arg("simd"), "Every feature of every placement's board.");

  m.def(
      "measure_board",
      [](const CompiledRules& rules, const std::vector<int>& features, const Columns& columns,
         const std::string& simd) {
        const std::vector<uint16_t> ids = to_features(features);
        const Board board = to_board(rules.rules, columns);
        auto values = new_array<float>(ids.size());
        kernels_named(simd).measure_board(rules.rules, ids.data(), int(ids.size()), board, values.data());
        return values;
      },
      nb::arg("rules"), nb::arg("features"), nb::arg("columns"), nb::arg("simd"),
      "Every feature of a board as it stands, with no piece placed.");

  m.def("feature_facts", &feature_facts, "What the catalogue says of each feature, in the order of their numbers.");
  m.def(
      "simd_levels",
      [] {
        std::vector<std::string> names;
        for (const Kernels* kernels : supported_kernels()) names.emplace_back(kernels->name);
        return names;
      },
      "The instruction sets that this machine can play with, narrowest first.");
}

}  // namespace blockfall::bindings
