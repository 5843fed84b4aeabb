// bc1_search.cl — BC1 by cluster fit over all clusterings into four and three, then a walk among the neighbours of the
// best end points.
//   work-group   GROUP_ITEMS, one-dimensional; global = blocks rounded up; items past the last block return early (no
//                barriers)
//   local mem    GROUP_ITEMS x 17 x int2
//   in   source  as load.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   defines      ALLOW_BLACK, as bc1_three.cl says
//   exactness    as bc1_fit.cl; equals codec/ref/bc1_search.cpp bit for bit on every device
//   source       as bc1_cluster.cl; the walk: L. Spiro, "DXT Compression Revisited", 2012, its last step
#ifndef GROUP_ITEMS
#define GROUP_ITEMS 64
#endif

#define THREE_ORDER (ALLOW_BLACK ? ORDER_THREE_BLACK : ORDER_THREE)

static bool same_ends(ends565 x, ends565 y) {
  const int3 a = x.a ^ y.a, b = x.b ^ y.b, both = a | b;
  return (both.x | both.y | both.z) == 0;
}

// The best two, with different end points.
static void keep_two(ends565 ends, int error, bc1_candidate *first, bc1_candidate *second) {
  if (error >= second->error || (error >= first->error && same_ends(ends, first->ends))) return;
  if (error >= first->error) {
    second->ends = ends;
    second->error = error;
    return;
  }
  if (!same_ends(ends, first->ends)) {
    second->ends = first->ends;
    second->error = first->error;
  }
  first->ends = ends;
  first->error = error;
}

// All ways to cut the sorted texels into four clusters, judged in colour.
static void try_four_colour_cuts(const fit_block *f, local const cut_sums *sums, bc1_candidate *first,
                                 bc1_candidate *second) {
  fit_sums fit;
  for (int i = 0; i <= 16; ++i) {
    const int3 above_i = 3 * f->sum - channels_of(sums[i * GROUP_ITEMS]);
    for (int j = i; j <= 16; ++j) {
      const int3 above_j = above_i - channels_of(sums[j * GROUP_ITEMS]);
      for (int k = j; k <= 16; ++k) {
        fit.w = 48 - i - j - k;
        fit.ww = (j - i) + 4 * (k - j) + 9 * (16 - k);
        if (determinant(fit) == 0) continue;
        fit.wv = above_j - channels_of(sums[k * GROUP_ITEMS]);
        ends565 ends;
        fit_ends(f->sum, fit, &ends);
        keep_two(ends, fit_error(f->sum, fit, ends), first, second);
      }
    }
  }
}

#define SEARCH_ROUNDS 8

// One step at a time, the best of the neighbours: one channel of one end point up or down, or of both at once; or two
// neighbouring channels, or all three, of one end point together.
static int walk(const fit_block *f, int order, ends565 *ends_found) {
  const int3 largest = (int3)(31, 63, 31);
  ends565 best = *ends_found;
  int error = nearest_error(f, best, order);
  for (int round = 0; round < SEARCH_ROUNDS; ++round) {
    ends565 next = best;
    int next_error = error;
    for (int n = 0; n < 6; ++n) {
      const int channels = 0x367421 >> (4 * n) & 7;  // a bit each: red, green, blue
      const int3 unit = (int3)(channels, channels >> 1, channels >> 2) & 1;
      for (int move = 0; move < 9; ++move) {
        ends565 ends;
        ends.a = best.a + unit * (move / 3 - 1);
        ends.b = best.b + unit * (move % 3 - 1);
        if (move == 4 || (n >= 3 && move % 2 == 0)) continue;
        if (any(ends.a < 0) || any(ends.a > largest) || any(ends.b < 0) || any(ends.b > largest)) continue;
        const int e = nearest_error(f, ends, order);
        if (e < next_error) {
          next = ends;
          next_error = e;
        }
      }
    }
    if (next_error == error) break;
    best = next;
    error = next_error;
  }
  *ends_found = best;
  return error;
}

kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
void bc1_cluster_search(SOURCE source, global uint2 *blocks, const texcast_source s,
                        const texcast_target t) {
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  fit_block f;
  make_fit_block(p, &f);
  bc1_candidate first, second, three;
  refine(p, &f, &first);
  second.ends = first.ends;
  second.error = NO_ERROR_YET;
  const int3 line = expanded(first.ends.a) - expanded(first.ends.b);
  local cut_sums columns[17 * GROUP_ITEMS];
  local cut_sums *sums = columns + get_local_id(0);
  sort_along(&f, line, (int16)(0), sums);
  try_four_colour_cuts(&f, sums, &first, &second);
  three_colour(&f, sums, &three);

  // The two best to begin with end in different valleys often enough to walk from both. One loop, so that the walk is
  // in the program once.
  ends565 best = first.ends, ends = first.ends;
  int error = NO_ERROR_YET, order = ORDER_FOUR;
  for (int start = 0; start < 3; ++start) {
    if (start == 1) {
      if (second.error == NO_ERROR_YET) continue;
      ends = second.ends;
    }
    if (start == 2) ends = three.ends;
    const int start_order = start == 2 ? THREE_ORDER : ORDER_FOUR;
    const int e = walk(&f, start_order, &ends);
    if (e < error) {
      best = ends;
      error = e;
      order = start_order;
    }
  }
  blocks[block] = pack_nearest(&f, best, order);
}
