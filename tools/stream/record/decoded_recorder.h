// decoded_recorder.h — "records" a stream as decoded pictures into a pipe, for programs that read ordinary video.
#pragma once

#include <memory>
#include <string>

#include "media/recorder.h"

namespace texcast::stream {

// Whether a pipe of this name gets decoded pictures: .nut or .y4m; else it gets the textures.
bool holds_pictures(const std::string& name);

// NUT: pictures with their times, and sound. y4m has neither: between two frames that are further apart than the
// nominal rate says, the earlier one is repeated, so that the pictures keep their pace. `settings` with a pipe of such
// a name. Throws as media::make_recorder does.
std::unique_ptr<media::Recorder> make_decoded_recorder(const media::RecorderSettings& settings);

}  // namespace texcast::stream
