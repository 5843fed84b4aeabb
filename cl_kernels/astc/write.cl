// write.cl — packs the bits of a block.
//   exactness  equals codec/ref/astc/astc_write.cpp
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

// Blocks have at most 64 weights.
#define MOST_INTEGERS (2 * TEXELS < 64 ? 2 * TEXELS : 64)

// Packs three integers: the low bits of each, then its share of the packed digits. `shares` has the number of bits of
// each share, in four bits each. The result has at most 24 bits.
static uint three_integers(const uint *group, int bits, uint shares, uint packed, int *length) {
  const uint low = (1u << bits) - 1;
  const int first = shares & 15, second = shares >> 4 & 15, third = shares >> 8;
  const int at = bits + first, next = at + bits + second;
  *length = next + bits + third;
  return (group[0] & low) | (group[1] & low) << at | (group[2] & low) << next | (packed & ((1u << first) - 1)) << bits |
         (packed >> first & ((1u << second) - 1)) << (at + bits) | (packed >> (first + second)) << (next + bits);
}

// Writes integers in groups: five with packed trits, two times three with packed quints, or six without either. `at` is
// the position of the first one.
static void put_integers(astc_tables tables, const uchar *integers, int count, uint range, int at, astc_bits *out) {
  const int bits = range >> 8 & 255, base = range >> 16, size = base == 3 ? 5 : 6;
#pragma unroll 1
  for (int begin = 0; begin < count; begin += size) {
    uint group[6];
    for (int i = 0; i < 6; ++i) group[i] = i < size && begin + i < count ? integers[begin + i] : 0;
    const uint number = (group[0] >> bits) + base * ((group[1] >> bits) + base * (group[2] >> bits));
    const uint others = (group[3] >> bits) + base * ((group[4] >> bits) + base * (group[5] >> bits));
    // Shares of 2 2 1 2 1 bits, and of 3 2 2 bits.
    uint packed = 0, packed_others = 0, shares = 0, shares_of_others = 0;
    if (base == 3) {
      packed = tables[TEXCAST_ASTC_TRITS + number + 27 * others];
      packed_others = packed >> 5;
      packed &= 31;
      shares = 0x122;
      shares_of_others = 0x012;
    } else if (base == 5) {
      packed = tables[TEXCAST_ASTC_QUINTS + number];
      packed_others = tables[TEXCAST_ASTC_QUINTS + others];
      shares = shares_of_others = 0x223;
    }
    int length, length_of_others;
    const uint word = three_integers(group, bits, shares, packed, &length);
    const uint word_of_others = three_integers(group + 3, bits, shares_of_others, packed_others, &length_of_others);
    put_bits(out, at, word | (ulong)word_of_others << length);
    at += length + length_of_others - (base == 3 ? bits : 0);
  }
}

static int sequence_bits(int count, uint range) {
  const int bits = range >> 8 & 255, base = range >> 16;
  return count * bits + (base == 3 ? (8 * count + 4) / 5 : base == 5 ? (7 * count + 2) / 3 : 0);
}

// Reverses a byte's bits, by products: Oclgrind lacks bitreverse, which clang makes of shifts.
static uint turned_byte(uint b) { return ((b * 0x0802u & 0x22110u) | (b * 0x8020u & 0x88440u)) * 0x10101u >> 16 & 255; }
static uint turned_word(uint w) {
  return turned_byte(w & 255) << 24 | turned_byte(w >> 8 & 255) << 16 | turned_byte(w >> 16 & 255) << 8 |
         turned_byte(w >> 24);
}
static ulong turned_long(ulong v) { return (ulong)turned_word((uint)v) << 32 | turned_word((uint)(v >> 32)); }

