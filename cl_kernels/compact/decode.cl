// decode.cl — decodes lossy slices into sub-blocks of channels. Symbols never depend on reconstructed sub-blocks: one
// kernel parses them, slice by slice, and checks whether they are valid; the next ones (reconstruct.cl, and
// reconstruct_transform.cl for transform slices) reconstruct all sub-blocks; the last one computes the slices' checks.
//   defines      CHANNEL=1
//
// parse_slices: parses the symbols of a slice, one after the other. Devices are fast at this if there is no other item
// in the group. Block-coded and transform slices are parsed beside each other, as each takes long.
//   work-group   1 item for each slice
//   local        block_memory      texcast_block_parser; transform_memory: texcast_transform_parser
//   in   words             ushort[]: the bytes of all slices
//        slices            texcast_slice_to_decode[]
//        transform_slices  so many come first that are transform slices
//        components        texcast_decoded_component[count]
//        buckets           uint[content][table set][context][TEXCAST_DECODE_BUCKETS]: the symbol with the most slots in
//                          the bucket: from bit 16 on the number of its slots, from bit 4 on its first slot, and the
//                          symbol
//        starts            ushort[content][table set][context][symbol]: first slots
//        table_sets        their number in a content class
//        transform_buckets, transform_starts
//                          the same of transform slices, [range of quantisers][table set], with
//                          TEXCAST_TRANSFORM_CONTEXTS_USED contexts
//   out  parts             texcast_decoded_part[]: the tiles and sub-slices of all slices
//        symbols           of block-coded slices, uint4[sub-blocks], in their positions: SYMBOLS_…; not in partitions
//                          that are all motion copies
//        macroblocks       of transform slices, texcast_macroblock[part][TEXCAST_MACROBLOCKS], four in a row: those in
//                          the picture
//        levels            short[part][TEXCAST_MACROBLOCKS][TEXCAST_TRANSFORM_BLOCKS][TEXCAST_COEFFICIENTS], row by row:
//                          those of coded transform blocks
//        results           texcast_decoded_slice[]: valid or not
//   exactness    integer; the slices that the CPU accepts are valid
//
// check_slices: computes slice_check() (codec/compact/bitstream/include/compact/payload.h) of valid slices. The items
// load a tile together, and the first one computes.
//   work-group   CHECK_ITEMS items for each slice
//   local        sub_blocks: ulong[sub-blocks of a tile]
//   exactness    integer; equals the CPU's result on every device
#include "compact/slice_parser.cl"
#include "compact/transform_parser.cl"
#include "compact/reconstruct.cl"

#define CHECK_ITEMS 32

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void parse_slices(global const ushort *words, global const texcast_slice_to_decode *slices, int transform_slices,
                  global const texcast_decoded_component *components, int count, global const uint *buckets,
                  global const ushort *starts, int table_sets, global const uint *transform_buckets,
                  global const ushort *transform_starts, global texcast_decoded_part *parts, global uint4 *symbols,
                  global texcast_macroblock *macroblocks, global short *levels, global texcast_decoded_slice *results,
                  local texcast_block_parser *block_memory, local texcast_transform_parser *transform_memory) {
  const int number = (int)get_global_id(0);
  global const texcast_slice_to_decode *slice = slices + number;
  const size_t first = (size_t)slice->first_part;
  bool is_valid;
  symbol_reader reader;
  if (number < transform_slices) {
    const transform_tables all = {transform_buckets, transform_starts};
    start_reading(&reader, words, slice, TEXCAST_TRANSFORM_LITERAL_CONTEXT);
    is_valid = read_transform_slice(&reader, slice, components, &all, table_sets, parts + first,
                                    macroblocks + first * TEXCAST_MACROBLOCKS, levels + first * LEVELS_OF_PART,
                                    transform_memory);
  } else {
    start_reading(&reader, words, slice, TEXCAST_LITERAL_CONTEXT);
    is_valid = read_block_slice(&reader, slice, components, count, buckets, starts, table_sets, parts + first, symbols,
                                block_memory);
  }
  for (int i = 0; i < slice->tiles; ++i) describe_part(parts + first + i, slice, number, i, is_valid);
  results[number].flags = is_valid ? TEXCAST_DECODED_VALID : 0;
  results[number].check = 0;
}

// Loads the sub-blocks of a part, in the order of the checksum. Returns how many it has.
static int load_checked_part(global const ulong *reconstruction, global const texcast_decoded_component *components,
                             int count, global const texcast_slice_to_decode *slice, int tile,
                             local ulong *sub_blocks) {
  int first = 0;
  for (int of = 0; of < count; ++of) {
    const texcast_component c = components[of].component;
    const part_rect p = rect_of_part(&c, tile, slice->sub_slices, slice->sub_slice);
    const int of_part = p.rows > 0 && p.columns > 0 ? p.rows * p.columns : 0;
    for (int i = (int)get_local_id(0); i < of_part; i += CHECK_ITEMS) {
      const int row = i / p.columns;
      sub_blocks[first + i] = reconstruction[position_of(&c, p.x0 + i - row * p.columns, p.y0 + row)];
    }
    first += of_part;
  }
  return first;
}

kernel __attribute__((reqd_work_group_size(CHECK_ITEMS, 1, 1)))
void check_slices(global const ulong *reconstruction, global const texcast_slice_to_decode *slices,
                  global const texcast_decoded_component *components, int count,
                  global texcast_decoded_slice *results, local ulong *sub_blocks) {
  const int number = (int)get_group_id(0);
  global const texcast_slice_to_decode *slice = slices + number;
  const int tiles = (results[number].flags & TEXCAST_DECODED_VALID) != 0 ? slice->tiles : 0;
  ulong hash = (ulong)slice->tile + 1;
  for (int i = 0; i < tiles; ++i) {
    const int loaded = load_checked_part(reconstruction, components, count, slice, slice->tile + i, sub_blocks);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
      for (int k = 0; k < loaded; ++k) hash = rotate(hash ^ sub_blocks[k], 32UL) * 0x9E3779B97F4A7C15UL;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) results[number].check = tiles > 0 ? (uint)(hash >> 32) : 0;
}
