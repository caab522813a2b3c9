// Games on a GPU. Compiled at run time (src/blockfall/compute/cuda/backend.py) for one rule set and agent:
//
//     BLOCKFALL_COLUMNS    the board's width
//     BLOCKFALL_DROPS      whether pieces drop straight down
//     BLOCKFALL_STATES     the most rotation states of a piece
//     BLOCKFALL_PIECES     how many pieces the agent knows: 1 or 2
//     BLOCKFALL_SEQUENCES  how many of the best sequences its look-ahead values; undefined without look-ahead
//     BLOCKFALL_VALUE      the policy of its value: FixedFeatures<...>, SomeFeatures<...>, FixedNetwork<...> or Table
//     BLOCKFALL_THREADS    how many threads share a game; undefined if each thread has its own
//
// Games are played in slices of pieces, so that the host sees progress and can stop. Between two slices, a game stays
// in a seat in the device's memory. A seat whose game is over takes the next game, until none are left.
#include "blockfall/player.hpp"
#include "blockfall/value/fixed_features.hpp"
#include "seating.hpp"

namespace blockfall::cuda {

using Value = BLOCKFALL_VALUE;
#if defined(BLOCKFALL_SEQUENCES)
using AnyPlayer = Player<LookAhead<Value>>;
#else
using AnyPlayer = Player<BestSequence<Value>>;
#endif

// Adds once for all threads of a game, and returns the earlier count to all of them.
inline int64_t add_once(int64_t& count, int64_t more) {
  int64_t before = 0;
  if (thread_of_game() == 0) before = add_atomically(count, more);
  return said_by(0, before);
}

// Begins the seat's game at a later piece, as if its board were empty at that point. The generator must draw once for
// every piece.
inline void begin_at(const Played& played, Seat& seat, int64_t piece) {
  begin(played, seat);
  Game& game = seat.game;
  Generator& generator = game.generator;
  generator.stream = make_stream(played.purpose, played.seed, game_number(played, seat));
  const uint64_t blocks = uint64_t(piece) / 4;  // of four draws each, numbered as in `draw`
  generator.stream.counter[0] = uint32_t(blocks);
  generator.stream.counter[1] += uint32_t(blocks >> 32) << 16;
  for (int64_t i = 0; i < piece % 4; ++i) draw(generator.stream);
  generator.dealt = piece;
  for (int i = 0; i < game.pieces_known; ++i) game.known[i] = deal(generator, played.rules);
}

// Seats parts of games (relay.py): each the game with this number, from this piece on. If the piece is negative, the
// seat keeps its game and only takes the number. A seat whose part is over stays empty.
extern "C" __global__ void seat_parts(Played* played, int64_t seats, const int64_t* number, const int64_t* piece,
                                      Seat* seat, int32_t* list) {
  const int64_t place = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place == 0) played->begun = played->count, played->seats = seats;
  if (place >= seats) return;
  seat[place].number = number[place];
  if (piece[place] >= 0) begin_at(*played, seat[place], piece[place]);
  list[place] = int32_t(place);
}

// Plays this many pieces in each listed seat. The seats that still have a game go into the next list, without gaps,
// because the threads of a warp whose games are over would only wait for the others. Eight blocks of 128 threads on a
// processor leave each thread 64 registers; more registers for fewer threads are slower if a value has many features.
extern "C" __global__ void __launch_bounds__(128, 8)
    play_slice(Played* played, int pieces, Seat* seat, const int32_t* list, int64_t listed, int32_t* next_list,
               int64_t* outcomes) {
  const int64_t place = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / threads_per_game;
  const int32_t at = seat_at(list, listed, place);
  if (at == no_seat) return;
  const Rules& rules = played->rules;
  Seat mine = seat[at];
  Outcome& outcome = mine.game.outcome;
  int64_t placed = 0, over = 0;
  for (;;) {
    Agent agent = played->agent;
    agent.value.parameters = played->parameters + mine.number / played->games * Value::parameters(agent.value);
    AnyPlayer player(rules, agent);
    for (; placed < pieces && outcome.termination == Termination::running; ++placed) {
      if (played->max_pieces && outcome.pieces == played->max_pieces) {
        outcome.termination = Termination::piece_limit;
        break;
      }
      const Placement placement = player.choose(mine.game);
      outcome.placements += player.placements();
      play_unchecked(rules, mine.game, placement);
    }
    if (outcome.termination == Termination::running) break;
    if (thread_of_game() == 0) write(*played, mine, outcomes);
    ++over;
    mine.number = add_once(played->begun, 1);
    if (mine.number >= played->count) break;
    begin(*played, mine);
  }
  if (thread_of_game() == 0) {
    add_atomically(played->pieces, placed);
    add_atomically(played->over, over);
    seat[at] = mine;
  }
  if (mine.number >= played->count) return;
  const int64_t next = add_once(played->seats, 1);
  if (thread_of_game() == 0) next_list[next] = at;
}

}  // namespace blockfall::cuda
