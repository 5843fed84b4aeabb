// etc_tables.h — the tables of ETC1, ETC2 and EAC (Khronos Data Format 1.3, sections 21 and 22) and how hard each
// method tries (beside effort.h). Plain C that both C++ and OpenCL C compile, and expressions that #if can evaluate.
#ifndef TEXCAST_KERNELS_ETC_TABLES_H
#define TEXCAST_KERNELS_ETC_TABLES_H

// DO(small, large) for each table of modifiers: a texel is its half's colour and one of small, large, -small, -large,
// which is the order of the indices.
#define FOR_EACH_ETC_TABLE(DO) DO(2, 8) DO(5, 17) DO(9, 29) DO(13, 42) DO(18, 60) DO(24, 80) DO(33, 106) DO(47, 183)
#define ETC_TABLE_COUNT 8

// DO(distance): of the modes T and H.
#define FOR_EACH_ETC_DISTANCE(DO) DO(3) DO(6) DO(11) DO(16) DO(23) DO(32) DO(41) DO(64)
#define ETC_DISTANCE_COUNT 8

// ETC1. Base colours are tried whose channels add up to so many steps more or less than the texels' mean, and than the
// middle of their range; tables up to so many below and above the one that reaches as far as the texels; then steps to
// better neighbours, of which the first are wider, where a paint is clamped or always; and how the two halves of a
// differential block are brought together: from the first, from both, from between.
#define TEXCAST_ETC_NEAR_MEAN(method) TEXCAST_BY_METHOD(method, 1, 2, 3, 4)
#define TEXCAST_ETC_NEAR_MIDDLE(method) TEXCAST_BY_METHOD(method, 0, 1, 2, 3)
#define TEXCAST_ETC_TABLES_BELOW(method) TEXCAST_BY_METHOD(method, 1, 2, 2, 3)
#define TEXCAST_ETC_TABLES_ABOVE(method) TEXCAST_BY_METHOD(method, 0, 1, 1, 2)
#define TEXCAST_ETC_STEPS(method) TEXCAST_BY_METHOD(method, 0, 0, 3, 9)
#define TEXCAST_ETC_STEP_SIZE(step) ((step) == 0 ? 4 : (step) == 1 ? 2 : 1)
#define TEXCAST_ETC_WALKS_ALWAYS(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 1)
#define TEXCAST_ETC_MEETINGS(method) TEXCAST_BY_METHOD(method, 1, 2, 3, 3)

// ETC2. Rounds of k-means for the two colours of T and H; fits of the colours to the texels that took them; steps to
// better neighbours there, and in planar blocks.
#define TEXCAST_ETC2_MEANS(method) TEXCAST_BY_METHOD(method, 1, 2, 3, 4)
#define TEXCAST_ETC2_FITS(method) TEXCAST_BY_METHOD(method, 0, 1, 2, 2)
#define TEXCAST_ETC2_STEPS(method) TEXCAST_BY_METHOD(method, 0, 0, 2, 8)
#define TEXCAST_ETC2_PLANAR_STEPS(method) TEXCAST_BY_METHOD(method, 0, 1, 2, 4)

// EAC alpha. Multipliers and bases tried around those that span the texels' range.
#define TEXCAST_EAC_ALPHA_MULTIPLIERS(method) TEXCAST_BY_METHOD(method, 0, 1, 1, 2)
#define TEXCAST_EAC_ALPHA_BASES(method) TEXCAST_BY_METHOD(method, 0, 0, 2, 6)

#endif
