#include <algorithm>

#include "bindings.hpp"
#include "blockfall/many_games.hpp"

namespace blockfall::bindings {
namespace {

using namespace scalar;

using Numbers = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Actions = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Python's games keep their rules alive. Every method holds Python's lock: none takes long, and no other thread can
// step the games meanwhile.
struct PythonGames {
  const CompiledRules* rules;
  ManyGames many;

  size_t count() const { return many.games.size(); }
};

std::vector<uint64_t> to_vector(const Numbers& numbers) {
  return std::vector<uint64_t>(numbers.data(), numbers.data() + numbers.shape(0));
}

nb::ndarray<nb::numpy, int8_t> mask_of(const PythonGames& g) {
  return rows_of<int8_t>(g.count(), size_t(action_count(g.many)),
                         [&](size_t i, int8_t* mask) { fill_mask(g.many, i, mask); });
}

nb::ndarray<nb::numpy, uint8_t> planes_of(const PythonGames& g) {
  const Rules& rules = g.rules->rules;
  const int planes = 1 + g.many.pieces_known * piece_kinds;
  auto out = new_array<uint8_t>(g.count(), planes, rules.rows, rules.columns);
  const size_t size = size_t(planes) * size_t(rules.rows * rules.columns);
  for (size_t i = 0; i < g.count(); ++i) fill_planes(rules, g.many.games[i], out.data() + i * size);
  return out;
}

nb::ndarray<nb::numpy, float> features_of(const PythonGames& g, PythonAgent& agent) {
  const FeatureSet& features = agent.agent.value.features;
  const int width = features.count + g.many.pieces_known * piece_kinds;
  auto out = new_array<float>(g.count(), width);
  kernels_in_use().measure_games(g.rules->rules, features, g.many.games.data(), int64_t(g.count()), out.data(), width);
  for (size_t i = 0; i < g.count(); ++i)
    fill_known(g.many.games[i], out.data() + i * size_t(width) + size_t(features.count));
  return out;
}

Arrays step_all(PythonGames& g, const Actions& actions) {
  const size_t n = g.count();
  if (actions.shape(0) != n) throw std::invalid_argument("an action for each game");
  auto points = new_array<int64_t>(n);
  auto lines = new_array<int32_t>(n);
  auto termination = new_array<uint8_t>(n);
  auto illegal = new_array<bool>(n), started = new_array<bool>(n);
  for (size_t i = 0; i < n; ++i) {
    const Stepped done = step_game(g.many, i, actions(i));
    points.data()[i] = done.points, lines.data()[i] = done.lines;
    termination.data()[i] = uint8_t(done.termination);
    illegal.data()[i] = done.illegal, started.data()[i] = done.started;
  }
  Arrays arrays;
  arrays["points"] = points, arrays["lines"] = lines, arrays["termination"] = termination;
  arrays["illegal"] = illegal, arrays["started"] = started;
  return arrays;
}

// Every placement of every game, and the board after it. `agent` has the features to measure on that board.
Arrays afterstates_of(const PythonGames& g, PythonAgent* agent) {
  const Rules& rules = g.rules->rules;
  int64_t count = 0;
  for (size_t i = 0; i < g.count(); ++i) count += count_placements(g.many, i);
  auto game = new_array<int32_t>(count), action = new_array<int32_t>(count), lines = new_array<int32_t>(count);
  auto words = new_array<uint32_t>(count, rules.columns);
  auto lost = new_array<bool>(count);
  std::vector<Candidate> candidates;  // those that do not lose, and their places in the arrays
  std::vector<int64_t> places;
  int64_t at = 0;
  for (size_t i = 0; i < g.count(); ++i) {
    const Game& from = g.many.games[i];
    const Path path = start_path(rules, from);
    for_each_action(g.many, i, [&](const Placement& p) {
      const Shape& shape = rules.piece[p.piece].shape[p.shape];
      Board board = from.board;
      lost.data()[at] = loss_by_lock(rules, shape, p.y) != Termination::running;
      if (!lost.data()[at]) {
        lines.data()[at] = bit_count(lock_and_clear(rules, board, shape, p.x, p.y));
        if (agent) candidates.push_back({from.board, path, p}), places.push_back(at);
      }
      game.data()[at] = int32_t(i), action.data()[at] = int32_t(action_of(rules, p));
      std::memcpy(words.data() + at * rules.columns, board.column, sizeof(uint32_t) * size_t(rules.columns));
      ++at;
    });
  }
  Arrays arrays;
  arrays["game"] = game, arrays["action"] = action, arrays["lines"] = lines;
  arrays["words"] = words, arrays["lost"] = lost;
  if (agent) {
    const FeatureSet& features = agent->agent.value.features;
    const auto width = size_t(features.count);
    std::vector<float> measured(candidates.size() * width);
    kernels_in_use().measure(rules, features, candidates.data(), int64_t(candidates.size()), measured.data());
    auto out = new_array<float>(count, width);
    for (size_t i = 0; i < places.size(); ++i)
      std::copy_n(measured.data() + i * width, width, out.data() + size_t(places[i]) * width);
    arrays["features"] = out;
  }
  return arrays;
}

}  // namespace

void bind_batch(nb::module_& m) {
  m.def(
      "cells",
      [](const nb::ndarray<const uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& words, int rows) {
        if (rows < 1 || rows > max_rows) throw std::invalid_argument("1 to 32 rows");
        const size_t boards = words.shape(0), columns = words.shape(1);
        auto cells = new_array<bool>(boards, rows, columns);
        bool* out = cells.data();
        for (size_t i = 0; i < boards; ++i)
          for (int y = 0; y < rows; ++y)
            for (size_t x = 0; x < columns; ++x) *out++ = (words.data()[i * columns + x] >> y) & 1;
        return cells;
      },
      nb::arg("words"), nb::arg("rows"),
      "Return whether each cell is filled: cells[board][row][column], floor row first.");

  nb::class_<PythonGames>(m, "Games", "Many games that are stepped together.")
      .def(
          "__init__",
          [](PythonGames* self, const CompiledRules& rules, const Numbers& seeds, const Numbers& numbers,
             uint64_t stride, uint64_t end, int pieces_known, Purpose purpose, int64_t max_pieces) {
            if (pieces_known < 1 || pieces_known > max_known) throw std::invalid_argument("1 to 8 pieces are known");
            if (seeds.shape(0) != numbers.shape(0) || seeds.shape(0) < 1 || seeds.shape(0) > max_games)
              throw std::invalid_argument("1 to 1048576 games, a seed and a number each");
            if (max_pieces < 0) throw std::invalid_argument("a limit of pieces is not negative");
            new (self) PythonGames{&rules, start_many_games(rules.rules, purpose, to_vector(seeds), to_vector(numbers),
                                                            stride, end, pieces_known, max_pieces)};
          },
          nb::arg("rules"), nb::arg("seeds"), nb::arg("numbers"), nb::arg("stride"), nb::arg("end"),
          nb::arg("pieces_known"), nb::arg("purpose"), nb::arg("max_pieces"), nb::keep_alive<1, 2>())
      .def_prop_ro("actions", [](const PythonGames& g) { return action_count(g.many); })
      .def("mask", &mask_of, "Return a row per game: 1 for every possible action.")
      .def("planes", &planes_of, "Return each game's filled cells and seven planes per known piece.")
      .def("features", &features_of, nb::arg("agent"),
           "Return the agent's features of each game's board, and seven numbers per known piece.")
      .def("step", &step_all, nb::arg("actions"), "Play one action per game; a game that is over starts anew.")
      .def(
          "cut",
          [](PythonGames& g, const Flags& which) {
            if (which.shape(0) != g.count()) throw std::invalid_argument("a flag for each game");
            for (size_t i = 0; i < g.count(); ++i)
              if (which(i)) cut_game(g.many, i);
          },
          nb::arg("which"), "End these games as a piece limit would.")
      .def("afterstates", &afterstates_of, nb::arg("agent").none() = nb::none(),
           "Return every placement of every game, and the board after it.")
      .def(
          "placement",
          [](const PythonGames& g, int64_t game, int64_t action) -> std::optional<std::tuple<int, int, int>> {
            Placement p;
            if (game < 0 || size_t(game) >= g.count()) throw std::invalid_argument("no such game");
            if (!find_placement(g.many, size_t(game), action, p)) return std::nullopt;
            return std::tuple<int, int, int>(p.shape, p.x, p.y);
          },
          nb::arg("game"), nb::arg("action"),
          "Return the (shape, x, y) that an action means; None if it is impossible.")
      .def_prop_ro(
          "words",
          [](const PythonGames& g) {
            const auto columns = size_t(g.rules->rules.columns);
            return rows_of<uint32_t>(g.count(), columns, [&](size_t i, uint32_t* words) {
              std::memcpy(words, g.many.games[i].board.column, sizeof(uint32_t) * columns);
            });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "known",
          [](const PythonGames& g) {
            const auto k = size_t(g.many.pieces_known);
            return rows_of<uint8_t>(g.count(), k,
                                    [&](size_t i, uint8_t* known) { std::memcpy(known, g.many.games[i].known, k); });
          },
          nb::rv_policy::move, "The known pieces of each game; 255 after a script's end.")
      .def_prop_ro(
          "numbers",
          [](const PythonGames& g) {
            auto numbers = new_array<uint64_t>(g.count());
            std::memcpy(numbers.data(), g.many.number.data(), sizeof(uint64_t) * g.count());
            return numbers;
          },
          nb::rv_policy::move, "The number of each seat's game.")
      .def_prop_ro("outcomes", [](const PythonGames& g) {
        std::vector<Outcome> outcomes;
        for (const Game& game : g.many.games) outcomes.push_back(game.outcome);
        return to_arrays(outcomes);
      });
}

}  // namespace blockfall::bindings
