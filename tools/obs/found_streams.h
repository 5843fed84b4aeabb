// found_streams.h — streams that senders announce on the local network, for the list of addresses of a source.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <obs-module.h>

namespace texcast::obs {

void watch_streams();  // begins to look for them; later calls do nothing. Does not wait.
// Adds those that can be listened to, that is, which go to a group.
void add_found_streams(obs_property_t* addresses);
void forget_streams();  // ends to look for them, on a worker

}  // namespace texcast::obs
