// messages.h — messages in OBS's log, with the prefix [texcast].
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "texcast/log.h"

namespace texcast::obs {

// One line, without an end of line. Any thread.
void say(LogLevel level, const std::string& line);

// The text of the plugin's locale for `key`; valid as long as the plugin is loaded.
const char* text(const char* key);

}  // namespace texcast::obs
