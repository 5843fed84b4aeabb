// decode.cl — decodes lossy slices into sub-blocks of channels. Symbols never depend on reconstructed sub-blocks: one
// kernel parses them, slice by slice, and checks whether they are valid; the next one reconstructs all sub-blocks at
// once; the last one computes the slices' checks.
//   defines      CHANNEL=1
//
// check_slices: computes slice_check() (codec/compact/bitstream/include/compact/payload.h) of valid slices.
//   work-group   1 item for each slice
//   exactness    integer; equals the CPU's result on every device
#include "compact/slice_parser.cl"
#include "compact/reconstruct.cl"

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void check_slices(global const ulong *reconstruction, global const texcast_slice_to_decode *slices,
                  global const texcast_decoded_component *components, int count,
                  global texcast_decoded_slice *results) {
  const int number = (int)get_global_id(0);
  global const texcast_slice_to_decode *slice = slices + number;
  if ((results[number].flags & TEXCAST_DECODED_VALID) == 0) return;
  ulong hash = (ulong)slice->tile + 1;
  for (int i = 0; i < slice->tiles; ++i) {
    for (int of = 0; of < count; ++of) {
      const texcast_component c = components[of].component;
      const part_rect p = rect_of_part(&c, slice->tile + i, slice->sub_slices, slice->sub_slice);
      for (int row = 0; row < p.rows; ++row) {
        global const ulong *sub_blocks = reconstruction + position_of(&c, p.x0, p.y0 + row);
        for (int column = 0; column < p.columns; column += 8) {
          // Loads eight at once, as each load takes long.
          ulong loaded[8];
          for (int k = 0; k < 8; ++k) loaded[k] = sub_blocks[min(column + k, p.columns - 1)];
          for (int k = 0; k < 8; ++k)
            if (column + k < p.columns) hash = rotate(hash ^ loaded[k], 32UL) * 0x9E3779B97F4A7C15UL;
        }
      }
    }
  }
  results[number].check = (uint)(hash >> 32);
}
