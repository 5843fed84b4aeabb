#include "base/descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace texcast {

int Descriptor::close() { return valid() && ::close(release()) != 0 ? errno : 0; }

}  // namespace texcast
