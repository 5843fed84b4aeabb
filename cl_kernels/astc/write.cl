// write.cl — packs the bits of a block.
//   exactness  equals codec/ref/astc/astc_write.cpp
//
// Integers are packed 16 at a time, a byte each, four in a word, so that one operation serves four of them and no array
// in private memory is needed. They are split into low bits and digits; the packed digits of each group are read from
// a table that has them cut into the shares of its integers; an integer's low bits and share are then joined, and the
// 16 results follow each other without gaps.
#include "astc/fit.cl"

// Numbered from the lowest bit.
typedef struct {
  ulong low, high;
} astc_bits;

// Bits past the last one must be 0.
static void put_bits(astc_bits *bits, int at, ulong value) {
  if (at >= 64) {
    bits->high |= value << (at - 64);
  } else {
    bits->low |= value << at;
    bits->high |= (value >> 1) >> (63 - at);
  }
}

// A range of integers: the greatest, the number of low bits, the base of the digits (3, 5, or 0 for none).
typedef struct {
  uint last, bits, base;
} astc_range;
static void read_range(astc_tables tables, int range, astc_range *out) {
  const uint word = range_word(tables, range);
  out->last = word & 255;
  out->bits = word >> 8 & 255;
  out->base = word >> 16;
}

static int sequence_bits(int count, const astc_range *range) {
  return count * (int)range->bits +
         (range->base == 3 ? (8 * count + 4) / 5 : range->base == 5 ? (7 * count + 2) / 3 : 0);
}

// The integers of colours.
static void split_colors(uint4 codes, const astc_range *range, uint4 *low, uint4 *digits) {
  *low = codes & EACH_BYTE * ((1u << range->bits) - 1);
  *digits = codes >> range->bits & (range->base == 0 ? 0 : range->base == 3 ? 3 * EACH_BYTE : 7 * EACH_BYTE);
}

// The integers that store steps of weights: the lowest bit selects the end from which a step is counted; the digit and
// the other bits follow.
static void split_steps(uint4 steps, const astc_range *range, uint4 *low, uint4 *digits) {
  *low = range->base == 0 ? steps : (uint4)(0);
  *digits = range->base == 0 ? (uint4)(0) : steps;
  if (range->base == 0 || range->bits == 0) return;
  const uint4 upper = (steps + EACH_BYTE * (127 - range->last / 2)) >> 7 & EACH_BYTE, turned = upper * 255;
  const uint4 number = (steps & ~turned) | ((EACH_BYTE * range->last - steps) & turned);
  // Quotients of numbers below 16 by 3 and 5.
  const bool has_trits = range->base == 3;
  const uint4 others = number * (has_trits ? 11u : 13u) >> (has_trits ? 5u : 6u) & (has_trits ? 7 : 3) * EACH_BYTE;
  *low = others << 1 | upper;
  *digits = number - others * range->base;
}

// The word from bit `from` on of two words. (Not as an or of two shifts, of which clang makes an operation that Oclgrind
// 21.10 lacks.)
static uint word_across(uint low, uint high, int from) { return (uint)((low | (ulong)high << 32) >> from); }

// The number that four digits and a fifth one represent, and the one of the three lower bytes.
static uint number_of_trits(uint four, uint fifth) {
  return (four * (27 | 9 << 8 | 3 << 16 | 1 << 24) >> 24) + 81 * (fifth & 255);
}
static uint number_of_quints(uint three) { return three * (25 | 5 << 8 | 1 << 16) >> 16 & 255; }

