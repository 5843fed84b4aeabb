// restore_tokens.h — the portal's tokens, one per target, with which it shares again what a person has chosen once
// instead of asking again. Stored in $XDG_STATE_HOME/texcast/screencast-token (else ~/.local/state), for its owner
// only.
//
// Thread-safe. Errors count as a missing token: the portal asks again.
#pragma once

#include <string>
#include <string_view>

namespace texcast::screen::wayland {

// `target` as on the command line: "screen", "window:Terminal". Empty: there is none.
std::string restore_token(std::string_view target);
void keep_restore_token(std::string_view target, std::string_view token);  // empty: forget it

}  // namespace texcast::screen::wayland
