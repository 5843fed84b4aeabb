// motion_vector.h — the displacement from a position to the matching position in the reference frame.
#pragma once

namespace texcast::compact {

// In texels of a component, unless its user states another unit.
struct MotionVector {
  int x = 0, y = 0;
  bool operator==(const MotionVector&) const = default;
};

}  // namespace texcast::compact
