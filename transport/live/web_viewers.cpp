#include "live/web_viewers.h"

#include <fmt/core.h>

#include <algorithm>

#include "texcast/error.h"
#include "transport/rtcp.h"

namespace texcast::stream {
namespace {

// RTCP shares the channel of its stream (RFC 5761, section 4).
bool is_rtcp(Bytes datagram) {
  constexpr unsigned kFirst = 192, kLast = 223;
  if (datagram.size() < 2 || load_u8(datagram, 0) >> 6 != 2) return false;
  const unsigned type = load_u8(datagram, 1);
  return type >= kFirst && type <= kLast;
}

// Identities are compared like hosts: as the scope of its address, the viewer's number tells it from all others.
transport::PeerAddress identity_of(const web::Stream::Feedback& feedback) {
  transport::PeerAddress identity = feedback.from;
  identity.scope = feedback.viewer;
  return identity;
}

}  // namespace

WebViewers::WebViewers(Open open, size_t most, std::function<void()> wake)
    : open_(std::move(open)), most_(most), wake_(std::move(wake)) {}

WebViewers::~WebViewers() {
  for (const Place& place : places_) place.is.stream->on_feedback({});
}

void WebViewers::add(const std::string& url) {
  if (!open_)
    throw Error(ErrorKind::usage,
                fmt::format("cannot send to '{}': only `texcast send` and `texcast serve` serve browsers", url));
  Place& place = places_.emplace_back(Place{.url = url, .is = open_(url)});
  place.viewers.resize(most_);
  place.is.stream->on_feedback(wake_);
}

bool WebViewers::remove(const std::string& url) {
  const auto found = std::ranges::find(places_, url, &Place::url);
  if (found == places_.end()) return false;
  found->is.stream->on_feedback({});
  places_.erase(found);
  return true;
}

bool WebViewers::has(const std::string& url) const {
  return std::ranges::find(places_, url, &Place::url) != places_.end();
}

std::vector<std::string> WebViewers::urls() const {
  std::vector<std::string> all;
  for (const Place& place : places_) all.push_back(place.url);
  return all;
}

std::vector<std::shared_ptr<web::Stream>> WebViewers::streams() const {
  std::vector<std::shared_ptr<web::Stream>> all;
  for (const Place& place : places_) all.push_back(place.is.stream);
  return all;
}

bool WebViewers::all_on_loopback() const {
  return std::ranges::all_of(places_, [](const Place& place) { return place.is.loopback; });
}

size_t WebViewers::watching() const {
  size_t all = 0;
  for (const Place& place : places_) all += place.is.stream->viewers();
  return all;
}

void WebViewers::send(std::span<const transport::OutgoingPacket> packets) {
  if (watching() == 0) return;
  const auto plain = opened(packets);
  for (const Place& place : places_) place.is.stream->send(web::Channel::picture, plain);
}

void WebViewers::send_to(size_t slot, std::span<const transport::OutgoingPacket> packets) {
  const auto [place, viewer] = viewer_at(slot);
  if (viewer != 0) place->is.stream->send_to(viewer, web::Channel::picture, opened(packets));
}

void WebViewers::send_control(Bytes datagram) {
  const transport::OutgoingPacket packet{.header = datagram, .payload = {}};
  if (datagram.empty()) return;
  for (const Place& place : places_) place.is.stream->send(web::Channel::picture, {&packet, 1});
}

void WebViewers::send_control_to(size_t slot, Bytes datagram) {
  const transport::OutgoingPacket packet{.header = datagram, .payload = {}};
  const auto [place, viewer] = viewer_at(slot);
  if (viewer != 0 && !datagram.empty()) place->is.stream->send_to(viewer, web::Channel::picture, {&packet, 1});
}

// The packets without their envelopes; valid until the next call.
std::span<const transport::OutgoingPacket> WebViewers::opened(std::span<const transport::OutgoingPacket> packets) {
  if (!sealer_) return packets;
  memory_.reset();
  std::vector<transport::OutgoingPacket>& list = memory_.next_list();
  for (const transport::OutgoingPacket& packet : packets) {
    Bytes sealed = packet.header;
    if (!packet.payload.empty()) {
      sealed_.assign(packet.header.begin(), packet.header.end());
      sealed_.insert(sealed_.end(), packet.payload.begin(), packet.payload.end());
      sealed = sealed_;
    }
    if (const auto plain = sealer_->open_own(sealed, memory_.take(sealed.size()))) list.push_back({*plain, {}});
  }
  return list;
}

std::pair<const WebViewers::Place*, web::ViewerId> WebViewers::viewer_at(size_t slot) const {
  if (slot >= slots()) return {nullptr, 0};
  const Place& place = places_[slot / most_];
  return {&place, place.viewers[slot % most_]};
}

std::optional<size_t> WebViewers::slot_of(const Place& place, web::ViewerId viewer) const {
  const auto found = std::ranges::find(place.viewers, viewer);
  return found == place.viewers.end() ? std::nullopt
                                      : std::optional(static_cast<size_t>(found - place.viewers.begin()));
}

void WebViewers::take_feedback(const Events& events) {
  for (size_t i = 0; i < places_.size(); ++i)
    places_[i].is.stream->take_feedback(
        [&](const web::Stream::Feedback& feedback) { on_feedback(places_[i], i * most_, feedback, events); });
}

void WebViewers::on_feedback(Place& place, size_t first_slot, const web::Stream::Feedback& feedback,
                             const Events& events) {
  if (feedback.kind == web::Stream::Feedback::Kind::joined) {
    const auto free = std::ranges::find(place.viewers, web::ViewerId{0});
    if (free == place.viewers.end()) return;  // it watches, but is not heard
    *free = feedback.viewer;
    events.joined(first_slot + static_cast<size_t>(free - place.viewers.begin()), identity_of(feedback));
    return;
  }
  const auto slot = slot_of(place, feedback.viewer);
  if (!slot) return;
  if (feedback.kind == web::Stream::Feedback::Kind::left) {
    place.viewers[*slot] = 0;
    return;
  }
  if (feedback.channel != web::Channel::picture) return;  // reports about sound, which nothing uses
  transport::Feedback heard{.datagram = feedback.datagram,
                            .from = feedback.from,
                            .destination = first_slot + *slot,
                            .control = is_rtcp(feedback.datagram),
                            .arrived = feedback.arrived};
  if (!heard.control) {
    heard.from = identity_of(feedback);
    if (sealer_) {
      sealed_.resize(feedback.datagram.size() + transport::kSealOverhead);
      heard.datagram = sealer_->seal(feedback.datagram, {}, sealed_, wall_now());
    }
  }
  events.feedback(heard);
}

}  // namespace texcast::stream
