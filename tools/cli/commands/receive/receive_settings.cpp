#include "receive/receive_settings.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "live/receiving_thread.h"
#include "texcast/error.h"
#include "transport/key_file.h"

namespace texcast::cli {

void check_receiving(const StreamOptions& o) {
  if (o.key_file.empty() && (o.crypto || o.max_age))
    throw Error(ErrorKind::usage, fmt::format("{} needs a passphrase; give it in the first line of --key-file FILE",
                                              o.crypto ? "--crypto" : "--max-age"));
  if (o.max_age && o.crypto && *o.crypto != transport::CryptoChoice::texcast)
    throw Error(
        ErrorKind::usage,
        fmt::format("--max-age needs texcast's own encryption; --crypto {} carries no time stamps", name(*o.crypto)));
}

transport::ReceiveSettings receive_settings(const StreamOptions& o) {
  transport::ReceiveSettings settings;
  check_receiving(o);
  if (o.crypto) settings.cipher = *o.crypto;
  if (o.max_age) settings.max_age = *o.max_age;
  const Size most = o.max_size.value_or(Size{});
  stream::limit_pictures(settings, most.width, most.height);
  if (o.key_file.empty()) return settings;
  settings.keys = transport::load_keys(o.key_file);
  if (!transport::authenticates(settings.cipher))
    log_warning(
        "--crypto {} does not authenticate packets, so that pictures can be forged; use ultragrid-gcm or texcast's own "
        "cipher",
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
