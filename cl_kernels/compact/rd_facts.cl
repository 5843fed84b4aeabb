// rd_facts.cl — the pre-analysis of lossy tiles: everything about a sub-block that does not depend on decisions in its
// tile. It runs for all sub-blocks at once, before rd_decide.cl.
//
// find_lossy_facts:
//   work-items   one for each sub-block: global = (TEXCAST_LOSSY_FACTS_ITEMS times tiles, components)
//   in   before      ulong[sub-blocks], the reference frame; anything if all tiles are intra
//        source      uint4[sub-blocks]: the texels to approximate, a byte each
//        components  texcast_lossy_component[count]
//        tiles       texcast_lossy_tile[]: tile_count of them from `first` on
//        made        ulong[sub-blocks]: from the block encoder
//   out  facts       texcast_lossy_facts[tiles][sub-blocks of a whole tile, component by component]
#include "compact/rd_common.cl"

kernel __attribute__((reqd_work_group_size(TEXCAST_LOSSY_FACTS_ITEMS, 1, 1)))
void find_lossy_facts(global const ulong *before, global const uint4 *source,
                      global const texcast_lossy_component *components, int count,
                      global const texcast_lossy_tile *tiles, int first, int tile_count, global const ulong *made,
                      global uint4 *all_facts) {
  local ulong moved_halves[TEXCAST_LOSSY_FACTS_ITEMS];
  const int number = (int)get_global_id(1), item = (int)get_local_id(0);
  const texcast_component c = components[number].component;
  const int halves = c.tile_columns * c.tile_rows, slot = (int)get_global_id(0) / halves;
  const int in_tile = (int)get_global_id(0) - slot * halves;
  const int row = in_tile / c.tile_columns, column = in_tile - row * c.tile_columns;
  global const texcast_lossy_tile *tile = tiles + first + min(slot, tile_count - 1);
  const int x = tile->tile % c.tiles_across * c.tile_columns + column;
  const int y = tile->tile / c.tiles_across * c.tile_rows + row;
  const bool is_there = slot < tile_count && x < c.blocks_x && y < c.blocks_y, alone = tile->alone != 0;
  texcast_lossy_facts facts;
  uint texels[4] = {0, 0, 0, 0};
  ulong moved = 0;
  if (is_there) {
    const int at = place_of(&c, x, y);
    const uint4 loaded = source[at];
    texels[0] = loaded.x, texels[1] = loaded.y, texels[2] = loaded.z, texels[3] = loaded.w;
    int sum = 0, squares = 0;
    for (int i = 0; i < 16; ++i) {
      const int texel = byte_at(texels[i / 4], i % 4);
      sum += texel;
      squares += texel * texel;
    }
    facts.sums = (uint)sum << TEXCAST_LOSSY_SUM_AT | (uint)squares;
    uint fitted = 0;
    ulong at_vector = 0;
    for (int i = 0; i < 4; ++i) facts.pixels[i] = 0;
    facts.moved_loss = facts.stayed_loss = facts.off = facts.lighter = 0;
    if (!alone) {
      const int2 v = vector_of_area(tile, &c, area_at(&c, column, row));
      // Texels at half-pixel positions are means of two or four.
      const int tx = x * 4 + (v.x >> 1), ty = y * 4 + (v.y >> 1), right = v.x & 1, down = v.y & 1;
      uint pixels[16];
      load_window(before, &c, tx, ty, pixels);
      if (right + down != 0) {
        uint others[16];
        load_window(before, &c, tx + right, ty + down, others);
        for (int i = 0; i < 16; ++i) pixels[i] += others[i] + 1;
        if (right + down == 2) {
          load_window(before, &c, tx + 1, ty, others);
          for (int i = 0; i < 16; ++i) pixels[i] += others[i] + 1;
          load_window(before, &c, tx, ty + 1, others);
          for (int i = 0; i < 16; ++i) pixels[i] += others[i];
        }
        for (int i = 0; i < 16; ++i) pixels[i] >>= right + down;
      }
      int lightness = 0, off = 0, darkest = 255, lightest = 0;
      for (int i = 0; i < 16; ++i) {
        const int pixel = (int)pixels[i], difference = byte_at(texels[i / 4], i % 4) - pixel;
        facts.pixels[i / 4] |= pixels[i] << i % 4 * 8;
        lightness += difference;
        off += difference * difference;
        darkest = min(darkest, pixel);
        lightest = max(lightest, pixel);
      }
      facts.lighter = (lightness + (lightness < 0 ? -8 : 8)) / 16;
      facts.off = off;
      fitted = (uint)lightest | (uint)darkest << 8;
      const int from_x = x + (v.x >> 3), from_y = y + (v.y >> 3);
      if (((v.x | v.y) & 7) == 0 && has_place(&c, from_x, from_y)) {
        moved = before[place_of(&c, from_x, from_y)];
      } else if (darkest == lightest) {
        moved = fitted;
      } else {
        const line_of_ends line = line_between(fitted);
        // All levels lie between the end points, as the first one is larger.
        ulong indices = 0;
        for (int i = 0; i < 16; ++i)
          indices |= (ulong)(0x17654320u >> 4 * level_there(&line, eighths_along(&line, (int)pixels[i])) & 15) << 3 * i;
        moved = indices << 16 | fitted;
      }
      facts.moved_loss = loss_of_half(moved, texels);
      if ((v.x | v.y) != 0) facts.stayed_loss = loss_of_half(before[at], texels);
      const int nearest_x = clamp(x + rounded_eighths(v.x), 0, c.blocks_x - 1);
      const int nearest_y = clamp(y + rounded_eighths(v.y), 0, c.blocks_y - 1);
      at_vector = before[place_of(&c, nearest_x, nearest_y)];
    }
    facts.moved[0] = (uint)moved;
    facts.moved[1] = (uint)(moved >> 32);
    facts.at_vector[0] = (uint)at_vector;
    facts.at_vector[1] = (uint)(at_vector >> 32);
    facts.ends = fitted | ends_of(made[at]) << 16;
  }
  moved_halves[item] = moved;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_there) return;
  facts.left_loss = column > 0 && !alone ? loss_of_half(moved_halves[item - 1], texels) : 0;
  facts.above_loss = row > 0 && !alone ? loss_of_half(moved_halves[item - c.tile_columns], texels) : 0;
  // This is the layout of texcast_lossy_facts.
  global uint4 *to =
      all_facts + 4 * (slot * first_fact(components, count) + first_fact(components, number) + in_tile);
  to[0] = (uint4)(facts.pixels[0], facts.pixels[1], facts.pixels[2], facts.pixels[3]);
  to[1] = (uint4)(facts.moved[0], facts.moved[1], facts.at_vector[0], facts.at_vector[1]);
  to[2] = (uint4)((uint)facts.moved_loss, (uint)facts.stayed_loss, (uint)facts.left_loss, (uint)facts.above_loss);
  to[3] = (uint4)(facts.sums, (uint)facts.off, facts.ends, (uint)facts.lighter);
}
