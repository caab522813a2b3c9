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
#include "blockfall/weighing.hpp"
#include "leaves.hpp"
#include "seating.hpp"

namespace blockfall::cuda {

inline int64_t thread_number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

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

// Lists the boards of a game.
inline void list_boards(const Rules& rules, const Game& game, int64_t, Step& step, Branch& branch) {
  branch.first = write_leaves(
      step, rules, game.board, game.outcome.lines, [&](int piece) { return piece == game.known[0]; }, branch.count,
      branch.placements);
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

// Lists the boards of a game after the piece in hand.
inline void list_boards(const Rules& rules, const Game& game, int64_t place, Step& step, Branch& branch) {
  const auto for_each = [&](const auto& visit) {
    for_each_placement(rules, game.board, rules.piece[game.known[0]], game.outcome.lines,
                       [&](const Shape& shape, int x, int y) {
                         if (y <= shape.highest_row) visit(shape, x, y);
                       });
  };
  for_each([&](const Shape&, int, int) { ++branch.count; });
  const int64_t first = add_atomically(step.parents, branch.count);
  if (first + branch.count > step.most_parents) {
    branch.first = no_room;
    for (int64_t n = first; n < step.most_parents; ++n) step.parent[n].place = nobody;
    return;
  }
  branch.first = int32_t(first);
  Parent* parent = step.parent + branch.first;
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
  list_boards(played->rules, mine.game, place, *step, branch);
}

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

}  // namespace blockfall::cuda
