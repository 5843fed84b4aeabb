#include "send/send_wire.h"

#include <fmt/core.h>

#include <string>

#include "texcast/error.h"
#include "texcast/format.h"
#include "transport/key_file.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::cli {
namespace {

using transport::CryptoChoice;

bool for_ultragrid(const SendOptions& o) { return o.purpose == Purpose::ultragrid; }

void require_not(bool contradiction, const std::string& why) {
  if (contradiction) throw Error(ErrorKind::usage, why);
}

// Rejects options that UltraGrid does not support, instead of changing them silently.
void check_for_ultragrid(const SendOptions& o) {
  require_not(o.crypto == CryptoChoice::texcast,
              "--crypto texcast is not supported by UltraGrid; with --for ultragrid give --crypto ultragrid-gcm, or "
              "ultragrid-cbc if UltraGrid was built without GCM");
  require_not(
      !o.key_file.empty() && !o.crypto,
      "--key-file with --for ultragrid needs a --crypto: ultragrid-gcm, or ultragrid-cbc if UltraGrid was built "
      "without GCM");
  require_not(o.fec.kind == transport::FecKind::parity,
              fmt::format("--fec {} is not supported by UltraGrid; with --for ultragrid give ultragrid-rs:K:N, "
                          "ultragrid-ldgm:K:M:C, mult:N or none",
                          to_string(o.fec)));
  require_not(o.retransmit == true, "--retransmit on needs texcast receivers: UltraGrid sends no NACKs");
  check_receivers(o, o.encoding.format);
}

// "bc1, ycocg-bc4, …"
std::string lossy_formats() {
  std::string list;
  for (const TextureFormat format : encoded_formats())
    if (stream::can_go_lossy(format)) list.append(list.empty() ? "" : ", ").append(name(format));
  return list;
}

CryptoChoice crypto_of(const SendOptions& o) {
  require_not(o.crypto && o.key_file.empty(),
              "--crypto needs a passphrase; give it in the first line of --key-file FILE");
  if (o.key_file.empty()) return CryptoChoice::none;
  return o.crypto.value_or(CryptoChoice::texcast);
}

}  // namespace

std::string ultragrid_formats() {
  std::string list;
  for (const Format& row : formats())
    if (row.ultragrid_shows) list.append(list.empty() ? "" : " and ").append(row.name);
  return list;
}

void check_receivers(const SendOptions& o, TextureFormat format) {
  require_not(for_ultragrid(o) && !format_row(format).ultragrid_shows,
              fmt::format("UltraGrid shows {}, not {}; leave out --for ultragrid or choose another --format",
                          ultragrid_formats(), name(format)));
}

stream::SendSettings wire_settings(const SendOptions& o) {
  if (for_ultragrid(o)) check_for_ultragrid(o);
  stream::SendSettings settings;
  settings.wire = {.fec = o.fec, .crypto = crypto_of(o), .answers_requests = o.retransmit.value_or(!for_ultragrid(o))};
  settings.compact.on = !o.plain && !for_ultragrid(o);
  const bool compact = is_compact(o, settings);
  require_not(o.refresh_seconds && !compact, "--refresh needs a coded stream: a raw stream sends complete frames");
  require_not(o.lossy.crf && !compact, "--crf needs a coded stream: a raw stream is lossless");
  require_not(o.lossy.bitrate && !compact, "--bitrate needs a coded stream: a raw stream is lossless");
  require_not(o.lossy && !stream::can_go_lossy(o.encoding.format),
              fmt::format("--{}: {} cannot be sent lossy; choose one of {}", o.lossy.crf ? "crf" : "bitrate",
                          name(o.encoding.format), lossy_formats()));
  settings.compact.crf = o.lossy.crf;
  settings.compact.quality = o.encoding.quality;
  if (o.lossy.bitrate)
    settings.compact.bitrate = stream::Bitrate{.least = o.lossy.bitrate->least, .most = o.lossy.bitrate->most};
  settings.compact.refresh_seconds = o.refresh_seconds.value_or(0);
  if (!o.key_file.empty()) settings.wire.keys = transport::load_keys(o.key_file);
  return settings;
}

bool is_compact(const SendOptions& o, const stream::SendSettings& settings) {
  return stream::goes_compact(settings, o.encoding.format);
}

void choose_fec(stream::SendSettings& settings, const SendOptions& o, const TextureDesc& texture) {
  if (!for_ultragrid(o) || o.fec.kind != transport::FecKind::automatic) return;
  const bool has_form = texture.width % 4 == 0 && texture.height % 4 == 0;
  settings.wire.fec = has_form ? *transport::parse_fec(kUltraGridFec) : transport::FecChoice{};
}

}  // namespace texcast::cli
