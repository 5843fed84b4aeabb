// wake_event.h — what ends a poll() of one thread from another.
#pragma once

#include "base/descriptor.h"

namespace texcast {

class WakeEvent {
 public:
  WakeEvent();  // throws Error{failed}: no descriptor is left
  int fd() const { return event_.get(); }
  // Makes fd() readable until take(). Any thread, signal handlers too.
  void wake() const;
  // Whether wake() was called since the call before. Never waits.
  bool take() const;

 private:
  const Descriptor event_;
};

}  // namespace texcast
