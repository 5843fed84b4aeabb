// write.cl — the bits of a block.
//   exactness  equals codec/ref/astc/astc_write.cpp
#include "astc/fit.cl"

// Numbered from the lowest bit.
typedef struct {
  ulong low, high;
} astc_bits;

static void put_bits(astc_bits *bits, int at, int count, uint value) {
  if (at >= 64) {
    bits->high |= (ulong)value << (at - 64);
  } else {
    bits->low |= (ulong)value << at;
    if (at + count > 64) bits->high |= (ulong)value >> (64 - at);
  }
}


// A byte's bits the other way round. By products: Oclgrind has no bitreverse, which clang makes of shifts.
static uint turned_byte(uint b) { return ((b * 0x0802u & 0x22110u) | (b * 0x8020u & 0x88440u)) * 0x10101u >> 16 & 255; }

// One group: each integer's low bits, then its share of what the digits are packed to.
// `from_top`: bits go down from the block's last one.
static void put_group(astc_tables tables, int bits, int base, const uint *group, int count, bool from_top, int *at,
                      astc_bits *out) {
  uint packed = 0;
  if (base == 3)
    packed = tables[TEXCAST_ASTC_TRITS + (group[0] >> bits) + 3 * (group[1] >> bits) + 9 * (group[2] >> bits) +
                    27 * (group[3] >> bits) + 81 * (group[4] >> bits)];
  else if (base == 5)
    packed = tables[TEXCAST_ASTC_QUINTS + (group[0] >> bits) + 5 * (group[1] >> bits) + 25 * (group[2] >> bits)];
  // Shares of 2 2 1 2 1 and of 3 2 2 bits, four bits each.
  uint shares = base == 3 ? 0x12122 : base == 5 ? 0x223 : 0;
  for (int i = 0; i < count; ++i, shares >>= 4) {
    const int share = shares & 15;
    const int length = bits + share;
    const uint field = (group[i] & ((1u << bits) - 1)) | (packed & ((1u << share) - 1)) << bits;
    if (from_top)
      put_bits(out, 128 - *at - length, length, turned_byte(field) >> (8 - length));
    else
      put_bits(out, *at, length, field);
    packed >>= share;
    *at += length;
  }
}

static uint weight_code(astc_tables tables, const astc_fitted *f, int range, int last, ulong second, int i) {
  const int step = f->steps[i];
  const bool is_turned = f->is_turned[second >> i & 1];
  return weight_word(tables, range, is_turned ? last - step : step) >> 16;
}

static int group_size(int base) { return base == 3 ? 5 : base == 5 ? 3 : 1; }

static uint4 write_block(astc_tables tables, const astc_fitted *f) {
  const int kind = kind_of(f->choice), parameter = parameter_of(f->choice);
  const int planes = kind == TEXCAST_ASTC_DUAL ? 2 : 1, partitions = kind >= TEXCAST_ASTC_PAIR ? 2 : 1;
  astc_layout layout;
  read_layout(tables, layout_of(f->choice), &layout);
  // Where partitions are turned by themselves, each texel has its own weight.
  const ulong second = partitions == 2 ? second_part(tables, parameter) : 0;
  const int weights = layout.width * layout.height * planes;
  const uint weight_row = tables[TEXCAST_ASTC_RANGES + layout.weight_range];
  const int last = weight_row & 255, bits = weight_row >> 8 & 255, base = weight_row >> 16;
  astc_bits block = {0, 0};
  int at = 0;
  uint group[5];
  const int size = group_size(base);
  for (int begin = 0; begin < weights; begin += size) {
    for (int i = 0; i < 5; ++i)
      group[i] = i < size && begin + i < weights
                     ? weight_code(tables, f, layout.weight_range, last, second, begin + i)
                     : 0;
    put_group(tables, bits, base, group, min(size, weights - begin), true, &at, &block);
  }
  put_bits(&block, 0, 11, layout.mode);
  put_bits(&block, 11, 2, partitions - 1);
  if (partitions == 2) {
    const uint seed = tables[TEXCAST_ASTC_PARTITIONS + 1 + TEXCAST_ASTC_PARTITION_WORDS * parameter + 2];
    put_bits(&block, 13, 10, seed);
    put_bits(&block, 23, 6, f->mode << 2);
  } else {
    put_bits(&block, 13, 4, f->mode);
  }
  if (planes == 2) put_bits(&block, 128 - at - 2, 2, parameter);
  const uint color_row = tables[TEXCAST_ASTC_RANGES + layout.color_range];
  const int color_bits = color_row >> 8 & 255, color_base = color_row >> 16, color_size = group_size(color_base);
  const int each = 2 * (f->mode / 4) + 2, colors = each * partitions;
  int to = partitions == 2 ? 29 : 17;
  for (int begin = 0; begin < colors; begin += color_size) {
    for (int i = 0; i < 5; ++i) {
      const int n = begin + i;
      group[i] = 0;
      if (i < color_size && n < colors)
        group[i] = (uint)((n < each ? f->codes[0] : f->codes[1]) >> (8 * (n < each ? n : n - each)) & 255);
    }
    put_group(tables, color_bits, color_base, group, min(color_size, colors - begin), false, &to, &block);
  }
  return (uint4)((uint)block.low, (uint)(block.low >> 32), (uint)block.high, (uint)(block.high >> 32));
}

// One colour: a void extent without bounds.
static uint4 write_flat(float4 color) {
  const uint4 c = convert_uint4(color) * 257;
  return (uint4)(0xFFFFFDFCu, 0xFFFFFFFFu, c.x | c.y << 16, c.z | c.w << 16);
}
