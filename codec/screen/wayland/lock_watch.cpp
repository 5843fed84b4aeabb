#include "lock_watch.h"

#include <algorithm>

namespace texcast::screen::wayland {

LockWatch::LockWatch() {
  sd_bus* bus = nullptr;
  if (sd_bus_open_user(&bus) < 0) return;
  bus_.reset(bus);
  for (const char* interface : {"org.gnome.ScreenSaver", "org.freedesktop.ScreenSaver"}) {  // the latter: KDE
    sd_bus_slot* slot = nullptr;
    const int error = sd_bus_match_signal_async(
        bus, &slot, nullptr, nullptr, interface, "ActiveChanged", take,
        [](sd_bus_message*, void*, sd_bus_error*) { return 0; }, this);
    if (error >= 0) matches_.emplace_back(slot);
  }
}

int LockWatch::take(sd_bus_message* message, void* user, sd_bus_error*) {
  auto& self = *static_cast<LockWatch*>(user);
  int locked = 0;
  if (sd_bus_message_read_basic(message, 'b', &locked) < 0 || self.is_locked_ == (locked != 0)) return 0;
  self.is_locked_ = locked != 0;
  self.changed_at_ = steady_now();
  return 0;
}

int LockWatch::fd() const { return bus_ ? sd_bus_get_fd(bus_.get()) : -1; }

short LockWatch::events() const {
  return bus_ ? static_cast<short>(std::max(0, sd_bus_get_events(bus_.get()))) : short{0};
}

void LockWatch::process() {
  int handled = 1;
  while (bus_ && handled > 0) handled = sd_bus_process(bus_.get(), nullptr);
  if (handled >= 0) return;
  matches_.clear();
  bus_.reset();
  is_locked_ = false;  // nobody would report that it is unlocked
}

}  // namespace texcast::screen::wayland
