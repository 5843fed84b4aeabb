#include "transport/encrypting_packetizers.h"

#include <algorithm>

#include "base/ensure.h"
#include "transport/packet.h"

namespace texcast::transport {
namespace {

constexpr auto kTypeMask = std::byte{0x7F};

constexpr size_t kBatchDatagrams = 48;            // one thread seals them in 50 to 100 µs
constexpr size_t kStepBytes = size_t{1} << 16;    // of a frame, handed to helpers at a time
constexpr size_t kAheadBytes = size_t{24} << 16;  // of a frame, at most, ahead of what can be sent

}  // namespace

void UltraGridEncryptingPacketizer::begin(Bytes frame, const FrameTimes& times) {
  memory_.reset();
  inner_->begin(frame, times);
}

std::span<const OutgoingPacket> UltraGridEncryptingPacketizer::advance(size_t ready_bytes) {
  std::vector<OutgoingPacket>& list = memory_.next_list();
  for (const OutgoingPacket& packet : inner_->advance(ready_bytes)) list.push_back({encrypt(packet), {}});
  return list;
}

Bytes UltraGridEncryptingPacketizer::encrypt(const OutgoingPacket& packet) {
  const size_t header_bytes = packet.header.size();
  ENSURE(header_bytes >= kRtpHeaderBytes + kFecHeaderBytes);
  const auto type = static_cast<uint8_t>(packet.header[1] & kTypeMask);
  ENSURE(is_video(type) && !is_encrypted(type));
  const size_t media_bytes = is_fec(type) ? kFecHeaderBytes : kVideoHeaderBytes;
  const size_t blob_bytes = UltraGridCipher::blob_bytes(mode_, packet.payload.size());
  const MutableBytes out = memory_.take(header_bytes + kCryptoHeaderBytes + blob_bytes);

  std::ranges::copy(packet.header, out.begin());
  const auto encrypted = static_cast<std::byte>(payload_type_of(fec_scheme(type), true));
  out[1] = (out[1] & ~kTypeMask) | encrypted;
  write_crypto_header(out.subspan(header_bytes), {.mode = static_cast<uint8_t>(mode_)});
  cipher_.seal(mode_, packet.header.last(media_bytes), packet.payload, out.last(blob_bytes));
  return out;
}

SealingPacketizer::SealingPacketizer(std::unique_ptr<FramePacketizer> inner, std::shared_ptr<Sealer> sealer,
                                     WorkAhead* helpers)
    : inner_(std::move(inner)),
      sealer_(std::move(sealer)),
      helpers_(helpers && helpers->threads() > 0 ? helpers : nullptr) {}

SealingPacketizer::~SealingPacketizer() {
  if (helpers_) helpers_->finish();
}

void SealingPacketizer::begin(Bytes frame, const FrameTimes& times) {
  if (helpers_) helpers_->finish();  // an abandoned frame
  memory_.reset();
  sent_ = times.sent;
  frame_bytes_ = frame.size();
  final_bytes_ = taken_bytes_ = 0;
  begun_ = given_ = 0;
  inner_->begin(frame, times);
}

void SealingPacketizer::prepare(size_t ready_bytes) {
  if (!helpers_) return;
  final_bytes_ = std::max(final_bytes_, ready_bytes);
  seal_ahead(given_ > 0 ? batches_[given_ - 1].ready_bytes : 0);
}

// The last byte is left to advance(): it triggers parity, which would have to be waited for.
void SealingPacketizer::seal_ahead(size_t ready_bytes) {
  const size_t ahead = std::min(std::min(final_bytes_, frame_bytes_ - 1), ready_bytes + kAheadBytes);
  while (taken_bytes_ + kStepBytes <= ahead) take_from_inner(taken_bytes_ + kStepBytes);
}

// Seals the available datagrams, or hands them to helpers.
void SealingPacketizer::take_from_inner(size_t ready_bytes) {
  taken_bytes_ = ready_bytes;
  auto packets = inner_->advance(ready_bytes);
  while (!packets.empty()) {
    const auto some = packets.first(std::min(packets.size(), kBatchDatagrams));
    packets = packets.subspan(some.size());
    if (begun_ == batches_.size()) batches_.emplace_back();
    Batch& batch = batches_[begun_];
    batch.packetizer = this;
    batch.first_counter = sealer_->reserve(some.size(), sent_);
    batch.ready_bytes = ready_bytes;
    batch.datagrams.clear();
    for (const OutgoingPacket& packet : some)
      batch.datagrams.push_back({packet, memory_.take(packet.size() + kSealOverhead)});
    if (helpers_)
      batch.ticket = helpers_->post(batch, begun_);
    else
      seal(batch);
    ++begun_;
  }
}

// On any thread.
void SealingPacketizer::seal(const Batch& batch) const {
  uint64_t counter = batch.first_counter;
  for (const Datagram& datagram : batch.datagrams)
    sealer_->seal_as(counter++, datagram.plain.header, datagram.plain.payload, datagram.sealed, sent_);
}

std::span<const OutgoingPacket> SealingPacketizer::advance(size_t ready_bytes) {
  ENSURE(ready_bytes <= frame_bytes_);
  if (ready_bytes > taken_bytes_ || ready_bytes == frame_bytes_) take_from_inner(ready_bytes);
  if (helpers_) {
    final_bytes_ = std::max(final_bytes_, ready_bytes);
    seal_ahead(ready_bytes);
  }
  std::vector<OutgoingPacket>& list = memory_.next_list();
  for (; given_ < begun_ && batches_[given_].ready_bytes <= ready_bytes; ++given_) {
    if (helpers_) helpers_->need(batches_[given_].ticket);
    for (const Datagram& datagram : batches_[given_].datagrams) list.push_back({datagram.sealed, {}});
  }
  return list;
}

}  // namespace texcast::transport
