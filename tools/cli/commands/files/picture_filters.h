// picture_filters.h — how `encode` filters pictures: --resize, and the rules of --mips.
#pragma once

#include <memory>

#include "cli/options.h"
#include "media/frame_source.h"
#include "stream/mip_encoder.h"

namespace texcast::cli {

stream::MipSettings mip_settings(const EncodeOptions& options, MipFilter filter);
// The source with the size of --resize.
std::unique_ptr<media::FrameSource> resized(const EncodeOptions& options, std::unique_ptr<media::FrameSource> source);

}  // namespace texcast::cli
