#include <algorithm>
#include <utility>

#include "bindings.hpp"
#include "blockfall/human.hpp"
#include "blockfall/keys.hpp"
#include "blockfall/versus.hpp"

namespace blockfall::bindings {
namespace {

using namespace scalar;

// Rows of (shape, x, y), in the order that breaks ties.
nb::ndarray<nb::numpy, int32_t> placements_of(const Rules& rules, const Board& board, int piece, int64_t lines) {
  std::vector<int32_t> found;
  const Piece& p = rules.piece[to_piece(piece)];
  for_each_placement(rules, board, p, lines, [&](const Shape& shape, int x, int y) {
    found.insert(found.end(), {int32_t(&shape - p.shape), x, y});
  });
  auto rows = new_array<int32_t>(found.size() / 3, 3);
  std::copy(found.begin(), found.end(), rows.data());
  return rows;
}

// Counts the leaves at a depth, summed over all seven pieces at each ply. Lost boards have no children.
class Perft {
 public:
  // `go_on` is called regularly; once it returns false, the count is meaningless.
  Perft(const Rules& rules, const std::function<bool()>& go_on) : rules_(rules), go_on_(go_on) {}

  int64_t leaves(const Board& board, int depth) {
    constexpr int64_t ask_every = 1 << 10;  // boards
    goes_on_ = goes_on_ && (boards_++ % ask_every != 0 || go_on_());
    int64_t count = 0;
    for (const Piece& piece : rules_.piece) {
      if (!goes_on_) break;
      for_each_placement(rules_, board, piece, 0, [&](const Shape& shape, int x, int y) {
        if (depth == 1) {
          ++count;
          return;
        }
        if (!goes_on_ || loss_by_lock(rules_, shape, y) != Termination::running) return;
        Board next = board;
        lock_and_clear(rules_, next, shape, x, y);
        count += leaves(next, depth - 1);
      });
    }
    return count;
  }

