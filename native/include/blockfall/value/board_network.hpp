// The value of a board by a network: rows of cells are words, with convolutions over the rows.
//
//     x = relu(table[row] + position)                 a vector of channels for each row of the board
//     y = relu(convolution(x) + bias)                 each block, over `kernel` rows
//     x = relu(x + convolution(y) + bias)
//     z = relu(hidden(all rows) + bias)
//     V = output(z) + bias                            one value, or one for each piece that may be in hand
//
// All numbers are integers, so that every instruction set computes the same values:
//   - x has 16 bits, 0 to 32767. Convolutions read it in steps of 64, rounded and clamped to 0 to 127, the range of y.
//   - A convolution's sum is shifted right, clamped to 16 bits, multiplied by the channel's factor in 2^-15 and
//     rounded.
//   - The hidden layer reads x in 64ths of a step, clamped below 128 steps. Its sum is shifted right and clamped to
//     0 to 32767. The outputs are exact 32-bit sums of these.
//
// If the network has `mirror`, V is the mean of the values of the board and of its mirror image, with mirrored pieces.
//
// The boards after a piece's placements differ from the board before in only a few rows. Each convolution adds
// `kernel / 2` rows on each side that can differ; all other rows are taken from the board before, whose layers are kept
// (Layers). The first board is compared with the empty board.
#pragma once

#include "../board.hpp"
#include "board_network_data.hpp"
#include "mirror.hpp"
#include "shorts.hpp"

