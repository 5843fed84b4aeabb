// astc.h — ASTC's encoder: how hard each method tries, and where its tables lie in the buffer that the host fills
// (codec/ref/astc/include/ref/astc_tables.h). Plain C that both C++ and OpenCL C compile, after effort.h.
#ifndef TEXCAST_KERNELS_ASTC_H
#define TEXCAST_KERNELS_ASTC_H

// How many grids of weights are estimated, those of most worth first: of one line of colours; of one channel with
// weights of its own; of two partitions.
#define TEXCAST_ASTC_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 5, 9, 64) : TEXCAST_BY_METHOD(method, 64, 64, 64, 64))
#define TEXCAST_ASTC_DUAL_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 5, 5, 9, 64) : TEXCAST_BY_METHOD(method, 16, 16, 24, 64))
#define TEXCAST_ASTC_PAIR_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 2, 6, 64) : TEXCAST_BY_METHOD(method, 16, 16, 24, 64))
// How many layouts of each.
#define TEXCAST_ASTC_LAYOUTS_EACH(method) TEXCAST_BY_METHOD(method, 3, 4, 64, 64)
// Partitions into two: how many of the likeliest are compared with how the texels lie along their line; how many of
// those are measured, the nearest (0: all); how many of those are estimated, the ones that leave least beside their two
// lines.
#define TEXCAST_ASTC_PATTERNS(method) TEXCAST_BY_METHOD(method, 64, 96, 512, 1024)
#define TEXCAST_ASTC_NEAR(method) TEXCAST_BY_METHOD(method, 1, 8, 32, 0)
#define TEXCAST_ASTC_PAIRS(method) TEXCAST_BY_METHOD(method, 1, 3, 8, 64)
// Whether lines through black are tried, which are stored as one colour and a scale.
#define TEXCAST_ASTC_SCALES(method) TEXCAST_BY_METHOD(method, 0, 0, 0, 1)
// How many of all that was estimated are fitted, and how often each.
#define TEXCAST_ASTC_KEPT(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 3, 12, 128) : TEXCAST_BY_METHOD(method, 2, 3, 12, 128))
#define TEXCAST_ASTC_FITS(method) TEXCAST_BY_METHOD(method, 1, 2, 3, 4)
// Powers that give a principal axis.
#define TEXCAST_ASTC_POWERS 1

// Places along a line are whole numbers from 0 to this; 16 of them are a step of the standard's weights, 0 to 64.
#define TEXCAST_ASTC_PLACES 1024

// The cosines of a block's SIDE waves along a side, with squares that add up to 1: of each the values at the first half of
// the texels (and the middle one). The others mirror them: even waves as they are, odd ones with the other sign.
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

// What the texels' colours are drawn on. Numbers of a kept choice.
#define TEXCAST_ASTC_GREY 0    // one line, of greys
#define TEXCAST_ASTC_SCALED 1  // one line through black
#define TEXCAST_ASTC_SINGLE 2  // one line
#define TEXCAST_ASTC_DUAL 3    // one channel apart, the others on a line
#define TEXCAST_ASTC_PAIR 4    // two partitions, a line each
#define TEXCAST_ASTC_GREYS 5   // two partitions, a line of greys each

// What layouts are for: by the colours' integers; each with the next for blocks with alpha.
#define TEXCAST_ASTC_CLASS(kind, has_alpha) \
  ((kind) <= TEXCAST_ASTC_SINGLE ? (kind) + (has_alpha) : 2 * (kind)-2 + (has_alpha))
#define TEXCAST_ASTC_CLASSES 10

// The buffer, in words of 32 bits. SIDE is that of a block, SIDE x SIDE texels.
#define TEXCAST_ASTC_MAX_SIDE 8
#define TEXCAST_ASTC_MAX_GRIDS 49  // 2 to 8 weights across and down
// range, value 0..255: the nearest value of the range, and its code in the upper half.
#define TEXCAST_ASTC_COLORS 0
// range: the largest value, how many bits, the base of its digits (3, 5, or 0 where there are none), by bytes.
#define TEXCAST_ASTC_RANGES (TEXCAST_ASTC_COLORS + 21 * 256)
// Packed digits by the number that they make: five trits, three quints.
#define TEXCAST_ASTC_TRITS (TEXCAST_ASTC_RANGES + 24)
#define TEXCAST_ASTC_QUINTS (TEXCAST_ASTC_TRITS + 244)
// g weights along a side, 2..8: floats [weight][texel], zeros beyond them, that make of a row of texels the weights
// that draw it best; that make of weights what they draw. Rows begin at multiples of four words.
#define TEXCAST_ASTC_SIDES (TEXCAST_ASTC_QUINTS + 128)
#define TEXCAST_ASTC_SIDE_BEST 0
#define TEXCAST_ASTC_SIDE_DRAWN 64
#define TEXCAST_ASTC_SIDE_WORDS 128
// class: how many grids; then for each its width, height, its number of layouts, by bytes, and its first layout.
#define TEXCAST_ASTC_CLASS_GRIDS (TEXCAST_ASTC_SIDES + 9 * TEXCAST_ASTC_SIDE_WORDS)
#define TEXCAST_ASTC_CLASS_WORDS (1 + 2 * TEXCAST_ASTC_MAX_GRIDS)
// Width and height of a grid: floats, by waves down and across, SIDE a row: which part of a wave's squares it loses.
#define TEXCAST_ASTC_LOST (TEXCAST_ASTC_CLASS_GRIDS + TEXCAST_ASTC_CLASSES * TEXCAST_ASTC_CLASS_WORDS + 2)
#define TEXCAST_ASTC_LOST_OF(width, height) (TEXCAST_ASTC_LOST + 64 * (7 * ((height)-2) + (width)-2))
// Layouts. Word 0: range of the weights, of the colours, width and height of the grid, by bytes; 1: block mode. Floats:
// 2 to 5 the weights' steps (astc_steps.h, astc/steps.cl); 6, 7 what rounding costs on the average: weights, by the
// square of the line's length; colours.
#define TEXCAST_ASTC_LAYOUTS (TEXCAST_ASTC_LOST + TEXCAST_ASTC_MAX_GRIDS * 64)
#define TEXCAST_ASTC_LAYOUT_WORDS 8
#define TEXCAST_ASTC_LAYOUT_NEAR 2   // steps for each place
#define TEXCAST_ASTC_LAYOUT_RISE 3   // weight, 0..64, for each step
#define TEXCAST_ASTC_LAYOUT_FIRST 4  // and what is added before it is rounded
#define TEXCAST_ASTC_LAYOUT_MOST 5   // steps of the lower half
#define TEXCAST_ASTC_LAYOUT_WEIGHTS 6
#define TEXCAST_ASTC_LAYOUT_COLORS 7
#define TEXCAST_ASTC_MAX_LAYOUTS 4096
// How many partitions into two; then of each a bit for each texel that is of the second, in two words, and its seed.
#define TEXCAST_ASTC_PARTITIONS (TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_MAX_LAYOUTS * TEXCAST_ASTC_LAYOUT_WORDS)
#define TEXCAST_ASTC_PARTITION_WORDS 3
// Blocks of 4x4: for each set of the first 15 texels, a byte: the partition that is nearest to it or to the others, of as
// many as `fast` compares.
#define TEXCAST_ASTC_NEAREST (TEXCAST_ASTC_PARTITIONS + 1 + 1024 * TEXCAST_ASTC_PARTITION_WORDS)
#define TEXCAST_ASTC_TABLE_WORDS (TEXCAST_ASTC_NEAREST + 32768 / 4)

#endif
