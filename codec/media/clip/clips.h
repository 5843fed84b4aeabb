// clips.h — the two kinds of ClipReader behind open_clip.
#pragma once

#include <memory>

#include "media/clip_reader.h"

namespace texcast::media {

std::unique_ptr<ClipReader> open_muxed_clip(const std::string& path);
std::unique_ptr<ClipReader> open_still_clip(const std::string& path);
bool is_still_clip(const std::string& path);  // DDS, KTX2

}  // namespace texcast::media
