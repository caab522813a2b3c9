// Games by board networks on a GPU. Compiled at run time (src/blockfall/compute/cuda/network_seating.py) for one rule
// set and one network:
//
//     BLOCKFALL_COLUMNS, ROWS, CHANNELS, KERNEL, BLOCKS, HIDDEN, OUTPUTS   of the network; channels and hidden neurons
//                                                                          are rounded up to multiples of 32
//     BLOCKFALL_VALUE_BITS   a line is worth 2 to this power
//     BLOCKFALL_MIRROR       whether values are means over a board and its mirror image
//     BLOCKFALL_DROPS        whether pieces drop straight down
//     BLOCKFALL_STATES       the most rotation states of a piece
//     BLOCKFALL_PIECES       how many pieces the agent knows: 1 or 2
//     BLOCKFALL_PLIES        1 or 2
//     BLOCKFALL_BOARDS       boards that a crew of threads values at once
//     BLOCKFALL_BLOCK        the threads of a block
//
// Every step places a piece in every game. First the boards after all placements are listed, then they are all valued
// together, then each game takes its best placement. With two plies, the valued boards are those after the next piece,
// and a `Parent` is a board in between. The arithmetic is that of plies.hpp and value/board_network.hpp.
#include "blockfall/sequences.hpp"
#include "blockfall/value/mirror.hpp"
#include "blockfall/weighing.hpp"
#include "seating.hpp"

