// rd_analysis.cl — the pre-analysis of lossy tiles: everything about a sub-block that does not depend on decisions in
// its tile. It runs for all sub-blocks at once, before rd_decide.cl.
//
// analyse_lossy:
//   work-items   one for each sub-block: global = (TEXCAST_LOSSY_ANALYSIS_ITEMS times tiles, components)
//   in   reference    ulong[sub-blocks], the reference frame; anything if all tiles are intra
//        source       uint4[sub-blocks]: the texels to approximate, a byte each
//        components   texcast_lossy_component[count]
//        tiles        texcast_lossy_tile[]: tile_count of them from `first` on
//        encoded      ulong[sub-blocks]: from the block encoder
//   out  analysis     texcast_lossy_analysis[tiles][sub-blocks of a whole tile, component by component]
#include "compact/rd_common.cl"

kernel __attribute__((reqd_work_group_size(TEXCAST_LOSSY_ANALYSIS_ITEMS, 1, 1)))
void analyse_lossy(global const ulong *reference, global const uint4 *source,
                   global const texcast_lossy_component *components, int count, global const texcast_lossy_tile *tiles,
                   int first, int tile_count, global const ulong *encoded, global uint4 *all_analysis) {
  local ulong motion_copies[TEXCAST_LOSSY_ANALYSIS_ITEMS];
  const int number = (int)get_global_id(1), item = (int)get_local_id(0);
  const texcast_component c = components[number].component;
  const int sub_blocks = c.tile_columns * c.tile_rows, slot = (int)get_global_id(0) / sub_blocks;
  const int in_tile = (int)get_global_id(0) - slot * sub_blocks;
  const int row = in_tile / c.tile_columns, column = in_tile - row * c.tile_columns;
  global const texcast_lossy_tile *tile = tiles + first + min(slot, tile_count - 1);
  const int x = tile->tile % c.tiles_across * c.tile_columns + column;
  const int y = tile->tile / c.tiles_across * c.tile_rows + row;
  const bool is_there = slot < tile_count && x < c.blocks_x && y < c.blocks_y, intra = tile->intra != 0;
  texcast_lossy_analysis analysis;
  uint texels[4] = {0, 0, 0, 0};
  ulong motion_copy = 0;
  if (is_there) {
    const int at = position_of(&c, x, y);
    const uint4 loaded = source[at];
    texels[0] = loaded.x, texels[1] = loaded.y, texels[2] = loaded.z, texels[3] = loaded.w;
    int sum = 0, squares = 0;
    for (int i = 0; i < 16; ++i) {
      const int texel = byte_at(texels[i / 4], i % 4);
      sum += texel;
      squares += texel * texel;
    }
    analysis.sums = (uint)sum << TEXCAST_LOSSY_SUM_AT | (uint)squares;
    uint fitted = 0;
    ulong at_vector = 0;
    for (int i = 0; i < 4; ++i) analysis.pixels[i] = 0;
    analysis.motion_copy_loss = analysis.co_located_loss = analysis.prediction_loss = analysis.lighter = 0;
    if (!intra) {
      const int2 v = half_texel_vector(tile, &c, partition_at(&c, column, row));
      // Texels at half-pixel positions are means of two or four.
      const int tx = x * 4 + (v.x >> 1), ty = y * 4 + (v.y >> 1), right = v.x & 1, down = v.y & 1;
      uint pixels[16];
      load_window(reference, &c, tx, ty, pixels);
      if (right + down != 0) {
        uint others[16];
        load_window(reference, &c, tx + right, ty + down, others);
        for (int i = 0; i < 16; ++i) pixels[i] += others[i] + 1;
        if (right + down == 2) {
          load_window(reference, &c, tx + 1, ty, others);
          for (int i = 0; i < 16; ++i) pixels[i] += others[i] + 1;
          load_window(reference, &c, tx, ty + 1, others);
          for (int i = 0; i < 16; ++i) pixels[i] += others[i];
        }
        for (int i = 0; i < 16; ++i) pixels[i] >>= right + down;
      }
      int lightness = 0, off = 0, darkest = 255, lightest = 0;
      for (int i = 0; i < 16; ++i) {
        const int pixel = (int)pixels[i], difference = byte_at(texels[i / 4], i % 4) - pixel;
        analysis.pixels[i / 4] |= pixels[i] << i % 4 * 8;
        lightness += difference;
        off += difference * difference;
        darkest = min(darkest, pixel);
        lightest = max(lightest, pixel);
      }
      analysis.lighter = (lightness + (lightness < 0 ? -8 : 8)) / 16;
      analysis.prediction_loss = off;
      fitted = (uint)lightest | (uint)darkest << 8;
      const int from_x = x + (v.x >> 3), from_y = y + (v.y >> 3);
      if (((v.x | v.y) & 7) == 0 && has_sub_block(&c, from_x, from_y)) {
        motion_copy = reference[position_of(&c, from_x, from_y)];
      } else if (darkest == lightest) {
        motion_copy = fitted;
      } else {
        const line_of_ends line = line_between(fitted);
        // All levels lie between the end points, as the first one is larger.
        ulong indices = 0;
        for (int i = 0; i < 16; ++i)
          indices |= (ulong)index_of_level(level_there(&line, eighths_along(&line, (int)pixels[i])), true) << 3 * i;
        motion_copy = indices << 16 | fitted;
      }
      analysis.motion_copy_loss = loss_of_sub_block(motion_copy, texels);
      if ((v.x | v.y) != 0) analysis.co_located_loss = loss_of_sub_block(reference[at], texels);
      const int nearest_x = clamp(x + rounded_eighths(v.x), 0, c.blocks_x - 1);
      const int nearest_y = clamp(y + rounded_eighths(v.y), 0, c.blocks_y - 1);
      at_vector = reference[position_of(&c, nearest_x, nearest_y)];
    }
    analysis.motion_copy[0] = (uint)motion_copy;
    analysis.motion_copy[1] = (uint)(motion_copy >> 32);
    analysis.at_vector[0] = (uint)at_vector;
    analysis.at_vector[1] = (uint)(at_vector >> 32);
    analysis.ends = fitted | ends_of(encoded[at]) << 16;
  }
  motion_copies[item] = motion_copy;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_there) return;
  analysis.left_loss = column > 0 && !intra ? loss_of_sub_block(motion_copies[item - 1], texels) : 0;
  analysis.above_loss = row > 0 && !intra ? loss_of_sub_block(motion_copies[item - c.tile_columns], texels) : 0;
  // This is the layout of texcast_lossy_analysis.
  global uint4 *to =
      all_analysis + 4 * (slot * first_sub_block(components, count) + first_sub_block(components, number) + in_tile);
  to[0] = (uint4)(analysis.pixels[0], analysis.pixels[1], analysis.pixels[2], analysis.pixels[3]);
  to[1] = (uint4)(analysis.motion_copy[0], analysis.motion_copy[1], analysis.at_vector[0], analysis.at_vector[1]);
  to[2] = (uint4)((uint)analysis.motion_copy_loss, (uint)analysis.co_located_loss, (uint)analysis.left_loss,
                  (uint)analysis.above_loss);
  to[3] = (uint4)(analysis.sums, (uint)analysis.prediction_loss, analysis.ends, (uint)analysis.lighter);
}
