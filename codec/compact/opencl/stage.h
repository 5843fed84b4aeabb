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

 private:
  cl::Event first_, last_;
};

}  // namespace texcast::compact
