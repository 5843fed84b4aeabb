#include "files/dropped_alpha.h"

#include "base/log.h"
#include "media/recorder.h"
#include "texcast/error.h"
#include "text/figures.h"

namespace texcast::cli {
namespace {

// That the file can hold.
std::vector<std::string> formats_with_alpha(const std::string& output) {
  std::vector<std::string> names;
  for (const TextureFormat format : encoded_formats()) {
    if (!reads_alpha(format) || channel_count(format) < 4) continue;
    try {
      media::check_holds({.path = output, .texture = {.format = format, .width = 64, .height = 64}});
      names.emplace_back(name(format));
    } catch (const Error&) {
      // of another kind of file
    }
  }
  return names;
}

}  // namespace

void warn_of_dropped_alpha(const media::FrameSource& source, const EncodeOptions& options) {
  if (!source.drops_transparency()) return;
  log_warning("'{}' has transparent parts, which {} does not keep; these formats do: {}", options.input.input,
              name(options.encoding.format.value), joined(formats_with_alpha(options.output), ", "));
}

}  // namespace texcast::cli
