#include <fmt/core.h>

#include "base/error.h"
#include "file_source.h"
#include "media/frame_source.h"
#include "test_card_source.h"

namespace texcast::media {

std::unique_ptr<FrameSource> open_source(const SourceSettings& settings) {
  if (settings.fps && !(*settings.fps > 0 && *settings.fps <= 1000))
    throw Error(ErrorKind::usage, fmt::format("{} is no frame rate: more than 0 and up to 1000", *settings.fps));
  if (settings.input == "test") return open_test_card(settings);
  return open_file_source(settings);
}

}  // namespace texcast::media
