// crf.h — the constant rate factor of a lossy stream, as x264's --crf: the range that programs and library accept.
#pragma once

namespace texcast::compact {

// 0 is nearly lossless, 51 is hardly a picture, and 6 more take about half the bits. rd_parameters() turns it into
// lambda and quantiser, which is all that encoders are given.
inline constexpr double kBestCrf = 0, kWorstCrf = 51;
constexpr bool is_crf(double value) { return value >= kBestCrf && value <= kWorstCrf; }  // NaN is none

}  // namespace texcast::compact
