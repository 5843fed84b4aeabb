// astc.h — the ASTC encoder: the effort of each method, and the layout of the buffer of tables that the host fills
// (codec/ref/astc/include/ref/astc_tables.h). Plain C that both C++ and OpenCL C compile, after effort.h.
#ifndef TEXCAST_KERNELS_ASTC_H
#define TEXCAST_KERNELS_ASTC_H

// The number of weight grids that are estimated, the most useful first: for one line of colours; for one channel with
// its own weights; for two partitions.
#define TEXCAST_ASTC_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 5, 9, 64) : TEXCAST_BY_METHOD(method, 64, 64, 64, 64))
#define TEXCAST_ASTC_DUAL_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 5, 5, 9, 64) : TEXCAST_BY_METHOD(method, 16, 16, 24, 64))
#define TEXCAST_ASTC_PAIR_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 2, 6, 64) : TEXCAST_BY_METHOD(method, 16, 16, 24, 64))
// The number of layouts of each grid.
#define TEXCAST_ASTC_LAYOUTS_EACH(method) TEXCAST_BY_METHOD(method, 3, 4, 64, 64)
// Partitions into two: how many of the likeliest are compared with the order of the texels along their line; how many
// of the nearest of those are measured (0: all); how many of those, the ones with the least residual beside their two
// lines, are estimated.
#define TEXCAST_ASTC_PATTERNS(method) TEXCAST_BY_METHOD(method, 64, 96, 512, 1024)
#define TEXCAST_ASTC_NEAR(method) TEXCAST_BY_METHOD(method, 1, 8, 32, 0)
#define TEXCAST_ASTC_PAIRS(method) TEXCAST_BY_METHOD(method, 1, 3, 8, 64)
// Whether lines through black are tried, which are stored as one colour and a scale.
#define TEXCAST_ASTC_SCALES(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 1)
// How many of all estimated choices are fitted, and how often each.
#define TEXCAST_ASTC_KEPT(method, side) \
  ((side) == 4   ? TEXCAST_BY_METHOD(method, 1, 3, 12, 128) \
   : (side) == 5 ? TEXCAST_BY_METHOD(method, 2, 3, 12, 128) \
                 : TEXCAST_BY_METHOD(method, 3, 3, 12, 128))
#define TEXCAST_ASTC_FITS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 2, 3, 4) : TEXCAST_BY_METHOD(method, 2, 2, 3, 4))
// Steps of the power method for a principal axis.
#define TEXCAST_ASTC_POWERS 1

// Positions along a line are whole numbers from 0 to this; 16 of them are one step of the standard's weights, 0..64.
#define TEXCAST_ASTC_PLACES 1024

// The cosines of a block's SIDE waves along a side, each with a sum of squares of 1. Only the values at the first half
// of the texels (and the middle one) are listed. The others mirror them: those of even waves unchanged, those of odd
// ones negated.
#define TEXCAST_ASTC_WAVES_4 \
  { 0.5f, 0.5f, 0.65328148f, 0.27059805f, 0.5f, -0.5f, 0.27059805f, -0.65328148f }
#define TEXCAST_ASTC_WAVES_5                                                                                      \
  {                                                                                                               \
    0.44721360f, 0.44721360f, 0.44721360f, 0.60150096f, 0.37174803f, 0.0f, 0.51166728f, -0.19543951f, -0.63245553f, \
        0.37174803f, -0.60150096f, 0.0f, 0.19543951f, -0.51166728f, 0.63245553f                                   \
  }
#define TEXCAST_ASTC_WAVES_6                                                                                      \
  {                                                                                                               \
    0.40824829f, 0.40824829f, 0.40824829f, 0.55767754f, 0.40824829f, 0.14942925f, 0.5f, 0.0f, -0.5f, 0.40824829f, \
        -0.40824829f, -0.40824829f, 0.28867513f, -0.57735027f, 0.28867513f, 0.14942925f, -0.40824829f, 0.55767754f \
  }
#define TEXCAST_ASTC_WAVES_8                                                                                       \
  {                                                                                                                \
    0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f,        \
        0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, 0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, \
        0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f,  \
        0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, 0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f  \
  }

// How a block's colours are modelled. These numbers are part of a choice.
#define TEXCAST_ASTC_GREY 0    // one line of greys
#define TEXCAST_ASTC_SCALED 1  // one line through black
#define TEXCAST_ASTC_SINGLE 2  // one line
#define TEXCAST_ASTC_DUAL 3    // one channel coded separately, the others on a line
#define TEXCAST_ASTC_PAIR 4    // two partitions, each with a line
#define TEXCAST_ASTC_GREYS 5   // two partitions, each with a line of greys

// Classes of layouts, by the number of colour integers; each is followed by that for blocks with alpha.
#define TEXCAST_ASTC_CLASS(kind, has_alpha) \
  ((kind) <= TEXCAST_ASTC_SINGLE ? (kind) + (has_alpha) : 2 * (kind)-2 + (has_alpha))
