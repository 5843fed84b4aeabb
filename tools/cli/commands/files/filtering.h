// filtering.h — the options --resize, --mips, --normal-map and --separate-alpha, for what encodes pictures.
#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "media/frame_source.h"
#include "stream/mip_encoder.h"

namespace texcast::cli {

// The first of the devices that encode, for work that takes one.
std::string first_device(const std::string& devices);

stream::MipSettings mip_settings(const EncodeOptions& options, MipFilter filter);

// The source, scaled if --resize asks for another size than its own.
std::unique_ptr<media::FrameSource> resized(const EncodeOptions& options, std::unique_ptr<media::FrameSource> source);

// nullptr without --mips.
std::unique_ptr<stream::MipEncoder> open_mips(const EncodeOptions& options, const FrameFormat& source, int in_flight);

}  // namespace texcast::cli
