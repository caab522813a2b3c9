#include <exception>

#include "blockfall/search/algorithms.hpp"
#include "blockfall/search/games.hpp"
#include "python_problem.hpp"

namespace blockfall::bindings {
namespace {

using namespace blockfall::search;
using Answer = nb::typed<nb::dict, nb::str, nb::any>;

// An interrupt ends a search, which keeps its results.
Watch watch_search(nb::object progress) {
  return {OnInterrupt::end, [progress = std::move(progress)] {
            if (!progress.is_none()) progress();
          }};
}

const Settings& checked(const Settings& settings) {
  const Limits& limits = settings.limits;
  if (!(limits.time_s >= 0) || limits.nodes < 0 || limits.memory_bytes < 0)
    throw std::invalid_argument("a limit is 0, for none, or more");
  if (settings.threads < 1 || settings.threads > max_threads) throw std::invalid_argument("at least one thread");
  if (settings.width < 1 || settings.diversity < 0 || settings.iterations < 1)
    throw std::invalid_argument("a width and iterations are 1 or more, a diversity 0 or more");
  constexpr int max_level = 8;
  if (settings.level < 0 || settings.level > max_level) throw std::invalid_argument("a level is 0 to 8");
  return settings;
}

const char* name_of(StoppedBy by) {
  switch (by) {
    case StoppedBy::time: return "time";
    case StoppedBy::nodes: return "nodes";
    case StoppedBy::memory: return "memory";
    case StoppedBy::interrupt: return "interrupt";
    default: return "finished";
  }
}

// `move` converts the action at a depth to Python.
template <class Action, class Move>
Answer answer(const Solution<Action>& solution, const Move& move) {
  nb::list path, trace;
  for (size_t i = 0; i < solution.path.size(); ++i) path.append(move(solution.path[i], int(i)));
  for (const Expansion<Action>& e : solution.trace) {
    const bool root = e.parent == no_node;
    trace.append(nb::make_tuple(e.node, root ? nb::object(nb::none()) : nb::object(nb::int_(e.parent)), e.depth,
                                root ? nb::object(nb::none()) : nb::object(move(e.action, e.depth - 1)), e.g, e.h,
                                e.backward));
  }
  auto opened = new_array<uint32_t>(solution.opened.size(), 3);
  auto worth = new_array<double>(solution.opened.size(), 3);
  for (size_t i = 0; i < solution.opened.size(); ++i) {
    const Expansion<Action>& e = solution.opened[i];
    const uint32_t numbers[] = {e.node, e.parent, uint32_t(e.depth)};
    const double values[] = {e.g, e.h, e.key};
    std::memcpy(opened.data() + 3 * i, numbers, sizeof numbers);
    std::memcpy(worth.data() + 3 * i, values, sizeof values);
  }
  auto dropped = new_array<uint32_t>(solution.dropped.size(), 2);
  static_assert(sizeof(Dropped) == 2 * sizeof(uint32_t));
  if (!solution.dropped.empty())
    std::memcpy(dropped.data(), solution.dropped.data(), solution.dropped.size() * sizeof(Dropped));
  nb::list improvements;
  for (const Improvement& one : solution.improvements)
    improvements.append(nb::make_tuple(one.expanded, one.seconds, one.points));
  Answer found;
  found["found"] = solution.found, found["optimal"] = solution.optimal, found["points"] = solution.points;
  found["fallback"] = solution.fallback;
  found["path"] = path, found["trace"] = trace;
  found["dropped"] = dropped;                               // node, nodes expanded before
  found["opened"] = opened, found["opened_worth"] = worth;  // node, parent, depth; g, h, key
  found["ties"] = solution.ties, found["improvements"] = improvements;
  found["expanded"] = solution.expanded, found["generated"] = solution.generated;
  found["seconds"] = solution.seconds, found["peak_bytes"] = solution.peak_bytes;
  found["stopped_by"] = name_of(solution.stopped_by);
  return found;
}

using Cells = nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// `cells` has a row for each column of the board, floor first.
Answer solve_board(const Cells& cells, const Counts& points, int clear_bonus, bool leftover_penalty,
                   const HopelessTuning& tuning, const std::string& algorithm, const Settings& settings,
                   nb::object progress) {
  const size_t columns = cells.shape(0), rows = cells.shape(1);
  if (columns < 1 || rows < 1 || columns > max_hopeless_size || rows > max_hopeless_size)
    throw std::invalid_argument("a board has 1 to 32 columns and rows");
  if (points.shape(0) <= columns * rows) throw std::invalid_argument("points for every size of block");
  HopelessBoard board{int32_t(columns), int32_t(rows), {cells.data(), cells.data() + columns * rows}};
  for (uint8_t cell : board.cells)
    if (cell > max_hopeless_colours) throw std::invalid_argument("a board has at most 9 colours");
  const Scoring scoring{{points.data(), points.data() + points.shape(0)}, clear_bonus, leftover_penalty};
  Watch watch = watch_search(std::move(progress));
  Solution<HopelessMove> solution;
  watch.run_unlocked(
      [&](const auto& poll) { solution = solve_hopeless(board, scoring, tuning, algorithm, checked(settings), poll); });
  return answer(solution, [](HopelessMove move, int) { return nb::make_tuple(move.column, move.row); });
}

IstTetris make_ist(const CompiledRules& rules, const Columns& columns, const std::string& pieces,
                   const std::string& cost, const std::vector<double>& weights, bool lines) {
  if (columns.shape(0) != IstTetris::columns || weights.size() != 5)
    throw std::invalid_argument("ten columns and five weights");
  std::array<uint32_t, IstTetris::columns> board;
  for (size_t i = 0; i < board.size(); ++i)
    if ((board[i] = columns(i)) >> IstTetris::rows) throw std::invalid_argument("a filled cell above the top row");
  for (char letter : pieces)
    if (!IstTetris::is_piece(letter)) throw std::invalid_argument("a piece is one of i j l o s t z");
  const auto kind = cost == "qualidade" ? IstTetris::Cost::quality : IstTetris::Cost::opportunity;
  return IstTetris(rules.rules, board, pieces, kind,
                   {weights[0], weights[1], weights[2], weights[3], weights[4], lines});
}

// An action of the first piece, checked.
IstTetris::Action to_action(const IstTetris& problem, int column, int orientation) {
  std::vector<IstTetris::Action> actions;
  problem.actions(problem.start(), actions);
  for (const IstTetris::Action& action : actions)
    if (action.column == column && action.orientation == orientation) return action;
  throw std::invalid_argument("no such action of the first piece");
}

Answer solve_ist(IstTetris& problem, const std::string& algorithm, const Settings& settings, nb::object progress) {
  Watch watch = watch_search(std::move(progress));
  Solution<IstTetris::Action> solution;
  watch.run_unlocked(
      [&](const auto& poll) { solution = solve_ist_tetris(problem, algorithm, checked(settings), poll); });
  return answer(solution, [&](IstTetris::Action action, int depth) {
    return nb::make_tuple(action.column, IstTetris::name(problem.pieces()[size_t(depth)], action));
  });
}

Answer solve_python(const nb::object& problem, const nb::object& own, const std::string& algorithm,
                    const Settings& settings, nb::object progress) {
  PythonProblem adapted(problem, own);
  Watch watch = watch_search(std::move(progress));
  const auto solution = solve(adapted, algorithm, checked(settings), std::ref(watch));
  watch.rethrow();
  Answer found = answer(solution, [](const nb::object& action, int) { return action; });
  found["states"] = adapted.noted();
  return found;
}

nb::typed<nb::list, Answer> algorithm_facts() {
  nb::typed<nb::list, Answer> rows;
  for (const auto& algorithm : algorithms<IstTetris>) {
    Answer row;
    row["name"] = algorithm.facts.name, row["title"] = algorithm.facts.title, row["source"] = algorithm.facts.source;
    row["textbook"] = algorithm.facts.textbook, row["promise"] = algorithm.facts.promise;
    row["skip_seen"] = algorithm.facts.skip_seen, row["undoes"] = algorithm.facts.undoes;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::exception<BadAnswer>(m, "AnswerError", PyExc_ValueError);

  nb::enum_<Ties>(m, "Ties", "The order of two equally promising nodes.")
      .value("FIRST", Ties::first)
      .value("LAST", Ties::last)
      .value("LARGER_G", Ties::larger_g);

  nb::class_<Settings>(m, "SearchSettings", "The limits and options of a search; 0 means no limit.")
      .def(nb::init<>())
      .def_prop_rw(
          "time_limit_s", [](const Settings& s) { return s.limits.time_s; },
          [](Settings& s, double value) { s.limits.time_s = value; })
      .def_prop_rw(
          "node_limit", [](const Settings& s) { return s.limits.nodes; },
          [](Settings& s, int64_t value) { s.limits.nodes = value; })
      .def_prop_rw(
          "memory_limit_bytes", [](const Settings& s) { return s.limits.memory_bytes; },
          [](Settings& s, int64_t value) { s.limits.memory_bytes = value; })
      .def_rw("seed", &Settings::seed)
      .def_rw("threads", &Settings::threads)
      .def_rw("width", &Settings::width)
      .def_rw("diversity", &Settings::diversity)
      .def_rw("level", &Settings::level)
      .def_rw("iterations", &Settings::iterations)
      .def_rw("sequences", &Settings::sequences)
      .def_rw("weight", &Settings::weight)
      .def_rw("hot", &Settings::hot)
      .def_rw("cold", &Settings::cold)
      .def_rw("waiting", &Settings::waiting)
      .def_rw("ties", &Settings::ties)
      .def_rw("skip_seen", &Settings::skip_seen)
      .def_rw("trace", &Settings::trace);

  using Promise = HopelessTuning::Promise;
  nb::class_<Promise>(m, "HopelessPromise", "The worth that a beam expects from one colour.")
      .def(
          "__init__",
          [](Promise* made, double whole, double blocks, double toll) { new (made) Promise{whole, blocks, toll}; },
          nb::kw_only(), nb::arg("whole"), nb::arg("blocks"), nb::arg("toll"));
  nb::class_<HopelessTuning>(m, "HopelessTuning", "Tuned numbers: see tuning.toml.")
      .def(
          "__init__",
          [](HopelessTuning* made, const Promise& tabu, const Promise& other, float size_bias, int max_size_bias,
             float tabu_bias, double square_left, double tabu_draw) {
            new (made) HopelessTuning{tabu, other, size_bias, max_size_bias, tabu_bias, square_left, tabu_draw};
          },
          nb::kw_only(), nb::arg("tabu"), nb::arg("other"), nb::arg("size_bias"), nb::arg("max_size_bias"),
          nb::arg("tabu_bias"), nb::arg("square_left"), nb::arg("tabu_draw"));

  nb::class_<IstTetris>(m, "IstTetris",
                        "Tetris as ist2015's search problem, with the pieces and points of its rule set.")
      .def(nb::new_(&make_ist), nb::arg("rules"), nb::arg("columns"), nb::arg("pieces"), nb::arg("cost"),
           nb::arg("weights"), nb::arg("lines"))
      .def("solve", &solve_ist, nb::arg("algorithm"), nb::arg("settings"), nb::arg("progress").none() = nb::none())
      .def(
          "actions",
          [](const IstTetris& problem) {
            std::vector<IstTetris::Action> actions;
            problem.actions(problem.start(), actions);
            std::vector<std::tuple<int, std::string>> named;
            for (const auto& action : actions)
              named.emplace_back(action.column, IstTetris::name(problem.pieces()[0], action));
            return named;
          },
          "Return the first piece's actions (accoes), as (column, orientation).")
      .def(
          "result",
          [](const IstTetris& problem, int column, int orientation) {
            const auto step = problem.result(problem.start(), to_action(problem, column, orientation));
            auto columns = new_array<uint32_t>(IstTetris::columns);
            std::copy(step.state.column.begin(), step.state.column.end(), columns.data());
            return std::tuple(columns, step.state.points, IstTetris::is_lost(step.state));
          },
          nb::arg("column"), nb::arg("orientation"),
          "Return the result of the first piece (resultado): the board, the points, and whether the game is lost.")
      .def(
          "heuristic", [](const IstTetris& problem) { return -problem.heuristic(problem.start()); },
          "Return the start's heuristic, as minimised in ist2015.");

  m.def("solve_hopeless", &solve_board, nb::arg("cells"), nb::arg("points"), nb::arg("clear_bonus"),
        nb::arg("leftover_penalty"), nb::arg("tuning"), nb::arg("algorithm"), nb::arg("settings"),
        nb::arg("progress").none() = nb::none(),
        "`cells` has a row for each column of the board, floor first; `points` are those of a block, by its size.");
  m.def("solve_python", &solve_python, nb::arg("problem"), nb::arg("own"), nb::arg("algorithm"), nb::arg("settings"),
        nb::arg("progress").none() = nb::none(),
        "Search a blockfall.search.Problem; `own` names the methods that it overrides.");
  m.def("algorithm_facts", &algorithm_facts, "Return every algorithm's name, title and source.");
}

}  // namespace blockfall::bindings
