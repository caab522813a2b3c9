// Blocks of Hopeless: the connected squares of one colour, one word per column, bit 0 the floor row.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "squares.hpp"

namespace blockfall::search {

// Connected squares of one colour: a word per column from `first` to `last`.
template <class Word, int Columns>
struct Block {
  std::array<Word, Columns> cells;
  int32_t first, last, size, colour;

  HopelessMove name() const {
    HopelessMove top{uint8_t(first), 0};
    for (int i = first; i <= last; ++i)
      if (const int row = std::bit_width(cells[size_t(i)]) - 1; cells[size_t(i)] && (i == first || row > top.row))
        top = {uint8_t(i), uint8_t(row)};
    return top;
  }
};

// The vertical runs of `c` that contain the bits of `seed`.
template <class Word>
Word run(Word c, Word seed) {
  for (;;) {
    const Word grown = Word((seed | seed << 1 | seed >> 1) & c);
    if (grown == seed) return seed;
    seed = grown;
  }
}

// The block of one colour's squares `c` that contains the bits of `seed` in a column.
template <class Word, int Columns>
Block<Word, Columns> flood(const std::array<Word, Columns>& c, int colour, int column, Word seed) {
  Block<Word, Columns> block;
  block.first = block.last = column;
  block.colour = colour;
  block.cells[size_t(column)] = run(c[size_t(column)], seed);
  for (bool grew = true; grew;) {
    grew = false;
    while (block.first > 0) {
      const Word reached = block.cells[size_t(block.first)] & c[size_t(block.first - 1)];
      if (!reached) break;
      --block.first;
      block.cells[size_t(block.first)] = run(c[size_t(block.first)], reached);
    }
    while (block.last + 1 < Columns) {
      const Word reached = block.cells[size_t(block.last)] & c[size_t(block.last + 1)];
      if (!reached) break;
      ++block.last;
      block.cells[size_t(block.last)] = run(c[size_t(block.last)], reached);
    }
    for (int i = block.first; i <= block.last; ++i) {
      Word reached = block.cells[size_t(i)];
      if (i > block.first) reached |= block.cells[size_t(i - 1)];
      if (i < block.last) reached |= block.cells[size_t(i + 1)];
      reached &= c[size_t(i)];
      if (reached == block.cells[size_t(i)]) continue;
      block.cells[size_t(i)] = run(c[size_t(i)], reached);
      grew = true;
    }
  }
  block.size = 0;
  for (int i = block.first; i <= block.last; ++i) block.size += std::popcount(block.cells[size_t(i)]);
  return block;
}

}  // namespace blockfall::search
