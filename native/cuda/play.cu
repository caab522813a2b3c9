// Games on a GPU. Compiled at run time (src/blockfall/compute/cuda/backend.py) for one rule set and agent:
//
//     BLOCKFALL_COLUMNS    the board's width
//     BLOCKFALL_DROPS      whether pieces drop straight down
//     BLOCKFALL_PIECES     how many pieces the agent knows: 1 or 2
//     BLOCKFALL_SEQUENCES  how many of the best sequences its look-ahead values; not defined where it has none
//     BLOCKFALL_VALUE      the policy of its value: FixedFeatures<...>, FixedNetwork<...> or Table
//     BLOCKFALL_WARP       defined where 32 threads share a game, and not where each thread has its own
//
// Games are played in slices of pieces, so that the host sees progress and can stop. Between two slices a game stands
// in a seat in the device's memory. A seat whose game is over takes the next game that nobody has begun, until none is
// left.
#include "blockfall/atomics.hpp"
#include "blockfall/player.hpp"
#include "blockfall/value/fixed_features.hpp"
#include "device.hpp"

namespace blockfall::cuda {

static_assert(sizeof(Agent) == BLOCKFALL_AGENT_BYTES, "the host's compiler lays out this struct in another way");

using Value = BLOCKFALL_VALUE;
#if defined(BLOCKFALL_SEQUENCES)
using AnyPlayer = Player<LookAhead<Value>>;
#else
using AnyPlayer = Player<BestSequence<Value>>;
#endif

// What is played: candidate c of a population plays the games c * games and after.
struct Played {
  Rules rules;
  Agent agent;
  const float* parameters;  // of candidate c from c * Value::parameters
  Purpose purpose;
  uint64_t seed;
  int64_t first_game, games;  // of each candidate
  int64_t max_pieces;         // 0 for no limit
  int64_t count;              // games of all candidates
  // Counts that all threads add to.
  int64_t begun, over, pieces;
  int64_t seats;  // with a game for the next slice
};

struct Seat {
  Game game;
  int64_t number;
};

extern "C" __global__ void find_sizes(int64_t* sizes) { sizes[0] = sizeof(Played), sizes[1] = sizeof(Seat); }

// The pointers inside the host's images are the device's own.
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

inline void begin(const Played& played, Seat& seat) {
  seat.game = start_game(played.rules, played.purpose, played.seed,
                         uint64_t(played.first_game + seat.number % played.games), played.agent.pieces_known);
}

// Gives so many seats their first games and lists the seats.
extern "C" __global__ void take_seats(Played* played, int64_t seats, Seat* seat, int32_t* list) {
  const int64_t place = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place == 0) played->begun = played->seats = seats;
  if (place >= seats) return;
  seat[place].number = place;
  begin(*played, seat[place]);
  list[place] = int32_t(place);
}

// Goes on with games that were kept: so many had begun, so many were over.
extern "C" __global__ void go_on(Played* played, int64_t begun, int64_t over, int64_t pieces) {
  if (blockIdx.x || threadIdx.x) return;
  played->begun = begun, played->over = over, played->pieces = pieces;
}

// The counts of a game: rows of lines, pieces, placements, score, clears of 1 to 4, termination.
inline void write(const Played& played, const Seat& seat, int64_t* out) {
  const Outcome& outcome = seat.game.outcome;
  out += seat.number;
  const int64_t counts[] = {outcome.lines, outcome.pieces, outcome.placements, outcome.score};
  for (int64_t count : counts) *out = count, out += played.count;
  for (int64_t clears : outcome.clears) *out = clears, out += played.count;
  *out = int64_t(outcome.termination);
}

// Adds in the name of all threads of a game, and tells all of them what was there before.
inline int64_t add_once(int64_t& count, int64_t more) {
  int64_t before = 0;
  if (thread_of_game() == 0) before = add_atomically(count, more);
#if defined(BLOCKFALL_WARP)
  before = __shfl_sync(~0u, before, 0);
#endif
  return before;
}

// Plays so many pieces in each of the seats that are listed. Those that still have a game are listed for the next
// slice.
extern "C" __global__ void play_slice(Played* played, int pieces, Seat* seat, const int32_t* list, int64_t listed,
                                      int32_t* next_list, int64_t* outcomes) {
  const int64_t place = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / threads_per_game;
  if (place >= listed) return;
  const Rules& rules = played->rules;
  Seat mine = seat[list[place]];
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
    seat[list[place]] = mine;
  }
  if (mine.number >= played->count) return;
  const int64_t next = add_once(played->seats, 1);
  if (thread_of_game() == 0) next_list[next] = list[place];
}

// Before a slice: nobody has a seat in the next one yet.
extern "C" __global__ void clear_seats(Played* played) { played->seats = 0; }

// What the host looks at between two slices.
extern "C" __global__ void look(const Played* played, int64_t* counts) {
  counts[0] = played->seats, counts[1] = played->over, counts[2] = played->pieces, counts[3] = played->begun;
}

// Writes the counts of games that are not over.
extern "C" __global__ void write_running(const Played* played, const Seat* seat, const int32_t* list, int64_t listed,
                                         int64_t* outcomes) {
  const int64_t place = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place < listed) write(*played, seat[list[place]], outcomes);
}

}  // namespace blockfall::cuda
