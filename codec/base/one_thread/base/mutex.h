// mutex.h — for targets without threads, which have no std::mutex: see base/mutex.h in codec/base/include.
#pragma once

#include <mutex>

namespace texcast {

struct Mutex {
  void lock() {}
  void unlock() {}
};

}  // namespace texcast
