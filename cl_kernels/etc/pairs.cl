// pairs.cl — ETC2's modes T and H, two colours and a distance: the contents of such a block, and its bits.
//   exactness as etc/colors.cl
#include "etc/colors.cl"

#define ETC_DISTANCE(d) d,
constant float etc_distances[ETC_DISTANCE_COUNT] = {FOR_EACH_ETC_DISTANCE(ETC_DISTANCE)};
#undef ETC_DISTANCE

#define ETC_T 0          // the first colour is single, three are around the second
#define ETC_T_SWAPPED 1  // the colours exchanged
#define ETC_H 2          // two around each

typedef struct {
  int4 a, b;  // 4 bits per channel
  int mode, distance, error;
} etc_pair;

static void pair_paints(etc_pair *pair, etc_paints *out) {
  const float3 a = convert_float3(17 * pair->a.xyz), b = convert_float3(17 * pair->b.xyz);
  const float d = etc_distances[pair->distance];
  const bool h = pair->mode == ETC_H;
  out->paint[0] = etc_moved(a, h ? d : 0.0f);
  out->paint[1] = h ? etc_moved(a, -d) : etc_moved(b, d);
  out->paint[2] = etc_moved(b, h ? d : 0.0f);
  out->paint[3] = etc_moved(b, -d);
}

// The upper word. If the colours of H must be exchanged, `crossed` is 2: the texels' indices are to be XORed with it.
static uint pair_word(etc_pair *pair, int *crossed) {
  int4 a = pair->a, b = pair->b;
  const int d = pair->distance;
  *crossed = 0;
  if (pair->mode != ETC_H)
    return etc_invalid(a.x >> 2, a.x & 3) << 24 |
           (uint)(a.y << 20 | a.z << 16 | b.x << 12 | b.y << 8 | b.z << 4 | (d >> 1) << 2 | 2 | (d & 1));
  // The lowest bit of the distance's index is the order of the colours.
  const int rank_a = a.x << 8 | a.y << 4 | a.z, rank_b = b.x << 8 | b.y << 4 | b.z;
  if ((rank_a >= rank_b) != ((d & 1) != 0)) {
    const int4 other = a;
    a = b;
    b = other;
    *crossed = 2;
  }
  return etc_valid(a.x, a.y >> 1) << 24 | etc_invalid((a.y & 1) << 1 | a.z >> 3, a.z >> 1 & 3) << 16 |
         (uint)((a.z & 1) << 15 | b.x << 11 | b.y << 7 | b.z << 3 | (d >> 2) << 2 | 2 | (d >> 1 & 1));
}
