#include "blockfall/versus.hpp"

#include <algorithm>

#include "bindings.hpp"

namespace blockfall::bindings {
namespace {

// The numbers of `[attack]`, in the order of the struct.
AttackTable to_table(const std::vector<int64_t>& numbers, const std::vector<int64_t>& combo) {
  if (numbers.size() != 11) throw std::invalid_argument("an attack table has 11 numbers before those of combos");
  AttackTable table{};
  std::copy_n(numbers.begin(), 4, table.lines);
  std::copy_n(numbers.begin() + 4, 2, table.mini);
  std::copy_n(numbers.begin() + 6, 3, table.spin);
  table.back_to_back = numbers[9], table.perfect_clear = numbers[10];
  table.combo = combo;
  return table;
}

Arrays play_versus_games(const CompiledRules& rules, PythonAgent& player, uint64_t seed, int64_t first_game,
                         int64_t games, int64_t max_pieces, int threads, Purpose purpose, bool hold, int pieces_shown,
                         const std::optional<std::vector<int64_t>>& attack, const std::vector<int64_t>& combo,
                         nb::object progress, const std::optional<std::string>& simd) {
  if (games < 1 || first_game < 0 || max_pieces < 0 || threads < 1 || threads > max_threads)
    throw std::invalid_argument("at least one game and one thread, and no negative counts");
  if (pieces_shown < player.agent.pieces_known || pieces_shown > max_known)
    throw std::invalid_argument("as many pieces are shown as the agent knows, at most 8");
  if (hold && !rules.rules.hold) throw std::invalid_argument("these rules have no hold queue");
  check_fits(rules.rules, player.agent, pieces_shown);
  const AttackTable table = attack ? to_table(*attack, combo) : AttackTable{};
  std::vector<Outcome> outcomes(static_cast<size_t>(games));
  auto sent = new_array<int64_t>(games);
  Batch batch{};
  batch.purpose = purpose, batch.seed = seed;
  batch.first_game = first_game, batch.games = games, batch.max_pieces = max_pieces;
  batch.outcomes = outcomes.data();
  const Versus versus{attack ? &table : nullptr, hold, pieces_shown, sent.data()};
  const Kernels& kernels = kernels_of(simd);
  const int workers = int(std::min<int64_t>(threads, games));
  bool interrupted = false;
  Watch watch(OnInterrupt::raise, [&] {
    if (!progress.is_none())
      progress(__atomic_load_n(&batch.games_done, __ATOMIC_RELAXED),
               __atomic_load_n(&batch.pieces_done, __ATOMIC_RELAXED));
  });
  try {
    watch.run_unlocked(
        [&](const auto& poll) { play_versus(kernels, rules.rules, player.agent, batch, versus, workers, poll); });
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    interrupted = true;
  }
  Arrays arrays = to_arrays(outcomes);
  arrays["attack"] = sent;
  arrays["interrupted"] = interrupted;
  return arrays;
}

}  // namespace

void bind_versus(nb::module_& m) {
  m.def("play_versus", &play_versus_games, nb::arg("rules"), nb::arg("agent"), nb::arg("seed"), nb::arg("first_game"),
        nb::arg("games"), nb::arg("max_pieces"), nb::arg("threads"), nb::arg("purpose"), nb::arg("hold"),
        nb::arg("pieces_shown"), nb::arg("attack").none(), nb::arg("combo"), nb::arg("progress").none(), nb::kw_only(),
        nb::arg("simd").none() = nb::none(),
        "Play as `play_games` does, with a hold queue if `hold` is set. The result has each game's attack lines by the "
        "rules' table: its numbers for lines, mini spins, full spins, back-to-back and a perfect clear.");
}

}  // namespace blockfall::bindings
