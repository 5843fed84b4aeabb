// looks.cl — the SADs of a partition at several vectors at once. The file that includes this has difference_of_rows().
#include "compact/areas.cl"

// The SADs at `count` vectors. SEARCH_ITEMS / count items compute each of them, and have its vector as `v`. All items
// must call this together.
static void look_at(const area *a, int2 v, int count, local int *partial, int looks[MOST_LOOKS]) {
  const int item = (int)get_local_id(0), share = SEARCH_ITEMS / count;
  barrier(CLK_LOCAL_MEM_FENCE);
  partial[item] = difference_of_rows(a, v, item % share, share);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < count; ++i) {
    looks[i] = 0;
    for (int j = 0; j < share; ++j) looks[i] += partial[i * share + j];
  }
}
