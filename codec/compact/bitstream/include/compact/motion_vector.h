// motion_vector.h — from here to there in the frame before.
#pragma once

namespace texcast::compact {

// In texels of a component, or what its user says.
struct MotionVector {
  int x = 0, y = 0;
  bool operator==(const MotionVector&) const = default;
};

}  // namespace texcast::compact
