#include "transport/ultragrid_fec_packetizer.h"

#include <fmt/core.h>

#include <algorithm>

#include "texcast/error.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr size_t kFecPacketHeader = kRtpHeaderBytes + kFecHeaderBytes;

}  // namespace

std::optional<FecShape> fec_shape(const FecChoice& choice) {
  if (choice.kind == FecKind::ultragrid_rs)
    return FecShape{.scheme = FecScheme::reed_solomon, .k = choice.k, .m = choice.m};
  if (choice.kind == FecKind::ultragrid_ldgm)
    return FecShape{.scheme = FecScheme::ldgm, .k = choice.k, .m = choice.m, .c = choice.c, .seed = choice.seed};
  return std::nullopt;
}

UltraGridFecPacketizer::UltraGridFecPacketizer(const PacketizerSettings& settings, const FecShape& shape)
    : settings_(settings), numbering_(numbering_of(settings)), writer_(shape) {
  ensure_valid(settings);
}

void UltraGridFecPacketizer::begin(Bytes frame, const FrameTimes& times) {
  const FecShape& shape = writer_.shape();
  const size_t symbols = static_cast<size_t>(shape.k) + static_cast<size_t>(shape.m);
  if (fec_symbol_bytes(shape, frame.size()) * symbols > INT32_MAX)
    throw Error(ErrorKind::usage,
                fmt::format("a frame of {} bytes with its parity exceeds 2 GiB: use less parity than {} symbols for {}",
                            frame.size(), shape.m, shape.k));
  numbering_->begin_frame(times.pts);
  writer_.begin(frame, video_header_of(settings_, 0, frame.size()));
  offset_ = 0;
  done_ = false;
  header_bytes_ = 0;
  // Reserved, so that spans into both stay valid while the frame is sent.
  size_t count = 1;
  for (size_t at = 0; at < writer_.block().size(); at += piece_at(at)) ++count;
  if (headers_.size() < count * kFecPacketHeader) headers_.resize(count * kFecPacketHeader);
  packets_.clear();
  packets_.reserve(count);
}

size_t UltraGridFecPacketizer::piece_at(size_t offset) const {
  const auto room = static_cast<size_t>(payload_room(settings_, kFecPacketHeader));
  const size_t symbol = writer_.symbol_bytes();
  const size_t piece = symbol > room ? std::min(room, symbol - offset % symbol) : room / symbol * symbol;
  return std::min(piece, writer_.block().size() - offset);
}

void UltraGridFecPacketizer::add_packet(size_t offset, size_t bytes, bool marker) {
  const FecShape& shape = writer_.shape();
  const MutableBytes header = MutableBytes(headers_).subspan(header_bytes_, kFecPacketHeader);
  header_bytes_ += kFecPacketHeader;
  write_rtp_header(header,
                   {.payload_type = static_cast<uint8_t>(payload_type_of(shape.scheme, false)),
                    .marker = marker,
                    .sequence = numbering_->next_sequence(),
                    .timestamp = numbering_->timestamp(),
                    .ssrc = numbering_->ssrc()},
                   false);
  write_fec_header(header.subspan(kRtpHeaderBytes), {.buffer_id = numbering_->buffer_id(),
                                                     .offset = static_cast<uint32_t>(offset),
                                                     .block_length = static_cast<uint32_t>(writer_.block().size()),
                                                     .k = static_cast<uint16_t>(shape.k),
                                                     .m = static_cast<uint16_t>(shape.m),
                                                     .c = static_cast<uint8_t>(shape.c),
                                                     .seed = shape.seed});
  packets_.push_back({header, writer_.block().subspan(offset, bytes)});
}

std::span<const OutgoingPacket> UltraGridFecPacketizer::advance(size_t ready_bytes) {
  const size_t first = packets_.size();
  if (done_) return {};
  const size_t final_bytes = writer_.advance(ready_bytes);
  const size_t all = writer_.block().size();
  while (offset_ < all) {
    const size_t piece = piece_at(offset_);
    if (offset_ + piece > final_bytes) break;
    add_packet(offset_, piece, false);
    offset_ += piece;
  }
  if (offset_ == all) {
    add_packet(0, packets_.front().payload.size(), true);
    done_ = true;
  }
  return std::span<const OutgoingPacket>(packets_).subspan(first);
}

}  // namespace texcast::transport
