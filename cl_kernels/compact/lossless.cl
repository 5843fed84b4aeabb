// lossless.cl — the kernels that decide and write the lossless sub-blocks of one kind, in the order in which they run.
//   defines      CHANNEL
#include "compact/lossless_analysis.cl"
#include "compact/lossless_decide.cl"
#include "compact/lossless_symbols.cl"
