// eac.h — the modifiers of EAC, and the conversion of samples to its 11 bits. Plain C that both C++ and OpenCL C
// compile.
#ifndef TEXCAST_KERNELS_EAC_H
#define TEXCAST_KERNELS_EAC_H

// Khronos Data Format 1.3, "ETC2 R11": TABLE(a, b, c, d) has the modifiers of indices 4 to 7; those of 0 to 3 are
// -1 - a … -1 - d.
#define TEXCAST_EAC_TABLES 16
#define TEXCAST_EAC_TABLE_0(TABLE) TABLE(2, 5, 8, 14)
#define TEXCAST_EAC_TABLE_1(TABLE) TABLE(2, 6, 9, 12)
#define TEXCAST_EAC_TABLE_2(TABLE) TABLE(1, 4, 7, 12)
#define TEXCAST_EAC_TABLE_3(TABLE) TABLE(1, 3, 5, 12)
#define TEXCAST_EAC_TABLE_4(TABLE) TABLE(2, 5, 7, 11)
#define TEXCAST_EAC_TABLE_5(TABLE) TABLE(2, 6, 8, 10)
#define TEXCAST_EAC_TABLE_6(TABLE) TABLE(3, 6, 7, 10)
#define TEXCAST_EAC_TABLE_7(TABLE) TABLE(2, 4, 7, 10)
#define TEXCAST_EAC_TABLE_8(TABLE) TABLE(1, 5, 7, 9)
#define TEXCAST_EAC_TABLE_9(TABLE) TABLE(1, 4, 7, 9)
#define TEXCAST_EAC_TABLE_10(TABLE) TABLE(1, 3, 7, 9)
#define TEXCAST_EAC_TABLE_11(TABLE) TABLE(1, 4, 6, 9)
#define TEXCAST_EAC_TABLE_12(TABLE) TABLE(2, 3, 6, 9)
#define TEXCAST_EAC_TABLE_13(TABLE) TABLE(0, 1, 2, 9)
#define TEXCAST_EAC_TABLE_14(TABLE) TABLE(3, 5, 7, 8)
#define TEXCAST_EAC_TABLE_15(TABLE) TABLE(2, 4, 6, 8)
#define FOR_EACH_EAC_TABLE(TABLE)                                                                                 \
  TEXCAST_EAC_TABLE_0(TABLE)                                                                                      \
  TEXCAST_EAC_TABLE_1(TABLE)                                                                                      \
  TEXCAST_EAC_TABLE_2(TABLE) TEXCAST_EAC_TABLE_3(TABLE) TEXCAST_EAC_TABLE_4(TABLE) TEXCAST_EAC_TABLE_5(TABLE)     \
      TEXCAST_EAC_TABLE_6(TABLE) TEXCAST_EAC_TABLE_7(TABLE) TEXCAST_EAC_TABLE_8(TABLE) TEXCAST_EAC_TABLE_9(TABLE) \
          TEXCAST_EAC_TABLE_10(TABLE) TEXCAST_EAC_TABLE_11(TABLE) TEXCAST_EAC_TABLE_12(TABLE)                     \
              TEXCAST_EAC_TABLE_13(TABLE) TEXCAST_EAC_TABLE_14(TABLE) TEXCAST_EAC_TABLE_15(TABLE)

// Converts a sample in steps of 1 / 16420 of a byte (0..4187100) to 0..2047, or to 0..2046 for signed codes: ((sample +
// HALF) * SCALE) >> 32.
#define TEXCAST_EAC_HALF 1023u
#define TEXCAST_EAC_SCALE 2099734u
#define TEXCAST_EAC_SIGNED_SCALE 2098709u

#endif