namespace blockfall::cuda {

constexpr int columns = BLOCKFALL_COLUMNS, rows = BLOCKFALL_ROWS, channels = BLOCKFALL_CHANNELS;
constexpr int kernel = BLOCKFALL_KERNEL, reach = kernel / 2, blocks = BLOCKFALL_BLOCKS, hidden = BLOCKFALL_HIDDEN;
constexpr int outputs = BLOCKFALL_OUTPUTS, value_bits = BLOCKFALL_VALUE_BITS;
constexpr bool knows_next = outputs > 1;
constexpr int sides = BLOCKFALL_MIRROR ? 2 : 1;  // a board and its mirror image

inline int64_t thread_number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

// A board that waits for its value.
struct Leaf {
  uint16_t row[rows];  // bit i is column i
  uint8_t lines;       // removed by its placement
  uint8_t room;        // a bit for each piece that can appear
  uint8_t piece;       // the placed piece
  uint8_t shape, x, y;
};

// A board after the piece in hand, with two plies.
struct Parent {
  Board board;
  int32_t place;         // the place of its game in the list of seats, or `nobody`
  int32_t first, count;  // its leaves
  uint8_t lines;
  Placement placement;
  int64_t value;
};

// The boards of one game in one step.
struct Branch {
  int32_t first, count;  // its leaves, or its parents with two plies; no_room if not all of them fit
  int64_t placements;    // looked at
};

constexpr int32_t no_room = -1, nobody = -1;

// The data of a step. All threads count up `leaves` and `parents`, which may exceed the available room.
struct Step {
  int64_t leaves, most_leaves, parents, most_parents;
  Leaf* leaf;
  Parent* parent;
  Branch* branch;
  int32_t* value;  // [leaf][side][output]
};

// The network's value of a leaf at one output.
inline int32_t value_of(const Step& step, int64_t leaf, int output) {
  const int32_t* value = step.value + leaf * sides * outputs;
  return sides == 1 ? value[output] : mean_of(value[output], value[outputs + (knows_next ? mirrored(output) : output)]);
}

extern "C" __global__ void find_step_sizes(int64_t* sizes) {
  sizes[0] = sizeof(Step), sizes[1] = sizeof(Leaf), sizes[2] = sizeof(Parent), sizes[3] = sizeof(Branch);
}

extern "C" __global__ void prepare_step(Step* step, Leaf* leaf, int64_t most_leaves, Parent* parent,
                                        int64_t most_parents, Branch* branch, int32_t* value) {
  if (thread_number()) return;
  *step = {0, most_leaves, 0, most_parents, leaf, parent, branch, value};
}

extern "C" __global__ void clear_step(Step* step) {
  if (thread_number() == 0) step->leaves = step->parents = 0;
}

inline bool can_appear(const Rules& rules, const Board& board, int piece) {
  return !rules.block_out_loses || has_room(board, rules.piece[piece]);
}

inline void write_leaf(const Rules& rules, const Board& board, const Shape& shape, int x, int y, Leaf& leaf) {
  Board next = board;
  leaf.lines = uint8_t(bit_count(lock_and_clear(rules, next, shape, x, y)));
  for (int r = 0; r < rows; ++r) {
    uint32_t word = 0;
    for (int i = 0; i < columns; ++i) word |= ((next.column[i] >> r) & 1) << i;
    leaf.row[r] = uint16_t(word);
  }
  leaf.room = 0;
  if (knows_next)
    for (int piece = 0; piece < piece_kinds; ++piece) leaf.room |= uint8_t(can_appear(rules, next, piece)) << piece;
  leaf.piece = shape.piece, leaf.shape = shape.number, leaf.x = uint8_t(x), leaf.y = uint8_t(y);
}

// Writes a leaf for every placement of these pieces that does not lose, piece by piece and in order. Returns the first
// one, or no_room. Sets `count` to their number and adds the number of placements looked at to `placements`.
template <class Wanted>
inline int32_t write_leaves(Step& step, const Rules& rules, const Board& board, int64_t lines, const Wanted& wanted,
                            int32_t& count, int64_t& placements) {
  count = 0;
  const auto for_each = [&](const auto& visit) {
    for (int piece = 0; piece < piece_kinds; ++piece)
      if (wanted(piece)) for_each_placement(rules, board, rules.piece[piece], lines, visit);
  };
  for_each([&](const Shape& shape, int, int y) { ++placements, count += y <= shape.highest_row; });
  const int64_t first = add_atomically(step.leaves, count);
  if (first + count > step.most_leaves) return no_room;
  auto at = first;
  for_each([&](const Shape& shape, int x, int y) {
    if (y <= shape.highest_row) write_leaf(rules, board, shape, x, y, step.leaf[at++]);
  });
  return int32_t(first);
}

inline bool is_playing(const Played& played, const Seat& seat) { return seat.number < played.count; }

inline bool meets_limit(const Played& played, const Outcome& outcome) {
  return played.max_pieces && outcome.pieces == played.max_pieces;
}

#if BLOCKFALL_PLIES == 1

// Lists the boards of every game.
extern "C" __global__ void branch_out(const Played* played, Step* step, const Seat* seat, const int32_t* list,
                                      int64_t listed) {
  const int64_t place = thread_number();
  const int32_t at = seat_at(list, listed, place);
  if (at == no_seat) return;
  const Seat& mine = seat[at];
  Branch& branch = step->branch[place];
  branch = {0, 0, 0};
  if (!is_playing(*played, mine) || meets_limit(*played, mine.game.outcome)) return;
  const Game& game = mine.game;
  branch.first = write_leaves(
      *step, played->rules, game.board, game.outcome.lines, [&](int piece) { return piece == game.known[0]; },
      branch.count, branch.placements);
}

// Calls visit(placement, value) for each board of the branch.
template <class Visit>
inline void for_each_value(const Step& step, const Branch& branch, int next, const Visit& visit) {
  for (int32_t n = branch.first; n < branch.first + branch.count; ++n) {
    const Leaf& leaf = step.leaf[n];
    int64_t worth = int64_t(leaf.lines) << value_bits;
    if (!knows_next)
      worth += value_of(step, n, 0);
    else if (next != no_piece && (leaf.room >> next) & 1)
      worth += value_of(step, n, next);
    visit(Placement{leaf.piece, leaf.shape, leaf.x, leaf.y}, worth);
  }
}

#else

// Lists the boards of every game after the piece in hand.
extern "C" __global__ void branch_out(const Played* played, Step* step, const Seat* seat, const int32_t* list,
                                      int64_t listed) {
  const int64_t place = thread_number();
  const int32_t at = seat_at(list, listed, place);
  if (at == no_seat) return;
  const Seat& mine = seat[at];
  Branch& branch = step->branch[place];
  branch = {0, 0, 0};
  if (!is_playing(*played, mine) || meets_limit(*played, mine.game.outcome)) return;
  const Game& game = mine.game;
  const Rules& rules = played->rules;
  const auto for_each = [&](const auto& visit) {
    for_each_placement(rules, game.board, rules.piece[game.known[0]], game.outcome.lines,
                       [&](const Shape& shape, int x, int y) {
                         if (y <= shape.highest_row) visit(shape, x, y);
                       });
  };
  for_each([&](const Shape&, int, int) { ++branch.count; });
  const int64_t first = add_atomically(step->parents, branch.count);
  if (first + branch.count > step->most_parents) {
    branch.first = no_room;
    for (int64_t n = first; n < step->most_parents; ++n) step->parent[n].place = nobody;
    return;
  }
  branch.first = int32_t(first);
  Parent* parent = step->parent + branch.first;
  for_each([&](const Shape& shape, int x, int y) {
    parent->board = game.board;
    parent->lines = uint8_t(bit_count(lock_and_clear(rules, parent->board, shape, x, y)));
    parent->place = int32_t(place);
    parent->placement = {shape.piece, shape.number, uint8_t(x), uint8_t(y)};
    ++parent;
  });
}

// Lists the boards after the next piece for each parent; if no next piece is known, after every piece that may come.
extern "C" __global__ void branch_further(const Played* played, Step* step, const Seat* seat, const int32_t* list) {
  const int64_t number = thread_number();
  if (number >= step->parents || number >= step->most_parents) return;
  Parent& parent = step->parent[number];
  if (parent.place == nobody) return;
  Branch& branch = step->branch[parent.place];
  const Game& game = seat[list[parent.place]].game;
  const Rules& rules = played->rules;
  int64_t share[piece_kinds], placements = 0;
  if (!knows_next) find_shares(game.generator, rules, share);
  const auto wanted = [&](int piece) {
    return (knows_next ? game.pieces_known > 1 && piece == game.known[1] : share[piece] != 0) &&
           can_appear(rules, parent.board, piece);
  };
  parent.first =
      write_leaves(*step, rules, parent.board, game.outcome.lines + parent.lines, wanted, parent.count, placements);
  add_atomically(branch.placements, placements);
}

// Computes the mean over the unknown piece.
extern "C" __global__ void weigh_parents(const Played* played, Step* step, const Seat* seat, const int32_t* list) {
  const int64_t number = thread_number();
  if (number >= step->parents || number >= step->most_parents) return;
  Parent& parent = step->parent[number];
  if (parent.place == nobody) return;
  Branch& branch = step->branch[parent.place];
  if (parent.first == no_room) {  // in another step, with other games, there may be room for all of them
    branch.first = no_room;
    return;
  }
  const Game& game = seat[list[parent.place]].game;
  int64_t share[piece_kinds], best[piece_kinds];
  find_shares(game.generator, played->rules, share);
  for (int64_t& value : best) value = no_value;
  for (int32_t n = parent.first; n < parent.first + parent.count; ++n) {
    const Leaf& leaf = step->leaf[n];
    const int64_t lines = int64_t(leaf.lines) << value_bits;
    for (int m = 0; m < piece_kinds; ++m) {
      if (!share[m] || (!knows_next && m != leaf.piece)) continue;
      const int64_t worth = lines + (!knows_next            ? value_of(*step, n, 0)
                                     : (leaf.room >> m) & 1 ? value_of(*step, n, m)
                                                            : 0);
      if (worth > best[m]) best[m] = worth;
    }
  }
  const bool goes_on = !knows_next || (game.pieces_known > 1 && game.known[1] != no_piece &&
                                       can_appear(played->rules, parent.board, game.known[1]));
  parent.value = goes_on ? weigh(share, best) : 0;
}

template <class Visit>
inline void for_each_value(const Step& step, const Branch& branch, int, const Visit& visit) {
  for (int32_t n = branch.first; n < branch.first + branch.count; ++n)
    visit(step.parent[n].placement, (int64_t(step.parent[n].lines) << value_bits) + step.parent[n].value);
}

#endif

// Plays the best placement of each game; among equals, the first. A game that is over gives its seat to the next one.
extern "C" __global__ void play_step(Played* played, const Step* step, Seat* seat, const int32_t* list, int64_t listed,
                                     int64_t* outcomes) {
  const int64_t place = thread_number();
  const int32_t at = seat_at(list, listed, place);
  if (at == no_seat) return;
  Seat& mine = seat[at];
  const Branch& branch = step->branch[place];
  if (!is_playing(*played, mine) || branch.first == no_room) return;
  Game& game = mine.game;
  Outcome& outcome = game.outcome;
  if (outcome.termination == Termination::running) {
    if (meets_limit(*played, outcome)) {
      outcome.termination = Termination::piece_limit;
    } else {
      const int length = sequence_length(played->agent, game), next = length > 1 ? game.known[1] : no_piece;
      int64_t best = no_value;
      Placement placement{};
      for_each_value(*step, branch, next, [&](const Placement& found, int64_t value) {
        if (value > best) best = value, placement = found;
      });
      if (best == no_value) placement = first_of_longest_sequence(played->rules, game, length, nullptr);
      outcome.placements += branch.placements;
      play_unchecked(played->rules, game, placement);
      add_atomically(played->pieces, 1);
    }
  }
  while (outcome.termination != Termination::running) {
    write(*played, mine, outcomes);
    add_atomically(played->over, 1);
    mine.number = add_atomically(played->begun, 1);
    if (!is_playing(*played, mine)) return;
    begin(*played, mine);
  }
}

// Lists the seats that have a game in the next slice.
extern "C" __global__ void list_seats(Played* played, const Seat* seat, const int32_t* list, int64_t listed,
                                      int32_t* next_list) {
  const int64_t place = thread_number();
  const int32_t at = seat_at(list, listed, place);
  if (at != no_seat && is_playing(*played, seat[at])) next_list[add_atomically(played->seats, 1)] = at;
}

// The network's numbers, as laid out by the host.
//   weights: each convolution [channels / 16][kernel][output][16 inputs], then the hidden layer
//            [rows * channels / 16][neuron][16 inputs]
//   numbers: each convolution bias, shift, factor [channels]; hidden bias, shift [hidden]; output weights
//            [outputs][hidden]; output bias [outputs]
//   entries: table [2^columns][channels], position [rows][channels]
struct Numbers {
  const int8_t* weights;
  const int32_t* numbers;
  const int16_t* entries;
};

struct alignas(16) Sixteen {
  int32_t word[4];  // sixteen bytes
};

inline int add_products(int sum, const Sixteen& a, const Sixteen& b) {
  for (int i = 0; i < 4; ++i) sum = __dp4a(a.word[i], b.word[i], sum);
  return sum;
}

inline int cut(int a) { return a < -32768 ? -32768 : a > 32767 ? 32767 : a; }
inline int not_negative(int a) { return a > 0 ? a : 0; }
inline int times_factor(int a, int factor) { return (a * factor + 0x4000) >> 15; }
inline uint8_t in_steps(int x) {
  const int steps = cut(x + 32) >> 6;
  return uint8_t(steps > 127 ? 127 : steps);
}

constexpr int block_threads = BLOCKFALL_BLOCK;
constexpr int crew = channels < block_threads ? channels : block_threads;  // threads that value a group of boards
constexpr int crews = block_threads / crew;
constexpr int boards = BLOCKFALL_BOARDS;
constexpr int padded = (rows + 2 * reach) * channels, plain = rows * channels;
constexpr int layer_weights = kernel * channels * channels, layer_numbers = 3 * channels;
constexpr int split_bits_here = 6, split_top_here = (128 << split_bits_here) - 1;

struct alignas(16) Layers {
  uint8_t x[padded], y[padded];  // the inputs of convolutions, with rows of zeros below and above
  int16_t fine[plain];           // x in 16 bits
  int16_t z[hidden];
};

// Calls finish(board, row, sum) for all sums of a convolution's channel `out`.
template <class Finish>
inline void convolve(const Layers* layers, const uint8_t (Layers::*from)[padded], const Numbers& net, int layer,
                     int out, const Finish& finish) {
  int sum[boards][rows];
  for (int b = 0; b < boards; ++b)
    for (int r = 0; r < rows; ++r) sum[b][r] = 0;
  const auto* weights = reinterpret_cast<const Sixteen*>(net.weights + int64_t(layer) * layer_weights);
  for (int group = 0; group < channels / 16; ++group) {
    Sixteen weight[kernel];
#pragma unroll
    for (int tap = 0; tap < kernel; ++tap) weight[tap] = weights[(group * kernel + tap) * channels + out];
#pragma unroll
    for (int b = 0; b < boards; ++b) {
      const auto* in = reinterpret_cast<const Sixteen*>(layers[b].*from);
#pragma unroll
      for (int r = 0; r < rows + 2 * reach; ++r) {
        const Sixteen seen = in[r * (channels / 16) + group];
#pragma unroll
        for (int tap = 0; tap < kernel; ++tap)
          if (r - tap >= 0 && r - tap < rows) sum[b][r - tap] = add_products(sum[b][r - tap], seen, weight[tap]);
      }
    }
  }
  const int32_t* numbers = net.numbers + int64_t(layer) * layer_numbers + out;
  const int bias = numbers[0], shift = numbers[channels], factor = numbers[2 * channels];
#pragma unroll
  for (int b = 0; b < boards; ++b)
#pragma unroll
    for (int r = 0; r < rows; ++r) finish(b, r, times_factor(cut((sum[b][r] + bias) >> shift), factor));
}

// A row of a board or of its mirror image. `board` counts both sides of each leaf, one after the other.
inline uint32_t row_of(const Step& step, int64_t board, int row) {
  const uint32_t word = step.leaf[board / sides].row[row];
  return board % sides ? __brev(word) >> (32 - columns) : word;
}

// Values all leaves. The threads of a block value several boards at a time until none are left.
extern "C" __global__ void value_leaves(const Step* step, const int8_t* weights, const int32_t* numbers,
                                        const int16_t* entries) {
  __shared__ Layers shared[crews * boards];
  const Numbers net{weights, numbers, entries};
  const int64_t count = sides * (step->leaves < step->most_leaves ? step->leaves : step->most_leaves);
  const int me = int(threadIdx.x) % crew, number = int(threadIdx.x) / crew;
  const bool works = number < crews;
  Layers* layers = shared + (works ? number : 0) * boards;
  if (works)
    for (int b = 0; b < boards; ++b)
      for (int i = me; i < padded; i += crew) layers[b].x[i] = layers[b].y[i] = 0;
  __syncthreads();
  const int64_t at_once = int64_t(crews) * boards;
  for (int64_t base = int64_t(blockIdx.x) * at_once; base < count; base += int64_t(gridDim.x) * at_once) {
    const int64_t first = base + int64_t(number) * boards;
    if (works)
      for (int c = me; c < channels; c += crew)
        for (int b = 0; b < boards; ++b)
          for (int r = 0; r < rows; ++r) {
            const int64_t board = first + b < count ? first + b : base;
            const int entry = entries[int64_t(row_of(*step, board, r)) * channels + c];
            const int position = entries[(int64_t{1} << columns) * channels + r * channels + c];
            const int x = not_negative(cut(entry + position));
            layers[b].fine[r * channels + c] = int16_t(x);
            layers[b].x[(r + reach) * channels + c] = in_steps(x);
          }
    __syncthreads();
    for (int block = 0; block < blocks; ++block) {
      if (works)
        for (int c = me; c < channels; c += crew)
          convolve(layers, &Layers::x, net, 2 * block, c, [&](int b, int r, int y) {
            layers[b].y[(r + reach) * channels + c] = uint8_t(y < 0 ? 0 : y > 127 ? 127 : y);
          });
      __syncthreads();
      if (works)
        for (int c = me; c < channels; c += crew)
          convolve(layers, &Layers::y, net, 2 * block + 1, c, [&](int b, int r, int change) {
            int16_t& fine = layers[b].fine[r * channels + c];
            const int x = not_negative(cut(fine + change));
            fine = int16_t(x);
            layers[b].x[(r + reach) * channels + c] = in_steps(x);
          });
      __syncthreads();
    }
    // The hidden layer reads x in 64ths of a step, split into two bytes.
    if (works)
      for (int b = 0; b < boards; ++b)
        for (int i = me; i < plain; i += crew) {
          const int x = layers[b].fine[i] < split_top_here ? layers[b].fine[i] : split_top_here;
          layers[b].x[reach * channels + i] = uint8_t(x & 63);
          layers[b].y[reach * channels + i] = uint8_t(x >> split_bits_here);
        }
    __syncthreads();
    const int8_t* last = weights + int64_t(2 * blocks) * layer_weights;
    const int32_t* end = numbers + int64_t(2 * blocks) * layer_numbers;
    if (works)
      for (int h = me; h < hidden; h += crew) {
        int low[boards] = {}, high[boards] = {};
        for (int group = 0; group < plain / 16; ++group) {
          const Sixteen weight = reinterpret_cast<const Sixteen*>(last)[int64_t(group) * hidden + h];
#pragma unroll
          for (int b = 0; b < boards; ++b) {
            const int at = reach * channels / 16 + group;
            low[b] = add_products(low[b], reinterpret_cast<const Sixteen*>(layers[b].x)[at], weight);
            high[b] = add_products(high[b], reinterpret_cast<const Sixteen*>(layers[b].y)[at], weight);
          }
        }
        for (int b = 0; b < boards; ++b)
          layers[b].z[h] =
              int16_t(not_negative(cut(((low[b] >> split_bits_here) + high[b] + end[h]) >> end[hidden + h])));
      }
    __syncthreads();
    const int32_t* output = end + 2 * hidden;
    if (works)
      for (int i = me; i < boards * outputs; i += crew) {
        const int b = i / outputs, o = i % outputs;
        int sum = output[outputs * hidden + o];
        for (int h = 0; h < hidden; ++h) sum += layers[b].z[h] * output[o * hidden + h];
        if (first + b < count) step->value[(first + b) * outputs + o] = sum;
      }
    __syncthreads();
  }
}

}  // namespace blockfall::cuda
