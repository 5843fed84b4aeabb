// sha256.h — FIPS 180-4, for comparing with digests that other programs made.
#pragma once

#include <string>

#include "base/bytes.h"

namespace texcast {
std::string sha256_hex(Bytes bytes);
}
