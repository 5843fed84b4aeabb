// bc4_starts.h — the starts of BC4's least-squares fits. Plain C that both C++ and OpenCL C compile.
#ifndef TEXCAST_KERNELS_BC4_STARTS_H
#define TEXCAST_KERNELS_BC4_STARTS_H

// START(scale, offset): a texel's position between the smallest (0) and the largest value (1), times scale, plus
// offset, is its position between end points that are moved inwards or outwards by -16 to +8 % of the range. The order
// was chosen greedily over photographs, video and a desktop: the first 8 are within 0.05 dB of all of them, and all
// within 0.1 dB of the best end points up to 16 steps around the range.
#define BC4_START_COUNT 24
#define FOR_EACH_BC4_START(START) \
  START(1.0870f, -0.0435f)        \
  START(0.9259f, -0.0370f)        \
  START(1.0000f, 0.0400f)         \
  START(1.0417f, -0.0417f)        \
  START(0.7576f, 0.1212f)         \
  START(1.0417f, 0.0000f)         \
  START(1.0417f, -0.0833f)        \
  START(0.8929f, 0.1429f)         \
  START(0.9259f, 0.0370f)         \
  START(0.8929f, 0.1071f)         \
  START(1.0870f, 0.0000f)         \
  START(1.1364f, -0.0909f)        \
  START(1.0000f, 0.0000f)         \
  START(0.9259f, 0.0000f)         \
  START(1.0000f, -0.0400f)        \
  START(1.1364f, -0.0455f)        \
  START(0.8621f, 0.0000f)         \
  START(0.9615f, 0.0385f)         \
  START(1.0870f, -0.0870f)        \
  START(0.9615f, -0.0769f)        \
  START(0.9615f, 0.0000f)         \
  START(0.8333f, 0.1333f)         \
  START(1.0417f, 0.0417f)         \
  START(0.9259f, 0.1481f)

#endif
