// open_capture.h — captures the desktop of this session, by X11 or Wayland.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::screen {

// Parses an input of the command line: `screen`, `screen:MONITOR`, `screen:WxH+X+Y`, `window:TITLE`. Nothing for other
// inputs.
std::optional<CaptureTarget> capture_target(std::string_view input);

// Throws Error{input}, which says what is missing and what to do. On Wayland a person is asked, which may take long;
// throws Error{failed} if `stop` is set (null: never) meanwhile.
std::unique_ptr<ScreenCapture> open_capture(const CaptureSettings& settings, const std::atomic<bool>* stop = nullptr);

// Monitors, then windows. Throws as open_capture() does.
std::vector<Capturable> list_capturables();

}  // namespace texcast::screen
