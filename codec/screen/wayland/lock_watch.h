// lock_watch.h — whether the desktop is locked, as its screen saver reports it on the session bus: GNOME ends captures
// then, and permits them again once it is unlocked.
#pragma once

#include <systemd/sd-bus.h>

#include <memory>
#include <vector>

#include "texcast/frame_times.h"

namespace texcast::screen::wayland {

// Not thread-safe. Without a session bus nothing is ever locked.
class LockWatch {
 public:
  LockWatch();
  LockWatch(const LockWatch&) = delete;
  LockWatch& operator=(const LockWatch&) = delete;

  bool is_locked() const { return is_locked_; }          // since the start of the watch
  SteadyTime changed_at() const { return changed_at_; }  // SteadyTime::min(): never

  // For polling.
  int fd() const;  // -1: none
  short events() const;
  void process();  // never blocks

 private:
  struct Closes {
    void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  static int take(sd_bus_message* message, void* user, sd_bus_error* error);

  std::unique_ptr<sd_bus, Closes> bus_;
  std::vector<std::unique_ptr<sd_bus_slot, Closes>> matches_;
  bool is_locked_ = false;
  SteadyTime changed_at_ = SteadyTime::min();
};

}  // namespace texcast::screen::wayland
