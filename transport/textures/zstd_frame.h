// zstd_frame.h — unpacks a Zstandard frame (RFC 8878), for targets that have no library for it.
#pragma once

#include "base/bytes.h"

namespace texcast::stream {

// True if `frame` is one frame, without a dictionary and with exactly the content that fills `out`. Otherwise the
// content of `out` is undefined. The frame may be anything. Its checksum, if it has one, is not compared. Allocates
// about 200 KB meanwhile.
bool unpack_zstd(Bytes frame, MutableBytes out);

}  // namespace texcast::stream
