#include "receiving.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "texcast/error.h"
#include "transport/key_file.h"

namespace texcast::cli {
namespace {

constexpr Size kUsualMost{4096, 4096};  // its area, in any shape

// The fattest format that is shown has 4 bytes a pixel; the rest is for headers in front of them.
void limit_bytes(transport::ReceiveSettings& settings) {
  settings.max_frame_bytes =
      std::min(settings.max_frame_bytes, static_cast<size_t>(settings.max_picture.pixels) * 4 + 65536);
}

}  // namespace

void check_receiving(const StreamOptions& o) {
  if (o.key_file.empty() && (o.crypto || o.max_age))
    throw Error(ErrorKind::usage, fmt::format("{} needs a passphrase: give --key-file FILE, whose first line it is",
                                              o.crypto ? "--crypto" : "--max-age"));
  if (o.max_age && o.crypto && *o.crypto != transport::CryptoChoice::texcast)
    throw Error(ErrorKind::usage,
                fmt::format("--max-age is for texcast's own sealing: --crypto {} has no times", name(*o.crypto)));
}

transport::ReceiveSettings receive_settings(const StreamOptions& o) {
  transport::ReceiveSettings settings;
  check_receiving(o);
  if (o.crypto) settings.cipher = *o.crypto;
  if (o.max_age) settings.max_age = *o.max_age;
  const Size most = o.max_size.value_or(kUsualMost);
  settings.max_picture.pixels = int64_t{most.width} * most.height;
  settings.max_picture.width = o.max_size ? most.width : kMaxFrameSize;
  settings.max_picture.height = o.max_size ? most.height : kMaxFrameSize;
  limit_bytes(settings);
  if (o.key_file.empty()) return settings;
  settings.keys = transport::load_keys(o.key_file);
  if (!transport::authenticates(settings.cipher))
    log_warning(
        "--crypto {} keeps the stream from being read, but not from being forged: whoever caught a packet can change "
        "its picture; ultragrid-gcm and texcast's own cannot be",
        name(settings.cipher));
  return settings;
}

transport::ReceiveSettings limited_to(transport::ReceiveSettings settings, int largest_texture) {
  if (largest_texture <= 0) return settings;
  settings.max_picture.width = std::min(settings.max_picture.width, largest_texture);
  settings.max_picture.height = std::min(settings.max_picture.height, largest_texture);
  return settings;
}

}  // namespace texcast::cli
