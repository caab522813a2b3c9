#include "blockfall/learning/seats.hpp"

#include "bindings.hpp"

namespace blockfall::bindings {
namespace {

using namespace scalar;

using Choices = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr size_t max_seats = 1 << 20;

// Python's seats keep their rules alive, and the placements of the latest successors.
struct PythonSeats {
  const CompiledRules* rules;
  SeatSettings settings;
  std::vector<Seat> seats;
  std::vector<int64_t> first;       // the index of each seat's first successor, and the end
  std::vector<uint32_t> placement;  // of every successor
  std::vector<uint8_t> piece;
};

Arrays successors_of(PythonSeats& s) {
  const Rules& rules = s.rules->rules;
  const size_t n = s.seats.size();
  s.first.assign(n + 1, 0);
  for (size_t i = 0; i < n; ++i) s.first[i + 1] = s.first[i] + count_successors(rules, s.seats[i]);
  const auto count = size_t(s.first[n]);
  s.placement.resize(count), s.piece.resize(count);
  auto rows = new_array<uint16_t>(count, rules.rows);
  auto seat = new_array<int32_t>(count);
  auto lines = new_array<uint8_t>(count), room = new_array<uint8_t>(count), piece = new_array<uint8_t>(count);
  const Successors out{rows.data(), seat.data(), s.placement.data(), s.piece.data(), lines.data(), room.data()};
  for (size_t i = 0; i < n; ++i) write_successors(rules, s.seats[i], int32_t(i), s.first[i], out);
  std::copy(s.piece.begin(), s.piece.end(), piece.data());
  Arrays arrays;
  arrays["rows"] = rows, arrays["seat"] = seat, arrays["lines"] = lines, arrays["room"] = room;
  arrays["piece"] = piece;
  return arrays;
}

Arrays play_all(PythonSeats& s, const Choices& choices) {
  const size_t n = s.seats.size();
  if (choices.shape(0) != n) throw std::invalid_argument("a choice for each seat");
  if (s.first.size() != n + 1) throw std::invalid_argument("ask for the successors first");
  for (size_t i = 0; i < n; ++i) {
    const int64_t choice = choices(i);
    if (choice == -1) continue;  // every placement loses
    if (choice < s.first[i] || choice >= s.first[i + 1] || s.piece[size_t(choice)] != s.seats[i].game.known[0])
      throw std::invalid_argument("a choice that is not among the seat's successors of the piece in hand");
  }
  auto lines = new_array<int32_t>(n);
  auto over = new_array<bool>(n);
  auto total = new_array<int64_t>(n);
  for (size_t i = 0; i < n; ++i) {
    const int64_t choice = choices(i);
    const Progress done =
        play_seat(s.rules->rules, s.settings, s.seats[i], choice >= 0, choice >= 0 ? s.placement[size_t(choice)] : 0);
    lines.data()[i] = done.lines, over.data()[i] = done.over != 0, total.data()[i] = done.total;
  }
  s.first.clear();
  Arrays arrays;
  arrays["lines"] = lines, arrays["over"] = over, arrays["total"] = total;
  return arrays;
}

nb::ndarray<nb::numpy, uint8_t> state_of(const PythonSeats& s) {
  auto bytes = new_array<uint8_t>(s.seats.size(), sizeof(Seat));
  std::memcpy(bytes.data(), s.seats.data(), s.seats.size() * sizeof(Seat));
  return bytes;
}

void set_state(PythonSeats& s, const Bytes& bytes) {
  if (bytes.shape(0) != s.seats.size() || bytes.shape(1) != sizeof(Seat))
    throw std::invalid_argument("seats of another number, or of another version");
  std::vector<Seat> seats(s.seats.size());
  std::memcpy(static_cast<void*>(seats.data()), bytes.data(), seats.size() * sizeof(Seat));
  for (const Seat& seat : seats)
    if (!is_playable(s.rules->rules, s.settings, seat)) throw std::invalid_argument("a seat that cannot be played");
  s.seats = std::move(seats);
  s.first.clear();
}

}  // namespace

void bind_seats(nb::module_& m) {
  nb::class_<PythonSeats>(m, "Seats", "Many games from which a board network learns.")
      .def(
          "__init__",
          [](PythonSeats* self, const CompiledRules& rules, size_t seats, uint64_t seed, uint64_t first_number,
             int pieces_known) {
            if (seats < 1 || seats > max_seats) throw std::invalid_argument("1 to 1048576 seats");
            if (pieces_known < 1 || pieces_known > 2) throw std::invalid_argument("1 or 2 pieces are known");
            const SeatSettings settings{seed, seats, first_number, pieces_known};
            new (self) PythonSeats{&rules, settings, std::vector<Seat>(seats), {}, {}, {}};
            for (size_t i = 0; i < seats; ++i) start_seat(rules.rules, settings, first_number + i, self->seats[i]);
          },
          nb::arg("rules"), nb::arg("seats"), nb::arg("seed"), nb::arg("first_number"), nb::arg("pieces_known"),
          nb::keep_alive<1, 2>())
      .def("successors", &successors_of, "Return the boards after every placement of each seat.")
      .def("play", &play_all, nb::arg("choices"),
           "Play one successor of each seat; -1 for a seat without any. A game that is over starts anew.")
      .def_prop_ro(
          "rows",
          [](const PythonSeats& s) {
            const Rules& rules = s.rules->rules;
            return rows_of<uint16_t>(s.seats.size(), size_t(rules.rows),
                                     [&](size_t i, uint16_t* row) { write_rows(rules, s.seats[i].game.board, row); });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "known",
          [](const PythonSeats& s) {
            const auto known = size_t(s.settings.pieces_known);
            return rows_of<uint8_t>(s.seats.size(), known,
                                    [&](size_t i, uint8_t* row) { std::memcpy(row, s.seats[i].game.known, known); });
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "law",
          [](const PythonSeats& s) {
            return rows_of<float>(s.seats.size(), piece_kinds, [&](size_t i, float* row) {
              std::memcpy(row, s.seats[i].law, sizeof s.seats[i].law);
            });
          },
          nb::rv_policy::move)
      .def("state", &state_of, "Return the seats as bytes, for a checkpoint.")
      .def("set_state", &set_state, nb::arg("state"), "Restore a checkpoint.");
}

}  // namespace blockfall::bindings
