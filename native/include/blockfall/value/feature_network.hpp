// A value that a small feed-forward network computes from features: layers of any width with rectified linear neurons,
// and one linear neuron at the end (data2021, 5.4.4). All lanes run at once. Each neuron starts with its bias and adds
// its inputs in order, without fused multiply-add, so that every backend agrees to the bit.
//
// Its parameters are, layer by layer, the weights of the first input, of the second, ..., then the biases.
#pragma once

#include "../last_piece.hpp"

namespace blockfall::BLOCKFALL_ARCH {

inline Real rectified(Real sum) {
  const Real zero = splat_real(0);
  return select(greater(sum, zero), sum, zero);
}

// The weighted sums of the inputs for Count neurons side by side; if Rectified, at least zero.
template <int Count, bool Rectified>
inline void find_sums(const Real* in, int inputs, const float* weights, int stride, const float* biases, Real* out) {
  Real sum[Count];
  for (int k = 0; k < Count; ++k) sum[k] = splat_real(biases[k]);
  for (int i = 0; i < inputs; ++i, weights += stride)
    for (int k = 0; k < Count; ++k) sum[k] = sum[k] + in[i] * splat_real(weights[k]);
  for (int k = 0; k < Count; ++k) out[k] = Rectified ? rectified(sum[k]) : sum[k];
}

BLOCKFALL_OUT_OF_LINE BLOCKFALL_CALL_ON_GPU Real network_value(const Layers& hidden, const float* weights,
                                                               const Real* in, int inputs) {
  constexpr int together = 8;          // neurons whose sums stay in registers
  constexpr bool at_once = lanes > 1;  // with one lane, GCC makes vectors of sums that are rectified later
  Real buffer[2][max_width];
  for (int layer = 0; layer < hidden.count; ++layer) {
    const int width = hidden.width[layer];
    const float* biases = weights + inputs * width;
    Real* out = buffer[layer & 1];
    int k = 0;
    for (; k + together <= width; k += together)
      find_sums<together, at_once>(in, inputs, weights + k, width, biases + k, out + k);
    for (; k < width; ++k) find_sums<1, at_once>(in, inputs, weights + k, width, biases + k, out + k);
    for (k = 0; !at_once && k < width; ++k) out[k] = rectified(out[k]);
    weights = biases + width;
    in = out;
    inputs = width;
  }
  Real value;
  find_sums<1, false>(in, inputs, weights, 1, weights + inputs, &value);
  return value;
}

template <int Columns>
class FeatureNetwork {
 public:
  static constexpr int boards_at_once = lanes;
  static constexpr bool values_boards = true;

  FeatureNetwork(const Rules& rules, const ValueData& data) : rules_(rules), data_(data) {}

  static int parameters(const ValueData& data) {
    int count = 0, inputs = data.features.count;
    for (int i = 0; i < data.hidden.count; ++i) {
      count += (inputs + 1) * data.hidden.width[i];
      inputs = data.hidden.width[i];
    }
    return count + inputs + 1;
  }

  LastPiece<Columns, FeatureNetwork> place(const Piece& piece, const WaitingBoards<lanes>& boards, int64_t lines,
                                           bool at_sides) const {
    return {rules_, *this, piece, boards, lines, at_sides};
  }

  // The value of boards with a newly locked piece, for LastPiece.
  BLOCKFALL_OUT_OF_LINE Real of(const LockedPiece& piece, uint32_t in_use, Afterstates<Columns>& p) const {
    const FeatureSet& features = data_.features;
    settle(rules_, piece, features.needs, p);
    Real inputs[max_features];
    for (int i = 0; i < features.count; ++i) inputs[i] = feature_value(p, features, i, piece.bottom, in_use);
    return network_value(data_.hidden, data_.parameters, inputs, features.count);
  }

 private:
  const Rules& rules_;
  const ValueData& data_;
};

}  // namespace blockfall::BLOCKFALL_ARCH