// The shares of 16 digits; the last one is the first of its group.
static uint4 shares_of_trits(astc_tables tables, uint4 d) {
  global const uint2 *shares = (global const uint2 *)(tables + TEXCAST_ASTC_TRIT_SHARES);
  const uint2 a = shares[number_of_trits(d.x, d.y)];
  const uint2 b = shares[number_of_trits(word_across(d.y, d.z, 8), d.z >> 8)];
  const uint2 c = shares[number_of_trits(word_across(d.z, d.w, 16), d.w >> 16)];
  return (uint4)(a.x, a.y | b.x << 8, word_across(b.x, b.y, 24) | c.x << 16,
                 word_across(c.x, c.y, 16) | (d.w & 0xFF000000u));
}
static uint4 shares_of_quints(astc_tables tables, uint4 d) {
  astc_tables shares = tables + TEXCAST_ASTC_QUINT_SHARES;
  const uint a = shares[number_of_quints(d.x)], b = shares[number_of_quints(word_across(d.x, d.y, 24))];
  const uint c = shares[number_of_quints(word_across(d.y, d.z, 16))], e = shares[number_of_quints(d.z >> 8)];
  const uint f = shares[number_of_quints(d.w)];
  return (uint4)(a | b << 24, b >> 8 | c << 16, c >> 16 | e << 8, f | (d.w & 0xFF000000u));
}

// Joins the four bytes of a word. `added` has the bits of the shares before the second, third and fourth byte and after
// that, a nibble each. Returns the number of bits.
static int join(uint bytes, uint bits, uint added, uint *joined) {
  *joined = (bytes & 255) | (bytes >> 8 & 255) << (bits + (added & 15)) |
            (bytes >> 16 & 255) << (2 * bits + (added >> 4 & 15)) | (bytes >> 24) << (3 * bits + (added >> 8 & 15));
  return (int)(4 * bits + (added >> 12 & 15));
}

// Packs 16 integers; those after the last one must be 0.
static void pack_sixteen(astc_tables tables, uint4 low, uint4 digits, const astc_range *range, astc_bits *out) {
  uint4 bytes = low;
  // The bits added by shares, in the lower half those of word 0 (2), in the upper half those of word 1 (3).
  uint added = 0, added_later = 0;
  if (range->base == 3) {
    bytes |= shares_of_trits(tables, digits) << range->bits;
    added = 0x65317542u;
    added_later = 0x64317532u;
  } else if (range->base == 5) {
    bytes |= shares_of_quints(tables, digits) << range->bits;
    added = 0x9742A753u;
    added_later = 0xA7539752u;
  }
  uint a, b, c, d;
  const int first = join(bytes.x, range->bits, added & 0xFFFF, &a);
  const int middle = first + join(bytes.y, range->bits, added >> 16, &b);
  const int third = join(bytes.z, range->bits, added_later & 0xFFFF, &c);
  join(bytes.w, range->bits, added_later >> 16, &d);
  // Integers of 8 bits are at most eight: then `upper` is 0.
  const ulong upper = c | (ulong)d << third;
  out->low = a | (ulong)b << first | upper << (middle & 63);
  out->high = (upper >> 1) >> ((63 - middle) & 63);
}

#if defined(__NV_CL_C_VERSION) || defined(__AMDGCN__)
// Compilers know these shifts as one instruction.
static uint turned_word(uint w) {
  w = (w >> 1 & 0x55555555u) | (w & 0x55555555u) << 1;
  w = (w >> 2 & 0x33333333u) | (w & 0x33333333u) << 2;
  w = (w >> 4 & 0x0F0F0F0Fu) | (w & 0x0F0F0F0Fu) << 4;
  w = (w >> 8 & 0x00FF00FFu) | (w & 0x00FF00FFu) << 8;
  return w >> 16 | w << 16;
}
#else
// Reverses a byte's bits, by products: Oclgrind lacks bitreverse, which clang makes of shifts.
static uint turned_byte(uint b) { return ((b * 0x0802u & 0x22110u) | (b * 0x8020u & 0x88440u)) * 0x10101u >> 16 & 255; }
static uint turned_word(uint w) {
  return turned_byte(w & 255) << 24 | turned_byte(w >> 8 & 255) << 16 | turned_byte(w >> 16 & 255) << 8 |
         turned_byte(w >> 24);
}
#endif
static ulong turned_long(ulong v) { return (ulong)turned_word((uint)v) << 32 | turned_word((uint)(v >> 32)); }

