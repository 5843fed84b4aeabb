// state_property.h — the property "state" of a dialogue, which says what is going on, and the button that refreshes it.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <obs-module.h>

#include <string>

#include "messages.h"

namespace texcast::obs {

// True, as callbacks of buttons return to have the dialogue drawn again.
inline bool show_state(obs_properties_t* properties, const std::string& status) {
  obs_property_set_long_description(obs_properties_get(properties, "state"), status.c_str());
  return true;
}

inline void add_state(obs_properties_t* properties, const std::string& status) {
  obs_properties_add_text(properties, "state", text("State"), OBS_TEXT_INFO);
  show_state(properties, status);
}

// `refresh` is to call show_state().
inline void add_refresh_button(obs_properties_t* properties, obs_property_clicked_t refresh) {
  obs_properties_add_button(properties, "refresh", text("State.Refresh"), refresh);
}

}  // namespace texcast::obs
