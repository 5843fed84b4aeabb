// symbols.cl — of half-blocks of one kind the kernels that choose their modes and give their symbols, in this order.
//   defines   CHANNEL, WALK_ITEMS
#include "compact/facts.cl"
#include "compact/walk.cl"
#include "compact/write.cl"
