// lossy_syntax.cl — what the mode decision of lossy tiles and their decoding share beyond syntax.cl.
//   defines      CHANNEL=1
#include "compact/neighbour_state.cl"

#define ENDS_FIT 11  // follows the four modes from ENDS_RECENT on
#define COLUMNS 16   // sub-blocks in a row of a tile, at most
#define ROWS 8       // rows of sub-blocks in a tile, at most

// Rounds eighths to integers; halves away from 0.
static int rounded_eighths(int v) { return v >= 0 ? (v + 4) >> 3 : -((4 - v) >> 3); }

// End points with at least the minimum range (widened_ends() in codec/compact/predict/include/compact/prediction.h).
static uint widened_ends(uint ends, int least_range) {
  const int first = (int)(ends & 255), second = (int)(ends >> 8), more = max(0, least_range - (first - second));
  return (uint)min(first + more / 2, 255) | (uint)max(second - (more - more / 2), 0) << 8;
}
