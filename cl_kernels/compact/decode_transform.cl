// decode_transform.cl — decodes transform slices into sub-blocks of channels, as decode.cl does block-coded ones: one
// kernel parses the symbols, slice by slice, and the next one reconstructs tiles. check_slices of decode.cl follows.
//   defines      CHANNEL=1
#define LITERAL_CONTEXT TEXCAST_TRANSFORM_LITERAL_CONTEXT
#include "compact/transform_parser.cl"
#include "compact/reconstruct_transform.cl"
