// bc7_ends.h — end points as a mode stores them.
#pragma once

#include "bc7_block.h"

namespace texcast::ref::bc7 {

// The nearest, with the p-bits that are the nearest. `constant`: channels that are not coded.
Ends round_ends(const Vector& low, const Vector& high, const Precision& precision, const Channels& constant);

}  // namespace texcast::ref::bc7
