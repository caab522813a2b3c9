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
  Batch batch = to_batch(purpose, seed, first_game, games, max_pieces, threads);
  if (pieces_shown < player.agent.pieces_known || pieces_shown > max_known)
    throw std::invalid_argument("as many pieces are shown as the agent knows, at most 8");
  if (hold && !rules.rules.hold) throw std::invalid_argument("these rules have no hold queue");
  check_fits(rules.rules, player.agent, pieces_shown);
  const AttackTable table = attack ? to_table(*attack, combo) : AttackTable{};
  auto sent = new_array<int64_t>(games);
  const Versus versus{attack ? &table : nullptr, hold, pieces_shown, sent.data()};
  const Kernels& kernels = kernels_of(simd);
  const int workers = int(std::min<int64_t>(threads, games));
  Arrays arrays = play_watched(batch, progress, [&](const auto& poll) {
    play_versus(kernels, rules.rules, player.agent, batch, versus, workers, poll);
  });
  arrays["attack"] = sent;
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
