// astc_fit.h — fits end points and weights of one choice by least squares.
#pragma once

#include "astc_choose.h"
#include "astc_ends.h"

namespace texcast::ref::astc {

// All contents of a block.
struct Fitted {
  Choice choice;
  std::array<Ends, 2> ends{};                // of each partition
  std::array<uint8_t, kMostTexels> steps{};  // indices of the weights, row by row of the grid, two planes interleaved
  float error = 3e38F;                       // squared, over all texels
};

Fitted fit(const LineFinder& finder, const Texels& texels, const Tables& tables, const Choice& choice, int fits);

}  // namespace texcast::ref::astc
