// mutex.h — the lock of classes that are also built for targets without threads. codec/base/one_thread has this header
// for those, with a lock that does nothing.
#pragma once

#include <mutex>

namespace texcast {

using Mutex = std::mutex;

}  // namespace texcast
