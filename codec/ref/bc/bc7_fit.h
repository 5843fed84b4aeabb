// bc7_fit.h — end points by the principal axis and by least squares.
#pragma once

#include "bc7_measure.h"

namespace texcast::ref::bc7 {

// The best of the outermost texels along the axis and of `fits` further fits.
Fitted fit(const Plane& plane, int fits);

}  // namespace texcast::ref::bc7
