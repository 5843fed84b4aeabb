// bc1_search.cl — BC1 by cluster fit over all splits along two axes, then a walk among the neighbours of the end points.
//   work-group   GROUP_ITEMS, one-dimensional; global = blocks rounded up; items past the last block return early (no
//                barriers)
//   local mem    GROUP_ITEMS x 17 x int4
//   in   source  as load.cl says
//   out  blocks  uint2[blocks_y][blocks_x], little-endian
//   exactness    as bc1_fit.cl; equals codec/ref/bc1_search.cpp bit for bit on every device
//   source       as bc1_cluster.cl; the walk: L. Spiro, "DXT Compression Revisited", 2012, its last step

// The block's squared error as it will be decoded: thirds cut off, indices as pack_bc1 chooses them.
static int decoded_error(const fit_block *f, ends565 ends) {
  const int16 w = project_weights(f, ends);
  const int3 a = expanded(ends.a), b = expanded(ends.b), p1 = third(a + 2 * b), p2 = third(2 * a + b);
  const int16 is_3 = w == 3, is_2 = w == 2, is_1 = w == 1;
  const int16 r = f->r - select(select(select((int16)(b.x), (int16)(p1.x), is_1), (int16)(p2.x), is_2), (int16)(a.x), is_3);
  const int16 g = f->g - select(select(select((int16)(b.y), (int16)(p1.y), is_1), (int16)(p2.y), is_2), (int16)(a.y), is_3);
  const int16 c = f->b - select(select(select((int16)(b.z), (int16)(p1.z), is_1), (int16)(p2.z), is_2), (int16)(a.z), is_3);
  return sum16(r * r + g * g + c * c);
}

#define SEARCH_ROUNDS 8

// One step at a time, the best of the neighbours: one channel of one end point up or down, or of both at once.
static void search(const fit_block *f, ends565 *ends_found) {
  const int3 largest = (int3)(31, 63, 31);
  ends565 best = *ends_found;
  int error = decoded_error(f, best);
  for (int round = 0; round < SEARCH_ROUNDS; ++round) {
    ends565 next = best;
    int next_error = error;
    for (int c = 0; c < 3; ++c)
      for (int move = 0; move < 9; ++move) {
        const int3 unit = select((int3)(0), (int3)(1), (int3)(0, 1, 2) == (int3)(c));
        ends565 ends;
        ends.a = best.a + unit * (move / 3 - 1);
        ends.b = best.b + unit * (move % 3 - 1);
        if (move == 4 || any(ends.a < 0) || any(ends.a > largest) || any(ends.b < 0) || any(ends.b > largest)) continue;
        const int e = decoded_error(f, ends);
        if (e < next_error) {
          next = ends;
          next_error = e;
        }
      }
    if (next_error == error) break;
    best = next;
    error = next_error;
  }
  *ends_found = best;
}

kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
void bc1_cluster_search(SOURCE source, global uint2 *blocks, const texcast_source s,
                               const texcast_target t) {
  int block;
  rgb_block p;
  if (!load_own_block(source, &s, &t, &block, &p)) return;
  fit_block f;
  make_fit_block(p, &f);
  bc1_candidate best;
  refine(p, &f, &best);
  local int4 columns[17 * GROUP_ITEMS];
  local int4 *sums = columns + get_local_id(0);
  for (int pass = 0; pass < 2; ++pass) {
    // The second time along the line that won: it is the better axis for these end points.
    sorted_sums(&f, pass == 0 ? principal_axis(&f) : expanded(best.ends.a) - expanded(best.ends.b), sums);
    for (int n = 0; n < SPLIT_COUNT; ++n) try_split(&f, sums, all_splits[n], &best);
  }
  search(&f, &best.ends);
  blocks[block] = pack_bc1(p.r, p.g, p.b, best.ends.a, best.ends.b);
}
