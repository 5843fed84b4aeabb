// lossy.h — what a lossy stream is to cost: how much of the picture may be lost for a bit.
#pragma once

namespace texcast::compact {

// Of a frame, or a tile of it.
struct LossyTarget {
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

// By a number as x264's --crf: 0 is nearly lossless, 51 is hardly a picture, 6 more are about half the bits. Held to 0
// to 51.
LossyTarget lossy_target(double crf);
// By the lambda that it has; what stands does not get better.
LossyTarget lossy_target_of_lambda(double lambda);
// What still gets by so many refinements.
LossyTarget finer(const LossyTarget& target, int steps);
// The same, with so many refinements of what stands still.
LossyTarget with_refinements(const LossyTarget& target, int steps);

}  // namespace texcast::compact