// The integers that store steps: the lowest bit selects the end from which a step is counted; the digit and the other
// bits follow.
static int16 step_codes(int16 steps, uint range) {
  const int last = range & 255, bits = range >> 8 & 255, base = range >> 16;
  const int16 upper = steps > (int16)(last / 2);
  const int16 number = select(steps, last - steps, upper);
  const int16 others = base == 3 ? number * 11 >> 5 : number * 13 >> 6;  // number / base, for numbers below 16
  const int16 codes = ((number - others * base) << bits) | (others << 1) | select((int16)(0), (int16)(1), upper);
  return base == 0 || bits == 0 ? steps : codes;
}

// The integers of the weights in their order, two planes interleaved.
static void order_weights(const astc_fitted *f, const astc_layout *layout, uint range, const astc_mask *second,
                          int planes, uchar *integers) {
  const float16 last = (float16)((float)(int)(range & 255));
#pragma unroll 1
  for (int plane = 0; plane < planes; ++plane) {
    EACH_GROUP {
      float16 steps = plane == 0 ? f->steps[0].of[n] : f->steps[1].of[n];
      // Partitions may be reversed independently, so each texel has its own weight.
      const int16 turned_first = (int16)(f->is_turned[0] ? -1 : 0), turned_second = (int16)(f->is_turned[1] ? -1 : 0);
      steps = select(steps, last - steps, select(turned_first, turned_second, second->of[n]));
      const int16 codes = step_codes(convert_int16(steps), range);
#define PUT(lane)                                                                                        \
  {                                                                                                      \
    const int x = (16 * n + 0x##lane) % SIDE, y = (16 * n + 0x##lane) / SIDE;                            \
    if (x < layout->width && y < layout->height)                                                         \
      integers[planes * (layout->width * y + x) + plane] = (uchar)codes.s##lane;                         \
  }
      EACH_LANE(PUT)
#undef PUT
    }
  }
}

static uint4 write_block(astc_tables tables, const astc_fitted *f) {
  const int kind = kind_of(f->choice), parameter = parameter_of(f->choice);
  const int planes = kind == TEXCAST_ASTC_DUAL ? 2 : 1, partitions = has_two_partitions(kind) ? 2 : 1;
  astc_layout layout;
  read_layout(tables, layout_of(f->choice), &layout);
  astc_mask second;
  mask_of(partitions == 2 ? second_part(tables, parameter) : 0, &second);
  uchar integers[MOST_INTEGERS];
  const int weights = layout.width * layout.height * planes;
  const uint weight_range = range_word(tables, layout.weight_range);
  order_weights(f, &layout, weight_range, &second, planes, integers);
  // Weights are stored from the top of the block down.
  astc_bits turned = {0, 0};
  put_integers(tables, integers, weights, weight_range, 0, &turned);
  astc_bits block = {turned_long(turned.high), turned_long(turned.low)};
  put_bits(&block, 0, (uint)(layout.mode | (partitions - 1) << 11));
  if (partitions == 2) {
    const uint seed = tables[TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * parameter + 2];
    put_bits(&block, 13, seed | (uint)f->mode << 12);
  } else {
    put_bits(&block, 13, (uint)f->mode);
  }
  if (planes == 2) put_bits(&block, 128 - sequence_bits(weights, weight_range) - 2, (uint)parameter);
  const int each = 2 * (f->mode / 4) + 2, colors = each * partitions;
  for (int i = 0; i < 8; ++i) {
    if (i < each) integers[i] = (uchar)(f->codes[0] >> 8 * i);
    if (i < each && partitions == 2) integers[each + i] = (uchar)(f->codes[1] >> 8 * i);
  }
  put_integers(tables, integers, colors, range_word(tables, layout.color_range), partitions == 2 ? 29 : 17, &block);
  return (uint4)((uint)block.low, (uint)(block.low >> 32), (uint)block.high, (uint)(block.high >> 32));
}

// A block of one colour: a void extent without bounds.
static uint4 write_flat(float4 value) {
  const uint4 c = convert_uint4(value) * 257;
  return (uint4)(0xFFFFFDFCu, 0xFFFFFFFFu, c.x | c.y << 16, c.z | c.w << 16);
}