namespace blockfall::BLOCKFALL_ARCH {

// An array whose size is known at run time. (The kernels use no standard library.)
template <class T>
class Array {
 public:
  explicit Array(int64_t count) : data_(static_cast<T*>(::operator new(size_t(count) * sizeof(T)))) {
    __builtin_memset(data_, 0, size_t(count) * sizeof(T));
  }
  ~Array() { ::operator delete(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  operator T*() const { return data_; }

 private:
  using size_t = decltype(sizeof(0));
  T* data_;
};

class BoardNetwork {
  // The layers of a board, or of its mirror image.
  struct Side {
    explicit Side(const BoardNetworkData& net)
        : x(int64_t(net.blocks + 1) * net.rows * net.channels),
          y(int64_t(net.blocks) * net.rows * net.channels),
          fine(int64_t(net.blocks + 1) * net.rows * net.channels),
          split(int64_t(2) * net.rows * net.channels) {}

    uint32_t word[max_rows] = {};
    Array<uint8_t> x, y;   // the inputs of convolutions
    Array<int16_t> fine;   // x in 16 bits
    Array<uint8_t> split;  // the final x, as the hidden layer reads it
  };

 public:
  static constexpr int boards_at_once = 32;

  explicit BoardNetwork(const BoardNetworkData& net)
      : net_(net),
        dense_(dense_kernel(lanes_here)),
        reach_(net.kernel / 2),
        row_(net.channels),
        padded_((net.rows + 2 * reach_) * net.channels),
        plain_(net.rows * net.channels),
        x_(boards_at_once * padded_),
        y_(boards_at_once * padded_),
        fine_(boards_at_once * plain_),
        split_(boards_at_once * 2 * plain_),
        sums_(int64_t(boards_at_once) * (plain_ > net.hidden ? plain_ : net.hidden)),
        in_(boards_at_once * net.rows),
        empty_(net) {
    const Board board{};
    for (int i = 0; i < (net.mirror ? 2 : 1); ++i) evaluate(nullptr, &board, 1, &empty_.side[i], nullptr);
  }

  // The layers of a board, for comparison with other boards.
  class Layers {
   public:
    explicit Layers(const BoardNetworkData& net) : side{Side(net), Side(net)} {}

   private:
    friend class BoardNetwork;
    Side side[2];  // the board and its mirror image, if the network uses that
  };

  const BoardNetworkData& data() const { return net_; }

  // Computes and keeps the layers of a board. `before` has the layers of a similar board; the default is the empty
  // board.
  void keep(const Board& board, Layers& layers) { keep(board, empty_, layers); }
  void keep(const Board& board, const Layers& before, Layers& layers) {
    evaluate(&before.side[0], &board, 1, &layers.side[0], nullptr);
    if (!net_.mirror) return;
    const Board other = mirror_image(board);
    evaluate(&before.side[1], &other, 1, &layers.side[1], nullptr);
  }

  // The outputs of up to boards_at_once boards: values[board * outputs + output]. `before` has the layers of a similar
  // board.
  void values(const Layers& before, const Board* boards, int count, int32_t* values) {
    evaluate(&before.side[0], boards, count, nullptr, values);
    if (!net_.mirror) return;
    Board other[boards_at_once];
    int32_t theirs[boards_at_once * piece_kinds];
    for (int n = 0; n < count; ++n) other[n] = mirror_image(boards[n]);
    evaluate(&before.side[1], other, count, nullptr, theirs);
    for (int n = 0; n < count; ++n)
      for (int i = 0; i < net_.outputs; ++i) {
        int32_t& value = values[n * net_.outputs + i];
        value = mean_of(value, theirs[n * net_.outputs + (net_.outputs > 1 ? mirrored(i) : i)]);
      }
  }

 private:
#if defined(__AVX512BW__)
  static constexpr int lanes_here = 16;
#elif defined(__AVX2__)
  static constexpr int lanes_here = 8;
#else
  static constexpr int lanes_here = 1;
#endif

  // Rows from `low` up to but not including `high`.
  struct Range {
    int low, high;
  };

  Range wider(Range range, int by) const {
    return {range.low > by ? range.low - by : 0, range.high + by < net_.rows ? range.high + by : net_.rows};
  }

  uint8_t* x_row(int board, int row) const { return x_ + board * padded_ + (row + reach_) * row_; }
  uint8_t* y_row(int board, int row) const { return y_ + board * padded_ + (row + reach_) * row_; }
  int16_t* fine_row(int board, int row) const { return fine_ + board * plain_ + row * row_; }

  Board mirror_image(const Board& board) const {
    Board image{};
    for (int i = 0; i < net_.columns; ++i) image.column[i] = board.column[net_.columns - 1 - i];
    return image;
  }

  // Packs rows of cells into words: bit i is column i.
  void find_words(const Board& board, uint32_t word[max_rows]) const {
    for (int r = 0; r < max_rows; ++r) word[r] = 0;
    for (int i = 0; i < net_.columns; ++i)
      for (int r = 0; r < max_rows; ++r) word[r] |= ((board.column[i] >> r) & 1) << i;
  }

  void look_up(uint32_t word, int board, int row) const {
    const int16_t* entry = net_.table + int64_t(word) * row_;
    const int16_t* position = net_.position + row * row_;
    for (int c = 0; c < row_; c += dense_block) {
      const Shorts sum = not_negative(add_cut(load_shorts(entry + c), load_shorts(position + c)));
      store_shorts(fine_row(board, row) + c, sum);
      store_bytes(x_row(board, row) + c, in_steps(sum));
    }
  }

  template <class T>
  void copy_rows(int low, int high, const T* from, T* to) const {
    if (low < high)
      __builtin_memcpy(to + low * row_, from + low * row_, sizeof(T) * decltype(sizeof(0))((high - low) * row_));
  }

  // Copies the wanted rows outside of the board's own from the board before.
  template <class T>
  void borrow(Range own, Range wanted, const T* before, T* rows) const {
    copy_rows(wanted.low, own.low < wanted.high ? own.low : wanted.high, before, rows);
    copy_rows(own.high > wanted.low ? own.high : wanted.low, wanted.high, before, rows);
  }

  // Computes the sums of a convolution for the given rows of all boards, one row of sums after another.
  void convolve(const Dense& layer, const Range* rows, int count, const uint8_t* from) {
    int items = 0;
    for (int n = 0; n < count; ++n)
      for (int r = rows[n].low; r < rows[n].high; ++r) in_[items++] = from + n * padded_ + r * row_;
    dense_(layer, in_, items, sums_);
  }

  void evaluate(const Side* before, const Board* boards, int count, Side* kept, int32_t* values) {
    Range rows[boards_at_once], wide[boards_at_once];
    uint32_t word[max_rows];
    for (int n = 0; n < count; ++n) {
      find_words(boards[n], word);
      rows[n] = {0, net_.rows};
      if (before) {
        while (rows[n].low < rows[n].high && word[rows[n].low] == before->word[rows[n].low]) ++rows[n].low;
        while (rows[n].low < rows[n].high && word[rows[n].high - 1] == before->word[rows[n].high - 1]) --rows[n].high;
      }
      for (int r = rows[n].low; r < rows[n].high; ++r) look_up(word[r], n, r);
      if (kept) __builtin_memcpy(kept->word, word, sizeof word);
    }
    for (int block = 0; block < net_.blocks; ++block) {
      const int64_t layer = int64_t(block) * plain_;
      for (int n = 0; n < count; ++n) {
        wide[n] = changed(rows[n]);
        if (before) borrow(rows[n], wider(wide[n], reach_), before->x + layer, x_row(n, 0));
      }
      if (kept) keep_x(before, rows[0], block, *kept);
      convolve(net_.first[block], wide, count, x_);
      const int16_t* sum = sums_;
      for (int n = 0; n < count; ++n)
        for (int r = wide[n].low; r < wide[n].high; ++r, sum += row_)
          for (int c = 0; c < row_; c += dense_block)
            store_bytes(y_row(n, r) + c,
                        not_negative(times_factor(load_shorts(sum + c), load_shorts(net_.first_factor[block] + c))));
      for (int n = 0; n < count; ++n) {
        const Range narrow = rows[n];
        rows[n] = changed(wide[n]);
        if (!before) continue;
        borrow(wide[n], wider(rows[n], reach_), before->y + layer, y_row(n, 0));
        borrow(narrow, rows[n], before->fine + layer, fine_row(n, 0));
      }
      if (kept) keep_rows(wide[0], before ? before->y + layer : nullptr, y_row(0, 0), kept->y + layer);
      convolve(net_.second[block], rows, count, y_);
      sum = sums_;
      for (int n = 0; n < count; ++n)
        for (int r = rows[n].low; r < rows[n].high; ++r, sum += row_)
          for (int c = 0; c < row_; c += dense_block) {
            const Shorts change = times_factor(load_shorts(sum + c), load_shorts(net_.second_factor[block] + c));
            const Shorts x = not_negative(add_cut(load_shorts(fine_row(n, r) + c), change));
            store_shorts(fine_row(n, r) + c, x);
            store_bytes(x_row(n, r) + c, in_steps(x));
          }
    }
    if (kept) {
      keep_x(before, rows[0], net_.blocks, *kept);
      split_rows(before, rows[0], fine_row(0, 0), kept->split);
    }
    if (values) find_outputs(*before, rows, count, values);
  }

  Range changed(Range rows) const { return rows.low < rows.high ? wider(rows, reach_) : rows; }

  // Keeps all rows of a layer: the board's own, and the others from the board before.
  template <class T>
  void keep_rows(Range own, const T* before, const T* rows, T* kept) const {
    copy_rows(own.low, own.high, rows, kept);
    if (before) borrow(own, {0, net_.rows}, before, kept);
  }

  void keep_x(const Side* before, Range own, int layer, Side& kept) const {
    const int64_t at = int64_t(layer) * plain_;
    keep_rows(own, before ? before->x + at : nullptr, x_row(0, 0), kept.x + at);
    keep_rows(own, before ? before->fine + at : nullptr, fine_row(0, 0), kept.fine + at);
  }

  // Splits x for the hidden layer: the 64ths of all rows, then their whole steps.
  void split_rows(const Side* before, Range own, const int16_t* fine, uint8_t* split) const {
    for (int i = own.low * row_; i < own.high * row_; i += dense_block) {
      const Shorts x = load_shorts(fine + i);
      store_bytes(split + i, split_low(x));
      store_bytes(split + plain_ + i, split_high(x));
    }
    if (!before) return;
    borrow<uint8_t>(own, {0, net_.rows}, before->split, split);
    borrow<uint8_t>(own, {0, net_.rows}, before->split + plain_, split + plain_);
  }

  void find_outputs(const Side& before, const Range* rows, int count, int32_t* values) {
    for (int n = 0; n < count; ++n) {
      uint8_t* split = split_ + n * 2 * plain_;
      split_rows(&before, rows[n], fine_row(n, 0), split);
      in_[n] = split;
    }
    dense_(net_.last, in_, count, sums_);
    for (int n = 0; n < count; ++n) {
      int16_t* z = sums_ + int64_t(n) * net_.hidden;
      for (int i = 0; i < net_.hidden; i += dense_block) store_shorts(z + i, not_negative(load_shorts(z + i)));
      for (int i = 0; i < net_.outputs; ++i)
        values[n * net_.outputs + i] =
            sum_of_products(z, net_.output + i * net_.hidden, net_.hidden) + net_.output_bias[i];
    }
  }

  const BoardNetworkData& net_;
  const DenseKernel dense_;
  const int reach_;             // rows that a convolution sees above and below
  const int row_;               // channels
  const int padded_, plain_;    // the size of a board's layer, with and without rows of zeros around it
  const Array<uint8_t> x_, y_;  // of each board
  const Array<int16_t> fine_;   // x in 16 bits
  const Array<uint8_t> split_;  // the final x
  const Array<int16_t> sums_;
  const Array<const uint8_t*> in_;
  Layers empty_;
};

}  // namespace blockfall::BLOCKFALL_ARCH