#define TEXCAST_ASTC_CLASSES 10

// The buffer, in words of 32 bits, for blocks of SIDE x SIDE texels.
#define TEXCAST_ASTC_MAX_SIDE 8
#define TEXCAST_ASTC_MAX_GRIDS 49  // 2 to 8 weights across and down
// By range and value 0..255: the nearest value of the range, and its code in the upper half.
#define TEXCAST_ASTC_COLORS 0
// By range, in bytes: the largest value, the number of bits, the base of its digits (3, 5, or 0 for none).
#define TEXCAST_ASTC_RANGES (TEXCAST_ASTC_COLORS + 21 * 256)
// Packed digits by the number that they represent: five trits, three quints.
#define TEXCAST_ASTC_TRITS (TEXCAST_ASTC_RANGES + 24)
#define TEXCAST_ASTC_QUINTS (TEXCAST_ASTC_TRITS + 244)
// For g weights along a side, 2..8, two matrices of floats [weight][texel], padded with zeros: the first gives the
// weights that fit a row of texels best, the second the texels that these weights produce. Rows begin at multiples of
// four words.
#define TEXCAST_ASTC_SIDES (TEXCAST_ASTC_QUINTS + 128)
#define TEXCAST_ASTC_SIDE_BEST 0
#define TEXCAST_ASTC_SIDE_DRAWN 64
#define TEXCAST_ASTC_SIDE_WORDS 128
// By class: the number of grids; then for each, in bytes, its width, height and number of layouts, and its first
// layout.
#define TEXCAST_ASTC_CLASS_GRIDS (TEXCAST_ASTC_SIDES + 9 * TEXCAST_ASTC_SIDE_WORDS)
#define TEXCAST_ASTC_CLASS_WORDS (1 + 2 * TEXCAST_ASTC_MAX_GRIDS)
// By width and height of a grid: floats, SIDE per row, for waves by their indices down and across: the fraction of a
// wave's energy that the grid loses.
#define TEXCAST_ASTC_LOST (TEXCAST_ASTC_CLASS_GRIDS + TEXCAST_ASTC_CLASSES * TEXCAST_ASTC_CLASS_WORDS + 2)
#define TEXCAST_ASTC_LOST_OF(width, height) (TEXCAST_ASTC_LOST + 64 * (7 * ((height)-2) + (width)-2))
// Layouts. Word 0, in bytes: the range of the weights, that of the colours, width and height of the grid. Word 1: the
// block mode. Then floats. 2 to 5: the weights' steps (astc_steps.h, astc/steps.cl). 6 and 7: the average rounding
// error of the weights, to be multiplied by the squared length of the line, and of the colours.
#define TEXCAST_ASTC_LAYOUTS (TEXCAST_ASTC_LOST + TEXCAST_ASTC_MAX_GRIDS * 64)
#define TEXCAST_ASTC_LAYOUT_WORDS 8
#define TEXCAST_ASTC_LAYOUT_NEAR 2   // steps per position
#define TEXCAST_ASTC_LAYOUT_RISE 3   // weight, 0..64, per step
#define TEXCAST_ASTC_LAYOUT_FIRST 4  // is added before that is rounded
#define TEXCAST_ASTC_LAYOUT_MOST 5   // number of steps of the lower half
#define TEXCAST_ASTC_LAYOUT_WEIGHTS 6
#define TEXCAST_ASTC_LAYOUT_COLORS 7
#define TEXCAST_ASTC_MAX_LAYOUTS 4096
// The number of partitions into two; then for each a bit per texel of the second partition, in two words, and its seed.
#define TEXCAST_ASTC_PARTITIONS (TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_MAX_LAYOUTS * TEXCAST_ASTC_LAYOUT_WORDS)
#define TEXCAST_ASTC_PARTITION_WORDS 3
// Blocks of 4x4: for each set of the first 15 texels, a byte: the partition, among those that `fast` compares, that is
// nearest to the set or to its complement.
#define TEXCAST_ASTC_NEAREST (TEXCAST_ASTC_PARTITIONS + 1 + 1024 * TEXCAST_ASTC_PARTITION_WORDS)
// The packed digits again, by the number that they represent, cut into the shares of bits that follow each integer: a
// byte for each integer. Five trits have two words, three quints one.
#define TEXCAST_ASTC_TRIT_SHARES ((TEXCAST_ASTC_NEAREST + 32768 / 4 + 1) / 2 * 2)
#define TEXCAST_ASTC_QUINT_SHARES (TEXCAST_ASTC_TRIT_SHARES + 2 * 244)
#define TEXCAST_ASTC_TABLE_WORDS (TEXCAST_ASTC_QUINT_SHARES + 128)

#endif
