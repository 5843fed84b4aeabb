#include "transport/feedback_opener.h"

#include <utility>

#include "transport/sealing.h"

namespace texcast::transport {

FeedbackOpener::FeedbackOpener(uint32_t ssrc, std::shared_ptr<const WireKeys> keys) : ssrc_(ssrc) {
  if (keys) opener_ = std::make_unique<Opener>(std::move(keys));
}

FeedbackOpener::~FeedbackOpener() = default;
FeedbackOpener::FeedbackOpener(FeedbackOpener&& other) noexcept = default;

FeedbackOpener::Asked FeedbackOpener::read(Bytes datagram) {
  // Nothing if decryption fails. The age is not checked: a request names a stream by its SSRC and a frame of the last
  // moments.
  if (opener_) datagram = opener_->open(datagram, WallTime{}).datagram;
  const auto own = parse_own_datagram(datagram);
  if (!own) return {};
  Asked asked;
  if (own->type == static_cast<uint8_t>(OwnType::request)) asked.packets = parse_request(own->body);
  if (own->type == static_cast<uint8_t>(OwnType::tile_request)) asked.tiles = parse_tile_request(own->body);
  if (asked.packets && asked.packets->ssrc != ssrc_) asked.packets.reset();
  if (asked.tiles && asked.tiles->ssrc != ssrc_) asked.tiles.reset();
  return asked;
}

}  // namespace texcast::transport