 private:
  const Rules& rules_;
  const std::function<bool()>& go_on_;
  int64_t boards_ = 0;
  bool goes_on_ = true;
};

// The known pieces, without those after a script's end.
std::vector<int> known_pieces(const Game& game) {
  std::vector<int> known;
  for (int i = 0; i < game.pieces_known && game.known[i] != no_piece; ++i) known.push_back(game.known[i]);
  return known;
}

// A checked placement of the game's piece.
Placement known_placement(const PythonGame& g, int shape, int x, int y) {
  return to_placement(g.rules->rules, g.game.known[0], shape, x, y);
}

struct PythonHumanGame {
  const CompiledRules* rules;
  HumanGame human;
};

}  // namespace

void bind_game(nb::module_& m) {
  nb::enum_<Purpose>(m, "Purpose", "The purpose of a game's pieces; games of different purposes never share a stream.",
                     nb::is_arithmetic())
      .value("TEST", Purpose::test)
      .value("TRAINING", Purpose::training)
      .value("VALIDATION", Purpose::validation)
      .value("LEARNING", Purpose::learning);

  nb::enum_<Termination>(m, "Termination", "How a game ended.", nb::is_arithmetic())
      .value("RUNNING", Termination::running)
      .value("OVERFLOW", Termination::overflow, "The stack passed the height limit.")
      .value("BLOCK_OUT", Termination::block_out, "The next piece had no room to appear.")
      .value("LOCK_OUT", Termination::lock_out, "A piece locked wholly above the visible rows.")
      .value("PIECE_LIMIT", Termination::piece_limit, "The caller's limit, so the counts are lower bounds.")
      .value("SEQUENCE_END", Termination::sequence_end, "A scripted sequence ran out.")
      .value("INTERRUPTED", Termination::interrupted)
      .value("FORFEITED", Termination::forfeited, "The player gave no move.")
      .value("ESTIMATED", Termination::estimated, "The game was estimated, not played to its end.");

  nb::class_<PythonGame>(m, "Game", "A game between two placements.")
      .def(
          "__init__",
          [](PythonGame* self, const CompiledRules& rules, uint64_t seed, uint64_t number, int pieces_known,
             Purpose purpose, const Columns& columns) {
            if (pieces_known < 1 || pieces_known > max_known) throw std::invalid_argument("1 to 8 pieces are known");
            const Board board = to_board(rules.rules, columns);
            new (self) PythonGame{&rules, start_game(rules.rules, purpose, seed, number, pieces_known, board)};
          },
          nb::arg("rules"), nb::arg("seed"), nb::arg("number"), nb::arg("pieces_known"), nb::arg("purpose"),
          nb::arg("columns"), nb::keep_alive<1, 2>())
      .def_static(
          "at",
          [](const CompiledRules& rules, const Columns& columns, const std::vector<int>& dealt, int pieces_known,
             int64_t lines, uint64_t seed) {
            if (pieces_known < 1 || pieces_known > max_known || size_t(pieces_known) > dealt.size() || lines < 0)
              throw std::invalid_argument("1 to 8 pieces are known, the last of those dealt; lines are not negative");
            std::vector<uint8_t> pieces;
            for (int piece : dealt) pieces.push_back(uint8_t(to_piece(piece)));
            const Board board = to_board(rules.rules, columns);
            return PythonGame{
                &rules, game_at(rules.rules, board, pieces.data(), int64_t(pieces.size()), pieces_known, lines, seed)};
          },
          nb::arg("rules"), nb::arg("columns"), nb::arg("dealt"), nb::arg("pieces_known"), nb::arg("lines"),
          nb::arg("seed"), nb::keep_alive<0, 1>(),
          "Return a game that goes on from this board. `dealt` holds all pieces so far, the known ones last; the seed "
          "draws those to come.")
      .def_prop_ro(
          "columns", [](const PythonGame& g) { return from_board(g.rules->rules, g.game.board); }, nb::rv_policy::move)
      .def_prop_ro("known", [](const PythonGame& g) { return known_pieces(g.game); })
      .def_prop_ro(
          "law",
          [](const PythonGame& g) {
            std::vector<float> law(piece_kinds);
            next_law(g.game.generator, g.rules->rules, law.data());
            return law;
          },
          "The probability of each piece to come after the known ones, as far as a player can tell.")
      .def(
          "__copy__", [](const PythonGame& g) { return PythonGame(g); }, nb::keep_alive<0, 1>(),
          "Return an independent copy of the game, including the pieces to come.")
      .def_prop_ro("lines", [](const PythonGame& g) { return g.game.outcome.lines; })
      .def_prop_ro("pieces", [](const PythonGame& g) { return g.game.outcome.pieces; })
      .def_prop_ro("score", [](const PythonGame& g) { return g.game.outcome.score; })
      .def_prop_ro("level", [](const PythonGame& g) { return level(g.rules->rules, g.game); })
      .def_prop_ro("clears",
                   [](const PythonGame& g) {
                     return std::vector<int64_t>(g.game.outcome.clears, g.game.outcome.clears + cells_per_piece);
                   })
      .def_prop_ro("termination", [](const PythonGame& g) { return g.game.outcome.termination; })
      .def("placements",
           [](const PythonGame& g) {
             return placements_of(g.rules->rules, g.game.board, g.game.known[0], g.game.outcome.lines);
           })
      .def_prop_ro(
          "held",
          [](const PythonGame& g) { return g.held == no_piece ? std::optional<int>() : std::optional<int>(g.held); })
      .def(
          "hold",
          [](PythonGame& g) {
            const Rules& rules = g.rules->rules;
            if (!rules.hold) throw std::invalid_argument("these rules have no hold queue");
            running(g);
            hold_piece(rules, g.game, g.held);
          },
          "Put the piece into the hold queue, and take out the one that is there or else the next piece.")
      .def(
          "forfeit",
          [](PythonGame& g) {
            running(g);
            g.game.outcome.termination = Termination::forfeited;
          },
          "End the game because the player gave no move.")
      .def(
          "play",
          [](PythonGame& g, int shape, int x, int y) {
            const Placement placement = known_placement(g, shape, x, y);
            if (!can_play(g.rules->rules, g.game, placement))
              throw std::invalid_argument("the piece cannot come to rest there");
            play_unchecked(g.rules->rules, g.game, placement);
          },
          nb::arg("shape"), nb::arg("x"), nb::arg("y"), "Place the piece. Raises ValueError if it cannot rest there.")
      .def(
          "play_unchecked",
          [](PythonGame& g, int shape, int x, int y) {
            play_unchecked(g.rules->rules, g.game, known_placement(g, shape, x, y));
          },
          nb::arg("shape"), nb::arg("x"), nb::arg("y"),
          "Place the piece at a placement known to be possible: from `placements`, or chosen by an agent.");

  nb::class_<PythonHumanGame>(m, "HumanGame", "The game as a person plays it, frame by frame.")
      .def(
          "__init__",
          [](PythonHumanGame* self, const CompiledRules& rules, uint64_t seed, int shift_delay, int shift_repeat,
             const Columns& columns) {
            if (shift_delay < 0 || shift_repeat < 0) throw std::invalid_argument("frames are not negative");
            const Board board = to_board(rules.rules, columns);
            new (self) PythonHumanGame{&rules, start_human_game(rules.rules, seed, {shift_delay, shift_repeat}, board)};
          },
          nb::arg("rules"), nb::arg("seed"), nb::arg("shift_delay"), nb::arg("shift_repeat"), nb::arg("columns"),
          nb::keep_alive<1, 2>())
      .def(
          "step", [](PythonHumanGame& g, uint8_t keys) { step(g.rules->rules, g.human, keys); }, nb::arg("keys"),
          "Advance one frame with these keys held.")
      .def_prop_ro(
          "columns", [](const PythonHumanGame& g) { return from_board(g.rules->rules, g.human.game.board); },
          nb::rv_policy::move)
      .def_prop_ro("known", [](const PythonHumanGame& g) { return known_pieces(g.human.game); })
      .def_prop_ro("held",
                   [](const PythonHumanGame& g) {
                     return g.human.swapped == no_piece ? std::optional<int>() : std::optional<int>(g.human.swapped);
                   })
      .def_prop_ro(
          "falling",
          [](const PythonHumanGame& g) {
            const HumanGame& h = g.human;
            if (h.game.known[0] == no_piece) throw std::invalid_argument("no piece falls after a script's last one");
            return std::tuple<int, int, int, int>(h.state, falling(g.rules->rules, h).state[h.state].shape, h.x, h.y);
          },
          "The (state, shape, x, y) of the falling piece; there is none after a script's end.")
      .def_prop_ro(
          "locked",
          [](const PythonHumanGame& g) -> std::optional<std::tuple<int, int, int, int>> {
            const Placement& last = g.human.locked;
            if (last.piece == no_piece) return std::nullopt;
            return std::tuple<int, int, int, int>(last.piece, last.shape, last.x, last.y);
          },
          "The (piece, shape, x, y) of the last locked piece, before rows were removed.")
      .def_prop_ro("frame", [](const PythonHumanGame& g) { return g.human.frame; })
      .def_prop_ro("lines", [](const PythonHumanGame& g) { return g.human.game.outcome.lines; })
      .def_prop_ro("pieces", [](const PythonHumanGame& g) { return g.human.game.outcome.pieces; })
      .def_prop_ro("score", [](const PythonHumanGame& g) { return g.human.game.outcome.score; })
      .def_prop_ro("level", [](const PythonHumanGame& g) { return level(g.rules->rules, g.human.game); })
      .def_prop_ro("termination", [](const PythonHumanGame& g) { return g.human.game.outcome.termination; });

  m.def(
      "placements",
      [](const CompiledRules& r, const Columns& columns, int piece, int64_t lines) {
        return placements_of(r.rules, to_board(r.rules, columns), piece, lines);
      },
      nb::arg("rules"), nb::arg("columns"), nb::arg("piece"), nb::arg("lines") = 0,
      "Return the placements as rows of (shape, x, y), in the order that breaks ties.");

  m.def(
      "lock",
      [](const CompiledRules& r, const Columns& columns, int piece, int shape, int x, int y) {
        const Placement p = to_placement(r.rules, piece, shape, x, y);
        const Shape& s = r.rules.piece[p.piece].shape[p.shape];
        Board board = to_board(r.rules, columns);
        const Termination end = loss_by_lock(r.rules, s, y);
        int lines = 0;
        if (end == Termination::running) lines = bit_count(lock_and_clear(r.rules, board, s, x, y));
        return std::tuple(from_board(r.rules, board), lines, end);
      },
      nb::arg("rules"), nb::arg("columns"), nb::arg("piece"), nb::arg("shape"), nb::arg("x"), nb::arg("y"),
      "Return the board after a placement, the lines removed, and how it ended the game, if it did.");

  m.def(
      "shortest_keys",
      [](const CompiledRules& r, const Columns& columns, int piece, int shape, int x, int y, int64_t lines) {
        to_placement(r.rules, piece, shape, x, y);
        const Board board = to_board(r.rules, columns);
        return KeySearch(r.rules, board, r.rules.piece[piece], lines).to(shape, x, y);
      },
      nb::arg("rules"), nb::arg("columns"), nb::arg("piece"), nb::arg("shape"), nb::arg("x"), nb::arg("y"),
      nb::arg("lines") = 0, "Return the fewest keys that lock the piece there; empty if there are none.");

  m.def(
      "spins",
      [](const CompiledRules& r, const Columns& columns) {
        std::vector<int32_t> found;
        for (const SpinPlacement& one : find_spins(r.rules, to_board(r.rules, columns)))
          found.insert(found.end(), {one.shape, one.x, one.y, int32_t(one.spin)});
        auto rows = new_array<int32_t>(found.size() / 4, 4);
        std::copy(found.begin(), found.end(), rows.data());
        return rows;
      },
      nb::arg("rules"), nb::arg("columns"),
      "Return the placements of T that end with a turn and are spins by the corner rule: rows of (shape, x, y, spin), "
      "where 1 is a mini spin and 2 a full one. A placement may be listed as both.");

  m.def(
      "perft",
      [](const CompiledRules& r, const Columns& columns, int depth) {
        if (depth < 1 || depth > 100) throw std::invalid_argument("a depth is 1 to 100");
        const Board board = to_board(r.rules, columns);
        int64_t leaves = 0;
        Watch watch(OnInterrupt::raise, [] {});
        watch.run_unlocked([&](const auto& poll) { leaves = Perft(r.rules, poll).leaves(board, depth); });
        return leaves;
      },
      nb::arg("rules"), nb::arg("columns"), nb::arg("depth"),
      "Count the placement sequences of this depth, summed over all seven pieces at each ply.");

  m.def(
      "deal",
      [](const CompiledRules& r, uint64_t seed, uint64_t number, int64_t count, Purpose purpose) {
        constexpr int64_t most = 1'000'000'000, poll_every = 1 << 12;
        if (count < 0 || count > most) throw std::invalid_argument("a count is 0 to 1000000000");
        auto pieces = new_array<uint8_t>(count);
        Generator generator = make_generator(r.rules, purpose, seed, number);
        Watch watch(OnInterrupt::raise, [] {});
        watch.run_unlocked([&](const auto& poll) {
          for (int64_t i = 0; i < count && (i % poll_every != 0 || poll()); ++i) {
            pass_frames(generator, r.rules, r.rules.frames_per_piece);
            pieces.data()[i] = scalar::deal(generator, r.rules);
          }
        });
        return pieces;
      },
      nb::arg("rules"), nb::arg("seed"), nb::arg("number"), nb::arg("count"), nb::arg("purpose") = Purpose::test,
      "Return the first pieces of a game; 255 after a script's end.");
}

}  // namespace blockfall::bindings
