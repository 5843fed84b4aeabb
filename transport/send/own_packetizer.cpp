#include "transport/own_packetizer.h"

#include <algorithm>

#include "base/ensure.h"

namespace texcast::transport {
namespace {

constexpr size_t kHeaderBytes = kParityHeaderBytes;  // of data packets too

// A work item reads and writes the parity of its groups once, so it should have many rows. If the caller computes
// parity between packets, those wait for it; then an item covers at most half a MiB of data.
constexpr uint32_t kMostRows = 32, kLeastRows = 4;
constexpr size_t kBytesBetweenPackets = size_t{1} << 19;
constexpr uint32_t kMostRuns = 8;  // of groups: as many work items as threads may run

size_t symbol_bytes_of(const PacketizerSettings& settings) {
  ensure_valid(settings);
  ENSURE(settings.extension && settings.block_bytes <= static_cast<int>(SymbolLayout::kSymbolUnit));
  const auto room = static_cast<size_t>(payload_room(settings, kHeaderBytes));
  return room - room % SymbolLayout::kSymbolUnit;
}

}  // namespace

OwnPacketizer::OwnPacketizer(const PacketizerSettings& settings, const OwnSettings& own, WorkAhead* helpers)
    : settings_(settings),
      own_(own),
      symbol_bytes_(symbol_bytes_of(settings)),
      numbering_(numbering_of(settings)),
      helpers_(helpers && helpers->threads() > 0 ? helpers : nullptr) {}

OwnPacketizer::~OwnPacketizer() {
  if (helpers_) helpers_->finish();
}

void OwnPacketizer::begin(Bytes frame, const FrameTimes& times) {
  ENSURE(!frame.empty() && frame.size() <= INT32_MAX);
  if (helpers_) helpers_->finish();  // an abandoned frame
  if (frame.size() != layout_.frame_bytes) {
    layout_ = SymbolLayout::plan(frame.size(), symbol_bytes_, own_.parity_percent);
    reserve();
  }
  frame_ = frame;
  next_packet_ = 0;
  header_bytes_ = 0;
  packets_.clear();
  rows_begun_ = 0;
  numbering_->begin_frame(times.pts);
  video_ = video_header_of(settings_, numbering_->buffer_id(), frame.size());
  extension_ = extension_of(settings_.stream, times);
  extension_.symbol_bytes = static_cast<uint16_t>(symbol_bytes_);
  extension_.groups = static_cast<uint16_t>(layout_.groups);
  extension_.parity = static_cast<uint8_t>(layout_.parity);
  extension_.answers_requests = own_.answers_requests;
}

// Reserves all memory for frames of the layout, so that spans stay valid and frames do not allocate.
void OwnPacketizer::reserve() {
  const size_t packets = size_t{layout_.packets()} + layout_.parity_packets();
  headers_.resize(packets * kHeaderBytes);
  packets_.reserve(packets);
  parity_.resize(layout_.parity_packets() * symbol_bytes_);
  code_.reset();
  if (layout_.parity == 0) return;
  code_.emplace(static_cast<int>(layout_.code_symbols()), static_cast<int>(layout_.parity));
  const size_t row_bytes = size_t{layout_.groups} * symbol_bytes_;
  rows_ =
      helpers_ ? kMostRows : std::clamp(static_cast<uint32_t>(kBytesBetweenPackets / row_bytes), kLeastRows, kMostRows);
  runs_ = helpers_ ? std::min(layout_.groups, kMostRuns) : 1;
  tickets_.resize((layout_.code_symbols() + rows_ - 1) / rows_ * runs_);
}

uint32_t OwnPacketizer::final_packets(size_t ready_bytes) const {
  return ready_bytes == frame_.size() ? layout_.packets() : static_cast<uint32_t>(ready_bytes / symbol_bytes_);
}

void OwnPacketizer::prepare(size_t ready_bytes) {
  ENSURE(ready_bytes <= frame_.size());
  if (helpers_) begin_parity(final_packets(ready_bytes));
}

std::span<const OutgoingPacket> OwnPacketizer::advance(size_t ready_bytes) {
  ENSURE(ready_bytes <= frame_.size());
  const size_t first = packets_.size();
  const uint32_t last = layout_.packets();
  const bool was_over = next_packet_ == last;
  const uint32_t ready = std::max(final_packets(ready_bytes), next_packet_);
  begin_parity(ready);
  while (next_packet_ < ready) put_data_packet(next_packet_++);
  if (next_packet_ == last && !was_over) {
    finish_parity();
    for (uint32_t number = 0; number < layout_.parity; ++number)
      for (uint32_t group = 0; group < layout_.groups; ++group) put_parity_packet(group, number);
  }
  return std::span<const OutgoingPacket>(packets_).subspan(first);
}

void OwnPacketizer::begin_parity(uint32_t final_packets) {
  if (!code_) return;
  const uint32_t all_rows = layout_.code_symbols();
  const uint32_t final_rows = final_packets == layout_.packets() ? all_rows : final_packets / layout_.groups;
  while (rows_begun_ < all_rows && std::min(rows_begun_ + rows_, all_rows) <= final_rows) {
    const size_t piece = size_t{rows_begun_ / rows_} * runs_;
    for (size_t run = 0; run < runs_; ++run)
      if (helpers_)
        tickets_[piece + run] = helpers_->post(add_parity_, piece + run);
      else
        add_parity(piece + run);
    rows_begun_ += rows_;
  }
}

void OwnPacketizer::finish_parity() {
  if (!code_ || !helpers_) return;
  for (size_t run = 1; run <= runs_; ++run) helpers_->need(tickets_[tickets_.size() - run]);
}

// On any thread. The data that it reads besides the frame does not change until the next begin().
void OwnPacketizer::add_parity(size_t piece) {
  if (helpers_ && piece >= runs_) helpers_->wait_for(tickets_[piece - runs_]);
  const auto run = static_cast<uint32_t>(piece % runs_);
  const uint32_t first = static_cast<uint32_t>(piece / runs_) * rows_;
  for (uint32_t group = layout_.groups * run / runs_; group < layout_.groups * (run + 1) / runs_; ++group)
    add_parity(group, first, std::min(first + rows_, layout_.packets_in(group)));
}

// Packets `first` to `last` - 1 of the group.
void OwnPacketizer::add_parity(uint32_t group, uint32_t first, uint32_t last) {
  if (first >= last) return;  // a group with one packet fewer
  const CauchyParity::ParitySymbols parity{parity_.data() + size_t{group} * layout_.parity * symbol_bytes_,
                                           symbol_bytes_};
  const auto symbols_from = [&](uint32_t number) {
    return CauchyParity::DataSymbols{frame_.data() + layout_.offset(layout_.packet(group, number)),
                                     layout_.groups * symbol_bytes_};
  };
  const size_t last_bytes = layout_.size(layout_.packet(group, last - 1));
  const bool shorter = last_bytes < symbol_bytes_;  // the frame's last packet
  const uint32_t whole = last - (shorter ? 1 : 0);
  code_->add(static_cast<int>(first), static_cast<int>(whole - first), symbols_from(first), symbol_bytes_, parity,
             first == 0);
  if (shorter) code_->add(static_cast<int>(whole), 1, symbols_from(whole), last_bytes, parity, false);
}

void OwnPacketizer::put_data_packet(uint32_t packet) {
  const MutableBytes header = MutableBytes(headers_).subspan(header_bytes_, kHeaderBytes);
  video_.offset = layout_.offset(packet);
  size_t used = write_rtp_header(header,
                                 {.payload_type = static_cast<uint8_t>(PayloadType::video),
                                  .marker = packet + 1 == layout_.packets(),
                                  .sequence = numbering_->next_sequence(),
                                  .timestamp = numbering_->timestamp(),
                                  .ssrc = numbering_->ssrc()},
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
  header_bytes_ += write_parity_header(header, {.ssrc = numbering_->ssrc(),
                                                .timestamp = numbering_->timestamp(),
                                                .group = static_cast<uint16_t>(group),
                                                .number = static_cast<uint8_t>(number),
                                                .extension = extension_,
                                                .video = video_});
  packets_.push_back(
      {header, Bytes(parity_).subspan((size_t{group} * layout_.parity + number) * symbol_bytes_, symbol_bytes_)});
}

std::optional<uint32_t> OwnPacketizer::requestable_frame() const {
  if (!own_.answers_requests) return std::nullopt;
  return numbering_->buffer_id();
}

}  // namespace texcast::transport
