// screen_source.h — a FrameSource over a captured screen: frames when something changes, and a few when nothing does.
#pragma once

#include <memory>

#include "media/frame_source.h"

namespace texcast::media {

// Throws as open_source() does.
std::unique_ptr<FrameSource> open_screen_source(const screen::CaptureTarget& target, const SourceSettings& settings);

// The same over an opened capture. Of `settings`, the rate, the pixel aspect and follows_changes are used.
std::unique_ptr<FrameSource> make_screen_source(std::unique_ptr<screen::ScreenCapture> capture,
                                                const SourceSettings& settings);

}  // namespace texcast::media
