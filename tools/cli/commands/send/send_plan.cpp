#include "send/send_plan.h"

#include <fmt/core.h>

#include <utility>

#include "common/source_and_encoder.h"
#include "compact/opencl_lossless_backend.h"
#include "send/send_preset.h"
#include "send/send_wire.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

// --mtu is used exactly, or is an error if the path MTU is smaller.
int packet_bytes(const SendOptions& o, const stream::Destinations& destinations) {
  const int path = destinations.path_mtu();
  if (!o.mtu) return destinations.usual_mtu();
  if (path > 0 && *o.mtu > path)
    throw Error(
        ErrorKind::usage,
        fmt::format("packets of {} bytes exceed the path MTU of {}; give --mtu {}, or raise the MTU at both ends "
                    "(ip link set INTERFACE mtu {})",
                    *o.mtu, path, path, *o.mtu));
  return *o.mtu;
}

EncodingOptions with(EncodingOptions options, const stream::EncoderChoice& choice) {
  options.format = choice.format;
  options.quality = choice.quality;
  options.method = choice.method;
  return options;
}

}  // namespace

SendPlan::SendPlan(const SendOptions& options, stream::SendSettings wire, const stream::Destinations& destinations,
                   double fps)
    : options_(options), wire_(std::move(wire)), destinations_(destinations) {
  wire_.fps = fps;
  wire_.mtu = packet_bytes(options, destinations);
  wire_.rate_bits_per_s = options.rate_bits_per_s;
  if (goes_compact(wire_, options.encoding.format))
    wire_.compact.device = compact::usual_device(options.encoding.device);
}

stream::EncoderChoice SendPlan::choice() const {
  const EncodingOptions& encoding = options_.encoding;
  return {.format = encoding.format, .quality = encoding.quality, .method = encoding.method};
}

std::unique_ptr<Encoder> SendPlan::make_encoder(const stream::EncoderChoice& choice, const FrameFormat& source,
                                                EncoderStart start) const {
  const EncodingOptions encoding = with(options_.encoding, choice);
  check_encoding(encoding);
  check_receivers(options_, encoding.format);
  check_promise(options_, encoding.format);
  const bool compact = goes_compact(wire_, encoding.format);
  const bool lossy = coding_for(encoding.format).is_lossy();
  return open_encoder(encoding, source, start, destinations_.real_time() ? kBandsAuto : 1, compact, lossy);
}

// If the stream is lossy by default, and the user switches to a format that cannot be, the stream becomes lossless.
stream::CompactSettings SendPlan::coding_for(TextureFormat format) const {
  stream::CompactSettings compact = wire_.compact;
  if (options_.lossy_by_default && !stream::can_go_lossy(format)) {
    compact.crf.reset();
    compact.bitrate.reset();
  }
  return compact;
}

stream::SendSettings SendPlan::settings(const TextureDesc& texture) const {
  stream::SendSettings settings = wire_;
  // Destinations may have come and gone.
  if (!options_.mtu) settings.mtu = destinations_.usual_mtu();
  settings.spread = destinations_.usual_spread();
  // A viewer whose connection is too slow loses many packets in a row, which parity does not restore.
  if (destinations_.only_web() && settings.wire.fec.kind == transport::FecKind::automatic)
    settings.wire.fec = transport::FecChoice{};
  settings.compact = coding_for(texture.format);
  choose_fec(settings, options_, texture);
  return settings;
}

}  // namespace texcast::cli
