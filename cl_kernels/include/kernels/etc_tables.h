// etc_tables.h — the tables of ETC1, ETC2 and EAC (Khronos Data Format 1.3, sections 21 and 22), and the effort of each
// method (besides effort.h). Plain C that both C++ and OpenCL C compile, and expressions that #if can evaluate.
#ifndef TEXCAST_KERNELS_ETC_TABLES_H
#define TEXCAST_KERNELS_ETC_TABLES_H

// DO(small, large) for each table of modifiers: a texel is its half's colour plus small, large, -small or -large, in
// the order of the indices.
#define FOR_EACH_ETC_TABLE(DO) \
  FOR_EACH_FINE_ETC_TABLE(DO)  \
  FOR_EACH_MIDDLE_ETC_TABLE(DO) FOR_EACH_COARSE_ETC_TABLE(DO) DO(ETC_LAST_SMALL, ETC_LAST_LARGE)
#define FOR_EACH_FINE_ETC_TABLE(DO) DO(2, 8) DO(5, 17)
#define FOR_EACH_MIDDLE_ETC_TABLE(DO) DO(9, 29) DO(13, 42) DO(18, 60)
#define FOR_EACH_COARSE_ETC_TABLE(DO) DO(24, 80) DO(33, 106)
#define ETC_LAST_SMALL 47
#define ETC_LAST_LARGE 183
#define ETC_FIRST_MIDDLE_TABLE 2
#define ETC_FIRST_COARSE_TABLE 5
#define ETC_TABLE_COUNT 8

// DO(distance) for the modes T and H.
#define FOR_EACH_ETC_DISTANCE(DO) DO(3) DO(6) DO(11) DO(16) DO(23) DO(32) DO(41) DO(64)
#define ETC_DISTANCE_COUNT 8

// `fast` and `normal` use estimates. So many base colours of a half are tried, the first so many of them with all
// tables. A half whose texels' sums of channels are at least so far apart does not try the fine tables; a half with
// closer ones does not try the coarse ones. One in so many of T's distances is tried; the first is enough for texels in
// two colours.
#define TEXCAST_ETC_ESTIMATES(method) ((method) == TEXCAST_REFINE_ONCE || (method) == TEXCAST_REFINE)
#define TEXCAST_ETC_COLOURS(method) ((method) == TEXCAST_REFINE_ONCE ? 2 : 4)
#define TEXCAST_ETC_FULL_COLOURS(method) ((method) == TEXCAST_REFINE_ONCE ? 1 : 2)
#define TEXCAST_ETC_WIDE_RANGE 200
#define TEXCAST_ETC2_T_STEP(method) ((method) == TEXCAST_REFINE_ONCE ? 8 : 2)

// For `high` and `best`.
#define TEXCAST_ETC_BY_METHOD(method, cluster, cluster_search) \
  ((method) == TEXCAST_CLUSTER ? (cluster) : (cluster_search))

// ETC1. Base colours are tried whose sum of channels is within so many steps of that of the texels' mean, and of the
// middle of their range; tables up to so many below and above the one that reaches all texels; then steps to better
// neighbours. The first of these steps are wider, always or if a palette colour is clamped. The two halves of a
// differential block are brought together starting from the first, from both, and from between.
#define TEXCAST_ETC_NEAR_MEAN(method) TEXCAST_ETC_BY_METHOD(method, 3, 4)
#define TEXCAST_ETC_NEAR_MIDDLE(method) TEXCAST_ETC_BY_METHOD(method, 2, 3)
#define TEXCAST_ETC_TABLES_BELOW(method) TEXCAST_ETC_BY_METHOD(method, 2, 3)
#define TEXCAST_ETC_TABLES_ABOVE(method) TEXCAST_ETC_BY_METHOD(method, 1, 2)
#define TEXCAST_ETC_STEPS(method) TEXCAST_ETC_BY_METHOD(method, 3, 9)
#define TEXCAST_ETC_STEP_SIZE(step) ((step) == 0 ? 4 : (step) == 1 ? 2 : 1)
#define TEXCAST_ETC_WALKS_ALWAYS(method) TEXCAST_ETC_BY_METHOD(method, 0, 1)

// ETC2. Rounds of k-means for the two colours of T and H; refits of the colours to the texels that chose them; steps to
// better neighbours there, and in planar blocks.
#define TEXCAST_ETC2_MEANS(method) TEXCAST_ETC_BY_METHOD(method, 3, 4)
#define TEXCAST_ETC2_FITS(method) 2
#define TEXCAST_ETC2_STEPS(method) TEXCAST_ETC_BY_METHOD(method, 2, 8)
#define TEXCAST_ETC2_PLANAR_STEPS(method) TEXCAST_BY_METHOD(method, 0, 0, 2, 4)

// EAC alpha. Multipliers and bases that are tried around those that span the texels' range.
#define TEXCAST_EAC_ALPHA_MULTIPLIERS(method) TEXCAST_BY_METHOD(method, 0, 1, 1, 2)
#define TEXCAST_EAC_ALPHA_BASES(method) TEXCAST_BY_METHOD(method, 0, 0, 2, 6)

#endif
