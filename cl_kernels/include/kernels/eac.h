// eac.h — the modifiers of EAC and how samples become its 11 bits. Plain C that both C++ and OpenCL C compile.
#ifndef TEXCAST_KERNELS_EAC_H
#define TEXCAST_KERNELS_EAC_H

// Khronos Data Format 1.3, "ETC2 R11": TABLE(a, b, c, d) has the modifiers of indices 4 to 7; those of 0 to 3 are
// -1 - a … -1 - d.
#define TEXCAST_EAC_TABLES 16
#define FOR_EACH_EAC_TABLE(TABLE) \
  TABLE(2, 5, 8, 14)              \
  TABLE(2, 6, 9, 12)              \
  TABLE(1, 4, 7, 12)              \
  TABLE(1, 3, 5, 12)              \
  TABLE(2, 5, 7, 11)              \
  TABLE(2, 6, 8, 10)              \
  TABLE(3, 6, 7, 10)              \
  TABLE(2, 4, 7, 10)              \
  TABLE(1, 5, 7, 9)               \
  TABLE(1, 4, 7, 9)               \
  TABLE(1, 3, 7, 9)               \
  TABLE(1, 4, 6, 9)               \
  TABLE(2, 3, 6, 9)               \
  TABLE(0, 1, 2, 9)               \
  TABLE(3, 5, 7, 8)               \
  TABLE(2, 4, 6, 8)

// The tables, those that photographs, video and a desktop take most first.
#define TEXCAST_EAC_ORDER 13, 0, 3, 11, 2, 9, 4, 15, 1, 5, 6, 7, 8, 10, 12, 14

// A sample in steps of 1 / 16420 of a byte (0..4187100) as 0..2047, or 0..2046 for signed codes:
// ((sample + HALF) * SCALE) >> 32.
#define TEXCAST_EAC_HALF 1023u
#define TEXCAST_EAC_SCALE 2099734u
#define TEXCAST_EAC_SIGNED_SCALE 2098709u

#endif
