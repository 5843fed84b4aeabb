#include "transport/compact_packetizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/ensure.h"
#include "texcast/error.h"
#include "transport/reed_solomon.h"

namespace texcast::transport {
namespace {

constexpr uint32_t kManyPackets = 32;  // with fewer, accumulating parity beforehand does not pay
constexpr size_t kUnit = SymbolLayout::kSymbolUnit;
static_assert(kCompactParityHeaderBytes >= kCompactHeaderBytes + kCompactDescriptionBytes);

// One code for all groups that this percentage allows: that of the longest, of which shorter codes are a prefix.
std::unique_ptr<ReedSolomon> code_of(double parity_percent) {
  if (parity_percent == 0) return nullptr;
  uint32_t k = 1;
  while (SymbolLayout::plan_payloads(k + 1, kUnit, parity_percent).groups == 1) ++k;
  const uint32_t m = SymbolLayout::kMaxGroupSymbols - k;
  return std::make_unique<ReedSolomon>(ReedSolomon::Matrix::cauchy, static_cast<int>(k), static_cast<int>(m));
}

// Size of a parity symbol for payloads of at most `longest` bytes.
size_t symbol_for(size_t longest) { return (kPayloadLengthBytes + longest + kUnit - 1) / kUnit * kUnit; }

void check_count(size_t payloads) {
  if (payloads > kMostPayloads)
    throw Error(ErrorKind::usage, "a coded frame has more than " + std::to_string(kMostPayloads) +
                                      " payloads, as the picture is so large and has so much detail: send it smaller, "
                                      "lossy (--crf) or raw (--plain)");
}

CompactDescription description_of(const StreamDesc& stream) {
  ENSURE(stream.compact() && stream.texture_format != 0);
  return {.texture_format = stream.texture_format,
          .matrix = stream.matrix,
          .range = stream.range,
          .primaries = stream.primaries,
          .transfer = stream.transfer,
          .coding = stream.coding,
          .pixel_aspect = stream.pixel_aspect,
          .width = static_cast<uint16_t>(stream.width),
          .height = static_cast<uint16_t>(stream.height),
          .rate = frame_rate_of(stream.fps),
          .coder = stream.coder};
}

}  // namespace

size_t CompactFrameSize::line_bytes(uint32_t payloads, size_t bytes, size_t longest) const {
  const size_t around = overhead + (sealed ? kSealOverhead : 0);
  const size_t described = (payloads - 1 + kDescribeEvery) / kDescribeEvery + ((payloads - 1) % kDescribeEvery > 0);
  size_t line = bytes + payloads * (kCompactHeaderBytes + around) + described * kCompactDescriptionBytes;
  if (parity_percent > 0) {
    const SymbolLayout layout = SymbolLayout::plan_payloads(payloads, symbol_for(longest), parity_percent);
    line += layout.parity_packets() * (kCompactParityHeaderBytes + layout.symbol_bytes + around);
  }
  return line;
}

CompactPacketizer::CompactPacketizer(const PacketizerSettings& settings, const CompactSettings& compact)
    : settings_(settings), compact_(compact), numbering_(numbering_of(settings)) {
  ensure_valid(settings_);
  ENSURE(!compact_.sealer || settings_.reserved_bytes >= static_cast<int>(kSealOverhead));
  const auto room = static_cast<size_t>(payload_room(settings_, kCompactParityHeaderBytes));
  most_symbol_bytes_ = room - room % kUnit;
  max_payload_ = most_symbol_bytes_ - kPayloadLengthBytes;
  description_ = description_of(settings_.stream);
  description_number_ = numbering_->next_description();
  code_ = code_of(compact_.parity_percent);
}

CompactPacketizer::~CompactPacketizer() = default;

void CompactPacketizer::describe(const StreamDesc& stream) {
  ENSURE(ended_);
  if (stream == settings_.stream) return;
  settings_.stream = stream;
  ensure_valid(settings_);
  description_ = description_of(stream);
  description_number_ = numbering_->next_description();
}

void CompactPacketizer::begin(const FrameTimes& times) {
  memory_.reset();
  payloads_.clear();
  longest_ = 0;
  next_packet_ = 0;
  ended_ = false;
  numbering_->begin_frame(times.pts);
  head_ = {.ssrc = numbering_->ssrc(),
           .timestamp = numbering_->timestamp(),
           .answers_requests = compact_.answers_requests,
           .takes_tile_requests = compact_.takes_tile_requests,
           .parity_follows = code_ != nullptr,
           .description_number = description_number_,
           .buffer_id = numbering_->buffer_id()};
  description_.available = times.available;
  description_.encoded = times.encoded;
  description_.sent = times.sent;
  planned_ = {.groups = 0};
  const uint32_t before = layout_.frame_bytes > 0 ? layout_.packets() : 0;
  if (code_ && before >= kManyPackets) plan_sums(before);
}

std::span<const OutgoingPacket> CompactPacketizer::add(std::span<const Bytes> payloads, uint32_t total) {
  check_count(std::max<size_t>(payloads_.size() + payloads.size(), total));
  ENSURE(!ended_ && (total == 0 || payloads_.size() + payloads.size() <= total));
  std::vector<OutgoingPacket>& list = memory_.next_list();
  if (code_ && total > 0 && payloads_.empty()) plan_sums(total);
  for (const Bytes payload : payloads) {
    ENSURE(!payload.empty() && payload.size() <= max_payload_);
    payloads_.push_back(payload);
    longest_ = std::max(longest_, payload.size());
    if (planned_.groups > 0) sum(static_cast<uint32_t>(payloads_.size() - 1));
  }
  const auto come = static_cast<uint32_t>(payloads_.size());
  ended_ = total > 0 && come == total;
  for (; next_packet_ + (total > 0 ? 0 : 1) < come; ++next_packet_) put_data(list, next_packet_, total);
  if (ended_) put_parity(list);
  return list;
}

void CompactPacketizer::plan_sums(uint32_t packets) {
  planned_ = SymbolLayout::plan_payloads(packets, kUnit, compact_.parity_percent);
  summed_ = 0;
  const size_t bytes = planned_.parity_packets() * most_symbol_bytes_;
  sums_.assign(bytes, std::byte{0});
  rows_.resize(planned_.parity);
}

std::byte* CompactPacketizer::sum_of(uint32_t group, uint32_t number) {
  return sums_.data() + (size_t{group} * planned_.parity + number) * most_symbol_bytes_;
}

void CompactPacketizer::sum(uint32_t packet) {
  ENSURE(packet == summed_);
  const auto number = static_cast<int>(packet / planned_.groups);
  if (number >= code_->k()) {  // more packets than these groups can hold
    planned_.groups = 0;
    return;
  }
  ++summed_;
  for (uint32_t i = 0; i < planned_.parity; ++i) rows_[i] = sum_of(packet % planned_.groups, i);
  const Bytes payload = payloads_[packet];
  std::array<std::byte, kPayloadLengthBytes> length{};
  store_be16(length, 0, static_cast<uint16_t>(payload.size()));
  code_->add(number, length, rows_);
  for (std::byte*& row : rows_) row += kPayloadLengthBytes;
  code_->add(number, payload, rows_);
}

void CompactPacketizer::put_data(std::vector<OutgoingPacket>& list, uint32_t packet, uint32_t total) {
  CompactPacket out{.head = head_,
                    .sequence = numbering_->next_sequence(),
                    .number = static_cast<uint16_t>(packet),
                    .packets = static_cast<uint16_t>(total)};
  const bool described = packet % kDescribeEvery == 0 || packet + 1 == total;
  if (described) out.description = description_;
  const MutableBytes header = memory_.take(kCompactHeaderBytes + (described ? kCompactDescriptionBytes : 0));
  write_compact_header(header, out);
  put(list, header, payloads_[packet]);
}

void CompactPacketizer::put_parity(std::vector<OutgoingPacket>& list) {
  const auto packets = static_cast<uint32_t>(payloads_.size());
  const size_t symbol_bytes = symbol_for(longest_);
  layout_ = SymbolLayout::plan_payloads(packets, symbol_bytes, compact_.parity_percent);
  if (!code_) return;
  if (planned_.groups != layout_.groups || planned_.parity < layout_.parity || summed_ != packets) {
    plan_sums(packets);
    for (uint32_t packet = 0; packet < packets; ++packet) sum(packet);
  }
  CompactParityPacket out{.head = head_,
                          .packets = static_cast<uint16_t>(packets),
                          .groups = static_cast<uint16_t>(layout_.groups),
                          .symbol_bytes = static_cast<uint16_t>(symbol_bytes),
                          .parity = static_cast<uint8_t>(layout_.parity),
                          .description = description_};
  for (uint32_t number = 0; number < layout_.parity; ++number)
    for (uint32_t group = 0; group < layout_.groups; ++group) {
      out.group = static_cast<uint16_t>(group);
      out.number = static_cast<uint8_t>(number);
      const MutableBytes header = memory_.take(kCompactParityHeaderBytes);
      write_compact_parity_header(header, out);
      put(list, header, {sum_of(group, number), symbol_bytes});
    }
}

void CompactPacketizer::put(std::vector<OutgoingPacket>& list, MutableBytes header, Bytes payload) {
  if (!compact_.sealer) {
    list.push_back({header, payload});
    return;
  }
  const MutableBytes out = memory_.take(header.size() + payload.size() + kSealOverhead);
  list.push_back({compact_.sealer->seal(header, payload, out, description_.sent), {}});
}

std::optional<uint32_t> CompactPacketizer::requestable_frame() const {
  if (!compact_.answers_requests) return std::nullopt;
  return numbering_->buffer_id();
}

}  // namespace texcast::transport
