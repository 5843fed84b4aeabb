// bc1_lspiro.h — LSpiro's three steps, each on the end points of the one before.
#pragma once

#include "ref/bc1_fit.h"

namespace texcast::ref {

// Step 1: the ends of a regression line through each channel's sorted distinct 5/6-bit values.
Ends565 lspiro_line(const RgbBlock& texels);

// Step 2: regression of the difference between the block and its reconstruction, `passes` times; the end points with
// the smallest error on the way, in the order that the block will have (packed a >= b).
Bc1Candidate lspiro_correct(const RgbBlock& texels, int passes);

// Step 3: of all end points whose codes are within `radius` of the candidate's, those with the smallest error; again
// from there until none is better, at most kLspiroRounds times. Among equals the candidate wins, then the first in the
// order of the codes red a, red b, green a, green b, blue a, blue b.
Bc1Candidate lspiro_search(const RgbBlock& texels, Bc1Candidate candidate, int radius);
inline constexpr int kLspiroRounds = 8;  // 1.5 are usual

}  // namespace texcast::ref
