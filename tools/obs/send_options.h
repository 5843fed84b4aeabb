// send_options.h — the options of the filter and the output, as OBS stores and shows them.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <obs-module.h>

#include <optional>

#include "sender.h"

namespace texcast::obs {

void set_send_defaults(obs_data_t* data);
void add_send_properties(obs_properties_t* properties);
// Nothing: there is no destination.
std::optional<SendOptions> send_options_of(obs_data_t* data);
double canvas_fps();

}  // namespace texcast::obs
