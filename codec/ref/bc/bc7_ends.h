// bc7_ends.h — rounds end points to what a mode can store.
#pragma once

#include "bc7_block.h"

namespace texcast::ref::bc7 {

// The nearest end points, with the best p-bits. `constant`: channels that are not coded.
Ends round_ends(const Vector& low, const Vector& high, const Precision& precision, const Channels& constant);

}  // namespace texcast::ref::bc7
