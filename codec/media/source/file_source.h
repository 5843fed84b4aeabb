// file_source.h — a FrameSource over DemuxedInput: start, loop, a steady rate, one format from first to last.
#pragma once

#include <memory>

#include "media/frame_source.h"

namespace texcast::media {

std::unique_ptr<FrameSource> open_file_source(const SourceSettings& settings);

}  // namespace texcast::media
