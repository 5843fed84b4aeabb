// looks.cl — several vectors of an area at once, by the difference_of_rows() of who includes this.
#include "compact/areas.cl"

// Of `count` vectors at once the differences, of each by SEARCH_ITEMS / count items. All items come here together.
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
