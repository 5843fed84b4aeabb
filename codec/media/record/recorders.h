// recorders.h — the two kinds of Recorder that make_recorder chooses from. They throw as it does.
#pragma once

#include <memory>

#include "media/recorder.h"

namespace texcast::media {

std::unique_ptr<Recorder> make_muxed_recorder(const RecorderSettings& settings, const char* muxer);
std::unique_ptr<Recorder> make_still_recorder(const RecorderSettings& settings);  // DDS, KTX2

}  // namespace texcast::media
