#include "base/ensure.h"

#include <cstdio>
#include <cstdlib>

namespace texcast {

void ensure_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "texcast: internal error at %s:%d: %s does not hold; please report this\n", file, line,
               condition);
  std::abort();
}

}  // namespace texcast
