// rd_parameters.h — what a lossy stream is to cost: how much of the picture may be lost for a bit.
#pragma once

#include <cstdint>

#include "texcast/quality.h"

namespace texcast::compact {

// Of a frame, or a tile of it.
struct RdParameters {
  // A bit is spent where it takes away at least this much of the squared differences of red, green and blue, times 16.
  int lambda = 0;
  // Which of the least distances between fitted end points is about right for it (docs/compact.md, "Quantiser").
  int quantiser = 0;
  // What a longer vector has to save, in absolute differences of luma.
  int vector_price = 0;
  // What stands still gets better, frame by frame, each time as by a crf of 6 less, until it is as by this lambda. 0:
  // it stays as it is.
  int finest = 0;
};

// How much time may be taken for it.
struct SearchEffort {
  // Of the end points that a half-block may have, those for which all indices are tried, the likeliest first.
  int candidates = 64;
  // How many pairs of end points are tried then, at and next to those that would lose least with the levels that were
  // found best: 8 at most.
  int refits = 8;
  // A half-block is coded where that may be worth so many bits more than what is found without, in 32nds.
  int least_saved = 0;
};
// By what an encoder's quality asks for.
SearchEffort search_effort(Quality quality);

// By a number as x264's --crf: 0 is nearly lossless, 51 is hardly a picture, 6 more are about half the bits. Held to 0
// to 51.
RdParameters rd_parameters(double crf);
// By the lambda that it has; what stands does not get better.
RdParameters rd_parameters_of_lambda(double lambda);
// What still gets by so many refinements.
RdParameters finer(const RdParameters& target, int steps);
// What is to be told of a tile of a screen without the frame before: it stays, or moves as it is, and what it gets at
// first is not lost again. Text hardly takes more bits for it.
RdParameters finer_at_first(const RdParameters& target);
// The same, with so many refinements of what stands still.
RdParameters with_refinements(const RdParameters& target, int steps);

}  // namespace texcast::compact
