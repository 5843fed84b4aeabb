#include "texcast/version.h"

namespace texcast {

const char* version() { return TEXCAST_VERSION; }

}  // namespace texcast
