#include "transport/own_packetizer.h"

#include <algorithm>

#include "base/ensure.h"
#include "transport/reed_solomon.h"

namespace texcast::transport {
namespace {

constexpr size_t kHeaderBytes = kParityHeaderBytes;  // of data packets too

size_t symbol_bytes_of(const PacketizerSettings& settings) {
  ensure_valid(settings);
  ENSURE(settings.extension && settings.block_bytes <= static_cast<int>(SymbolLayout::kSymbolUnit));
  const auto room = static_cast<size_t>(payload_room(settings, kHeaderBytes));
  return room - room % SymbolLayout::kSymbolUnit;
}

}  // namespace

OwnPacketizer::OwnPacketizer(const PacketizerSettings& settings, const OwnSettings& own)
    : settings_(settings), own_(own), symbol_bytes_(symbol_bytes_of(settings)), numbering_(numbering_of(settings)) {}

OwnPacketizer::~OwnPacketizer() = default;

void OwnPacketizer::begin(Bytes frame, const FrameTimes& times) {
  ENSURE(!frame.empty() && frame.size() <= INT32_MAX);
  if (frame.size() != layout_.frame_bytes) {
    layout_ = SymbolLayout::plan(frame.size(), symbol_bytes_, own_.parity_percent);
    reserve();
  }
  frame_ = frame;
  next_packet_ = 0;
  header_bytes_ = 0;
  packets_.clear();
  std::ranges::fill(parity_, std::byte{0});
  numbering_.begin_frame(times.pts);
  video_ = video_header_of(settings_, numbering_.buffer_id(), frame.size());
  extension_ = extension_of(settings_.stream, times);
  extension_.symbol_bytes = static_cast<uint16_t>(symbol_bytes_);
  extension_.groups = static_cast<uint16_t>(layout_.groups);
  extension_.parity = static_cast<uint8_t>(layout_.parity);
  extension_.answers_requests = own_.answers_requests;
}

// All that frames of the layout need, so that spans into the memory stay good and they allocate nothing.
void OwnPacketizer::reserve() {
  const size_t packets = size_t{layout_.packets()} + layout_.parity_packets();
  headers_.resize(packets * kHeaderBytes);
  packets_.reserve(packets);
  parity_.resize(layout_.parity_packets() * symbol_bytes_);
  parity_pointers_.resize(layout_.parity);
  code_.reset();
  if (layout_.parity > 0)
    code_ = std::make_unique<ReedSolomon>(ReedSolomon::Matrix::cauchy, static_cast<int>(layout_.code_symbols()),
                                          static_cast<int>(layout_.parity));
}

std::span<const OutgoingPacket> OwnPacketizer::advance(size_t ready_bytes) {
  ENSURE(ready_bytes <= frame_.size());
  const size_t first = packets_.size();
  const uint32_t last = layout_.packets();
  const bool was_over = next_packet_ == last;
  for (; next_packet_ < last; ++next_packet_) {
    if (size_t{layout_.offset(next_packet_)} + layout_.size(next_packet_) > ready_bytes) break;
    put_data_packet(next_packet_);
    if (!code_) continue;
    const uint32_t group = next_packet_ % layout_.groups;
    code_->add(static_cast<int>(next_packet_ / layout_.groups), packets_.back().payload, parity_of(group));
  }
  if (next_packet_ == last && !was_over)
    for (uint32_t number = 0; number < layout_.parity; ++number)
      for (uint32_t group = 0; group < layout_.groups; ++group) put_parity_packet(group, number);
  return std::span<const OutgoingPacket>(packets_).subspan(first);
}

std::span<std::byte* const> OwnPacketizer::parity_of(uint32_t group) {
  for (uint32_t i = 0; i < layout_.parity; ++i)
    parity_pointers_[i] = parity_.data() + (size_t{group} * layout_.parity + i) * symbol_bytes_;
  return parity_pointers_;
}

void OwnPacketizer::put_data_packet(uint32_t packet) {
  const MutableBytes header = MutableBytes(headers_).subspan(header_bytes_, kHeaderBytes);
  video_.offset = layout_.offset(packet);
  size_t used = write_rtp_header(header,
                                 {.payload_type = static_cast<uint8_t>(PayloadType::video),
                                  .marker = packet + 1 == layout_.packets(),
                                  .sequence = numbering_.next_sequence(),
                                  .timestamp = numbering_.timestamp(),
                                  .ssrc = numbering_.ssrc()},
                                 true);
  used += write_stream_extension(header.subspan(used), extension_);
  used += write_video_header(header.subspan(used), video_);
  ENSURE(used == kHeaderBytes);
  header_bytes_ += used;
  packets_.push_back({header, frame_.subspan(video_.offset, layout_.size(packet))});
}

void OwnPacketizer::put_parity_packet(uint32_t group, uint32_t number) {
  const MutableBytes header = MutableBytes(headers_).subspan(header_bytes_, kHeaderBytes);
  video_.offset = 0;
  header_bytes_ += write_parity_header(header, {.ssrc = numbering_.ssrc(),
                                                .timestamp = numbering_.timestamp(),
                                                .group = static_cast<uint16_t>(group),
                                                .number = static_cast<uint8_t>(number),
                                                .extension = extension_,
                                                .video = video_});
  packets_.push_back(
      {header, Bytes(parity_).subspan((size_t{group} * layout_.parity + number) * symbol_bytes_, symbol_bytes_)});
}

std::optional<uint32_t> OwnPacketizer::requestable_frame() const {
  if (!own_.answers_requests) return std::nullopt;
  return numbering_.buffer_id();
}

}  // namespace texcast::transport
