// clips.h — the two kinds of ClipReader that open_clip() chooses from. They throw as it does.
#pragma once

#include <memory>

#include "media/clip_reader.h"

namespace texcast::media {

std::unique_ptr<ClipReader> open_muxed_clip(const std::string& path);
std::unique_ptr<ClipReader> open_still_clip(const std::string& path, const StillPart& part);
bool is_still_clip(const std::string& path);  // whether the file begins as its extension (.dds, …) requires

}  // namespace texcast::media
