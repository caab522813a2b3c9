// The boards that a step of board_network.cu values, and the network that values them. The arithmetic is that of
// value/board_network.hpp.
#pragma once

#include "blockfall/value/mirror.hpp"

namespace blockfall::cuda {

constexpr int columns = BLOCKFALL_COLUMNS, rows = BLOCKFALL_ROWS, channels = BLOCKFALL_CHANNELS;
constexpr int kernel = BLOCKFALL_KERNEL, reach = kernel / 2, blocks = BLOCKFALL_BLOCKS, hidden = BLOCKFALL_HIDDEN;
constexpr int outputs = BLOCKFALL_OUTPUTS, value_bits = BLOCKFALL_VALUE_BITS;
constexpr bool knows_next = outputs > 1;
constexpr int sides = BLOCKFALL_MIRROR ? 2 : 1;  // a board and its mirror image

// A board that waits for its value.
struct Leaf {
  uint16_t row[rows];  // bit i is column i
  uint8_t lines;       // removed by its placement
  uint8_t room;        // a bit for each piece that can appear
  uint8_t piece;       // the placed piece
  uint8_t shape, x, y;
};

struct Parent;
struct Branch;

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
