#include "base/wake_event.h"

#include <sys/eventfd.h>

#include <cerrno>

#include "base/errno_text.h"
#include "texcast/error.h"

namespace texcast {

WakeEvent::WakeEvent() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_.valid()) throw Error(ErrorKind::failed, "cannot make an eventfd: " + errno_text(errno));
}

// Fails only if the counter is full, and then fd() is readable anyway.
void WakeEvent::wake() const { ::eventfd_write(event_.get(), 1); }

bool WakeEvent::take() const {
  eventfd_t count = 0;
  return ::eventfd_read(event_.get(), &count) == 0;
}

}  // namespace texcast
