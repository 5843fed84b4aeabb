#include "without_gil.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace texcast::python {
namespace {

std::atomic<bool> is_ending = false;
std::atomic<int> returning = 0;  // threads between the question whether the interpreter ends and the GIL
thread_local bool is_main = false;

struct Objects {
  std::mutex mutex;
  std::vector<std::weak_ptr<Closable>> living;
};
Objects& objects() {
  static auto* const all = new Objects;  // never destroyed: threads of others may outlive static objects
  return *all;
}

}  // namespace

GilRelease::~GilRelease() {
  ++returning;
  if (is_ending && !is_main) {
    --returning;
    for (;;) pause();
  }
  PyEval_RestoreThread(state_);
  --returning;
}

void close_at_exit(const std::shared_ptr<Closable>& object) {
  Objects& all = objects();
  const std::scoped_lock lock(all.mutex);
  std::erase_if(all.living, [](const auto& other) { return other.expired(); });
  all.living.push_back(object);
}

void end_of_interpreter() {
  is_main = true;
  const GilRelease released;
  std::vector<std::weak_ptr<Closable>> living;
  {
    const std::scoped_lock lock(objects().mutex);
    living.swap(objects().living);
  }
  is_ending = true;  // first: threads that use what is closed now stay, and raise nothing
  for (const auto& object : living)
    if (const auto alive = object.lock()) alive->close();
  while (returning > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // they get the GIL, which is free
}

}  // namespace texcast::python
