// monitor_names.h — finds a monitor by name, and the message if there is none.
#pragma once

#include <strings.h>

#include <string>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen {

// Finds an exact match, or else one that ignores case. Null: there is none.
inline const Capturable* named(const std::vector<Capturable>& monitors, const std::string& name) {
  for (const Capturable& monitor : monitors)
    if (monitor.name == name) return &monitor;
  for (const Capturable& monitor : monitors)
    if (strcasecmp(monitor.name.c_str(), name.c_str()) == 0) return &monitor;
  return nullptr;
}

inline std::string no_such_monitor(const std::vector<Capturable>& monitors, const std::string& name) {
  std::string there_is;
  for (const Capturable& monitor : monitors) there_is += (there_is.empty() ? "" : ", ") + monitor.name;
  return "cannot open 'screen:" + name +
         "': there is no such monitor; available: " + (there_is.empty() ? "none" : there_is);
}

}  // namespace texcast::screen
