// The numbers of a board network, as plain data.
#pragma once

#include "../dense.hpp"

namespace blockfall {

// A board network in integers; board_network.hpp defines what it computes. Channels and hidden neurons are rounded up
// to whole blocks of dense.hpp, and the added ones are 0.
struct BoardNetworkData {
  int32_t columns, rows;  // of its boards
  int32_t channels, kernel, blocks, hidden, outputs;
  int32_t value_bits;       // a line is worth 2 to this power
  bool mirror;              // values are means over a board and its mirror image
  const int16_t* table;     // a row of channels for each row of cells: bit i of its number is column i
  const int16_t* position;  // a row of channels for each row of the board, the floor first
  Dense first[max_blocks], second[max_blocks];
  const int16_t *first_factor[max_blocks], *second_factor[max_blocks];  // of each channel, in 2^-15
  Dense last;                                                           // all rows to the hidden neurons
  const int16_t* output;                                                // [outputs][hidden]
  const int32_t* output_bias;
};

}  // namespace blockfall
