// A small feed-forward network: layers of any widths with rectified linear neurons, and one linear neuron at the end
// (data2021, 5.4.4). All lanes at once; each neuron starts with its bias and adds its inputs in order, without fused
// multiply-add, so that every back end agrees to the bit.
#pragma once

#include "lanes.hpp"

namespace blockfall {

inline constexpr int max_layers = 8;   // hidden ones
inline constexpr int max_width = 256;  // neurons of a layer

struct Network {
  int32_t layers;  // hidden; 0 where there is no network
  int32_t width[max_layers];
  // Of each layer the weights of its first input, of its second, ..., then its biases. The last layer has one neuron.
  const float* parameters;
};

namespace BLOCKFALL_ARCH {

inline int parameters_of(const Network& network, int inputs) {
  int count = 0;
  for (int i = 0; i < network.layers; ++i) {
    count += (inputs + 1) * network.width[i];
    inputs = network.width[i];
  }
  return count + inputs + 1;
}

template <int Count>
inline void find_sums(const Real* in, int inputs, const float* weights, int stride, const float* biases, Real* out) {
  Real sum[Count];
  for (int k = 0; k < Count; ++k) sum[k] = splat_real(biases[k]);
  for (int i = 0; i < inputs; ++i, weights += stride)
    for (int k = 0; k < Count; ++k) sum[k] = sum[k] + in[i] * splat_real(weights[k]);
  for (int k = 0; k < Count; ++k) out[k] = sum[k];
}

inline Real network_value(const Network& network, const Real* in, int inputs) {
  constexpr int together = 8;  // neurons whose sums stay in registers
  Real buffer[2][max_width];
  const float* weights = network.parameters;
  for (int layer = 0; layer < network.layers; ++layer) {
    const int width = network.width[layer];
    const float* biases = weights + inputs * width;
    Real* out = buffer[layer & 1];
    int k = 0;
    for (; k + together <= width; k += together)
      find_sums<together>(in, inputs, weights + k, width, biases + k, out + k);
    for (; k < width; ++k) find_sums<1>(in, inputs, weights + k, width, biases + k, out + k);
    const Real zero = splat_real(0);
    for (k = 0; k < width; ++k) out[k] = select(greater(out[k], zero), out[k], zero);
    weights = biases + width;
    in = out;
    inputs = width;
  }
  Real value;
  find_sums<1>(in, inputs, weights, 1, weights + inputs, &value);
  return value;
}

}  // namespace BLOCKFALL_ARCH
}  // namespace blockfall
