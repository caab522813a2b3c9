#include <memory>

#include "bindings.hpp"
#include "blockfall/board_network_file.hpp"
#include "blockfall/estimate.hpp"

namespace blockfall::bindings {

void check_fits(const Rules& rules, const Agent& agent, int pieces_known) {
  const BoardNetworkData* net = agent.value.board_network;
  if (!net) return;
  if (net->columns != rules.columns || net->rows != rules.rows)
    throw std::invalid_argument("the network is for boards of another size");
  if (pieces_known < agent.pieces_known) throw std::invalid_argument("the network needs the next piece");
}

Batch to_batch(Purpose purpose, uint64_t seed, int64_t first_game, int64_t games, int64_t max_pieces, int threads) {
  if (games < 1 || first_game < 0 || max_pieces < 0 || threads < 1 || threads > max_threads)
    throw std::invalid_argument("at least one game and one thread, and no negative counts");
  Batch batch{};
  batch.purpose = purpose, batch.seed = seed;
  batch.first_game = first_game, batch.games = games, batch.max_pieces = max_pieces;
  return batch;
}

Arrays play_watched(Batch& batch, const nb::object& progress,
                    const std::function<void(const std::function<bool()>&)>& play) {
  std::vector<Outcome> outcomes(static_cast<size_t>(batch.candidates * batch.games));
  batch.outcomes = outcomes.data();
  Watch watch(OnInterrupt::raise, [&] {
    if (!progress.is_none())
      progress(__atomic_load_n(&batch.games_done, __ATOMIC_RELAXED),
               __atomic_load_n(&batch.pieces_done, __ATOMIC_RELAXED));
  });
  bool interrupted = false;
  try {
    watch.run_unlocked(play);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    interrupted = true;  // the caller decides what to do with the finished games
  }
  Arrays arrays = to_arrays(outcomes);
  arrays["interrupted"] = interrupted;
  return arrays;
}

namespace {

std::unique_ptr<PythonAgent> make_agent(const std::vector<int>& features, const std::vector<float>& weights,
                                        int pieces_known, const std::vector<uintptr_t>& custom,
                                        std::optional<std::pair<int, int>> guard, int best_sequences, float loss,
                                        const std::vector<int>& hidden) {
  if (features.empty() || features.size() > max_features) throw std::invalid_argument("an agent has 1 to 128 features");
  if (hidden.size() > max_layers) throw std::invalid_argument("a network has at most 8 hidden layers");
  if (pieces_known < 1 || pieces_known > max_known) throw std::invalid_argument("1 to 8 pieces are known");
  if (custom.size() > max_custom) throw std::invalid_argument("an agent has at most 16 features of a user's own");
  if (best_sequences < 0 || best_sequences > max_sequences) throw std::invalid_argument("0 to 128 best sequences");
  auto result = std::make_unique<PythonAgent>();
  Agent& agent = result->agent;
  agent = Agent{};
  ValueData& value = agent.value;
  value.kind = hidden.empty() ? ValueKind::weighted_features : ValueKind::feature_network;
  value.features.failed = &result->failed;
  value.features.count = int32_t(features.size());
  for (int width : hidden) {
    if (width < 1 || width > max_width) throw std::invalid_argument("a layer has 1 to 256 neurons");
    value.hidden.width[value.hidden.count++] = width;
  }
  if (weights.size() != size_t(scalar::parameters_of(value)))
    throw std::invalid_argument("a weight per feature, or per input and neuron of a network and a bias per neuron");
  result->parameters = weights;
  value.parameters = result->parameters.data();
  agent.pieces_known = pieces_known;
  agent.best_sequences = best_sequences, agent.loss = loss;
  if (guard) agent.guards = true, agent.guard_height = guard->first, agent.guard_bumpiness = guard->second;
  for (size_t i = 0; i < custom.size(); ++i) value.features.custom[i] = reinterpret_cast<CustomFeature>(custom[i]);
  for (size_t i = 0; i < features.size(); ++i) {
    if (features[i] < 0 || features[i] >= scalar::Catalogue::count + int(custom.size()))
      throw std::invalid_argument("no such feature");
    value.features.number[i] = uint16_t(features[i]);
    if (features[i] < scalar::Catalogue::count) value.features.needs |= scalar::Catalogue::facts[features[i]].needs;
  }
  return result;
}

std::unique_ptr<PythonAgent> make_table_agent(const std::vector<float>& values) {
  if (values.size() != size_t(table_entries))
    throw std::invalid_argument("a table has " + std::to_string(table_entries) + " numbers");
  auto result = std::make_unique<PythonAgent>();
  result->agent = Agent{};
  result->agent.pieces_known = 1;
  result->parameters = values;
  result->agent.value.kind = ValueKind::table;
  result->agent.value.parameters = result->parameters.data();
  return result;
}

std::unique_ptr<PythonAgent> make_board_agent(const BoardNetworkWeights& network, int plies,
                                              std::optional<std::pair<int, int>> guard) {
  if (plies < 1 || plies > max_plies) throw std::invalid_argument("1 to 3 plies");
  auto result = std::make_unique<PythonAgent>();
  Agent& agent = result->agent;
  agent = Agent{};
  agent.pieces_known = network.data.outputs > 1 ? 2 : 1;
  agent.plies = plies;
  if (guard) agent.guards = true, agent.guard_height = guard->first, agent.guard_bumpiness = guard->second;
  agent.value.kind = ValueKind::board_network;
  agent.value.board_network = &network.data;
  return result;
}

// Rows of (shape, x, y).
using Spots = nb::ndarray<const int32_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

using Weights = nb::ndarray<const float, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;

Arrays play_games(const CompiledRules& rules, PythonAgent& player, uint64_t seed, int64_t first_game, int64_t games,
                  int64_t max_pieces, int threads, Purpose purpose, const std::optional<Weights>& weights,
                  nb::object progress, int64_t tries, const std::optional<std::string>& simd) {
  Batch batch = to_batch(purpose, seed, first_game, games, max_pieces, threads);
  constexpr int64_t most = int64_t{1} << 62;  // no sum of two overflows
  if (first_game > most || games > most || (weights && games > most / std::max<int64_t>(1, weights->shape(0))))
    throw std::invalid_argument("more games than can be numbered");
  if (weights && (weights->shape(0) < 1 || weights->shape(1) != size_t(scalar::parameters_of(player.agent.value))))
    throw std::invalid_argument("a row per candidate of as many weights as the agent has");
  if (tries < 0 || tries > max_tries) throw std::invalid_argument("0 to 20,000 tries");
  if (tries && max_pieces) throw std::invalid_argument("games are estimated, or they have a limit of pieces");
  if (tries && !can_be_estimated(rules.rules)) throw std::invalid_argument("games by these rules cannot be estimated");
  check_fits(rules.rules, player.agent, player.agent.pieces_known);
  if (weights) batch.candidates = int64_t(weights->shape(0)), batch.parameters = weights->data();
  const Kernels& kernels = kernels_of(simd);
  const int workers = int(std::min<int64_t>(threads, batch.candidates * games));
  return play_watched(batch, progress, [&](const auto& poll) {
    if (tries)
      estimate(kernels, rules.rules, player.agent, batch, tries, workers, poll);
    else
      play(kernels, rules.rules, player.agent, batch, workers, poll);
  });
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
  m.def(
      "fixed_shapes", [] { return std::vector<int>(std::begin(scalar::fixed_shape), std::end(scalar::fixed_shape)); },
      "The shapes that a table tells apart: four bits per column, the left one first, bit 0 the bottom row.");
  nb::class_<PythonAgent>(m, "Agent", "An agent as the core plays it: a weighted sum, or with hidden layers a network.")
      .def(nb::new_(&make_agent), nb::arg("features"), nb::arg("weights"), nb::arg("pieces_known"),
           nb::arg("custom") = std::vector<uintptr_t>(), nb::arg("guard").none() = nb::none(),
           nb::arg("best_sequences") = 0, nb::arg("loss") = 0.0f, nb::arg("hidden") = std::vector<int>())
      .def_static("of_table", &make_table_agent, nb::arg("values"),
                  "An agent that plays by a table, with one piece known.")
      .def_static("of_board_network", &make_board_agent, nb::arg("network"), nb::arg("plies"),
                  nb::arg("guard").none() = nb::none(), nb::keep_alive<0, 1>(),
                  "An agent that plays by a board network and looks `plies` placements ahead.")
      .def(
          "image",
          [](const PythonAgent& a) {
            Agent image = a.agent;
            for (CustomFeature& custom : image.value.features.custom) custom = nullptr;
            image.value.features.failed = nullptr;
            image.value.parameters = nullptr;
            return nb::bytes(reinterpret_cast<const char*>(&image), sizeof image);
          },
          "The core's struct, for a device that runs the same code, without its value's numbers and users' own "
          "features.")
      .def(
          "take_failed",
          [](PythonAgent& a) {
            const int failed = __atomic_exchange_n(&a.failed, 0, __ATOMIC_RELAXED);
            return failed ? std::optional<int>(failed - 1) : std::optional<int>();
          },
          "Return the index in `custom` of a feature that gave no finite number since the last call.")
      .def(
          "choose",
          [](PythonAgent& a, const PythonGame& g, const std::optional<Spots>& among,
             const std::optional<std::string>& simd) {
            const Rules& rules = g.rules->rules;
            const Game& game = running(g);
            check_fits(rules, a.agent, game.pieces_known);
            if (among && among->shape(0) == 0) throw std::invalid_argument("at least one placement to choose among");
            PlacementSet set{};
            for (size_t i = 0; among && i < among->shape(0); ++i)
              set.add(to_placement(rules, game.known[0], (*among)(i, 0), (*among)(i, 1), (*among)(i, 2)));
            const Placement p = kernels_of(simd).choose(rules, a.agent, game, among ? &set : nullptr).placement;
            if (among && !set.has(p.shape, p.x, p.y))
              throw std::invalid_argument("none of these placements can be made");
            return std::tuple<int, int, int>(p.shape, p.x, p.y);
          },
          nb::arg("game"), nb::arg("among").none() = nb::none(), nb::kw_only(), nb::arg("simd").none() = nb::none(),
          "Return the agent's placement (shape, x, y), among all placements or these rows of (shape, x, y).")
      .def(
          "best_sequence",
          [](PythonAgent& a, const PythonGame& g, int shape, int x, int y, const std::optional<std::string>& simd) {
            const Rules& rules = g.rules->rules;
            const Placement first = to_placement(rules, running(g).known[0], shape, x, y);
            check_fits(rules, a.agent, g.game.pieces_known);
            float value = 0;
            Candidate last{};
            const Kernels& kernels = kernels_of(simd);
            const bool lives = kernels.best_sequence(rules, a.agent, g.game, first, value, last);
            const FeatureSet& features = a.agent.value.features;
            auto measures = new_array<float>(features.count);
            if (lives) kernels.measure(rules, features, &last, 1, measures.data());
            const Placement& p = last.placement;
            return std::tuple(lives, value, std::tuple<int, int, int, int>(p.piece, p.shape, p.x, p.y), measures);
          },
          nb::arg("game"), nb::arg("shape"), nb::arg("x"), nb::arg("y"), nb::kw_only(),
          nb::arg("simd").none() = nb::none(),
          "Return whether any sequence of the known pieces that begins with this placement survives, and the best "
          "one's "
          "value, last placement and features.")
      .def(
          "measure",
          [](PythonAgent& a, const CompiledRules& rules, const Columns& columns, int piece, const Spots& placements,
             int64_t lines, const std::optional<std::string>& simd) {
            Game game{};
            game.board = to_board(rules.rules, columns);
            game.cells = scalar::count_cells(rules.rules, game.board);
            game.outcome.lines = lines;
            const Path path = scalar::start_path(rules.rules, game);
            std::vector<Candidate> candidates;
            for (size_t i = 0; i < placements.shape(0); ++i)
              candidates.push_back(
                  {game.board, path,
                   to_placement(rules.rules, piece, placements(i, 0), placements(i, 1), placements(i, 2))});
            auto values = new_array<float>(candidates.size(), a.agent.value.features.count);
            kernels_of(simd).measure(rules.rules, a.agent.value.features, candidates.data(), int64_t(candidates.size()),
                                     values.data());
            return values;
          },
          nb::arg("rules"), nb::arg("columns"), nb::arg("piece"), nb::arg("placements"), nb::arg("lines") = 0,
          nb::kw_only(), nb::arg("simd").none() = nb::none(),
          "Return its features of the board after each placement, one row per placement.")
      .def(
          "measure_board",
          [](PythonAgent& a, const CompiledRules& rules, const Columns& columns,
             const std::optional<std::string>& simd) {
            auto values = new_array<float>(a.agent.value.features.count);
            kernels_of(simd).measure_board(rules.rules, a.agent.value.features, to_board(rules.rules, columns),
                                           values.data());
            return values;
          },
          nb::arg("rules"), nb::arg("columns"), nb::kw_only(), nb::arg("simd").none() = nb::none(),
          "Return its features of a board as it stands, with no piece placed.");

  m.def("play_games", &play_games, nb::arg("rules"), nb::arg("agent"), nb::arg("seed"), nb::arg("first_game"),
        nb::arg("games"), nb::arg("max_pieces"), nb::arg("threads"), nb::arg("purpose"), nb::arg("weights").none(),
        nb::arg("progress").none(), nb::kw_only(), nb::arg("tries") = 0, nb::arg("simd").none() = nb::none(),
        "Play games to their end, or with `tries` estimate their lengths from this many tries per row. With `weights`, "
        "every row of it plays the same games. `progress` is called regularly with the games and pieces done. The "
        "result has `interrupted` if the user stopped the games; unfinished ones are then running or interrupted.");

  m.def("feature_facts", &feature_facts,
        "Return the catalogue's facts about each feature, in the order of their numbers.");
  m.def(
      "simd_levels",
      [] {
        std::vector<std::string> names;
        for (const Kernels* kernels : supported_kernels()) names.emplace_back(kernels->name);
        return names;
      },
      "Return the instruction sets that this machine can play with, narrowest first.");
  m.def(
      "simd", [] { return std::string(kernels_in_use().name); },
      "Return the default instruction set: the widest one, or the one in the environment variable BLOCKFALL_SIMD if "
      "the machine has it, until use_simd sets another.");
  m.def("use_simd", &use_kernels, nb::arg("name"), "Set the default instruction set.");
}

}  // namespace blockfall::bindings
