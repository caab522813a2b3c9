// The games from which a board network learns on a GPU, one thread per seat. Compiled at run time
// (src/blockfall/learning/board_network/cuda_seats.py) for one rule set.
#include "blockfall/learning/seats.hpp"
#include "device.hpp"

namespace blockfall::cuda {

inline int64_t thread_number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

extern "C" __global__ void find_seat_bytes(int64_t* bytes) { *bytes = sizeof(Seat); }

extern "C" __global__ void start_seats(const Rules* rules, const SeatSettings* settings, Seat* seats) {
  const int64_t i = thread_number();
  if (i < int64_t(settings->seats)) start_seat(*rules, *settings, settings->first_number + uint64_t(i), seats[i]);
}

extern "C" __global__ void read_seats(const Rules* rules, const SeatSettings* settings, const Seat* seats,
                                      uint16_t* rows, uint8_t* known, float* law) {
  const int64_t i = thread_number();
  if (i >= int64_t(settings->seats)) return;
  write_rows(*rules, seats[i].game.board, rows + i * rules->rows);
  for (int k = 0; k < settings->pieces_known; ++k) known[i * settings->pieces_known + k] = seats[i].game.known[k];
  for (int k = 0; k < piece_kinds; ++k) law[i * piece_kinds + k] = seats[i].law[k];
}

extern "C" __global__ void count_seat_successors(const Rules* rules, const SeatSettings* settings, const Seat* seats,
                                                 int32_t* count) {
  const int64_t i = thread_number();
  if (i < int64_t(settings->seats)) count[i] = count_successors(*rules, seats[i]);
}

extern "C" __global__ void write_seat_successors(const Rules* rules, const SeatSettings* settings, const Seat* seats,
                                                 const int64_t* first, uint16_t* rows, int32_t* seat,
                                                 uint32_t* placement, uint8_t* piece, uint8_t* lines, uint8_t* room) {
  const int64_t i = thread_number();
  if (i >= int64_t(settings->seats)) return;
  write_successors(*rules, seats[i], int32_t(i), first[i], {rows, seat, placement, piece, lines, room});
}

extern "C" __global__ void play_seats(const Rules* rules, const SeatSettings* settings, Seat* seats,
                                      const int64_t* choice, const uint32_t* placement, uint8_t* over, int64_t* total) {
  const int64_t i = thread_number();
  if (i >= int64_t(settings->seats)) return;
  const bool found = choice[i] >= 0;
  const Progress done = play_seat(*rules, *settings, seats[i], found, found ? placement[choice[i]] : 0);
  over[i] = uint8_t(done.over), total[i] = done.total;
}

}  // namespace blockfall::cuda
