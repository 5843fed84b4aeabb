#include "clip_input.h"

#include <fmt/core.h>

#include "base/error.h"
#include "media/frame_source.h"

namespace texcast::cli {

namespace {

bool is_ordinary_video(const std::string& path) {
  try {
    media::open_source({.input = path});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::unique_ptr<media::ClipReader> open_texture_file(const std::string& path) {
  try {
    return media::open_clip(path);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || !is_ordinary_video(path)) throw;
    throw Error(ErrorKind::input,
                fmt::format("'{0}' is ordinary video, not a texture file; make one with `texcast encode "
                            "{0} out.mov`, or stream it with `texcast send {0} rtp://HOST`",
                            path));
  }
}

}  // namespace texcast::cli
