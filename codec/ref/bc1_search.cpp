#include "bc1_fit.h"

namespace texcast::ref {
namespace {

constexpr int kSearchRounds = 8;

// The block's squared error as it will be decoded: thirds cut off, indices as pack_bc1 chooses them.
int decoded_error(const RgbBlock& texels, const Ends565& ends) {
  const Weights weights = project_weights(texels, ends);
  const auto a = expanded(ends.a), b = expanded(ends.b);
  int error = 0;
  for (size_t i = 0; i < 16; ++i) {
    const int w = weights[i];
    const int r = texels.r[i] - (w * a[0] + (3 - w) * b[0]) / 3;
    const int g = texels.g[i] - (w * a[1] + (3 - w) * b[1]) / 3;
    const int blue = texels.b[i] - (w * a[2] + (3 - w) * b[2]) / 3;
    error += r * r + g * g + blue * blue;
  }
  return error;
}

bool in_range(const Ends565& ends, size_t c) {
  const int largest = c == 1 ? 63 : 31;
  return ends.a[c] >= 0 && ends.a[c] <= largest && ends.b[c] >= 0 && ends.b[c] <= largest;
}

}  // namespace

// One step at a time, the best of the neighbours: one channel of one end point up or down, or of both at once.
Bc1Candidate search_bc1(const RgbBlock& texels, Bc1Candidate best) {
  best.error = decoded_error(texels, best.ends);
  for (int round = 0; round < kSearchRounds; ++round) {
    Bc1Candidate next = best;
    for (size_t c = 0; c < 3; ++c)
      for (int move = 0; move < 9; ++move) {
        Ends565 ends = best.ends;
        ends.a[c] += move / 3 - 1;
        ends.b[c] += move % 3 - 1;
        if (move == 4 || !in_range(ends, c)) continue;
        const int error = decoded_error(texels, ends);
        if (error < next.error) next = {ends, error};
      }
    if (next.error == best.error) break;
    best = next;
  }
  return best;
}

Bc1Block encode_bc1_cluster_search(const RgbBlock& texels) {
  const Bc1Candidate best = search_bc1(texels, cluster_bc1_whole(texels));
  return pack_bc1(texels, best.ends.a, best.ends.b);
}

}  // namespace texcast::ref
