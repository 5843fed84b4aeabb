// restore_tokens.h — what the portal gives to be asked less: a token a target, with which it shares again what a person
// has chosen once. Kept in $XDG_STATE_HOME/texcast/screencast-token (else ~/.local/state), for its owner alone.
//
// Thread-safe. What cannot be read or written is as if it were not there: the portal asks again.
#pragma once

#include <string>
#include <string_view>

namespace texcast::screen::wayland {

// `target` as on the command line: "screen", "window:Terminal". Empty: there is none.
std::string restore_token(std::string_view target);
void keep_restore_token(std::string_view target, std::string_view token);  // empty: forget it

}  // namespace texcast::screen::wayland
