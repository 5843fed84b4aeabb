// workers_serial.cpp — Workers for targets without threads (player/web), instead of workers.cpp: callers do everything
// themselves.
#include "base/workers.h"

namespace texcast {

class Workers::Threads {};

int Workers::suggested_threads() { return 0; }
Workers::Workers(int /*threads*/) {}
Workers::~Workers() = default;
int Workers::threads() const { return 0; }
nanoseconds Workers::cpu_time() const { return {}; }
void Workers::run(const Loop& loop) {
  for (size_t i = 0; i < loop.count; ++i) loop.call(loop.object, i);
}
void Workers::stay_awake(int /*more*/) {}
void Workers::wake() {}

}  // namespace texcast
