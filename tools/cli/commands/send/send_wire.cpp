#include "send/send_wire.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/log.h"
#include "cli/coded_formats.h"
#include "live/web_viewers.h"
#include "texcast/error.h"
#include "texcast/format.h"
#include "text/figures.h"
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

// Rejects an option of coded streams if another one makes the stream raw.
void require_coded(const SendOptions& o, bool is_given, const char* option) {
  const auto raw = is_given ? reason_for_raw(o) : std::nullopt;
  require_not(raw.has_value(),
              raw ? fmt::format("{} excludes {}: {}; leave out one of them{}", option, raw->option, raw->why,
                                raw->by_format ? ", or choose one of " + list_lossy_formats() : "")
                  : "");
}

void check_transform(const SendOptions& o) {
  if (o.lossy.transform != TransformCoding::on) return;
  require_coded(o, true, "--transform on");
  require_not(!o.lossy,
              "--transform on is for lossy streams, and this one is lossless: give --crf N, --bitrate RATE or --for "
              "film");
  const TextureFormat format = o.encoding.format;
  require_not(
      !has_transform_coding(format),
      fmt::format("--transform on excludes --format {0}: {0} has no transform coding; leave out one of them, or "
                  "choose one of {1}",
                  name(format), list_transform_formats()));
}

// A page reads texcast's own packets only.
void check_for_browsers(const SendOptions& o) {
  if (std::ranges::none_of(o.destinations, stream::is_web)) return;
  const std::string option = for_ultragrid(o)                 ? "--for ultragrid"
                             : transport::is_ultragrid(o.fec) ? "--fec " + to_string(o.fec)
                             : has_ultragrids_cipher(o)       ? fmt::format("--crypto {}", name(*o.crypto))
                                                              : "";
  require_not(!option.empty(), fmt::format("{} excludes web://: browsers do not read UltraGrid's packets; send to them "
                                           "with another `texcast send`",
                                           option));
}

// Whether --fec is left to choose_fec().
bool chooses_ultragrids_fec(const SendOptions& o) {
  return for_ultragrid(o) && o.fec.kind == transport::FecKind::automatic;
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

bool has_ultragrids_cipher(const SendOptions& o) { return o.crypto && transport::ultragrid_mode(*o.crypto); }

std::optional<RawReason> reason_for_raw(const SendOptions& o) {
  if (for_ultragrid(o)) return RawReason{.option = "--for ultragrid", .why = "UltraGrid reads raw streams only"};
  if (o.plain) return RawReason{.option = "--plain", .why = "a raw stream sends complete frames, losslessly"};
  if (transport::is_ultragrid(o.fec))
    return RawReason{.option = "--fec " + to_string(o.fec), .why = "UltraGrid's FEC is for raw streams"};
  if (has_ultragrids_cipher(o))
    return RawReason{.option = fmt::format("--crypto {}", name(*o.crypto)),
                     .why = "UltraGrid's encryption is for raw streams"};
  const TextureFormat format = o.encoding.format;
  if (has_coded_stream(format)) return std::nullopt;
  return RawReason{.option = fmt::format("--format {}", name(format)),
                   .why = fmt::format("{} has no coded stream and is sent raw", name(format)),
                   .by_format = true};
}

void check_receivers(const SendOptions& o, TextureFormat format) {
  require_not(for_ultragrid(o) && !format_row(format).ultragrid_shows,
              fmt::format("UltraGrid shows {}, not {}; leave out --for ultragrid or choose another --format",
                          ultragrid_formats(), name(format)));
}

stream::SendSettings wire_settings(const SendOptions& o) {
  if (for_ultragrid(o)) check_for_ultragrid(o);
  check_for_browsers(o);
  stream::SendSettings settings;
  settings.wire = {.fec = o.fec, .crypto = crypto_of(o), .answers_requests = o.retransmit.value_or(!for_ultragrid(o))};
  settings.compact.on = !o.plain && !for_ultragrid(o);
  require_coded(o, o.refresh_seconds.has_value(), "--refresh");
  require_coded(o, o.lossy.crf.has_value(), "--crf");
  require_coded(o, o.lossy.bitrate.has_value(), "--bitrate");
  require_not(o.lossy && !has_lossy_coding(o.encoding.format),
              fmt::format("--{0} excludes --format {1}: {1} cannot be sent lossy; leave out one of them, or choose one "
                          "of {2}",
                          o.lossy.crf ? "crf" : "bitrate", name(o.encoding.format), list_lossy_formats()));
  check_transform(o);
  settings.compact.crf = o.lossy.crf;
  settings.compact.transform = o.lossy.transform;
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
  if (!chooses_ultragrids_fec(o)) return;
  settings.wire.fec = *transport::parse_fec(stream::ultragrid_fec(texture.width, texture.height));
}

void log_drawbacks(const SendOptions& o, const TextureDesc& texture, double fps) {
  SendOptions now = o;
  now.encoding.format = texture.format;
  if (const auto raw = reason_for_raw(now); raw && raw->by_format)
    log_info("{}: up to {} at {:.4g} fps, without parity; formats with a coded stream send only what changes", raw->why,
             bit_rate(static_cast<double>(texture_layout(texture).total_bytes) * 8 * fps), fps);
  if (chooses_ultragrids_fec(o) && stream::ultragrid_fec(texture.width, texture.height) == "none")
    log_warning(
        "lost packets cannot be restored: UltraGrid's FEC needs a width and a height that are multiples of 4, not "
        "{}x{}; crop or scale the input to {}x{}, or give --fec mult:2, which sends each packet twice",
        texture.width, texture.height, std::max(texture.width / 4 * 4, 4), std::max(texture.height / 4 * 4, 4));
}

}  // namespace texcast::cli
