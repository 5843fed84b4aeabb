// recycler.h — memory for results that outlive a call: what Python no longer holds is used again, so that a loop over
// frames allocates nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace texcast::python {

// Thread-safe. Keeps at most a few objects that nobody holds.
template <class Object>
class Pool : public std::enable_shared_from_this<Pool<Object>> {
 public:
  // Returns an object with its previous contents, or a new one. It comes back when its last share ends, on any thread,
  // even after the pool's end.
  std::shared_ptr<Object> lend() {
    std::unique_ptr<Object> object;
    {
      const std::scoped_lock lock(mutex_);
      if (!free_.empty()) {
        object = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!object) object = std::make_unique<Object>();
    return {object.release(), [pool = this->weak_from_this()](Object* returned) {
              std::unique_ptr<Object> owned(returned);
              if (const auto alive = pool.lock()) alive->take_back(std::move(owned));
            }};
  }

 private:
  static constexpr size_t kMostFree = 4;
  void take_back(std::unique_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    if (free_.size() < kMostFree) free_.push_back(std::move(object));
  }
  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> free_;
};

class Recycler : public Pool<std::vector<std::byte>> {
 public:
  std::shared_ptr<std::vector<std::byte>> of_size(size_t bytes) {
    auto memory = lend();
    memory->resize(bytes);
    return memory;
  }
  std::shared_ptr<std::vector<std::byte>> copy(std::span<const std::byte> bytes) {
    auto memory = lend();
    memory->assign(bytes.begin(), bytes.end());
    return memory;
  }
};

}  // namespace texcast::python
