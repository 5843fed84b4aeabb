// messages.h — messages in OBS's log, with the prefix [texcast].
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "texcast/error.h"
#include "texcast/log.h"

namespace texcast::obs {

// One line, without an end of line. Any thread.
void say(LogLevel level, const std::string& line);

// The text of the plugin's locale for `key`; valid as long as the plugin is loaded.
const char* text(const char* key);

// Throws Error{usage} if what the user has entered is longer than libtexcast takes.
inline void check_input(const std::string& passphrase, const std::string& announced) {
  if (passphrase.size() > 1024) throw Error(ErrorKind::usage, text("Passphrase.TooLong"));
  if (announced.size() > 63) throw Error(ErrorKind::usage, text("Announce.TooLong"));
}

}  // namespace texcast::obs
