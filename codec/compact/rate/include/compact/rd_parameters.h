// rd_parameters.h — parameters of rate-distortion optimisation: the trade-off between bits and errors of a lossy
// stream.
#pragma once

#include <cstdint>

#include "texcast/quality.h"

namespace texcast::compact {

// For a frame, or for a tile.
struct RdParameters {
  // A bit is spent if it reduces the distortion by at least this much. Distortion is 16 times the sum of squared
  // differences of red, green and blue.
  int lambda = 0;
  // Selects the minimum range of fitted end points that suits lambda (kLeastRange in contexts.h).
  int quantiser = 0;
  // The SAD of luma that a vector has to save; vectors that need more bits have to save a multiple of it.
  int vector_cost = 0;
  // Quality ramp: the quality of static areas improves frame by frame, each time as if crf were 6 less, until they were
  // coded with this lambda. 0: there is no ramp.
  int finest = 0;
};

// How thoroughly macroblocks of transform slices are searched; docs/compact.md has times and bits. Only speed control
// sets another effort than `usual`, which is the only one that backends have.
enum class MacroblockEffort : uint8_t {
  least,   // no quarter pixels, intra modes without direction only
  rough,   // coefficients are rounded, and their bits estimated
  little,  // one vector is tried
  brief,   // quarter pixels across and down only
  quick,   // skip without a search if that is good enough, half pixels across and down only
  usual,
};

// How thoroughly the encoder searches, which determines its time.
struct SearchEffort {
  // For how many end points of a sub-block all index modes are tried, the most promising first.
  int candidates = 64;
  // How many pairs of refitted end points (refitted_end_points.h) are tried after that: 8 at most.
  int refits = 8;
  // A sub-block is coded only if that can save this much compared with a copy, in 1/32 bits.
  int least_saved = 0;
  MacroblockEffort macroblocks = MacroblockEffort::usual;
  // Motion of film is searched by its macroblocks only: neither by hash nor for partitions. Not for backends.
  bool by_macroblocks = false;
};
SearchEffort search_effort(Quality quality);

// `crf` is a number like x264's --crf: 0 is nearly lossless, 51 hardly recognisable, and 6 more give about half the
// bits. It is limited to 0 to 51.
RdParameters rd_parameters(double crf);
// Without a quality ramp.
RdParameters rd_parameters_of_lambda(double lambda);
// The parameters after so many steps of the quality ramp.
RdParameters refined(const RdParameters& parameters, int steps);
// Better quality for intra tiles of screen content. Such tiles remain, or move as they are, so that later frames keep
// their quality. Text hardly needs more bits for it.
RdParameters refined_at_first(const RdParameters& parameters);
// The same with a quality ramp of so many steps.
RdParameters with_refinements(const RdParameters& parameters, int steps);

}  // namespace texcast::compact