#if SIDE == 4
// The steps of all weights in their order, a byte each, two planes interleaved.
typedef ulong4 astc_stream;

// 255 for each of the four lowest texels of a set.
static uint mask_bytes(uint set) { return ((set & 15) * 0x00204081u & EACH_BYTE) * 255; }

// The steps of a row, those of reversed partitions counted from the other end. `turned`: 255 for these.
static uint turned_steps(uint bytes, uint turned, uint last) {
  return (bytes & ~turned) | ((EACH_BYTE * last - bytes) & turned);
}

static ulong interleaved(uint a, uint b) {
  const uint low = (a & 255) | (b & 255) << 8 | (a & 0xFF00) << 8 | (b & 0xFF00) << 16;
  const uint high = (a >> 16 & 255) | (b >> 8 & 0xFF00) | (a >> 8 & 0xFF0000) | (b & 0xFF000000u);
  return low | (ulong)high << 32;
}

// Puts a row of `bits` bits, 16 to 64, before the others.
static void put_row(ulong row, int bits, astc_stream *stream) {
  const int rest = 64 - bits;
  // Sums, as in word_across().
  stream->w = ((stream->w << 1) << (bits - 1)) + (stream->z >> rest);
  stream->z = ((stream->z << 1) << (bits - 1)) + (stream->y >> rest);
  stream->y = ((stream->y << 1) << (bits - 1)) + (stream->x >> rest);
  stream->x = ((stream->x << 1) << (bits - 1)) | row;
}

static void order_weights(const astc_fitted *f, const astc_layout *layout, uint last, astc_set second, int planes,
                          astc_stream *stream) {
  const uint first_turned = f->is_turned[0] ? 0xFFFFFFFFu : 0, second_turned = f->is_turned[1] ? 0xFFFFFFFFu : 0;
  const uint4 a = f->steps[0].of[0], b = f->steps[1].of[0];
  const int bits = 8 * planes * layout->width;
  const ulong inside = ~(ulong)0 >> (64 - bits);
  *stream = (ulong4)(0);
#define ROW(n, word)                                                                                         \
  {                                                                                                          \
    const uint mask = mask_bytes(second >> 4 * n);                                                           \
    const uint turned = (first_turned & ~mask) | (second_turned & mask);                                     \
    ulong row = turned_steps(a.word, turned, last);                                                         \
    if (planes == 2) row = interleaved((uint)row, turned_steps(b.word, turned, last));                      \
    put_row(n < layout->height ? row & inside : 0, bits, stream);                                            \
  }
  ROW(3, w) ROW(2, z) ROW(1, y) ROW(0, x)
#undef ROW
}
static uint4 sixteen_of_stream(const astc_stream *stream) {
  return (uint4)((uint)stream->x, (uint)(stream->x >> 32), (uint)stream->y, (uint)(stream->y >> 32));
}
static void skip_fifteen(astc_stream *stream) {
  const uchar8 y = as_uchar8(stream->y), z = as_uchar8(stream->z), w = as_uchar8(stream->w);
  stream->x = as_ulong((uchar8)(y.s7, z.s0123, z.s45, z.s6));
  stream->y = as_ulong((uchar8)(z.s7, w.s0123, w.s45, w.s6));
  stream->z = w.s7;
  stream->w = 0;
}
#else
// Blocks have at most 64 weights, which are read 16 at a time from every fifteenth on.
typedef struct {
  uchar of[80];
  int at;
} astc_stream;

static void order_weights(const astc_fitted *f, const astc_layout *layout, uint last, astc_set second, int planes,
                          astc_stream *stream) {
  stream->at = 0;
  for (int i = 0; i < 5; ++i) vstore16((uchar16)(0), i, stream->of);
#pragma unroll 1
  for (int plane = 0; plane < planes; ++plane) {
    const uchar *steps = (const uchar *)f->steps[plane].of;
#pragma unroll 1
    for (int y = 0; y < layout->height; ++y)
#pragma unroll 1
      for (int x = 0; x < layout->width; ++x) {
        const int texel = SIDE * y + x;
        // Partitions may be reversed independently, so each texel has its own weight.
        const bool is_turned = f->is_turned[(int)(second >> texel & 1)];
        const uint step = steps[texel];
        stream->of[planes * (layout->width * y + x) + plane] = (uchar)(is_turned ? last - step : step);
      }
  }
}
static uint4 sixteen_of_stream(const astc_stream *stream) { return as_uint4(vload16(0, stream->of + stream->at)); }
static void skip_fifteen(astc_stream *stream) { stream->at += 15; }
#endif


