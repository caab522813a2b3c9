// Helpers shared by the binding files.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "blockfall/description.hpp"
#include "blockfall/dispatch.hpp"

namespace nb = nanobind;

namespace blockfall::bindings {

// A board in Python: one unsigned word per column, bit 0 is the floor row.
using Columns = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class... Dimensions>
nb::ndarray<nb::numpy, T> new_array(Dimensions... dimensions) {
  size_t shape[] = {size_t(dimensions)...};
  size_t count = 1;
  for (size_t n : shape) count *= n;
  T* data = new T[count ? count : 1]();
  return nb::ndarray<nb::numpy, T>(data, sizeof...(Dimensions), shape,
                                   nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); }));
}

// An array with a row for each of `count` games; fill(i, row) writes one.
template <class T, class Fill>
nb::ndarray<nb::numpy, T> rows_of(size_t count, size_t width, const Fill& fill) {
  auto rows = new_array<T>(count, width);
  for (size_t i = 0; i < count; ++i) fill(i, rows.data() + i * width);
  return rows;
}

inline Board to_board(const Rules& rules, const Columns& columns) {
  if (columns.shape(0) != size_t(rules.columns))
    throw std::invalid_argument("a board of " + std::to_string(columns.shape(0)) + " columns where the rules have " +
                                std::to_string(rules.columns));
  Board board{};
  for (int i = 0; i < rules.columns; ++i) {
    board.column[i] = columns(size_t(i));
    if (board.column[i] & ~scalar::rows_mask(rules.rows))
      throw std::invalid_argument("a filled cell above the top row");
  }
  return board;
}

inline nb::ndarray<nb::numpy, uint32_t> from_board(const Rules& rules, const Board& board) {
  auto columns = new_array<uint32_t>(rules.columns);
  std::memcpy(columns.data(), board.column, sizeof(uint32_t) * size_t(rules.columns));
  return columns;
}

inline int to_piece(int piece) {
  if (piece < 0 || piece >= piece_kinds) throw std::invalid_argument("a piece is 0 to 6");
  return piece;
}

inline Placement to_placement(const Rules& rules, int piece, int shape, int x, int y) {
  const Piece& p = rules.piece[to_piece(piece)];
  if (shape < 0 || shape >= p.shapes || x < 0 || x > rules.columns - p.shape[shape].width || y < 0 || y > rules.rows)
    throw std::invalid_argument("no such placement of this piece");
  return {uint8_t(piece), uint8_t(shape), uint8_t(x), uint8_t(y)};
}

// Python's game keeps its rules alive.
struct PythonGame {
  const CompiledRules* rules;
  Game game;
  uint8_t held = no_piece;  // in the hold queue
};

// A game with a piece to place. A script may have run out.
inline const Game& running(const PythonGame& g) {
  if (g.game.outcome.termination != Termination::running) throw std::invalid_argument("the game is over");
  return g.game;
}

// An agent, its value's numbers, and the flag for a user's feature that gives no finite number.
struct PythonAgent {
  Agent agent;
  std::vector<float> parameters;
  int32_t failed = 0;
};

// Checks that a board network plays boards of its own size, and knows the next piece if it values that.
void check_fits(const Rules& rules, const Agent& agent, int pieces_known);

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

// One array per count.
inline Arrays to_arrays(const std::vector<Outcome>& outcomes) {
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

// The effect of a user's interrupt on long work: it is raised, or it only ends the work, which keeps its results.
enum class OnInterrupt { raise, end };

// Watches Python while the core works: called regularly, it reports progress and checks for signals. It returns false
// once the work should end. `rethrow` passes on what was raised on the way.
class Watch {
 public:
  Watch(OnInterrupt on_interrupt, std::function<void()> report)
      : on_interrupt_(on_interrupt), report_(std::move(report)) {}

  bool operator()() {
    if (raised_) return false;
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      report_();
    } catch (const nb::python_error& error) {
      if (on_interrupt_ == OnInterrupt::raise || !error.matches(PyExc_KeyboardInterrupt))
        raised_ = std::current_exception();
      return false;
    } catch (...) {
      raised_ = std::current_exception();
      return false;
    }
    return true;
  }

  // Runs work(watch) without Python's lock, then raises what was raised meanwhile.
  template <class Work>
  void run_unlocked(const Work& work) {
    {
      const nb::gil_scoped_release release;
      work(std::ref(*this));
    }
    rethrow();
  }

  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  const OnInterrupt on_interrupt_;
  const std::function<void()> report_;
  std::exception_ptr raised_;
};

// Checks the numbers and returns a batch of one candidate.
Batch to_batch(Purpose purpose, uint64_t seed, int64_t first_game, int64_t games, int64_t max_pieces, int threads);

// Runs play(poll) for the batch, reports its progress, and returns its outcomes and whether the user interrupted it.
Arrays play_watched(Batch& batch, const nb::object& progress,
                    const std::function<void(const std::function<bool()>&)>& play);

// The kernels of this name, or those in use if none are named.
inline const Kernels& kernels_of(const std::optional<std::string>& simd) {
  return simd ? kernels_named(*simd) : kernels_in_use();
}

void bind_sizes(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_game(nb::module_& m);
void bind_play(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_search(nb::module_& m);
void bind_learning(nb::module_& m);
void bind_seats(nb::module_& m);
void bind_versus(nb::module_& m);
void bind_board_network(nb::module_& m);

}  // namespace blockfall::bindings
