// stage.h — measures the device's time for a part of a frame.
#pragma once

#include "ocl/opencl.h"
#include "ocl/profile.h"

namespace texcast::compact {

// Consecutive commands of one queue: the first and the last of them.
class Stage {
 public:
  void clear() { first_ = last_ = cl::Event(); }
  cl::Event* next() { return first_() == nullptr ? &first_ : &last_; }
  nanoseconds time() const {
    if (first_() == nullptr) return {};
    return last_() == nullptr ? ocl::duration(first_) : ocl::duration(first_, last_);
  }
  bool is_used() const { return first_() != nullptr; }
  // From when the first command of `from` was queued to the beginning and to the end of this stage, which is used.
  nanoseconds begin(const Stage& from) const { return ocl::since_queued(from.first_, first_, ocl::Moment::start); }
  nanoseconds end(const Stage& from) const {
    return ocl::since_queued(from.first_, last_() == nullptr ? first_ : last_, ocl::Moment::end);
  }

 private:
  cl::Event first_, last_;
};

}  // namespace texcast::compact
