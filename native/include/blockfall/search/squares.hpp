// Boards of Hopeless whose squares know where they started, for annealing: a whole board is a few vectors.
//
// A plane holds one bit of every square, a word per column, bit 0 the floor: first the planes of the colour (0: empty),
// then those of the starting row. Removing a block pulls every plane down in the same way, all columns at once.
#pragma once

#include <cstdint>

namespace blockfall {

struct HopelessMove {
  uint8_t column, row;
  bool operator==(const HopelessMove&) const = default;
};

namespace search {

template <class WordType, int ColumnCount, int ColourPlanes, int RowPlanes>
struct Squares {
  using Word = WordType;
  static constexpr int columns = ColumnCount, rows = 8 * sizeof(Word);
  static constexpr int colour_planes = ColourPlanes, planes = ColourPlanes + RowPlanes;

  alignas(32) Word plane[planes][columns];
  uint32_t standing;  // the starting columns that are left
  int32_t left;       // squares left
  int32_t earned;     // points without bonus or penalty
};

using SmallSquares = Squares<uint16_t, 16, 3, 4>;  // up to 16x16 and 7 colours
using LargeSquares = Squares<uint32_t, 32, 4, 5>;  // up to 32x32 and 9 colours

// The data that does not change from move to move.
struct SquaresStart {
  const int32_t* points;   // of a block, by its number of squares
  uint8_t colour[32][32];  // by column and row; 0: empty
};

template <class Board>
Board squares_at(const SquaresStart& start) {
  Board board{};
  for (int column = 0; column < Board::columns; ++column)
    for (int row = 0; row < Board::rows; ++row)
      if (const int colour = start.colour[column][row]) {
        for (int k = 0; k < Board::planes; ++k) {
          const int bits = k < Board::colour_planes ? colour >> k : row >> (k - Board::colour_planes);
          board.plane[k][column] |= typename Board::Word((bits & 1u) << row);
        }
        board.standing |= uint32_t{1} << column;
        ++board.left;
      }
  return board;
}

// A square's bits in some of the planes, as a number.
template <class Board>
int square_at(const Board& board, int column, int row, int first_plane, int last_plane) {
  int bits = 0;
  for (int k = first_plane; k <= last_plane; ++k) bits |= int(board.plane[k][column] >> row & 1) << (k - first_plane);
  return bits;
}
template <class Board>
int colour_at(const Board& board, int column, int row) {
  return square_at(board, column, row, 0, Board::colour_planes - 1);
}
template <class Board>
int row_at_start(const Board& board, int column, int row) {
  return square_at(board, column, row, Board::colour_planes, Board::planes - 1);
}

// The moves of one instruction set. A move is named by the starting place of one of its squares.
template <class Board>
struct SquaresKernels {
  // Makes the move if its square is still there and has a neighbour of its colour.
  bool (*play)(const SquaresStart& start, const Board& before, HopelessMove move, Board& after);
  // The number of squares with a neighbour of their colour, except those of colour `but` (0: none excepted).
  int (*count_paired)(const Board& board, int but);
  // The name of one of them, by its number.
  HopelessMove (*paired)(const Board& board, int but, int number);
};

// The moves of the instruction set in use.
template <class Board>
const SquaresKernels<Board>& squares_kernels();

}  // namespace search

#define BLOCKFALL_SQUARES(arch)                                    \
  namespace arch {                                                 \
  extern const search::SquaresKernels<search::SmallSquares> small; \
  extern const search::SquaresKernels<search::LargeSquares> large; \
  }
BLOCKFALL_SQUARES(scalar)
BLOCKFALL_SQUARES(avx2)
BLOCKFALL_SQUARES(avx512)
#undef BLOCKFALL_SQUARES

}  // namespace blockfall
