// macroblock_modes.cl — how macroblocks of transform slices are predicted (compact::MacroblockMode).
enum {
  MACROBLOCK_SKIP,
  MACROBLOCK_INTER,
  MACROBLOCK_INTER_CODED,
  MACROBLOCK_INTRA_DC,  // and those after it: intra modes
  MACROBLOCK_INTRA_HORIZONTAL,
  MACROBLOCK_INTRA_VERTICAL,
  MACROBLOCK_INTRA_PLANAR,
  MACROBLOCK_MODES
};
