// bc7_walk.h — end points code by code to better ones.
#pragma once

#include "bc7_measure.h"

namespace texcast::ref::bc7 {

// To the neighbours of the best end points, channel by channel, as long as they are better.
void walk(const Plane& plane, int rounds, Fitted& best);

}  // namespace texcast::ref::bc7
