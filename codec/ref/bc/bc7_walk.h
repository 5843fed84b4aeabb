// bc7_walk.h — improves end points by single steps of their codes.
#pragma once

#include "bc7_measure.h"

namespace texcast::ref::bc7 {

// Moves to better neighbours of the end points, channel by channel, as long as there are any.
void walk(const Plane& plane, int rounds, Fitted& best);

}  // namespace texcast::ref::bc7
