// fit_transform.cl — makes the sub-blocks of transform slices of their reconstructed samples (docs/compact.md, 5.16 and
// 5.19), as codec/compact/transform/transform_reconstruction.cpp does.
//   defines      CHANNEL=1
//
// fit_transform: fits a tile or sub-slice, and takes its samples over into the planes, which no other group reads.
//   work-group   TEXCAST_FIT_ITEMS items for each part
//   local        memory          texcast_fit_group
//   in   reference       the reference frame: ulong[sub-blocks]
//        components, parts, macroblocks: those of reconstruct_transform
//        new_samples     from reconstruct_transform
//        has_reference   0: there is no reference frame, and all slices are intra
//   out  reconstruction  ulong[sub-blocks]: those of valid parts, except exact copies with a zero vector, which have
//                        those of the reference frame already
//        samples         uint4[sub-blocks]: the same ones
//        results         further flags: TEXCAST_DECODED_CHANGED
//   exactness    integer; equals the CPU's result on every device
//
// The sub-blocks that are fitted are listed first, so that no item of a row of items waits for others: a fit takes far
// longer than a copy.
#include "compact/transform_part.cl"

// Writes a sub-block. Returns the flags that follow.
static uint put_sub_block(global const ulong *reference, int has_reference, int position, ulong value,
                          global ulong *reconstruction) {
  reconstruction[position] = value;
  return has_reference != 0 && reference[position] != value ? TEXCAST_DECODED_CHANGED : 0;
}

// Copies a sub-block of an exact copy.
static uint copy_sub_block(global const ulong *reference, const block_place *place, int2 at,
                           global ulong *reconstruction) {
  const int4 by = block_vector(place);
  const ulong value = reference[position_in(place->plane, at.x + (by.x >> 2), at.y + (by.y >> 2))];
  return put_sub_block(reference, 1, position_in(place->plane, at.x, at.y), value, reconstruction);
}

// Writes exact copies, takes over all samples, and lists the sub-blocks that are fitted. Returns the flags of the item's
// sub-blocks. Has a barrier at its end.
static uint copy_and_list(global const ulong *reference, global const uint4 *new_samples, global ulong *reconstruction,
                          global uint4 *samples, local texcast_fit_group *memory) {
  uint flags = 0;
  for (int i = (int)get_local_id(0); i < 4 * memory->part.blocks; i += TEXCAST_FIT_ITEMS) {
    block_place place;
    int2 at;
    find_place(&memory->part, i / 4, &place);
    const int kind = kind_of_block(&place);
    if (kind < BLOCK_COPIED || !find_sub_block(&place, i & 3, &at)) continue;
    const int position = position_in(place.plane, at.x, at.y);
    samples[position] = new_samples[position];
    if (kind == BLOCK_COPIED)
      flags |= copy_sub_block(reference, &place, at, reconstruction);
    else
      memory->fitted[atomic_inc(&memory->fitted_count)] = i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return flags;
}

// Fits the listed sub-blocks. Returns the flags of the item's.
static uint fit_listed(global const ulong *reference, global const uint4 *new_samples, int has_reference,
                       global ulong *reconstruction, local const texcast_fit_group *memory) {
  uint flags = 0;
  for (int n = (int)get_local_id(0); n < memory->fitted_count; n += TEXCAST_FIT_ITEMS) {
    const int i = memory->fitted[n];
    block_place place;
    int2 at;
    find_place(&memory->part, i / 4, &place);
    find_sub_block(&place, i & 3, &at);
    const int position = position_in(place.plane, at.x, at.y);
    uint4 texels;
    const ulong value = fit_block(new_samples[position], &texels);
    flags |= put_sub_block(reference, has_reference, position, value, reconstruction);
  }
  return flags;
}

kernel __attribute__((reqd_work_group_size(TEXCAST_FIT_ITEMS, 1, 1)))
void fit_transform(global const ulong *reference, global const texcast_decoded_component *components,
                   global const texcast_decoded_part *parts, global const texcast_macroblock *macroblocks,
                   global const uint4 *new_samples, int has_reference, global ulong *reconstruction,
                   global uint4 *samples, volatile global uint *results, local texcast_fit_group *memory) {
  const size_t number = get_group_id(0);
  global const texcast_decoded_part *part = parts + number;
  if (get_local_id(0) == 0) memory->fitted_count = memory->flags = 0;
  load_part(components, part, macroblocks + number * TEXCAST_MACROBLOCKS, &memory->part);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint flags = copy_and_list(reference, new_samples, reconstruction, samples, memory) |
                     fit_listed(reference, new_samples, has_reference, reconstruction, memory);
  if (flags != 0) atomic_or(&memory->flags, flags);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && memory->flags != 0)
    atomic_or(results + part->slice * (int)(sizeof(texcast_decoded_slice) / sizeof(uint)), memory->flags);
}
