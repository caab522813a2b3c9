// The seats of games, which stay in a GPU's memory between two slices: shared by all programs that play.
#pragma once

#include "blockfall/agent.hpp"
#include "blockfall/atomics.hpp"
#include "blockfall/game.hpp"
#include "device.hpp"

namespace blockfall::cuda {

static_assert(sizeof(Agent) == BLOCKFALL_AGENT_BYTES, "the host's compiler lays out this struct in another way");

// The games to play: candidate c of a population plays those from number c * games on.
struct Played {
  Rules rules;
  Agent agent;
  const float* parameters;  // of candidate c from c * Value::parameters; null for an agent without parameters
  Purpose purpose;
  uint64_t seed;
  int64_t first_game, games;  // of each candidate
  int64_t max_pieces;         // 0 for no limit
  int64_t count;              // games of all candidates
  // Counts to which all threads add.
  int64_t begun, over, pieces;
  int64_t seats;  // with a game in the next slice
};

struct Seat {
  Game game;
  int64_t number;
};

inline constexpr int32_t no_seat = -1;  // marks the end of a list that is shorter than the one before

// The seat at a place of a list with this many places.
inline int32_t seat_at(const int32_t* list, int64_t listed, int64_t place) {
  return place < listed ? list[place] : no_seat;
}

extern "C" __global__ void find_sizes(int64_t* sizes) { sizes[0] = sizeof(Played), sizes[1] = sizeof(Seat); }

// Sets the pointers that the host's images lack.
extern "C" __global__ void prepare(Played* played, const Rules* rules, const uint8_t* script, const Agent* agent,
                                   const float* parameters, int purpose, uint64_t seed, int64_t first_game,
                                   int64_t games, int64_t max_pieces, int64_t count) {
  if (blockIdx.x || threadIdx.x) return;
  played->rules = *rules;
  played->rules.script = script;
  played->agent = *agent;
  played->parameters = parameters;
  played->purpose = Purpose(purpose), played->seed = seed;
  played->first_game = first_game, played->games = games, played->max_pieces = max_pieces, played->count = count;
  played->begun = played->over = played->pieces = played->seats = 0;
}

// The game number from which the seat's pieces are drawn.
inline uint64_t game_number(const Played& played, const Seat& seat) {
  return uint64_t(played.first_game + seat.number % played.games);
}

inline void begin(const Played& played, Seat& seat) {
  seat.game =
      start_game(played.rules, played.purpose, played.seed, game_number(played, seat), played.agent.pieces_known);
}

// Gives this many seats their first games and lists them.
extern "C" __global__ void take_seats(Played* played, int64_t seats, Seat* seat, int32_t* list) {
  const int64_t place = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place == 0) played->begun = played->seats = seats;
  if (place >= seats) return;
  seat[place].number = place;
  begin(*played, seat[place]);
  list[place] = int32_t(place);
}

// Writes the counts of a game, in rows: lines, pieces, placements, score, clears of 1 to 4, termination.
inline void write(const Played& played, const Seat& seat, int64_t* out) {
  const Outcome& outcome = seat.game.outcome;
  out += seat.number;
  const int64_t counts[] = {outcome.lines, outcome.pieces, outcome.placements, outcome.score};
  for (int64_t count : counts) *out = count, out += played.count;
  for (int64_t clears : outcome.clears) *out = clears, out += played.count;
  *out = int64_t(outcome.termination);
}

// Empties the next list before seats are listed again.
extern "C" __global__ void clear_list(Played* played, int64_t listed, int32_t* next_list) {
  const int64_t place = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place == 0) played->seats = 0;
  if (place < listed) next_list[place] = no_seat;
}

// The counts that the host reads between two slices.
extern "C" __global__ void look(const Played* played, int64_t* counts) {
  counts[0] = played->seats, counts[1] = played->over, counts[2] = played->pieces, counts[3] = played->begun;
}

// Writes the counts of games that are not over.
extern "C" __global__ void write_running(const Played* played, const Seat* seat, const int32_t* list, int64_t listed,
                                         int64_t* outcomes) {
  const int64_t place = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const int32_t at = seat_at(list, listed, place);
  if (at != no_seat) write(*played, seat[at], outcomes);
}

}  // namespace blockfall::cuda
