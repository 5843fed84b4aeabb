// wake_event.h — ends the poll() of one thread from another.
#pragma once

#include "base/descriptor.h"

namespace texcast {

class WakeEvent {
 public:
  WakeEvent();  // throws Error{failed} if no descriptor is left
  int fd() const { return event_.get(); }
  // Makes fd() readable until take(). May be called on any thread and in signal handlers.
  void wake() const;
  // Whether wake() was called since the previous take(). Never blocks.
  bool take() const;

 private:
  const Descriptor event_;
};

}  // namespace texcast
