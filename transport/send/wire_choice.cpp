#include "transport/wire_choice.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/ensure.h"
#include "texcast/error.h"
#include "transport/encrypting_packetizers.h"
#include "transport/own_packetizer.h"
#include "transport/plain_packetizer.h"
#include "transport/ultragrid_fec_packetizer.h"

namespace texcast::transport {
namespace {

// Parity of texcast's own wire format in per cent; nothing for other formats. Without parity it equals raw packets,
// except that they can be requested, which receivers with UltraGrid's encryption do not do.
std::optional<double> own_parity(const WireChoice& choice, const FecChoice& fec) {
  if (fec.kind == FecKind::parity) return fec.percent;
  const bool asked_again =
      choice.answers_requests && fec.kind == FecKind::none && fec.copies == 1 && !ultragrid_mode(choice.crypto);
  return asked_again ? std::optional(0.0) : std::nullopt;
}

std::unique_ptr<FramePacketizer> protected_against_loss(const PacketizerSettings& settings, const WireChoice& choice,
                                                        WorkAhead* helpers) {
  const FecChoice fec = fec_on_wire(choice);
  if (const auto shape = fec_shape(fec)) {
    // Its packets carry no extension, so the size must be one that UltraGrid's header can express.
    const StreamDesc& stream = settings.stream;
    if (stream.width % 4 != 0 || stream.height % 4 != 0)
      throw Error(
          ErrorKind::usage,
          fmt::format("--fec {}: UltraGrid needs a width and a height that are multiples of 4, not {}x{}; crop "
                      "or scale the input first, as in lavfi:movie=FILE,crop={}:{}",
                      to_string(fec), stream.width, stream.height, stream.width / 4 * 4, stream.height / 4 * 4));
    return std::make_unique<UltraGridFecPacketizer>(settings, *shape);
  }
  if (const auto percent = own_parity(choice, fec))
    return std::make_unique<OwnPacketizer>(
        settings, OwnSettings{.parity_percent = *percent, .answers_requests = choice.answers_requests}, helpers);
  auto plain = std::make_unique<PlainPacketizer>(settings);
  if (fec.copies == 1) return plain;
  return std::make_unique<RepeatingPacketizer>(std::move(plain), fec.copies);
}

// Null: not encrypted.
std::shared_ptr<Sealer> sealer_of(const WireChoice& choice) {
  if (choice.crypto == CryptoChoice::none) return nullptr;
  ENSURE(choice.keys);
  return choice.sealer ? choice.sealer : std::make_shared<Sealer>(*choice.keys);
}

std::unique_ptr<FramePacketizer> encrypted(std::unique_ptr<FramePacketizer> inner, const WireChoice& choice,
                                           WorkAhead* helpers) {
  if (choice.crypto == CryptoChoice::none) return inner;
  ENSURE(choice.keys);
  if (const auto mode = ultragrid_mode(choice.crypto))
    return std::make_unique<UltraGridEncryptingPacketizer>(std::move(inner), *mode, *choice.keys);
  return std::make_unique<SealingPacketizer>(std::move(inner), sealer_of(choice), helpers);
}

}  // namespace

// texcast's parity is not an UltraGrid packet, and UltraGrid's encryption has no format for it.
FecChoice fec_on_wire(const WireChoice& choice) {
  const FecChoice& fec = choice.fec;
  const bool ultragrid = ultragrid_mode(choice.crypto).has_value();
  if (fec.kind == FecKind::automatic)
    return ultragrid ? FecChoice{} : FecChoice{.kind = FecKind::parity, .percent = kUsualParityPercent};
  if (ultragrid && fec.kind == FecKind::parity)
    throw Error(ErrorKind::usage,
                fmt::format("--fec {} cannot be combined with --crypto {}: give --crypto texcast, or one of "
                            "UltraGrid's, --fec ultragrid-rs:K:N or ultragrid-ldgm:K:M:C",
                            to_string(fec), name(choice.crypto)));
  return fec;
}

std::unique_ptr<FramePacketizer> make_packetizer(const PacketizerSettings& settings, const WireChoice& choice,
                                                 WorkAhead* helpers) {
  PacketizerSettings inner = settings;
  inner.reserved_bytes += reserved_bytes(choice.crypto);
  return encrypted(protected_against_loss(inner, choice, helpers), choice, helpers);
}

std::unique_ptr<CompactPacketizer> make_compact_packetizer(const PacketizerSettings& settings, const WireChoice& choice,
                                                           bool takes_tile_requests) {
  const FecChoice fec = fec_on_wire(choice);
  if (ultragrid_mode(choice.crypto))
    throw Error(ErrorKind::usage, fmt::format("--crypto {} needs a raw stream: add --plain, or give --crypto "
                                              "texcast",
                                              name(choice.crypto)));
  if (is_ultragrid(fec) || fec.copies > 1)
    throw Error(ErrorKind::usage,
                fmt::format("--fec {} needs a raw stream: add --plain, or give --fec auto", to_string(fec)));
  PacketizerSettings inner = settings;
  inner.reserved_bytes += reserved_bytes(choice.crypto);
  return std::make_unique<CompactPacketizer>(
      inner, CompactSettings{.parity_percent = fec.kind == FecKind::parity ? static_cast<double>(fec.percent) : 0.0,
                             .answers_requests = choice.answers_requests,
                             .takes_tile_requests = takes_tile_requests,
                             .sealer = sealer_of(choice)});
}

std::unique_ptr<RetransmitStore> make_retransmit_store(const PacketizerSettings& settings, const WireChoice& choice,
                                                       size_t destinations) {
  if (!choice.answers_requests) return nullptr;
  RetransmitSettings store{.ssrc = settings.ssrc, .destinations = destinations, .keys = choice.keys};
  store.at_once = std::max(store.at_once, static_cast<size_t>(settings.mtu));  // any packet can be sent again
  return std::make_unique<RetransmitStore>(store);
}

}  // namespace texcast::transport
