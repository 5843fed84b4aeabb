// raw_bytes.h — converts bytes to the pointers of C libraries.
#pragma once

#include "base/bytes.h"

namespace texcast::transport {

inline const unsigned char* raw(Bytes bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
inline unsigned char* raw_out(MutableBytes bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

}  // namespace texcast::transport
