// recorders.h — the two kinds of Recorder behind make_recorder.
#pragma once

#include <memory>

#include "media/recorder.h"

namespace texcast::media {

std::unique_ptr<Recorder> make_muxed_recorder(const RecorderSettings& settings, const char* muxer);
std::unique_ptr<Recorder> make_dds_recorder(const RecorderSettings& settings);

}  // namespace texcast::media
