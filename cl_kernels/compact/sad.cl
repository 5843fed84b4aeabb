// sad.cl — the SADs of a partition at several vectors at once. The file that includes this has sad_of_rows().
#include "compact/partition.cl"

// The SADs at `count` vectors. SEARCH_ITEMS / count items compute each of them, and have its vector as `v`. All items
// must call this together.
static void find_sads(const partition_view *a, int2 v, int count, local int *partial, int sads[MOST_VECTORS]) {
  const int item = (int)get_local_id(0), share = SEARCH_ITEMS / count;
  barrier(CLK_LOCAL_MEM_FENCE);
  partial[item] = sad_of_rows(a, v, item % share, share);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < count; ++i) {
    sads[i] = 0;
    for (int j = 0; j < share; ++j) sads[i] += partial[i * share + j];
  }
}
