// symbols.cl — the kernels that decide and write the lossless sub-blocks of one kind, in the order in which they run.
//   defines   CHANNEL, WALK_ITEMS
#include "compact/facts.cl"
#include "compact/walk.cl"
#include "compact/write.cl"
