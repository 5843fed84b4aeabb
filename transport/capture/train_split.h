// train_split.h — a train of datagrams that was captured before the kernel cut it (UDP_SEGMENT on loopback or before
// the device) back into its datagrams.
#pragma once

#include <cstddef>

#include "base/bytes.h"

namespace texcast::transport {

// The size of all its datagrams but the last, or train.size() where it is a single one. The size itself is not in a
// capture; what tells is that every piece begins with an RTP header that continues the one before: same version,
// payload type, SSRC and time stamp, next sequence number.
size_t train_segment_bytes(Bytes train);

}  // namespace texcast::transport
