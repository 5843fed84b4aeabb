// ycocg_chroma.h — the colour block of scaled YCoCg: end points for Co and Cg, the scale, and each texel's place.
#pragma once

#include <array>

#include "ref/bc1.h"
#include "ref/bc1_fit.h"
#include "ref/blocks.h"
#include "texcast/quality.h"

namespace texcast::ref {

// Twice Co and four times Cg, so that both are integers. As luma compensates its part of the error, the errors of R, G
// and B together are (3 dCo2^2 + dCg4^2) / 6, which is the metric here.
struct ChromaBlock {
  ChannelBlock co2;  // R - B, -256..255
  ChannelBlock cg4;  // 2 G - R - B, -512..510
};

struct ChromaEnds {
  std::array<int, 2> co{}, cg{};  // codes of 5 and 6 bits: end point a, end point b
  int scale = 1;                  // 1, 2, 4
};

struct ChromaFit {
  ChromaEnds ends;
  Weights weights{};  // each texel's place in thirds from b (0) to a (3)
};

struct ChromaEffort {
  int line_fits = 1;  // least-squares fits before end points are rounded: at least 1
  int fits = 0;       // and after
  int walk = 0;       // rounds among the neighbouring end points
};

ChromaEffort chroma_effort(Method method);  // for methods of ycocg-dxt5

ChromaFit fit_chroma(const ChromaBlock& block, const ChromaEffort& effort);

// The colour half of the block.
Bc1Block pack_chroma(const ChromaFit& fit);

}  // namespace texcast::ref
