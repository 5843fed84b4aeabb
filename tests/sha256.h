// sha256.h — SHA-256 (FIPS 180-4), to compare with digests by other programs.
#pragma once

#include <string>

#include "base/bytes.h"

namespace texcast {
std::string sha256_hex(Bytes bytes);
}
