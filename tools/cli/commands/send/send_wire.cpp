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

// What --for ultragrid leaves no room for: nothing of it is silently something else.
void refuse_for_ultragrid(const SendOptions& o) {
  require_not(o.crypto == CryptoChoice::texcast,
              "--crypto texcast is nothing that UltraGrid opens: with --for ultragrid give --crypto ultragrid-gcm, or "
              "ultragrid-cbc where it was built without GCM");
  require_not(
      !o.key_file.empty() && !o.crypto,
      "--key-file with --for ultragrid needs a --crypto: ultragrid-gcm, or ultragrid-cbc where UltraGrid was built "
      "without GCM");
  require_not(
      o.fec.kind == transport::FecKind::parity,
      fmt::format("--fec {} is parity that UltraGrid does not read: with --for ultragrid give ultragrid-rs:K:N, "
                  "ultragrid-ldgm:K:M:C, mult:N or none",
                  to_string(o.fec)));
  require_not(o.retransmit == true, "--retransmit on is for texcasts: UltraGrid asks for no packet again");
  check_receivers(o, o.encoding.format);
}

CryptoChoice crypto_of(const SendOptions& o) {
  require_not(o.crypto && o.key_file.empty(),
              "--crypto needs a passphrase: give --key-file FILE, whose first line it is");
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
              fmt::format("--for ultragrid: it shows {}, not {}", ultragrid_formats(), name(format)));
}

stream::SendSettings wire_settings(const SendOptions& o) {
  if (for_ultragrid(o)) refuse_for_ultragrid(o);
  stream::SendSettings settings;
  settings.wire = {.fec = o.fec, .crypto = crypto_of(o), .answers_requests = o.retransmit.value_or(!for_ultragrid(o))};
  settings.compact.on = !o.plain && !for_ultragrid(o);
  const bool compact = is_compact(o, settings);
  require_not(o.refresh_seconds && !compact, "--refresh is for compact streams: a plain one sends all of every frame");
  require_not(o.lossy.crf && !compact, "--crf is for compact streams: a plain one has all blocks as they are");
  require_not(o.lossy.bitrate && !compact, "--bitrate is for compact streams: a plain one has all blocks as they are");
  require_not(o.lossy && !stream::can_go_lossy(o.encoding.format),
              fmt::format("--{}: {} cannot be sent with loss; choose bc1 or ycocg-bc4", o.lossy.crf ? "crf" : "bitrate",
                          name(o.encoding.format)));
  settings.compact.crf = o.lossy.crf;
  settings.compact.quality = o.encoding.quality;
  if (o.lossy.bitrate) settings.compact.bitrate = stream::Bitrate{.least = o.lossy.bitrate->least, .most = o.lossy.bitrate->most};
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
