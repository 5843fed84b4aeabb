// astc.h — ASTC's encoder: how hard each method tries, and where its tables lie in the buffer that the host fills
// (codec/ref/astc/include/ref/astc_tables.h). Plain C that both C++ and OpenCL C compile, after effort.h.
#ifndef TEXCAST_KERNELS_ASTC_H
#define TEXCAST_KERNELS_ASTC_H

// How many grids of weights are estimated, those of most worth first: of one line of colours; of one channel with
// weights of its own; of two partitions.
#define TEXCAST_ASTC_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 5, 9, 64) : TEXCAST_BY_METHOD(method, 6, 10, 20, 64))
#define TEXCAST_ASTC_DUAL_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 4, 5, 9, 64) : TEXCAST_BY_METHOD(method, 3, 5, 9, 64))
#define TEXCAST_ASTC_PAIR_GRIDS(method, side) \
  ((side) == 4 ? TEXCAST_BY_METHOD(method, 1, 2, 6, 64) : TEXCAST_BY_METHOD(method, 2, 4, 9, 64))
// How many layouts of each.
#define TEXCAST_ASTC_LAYOUTS_EACH(method) TEXCAST_BY_METHOD(method, 4, 5, 64, 64)
// Partitions into two: how many of the likeliest are compared with how the texels lie along their line; how many of
// those are measured, the nearest (0: all); how many of those are estimated, the ones that leave least beside their two
// lines.
#define TEXCAST_ASTC_PATTERNS(method) TEXCAST_BY_METHOD(method, 64, 128, 512, 1024)
#define TEXCAST_ASTC_NEAR(method) TEXCAST_BY_METHOD(method, 1, 8, 32, 0)
#define TEXCAST_ASTC_PAIRS(method) TEXCAST_BY_METHOD(method, 1, 2, 8, 32)
// How many of all that was estimated are fitted, and how often each.
#define TEXCAST_ASTC_KEPT(method) TEXCAST_BY_METHOD(method, 2, 4, 8, 64)
#define TEXCAST_ASTC_FITS(method) TEXCAST_BY_METHOD(method, 2, 2, 3, 4)
// Powers that give a principal axis.
#define TEXCAST_ASTC_POWERS 4

// What the texels' colours are drawn on. Numbers of a kept choice.
#define TEXCAST_ASTC_GREY 0    // one line of greys
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
// range, step: the weight 0..64 of the step and its code; 32 a range.
#define TEXCAST_ASTC_WEIGHTS (TEXCAST_ASTC_COLORS + 21 * 256)
// range: the largest value, how many bits, the base of its digits (3, 5, or 0 where there are none), by bytes.
#define TEXCAST_ASTC_RANGES (TEXCAST_ASTC_WEIGHTS + 12 * 32)
// Packed digits by the number that they make: five trits, three quints.
#define TEXCAST_ASTC_TRITS (TEXCAST_ASTC_RANGES + 24)
#define TEXCAST_ASTC_QUINTS (TEXCAST_ASTC_TRITS + 244)
// g weights along a side, 2..8: floats [weight][texel], zeros beyond them, that make of a row of texels the weights
// that draw it best; that make of weights what they draw; then for each texel the weight before it and sixteenths to
// the next (upper half). Rows begin at multiples of four words.
#define TEXCAST_ASTC_SIDES (TEXCAST_ASTC_QUINTS + 128)
#define TEXCAST_ASTC_SIDE_BEST 0
#define TEXCAST_ASTC_SIDE_DRAWN 64
#define TEXCAST_ASTC_SIDE_TAPS 128
#define TEXCAST_ASTC_SIDE_WORDS 136
// class: how many grids; then for each its width, height, its number of layouts, by bytes, and its first layout.
#define TEXCAST_ASTC_CLASS_GRIDS (TEXCAST_ASTC_SIDES + 9 * TEXCAST_ASTC_SIDE_WORDS)
#define TEXCAST_ASTC_CLASS_WORDS (1 + 2 * TEXCAST_ASTC_MAX_GRIDS)
// Layouts: range of the weights, of the colours, width and height of the grid, by bytes; block mode; and as a float for
// how many texels a weight's squared error counts, by the square of the number of its steps.
#define TEXCAST_ASTC_LAYOUTS (TEXCAST_ASTC_CLASS_GRIDS + TEXCAST_ASTC_CLASSES * TEXCAST_ASTC_CLASS_WORDS)
#define TEXCAST_ASTC_LAYOUT_WORDS 3
#define TEXCAST_ASTC_MAX_LAYOUTS 4096
// How many partitions into two; then of each a bit for each texel that is of the second, in two words, and its seed.
#define TEXCAST_ASTC_PARTITIONS (TEXCAST_ASTC_LAYOUTS + TEXCAST_ASTC_MAX_LAYOUTS * TEXCAST_ASTC_LAYOUT_WORDS)
#define TEXCAST_ASTC_PARTITION_WORDS 3
#define TEXCAST_ASTC_TABLE_WORDS (TEXCAST_ASTC_PARTITIONS + 1 + 1024 * TEXCAST_ASTC_PARTITION_WORDS)

#endif
