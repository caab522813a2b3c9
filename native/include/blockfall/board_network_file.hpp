// The weights of a board network: the file format, and the form for play.
//
// A file holds these arrays one after another, little-endian, without gaps:
//     int32  value_bits
//     int16  table[2^columns][channels], position[rows][channels]
//     each block, first and second convolution:
//       int8   weight[channels][kernel][channels]: output, row from below, input
//       int32  bias[channels]
//       int32  shift[channels]
//       int16  factor[channels]
//     int8   hidden weight[hidden][rows][channels]
//     int32  hidden bias[hidden]
//     int32  hidden shift[hidden]
//     int16  output weight[outputs][hidden]
//     int32  output bias[outputs]
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "value/board_network_data.hpp"

namespace blockfall {

struct BoardNetworkSizes {
  int columns, rows, channels, kernel, blocks, hidden, outputs;
};

// Owns the numbers that BoardNetworkData points to.
struct BoardNetworkWeights {
  BoardNetworkData data{};
  std::vector<int16_t> table, position, output;
  std::vector<int32_t> output_bias;
  std::vector<std::vector<int8_t>> weights;  // of the convolutions, then of the hidden layer
  std::vector<std::vector<int32_t>> biases, shifts;
  std::vector<std::vector<int16_t>> factors;
};

// The place in memory of a layer's weight: see Dense.
inline size_t packed_place(int inputs, int output, int input) {
  return ((size_t(output) / 16 * (size_t(inputs) / 4) + size_t(input) / 4) * 16 + size_t(output) % 16) * 4 +
         size_t(input) % 4;
}

// The size of such a file in bytes, at most 57 MB. Throws std::invalid_argument for sizes beyond the core's limits.
int64_t weight_bytes(const BoardNetworkSizes& sizes);

// BoardNetworkData explains `mirror`. Throws std::invalid_argument if the file's length does not match its sizes, or if
// a number could overflow.
std::unique_ptr<BoardNetworkWeights> unpack(const BoardNetworkSizes& sizes, const uint8_t* bytes, size_t count,
                                            bool mirror = false);

}  // namespace blockfall