// Puts bits `at` and further of a sequence.
static void put_part(astc_bits *bits, int at, const astc_bits *part) {
  put_bits(bits, at, part->low);
  if (at < 64) bits->high |= part->high << at;
}

// The integers of the colours, those of a second partition after those of the first.
static uint4 color_codes(const astc_fitted *f, int each, int partitions) {
  const ulong first = f->codes[0], second = partitions == 2 ? f->codes[1] : 0;
  const ulong low = each < 8 ? first | second << 8 * each : first;
  const ulong high = each < 8 ? second >> (64 - 8 * each) : second;
  return (uint4)((uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32));
}

// Packs the colours, then the weights: 15 at a time, where groups of three and of five integers both end, or the last 16.
// One loop, so that the code exists once.
static void pack_integers(astc_tables tables, const astc_fitted *f, const astc_layout *layout, uint4 colors,
                          astc_set second, int planes, astc_bits *packed_colors, astc_bits *packed_weights) {
  astc_range range;
  read_range(tables, layout->weight_range, &range);
  astc_stream stream;
  order_weights(f, layout, range.last, second, planes, &stream);
  int rest = layout->width * layout->height * planes, at = 0;
  packed_weights->low = packed_weights->high = 0;
  const int bits_of_fifteen = sequence_bits(15, &range);
  bool has_more;
#pragma unroll 1
  do {
    astc_bits part;
    uint4 low, digits, steps = sixteen_of_stream(&stream);
    has_more = rest > 16;
    if (has_more) steps.w &= 0x00FFFFFFu;
    split_steps(steps, &range, &low, &digits);
    pack_sixteen(tables, low, digits, &range, &part);
    put_part(packed_weights, at, &part);
    if (has_more) skip_fifteen(&stream);
    rest -= 15;
    at += bits_of_fifteen;
  } while (has_more);
  read_range(tables, layout->color_range, &range);
  uint4 low, digits;
  split_colors(colors, &range, &low, &digits);
  pack_sixteen(tables, low, digits, &range, packed_colors);
}

static uint4 write_block(astc_tables tables, const astc_fitted *f) {
  const int kind = kind_of(f->choice), parameter = parameter_of(f->choice);
  const int planes = kind == TEXCAST_ASTC_DUAL ? 2 : 1, partitions = has_two_partitions(kind) ? 2 : 1;
  astc_layout layout;
  read_layout(tables, layout_of(f->choice), &layout);
  astc_bits colors, weights;
  pack_integers(tables, f, &layout, color_codes(f, 2 * (f->mode / 4) + 2, partitions),
                partitions == 2 ? second_part(tables, parameter) : 0, planes, &colors, &weights);
  // Weights are stored from the top of the block down.
  astc_bits block = {turned_long(weights.high), turned_long(weights.low)};
  block.low |= (uint)(layout.mode | (partitions - 1) << 11);
  if (partitions == 2) {
    const uint seed = tables[TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * parameter + 2];
    block.low |= (seed | (uint)f->mode << 12) << 13;
  } else {
    block.low |= (uint)f->mode << 13;
  }
  put_part(&block, partitions == 2 ? 29 : 17, &colors);
  if (planes == 2) {
    astc_range range;
    read_range(tables, layout.weight_range, &range);
    put_bits(&block, 128 - sequence_bits(layout.width * layout.height * 2, &range) - 2, (uint)parameter);
  }
  return (uint4)((uint)block.low, (uint)(block.low >> 32), (uint)block.high, (uint)(block.high >> 32));
}
