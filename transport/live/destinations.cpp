#include "live/destinations.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <utility>

#include "base/log.h"
#include "live/rtcp_name.h"
#include "media/new_file.h"
#include "texcast/error.h"
#include "textures/stream_format.h"
#include "transport/audio_packet.h"
#include "transport/compact_packet.h"
#include "transport/interface.h"

namespace texcast::stream {

namespace {

std::vector<std::string> addresses_among(const std::vector<std::string>& urls) {
  std::vector<std::string> addresses;
  for (const std::string& url : urls)
    if (url.starts_with("rtp://"))
      addresses.push_back(url);
    else if (!url.starts_with("pcap:") && !is_web(url))
      throw Error(ErrorKind::usage,
                  fmt::format("cannot send to '{}'; give rtp://HOST:PORT, web://[ADDRESS]:PORT or pcap:FILE", url));
  return addresses;
}

constexpr int kWebMtu = 9000;  // larger packets would make the loss of one, at a viewer that lags behind, costly

std::vector<transport::Address> resolve(const std::vector<std::string>& urls) {
  std::vector<transport::Address> addresses;
  for (const std::string& url : urls) addresses.push_back(transport::resolve_address(url, false));
  return addresses;
}

transport::RtcpAudience audience_of(const std::vector<transport::Address>& addresses) {
  const bool unicast = std::ranges::none_of(addresses, &transport::Address::multicast);
  return unicast ? transport::RtcpAudience::unicast : transport::RtcpAudience::group;
}

// Only unicast destinations refuse packets, and members of groups report later than unicast receivers.
WatchedDestination watched(const transport::Address& address, bool speaks, bool compact) {
  return {.name = transport::host_and_port(address), .speaks = speaks, .compact = compact};
}

std::vector<WatchedDestination> watched(const std::vector<transport::Address>& addresses, bool reports, bool compact) {
  const bool quick = audience_of(addresses) == transport::RtcpAudience::unicast;
  std::vector<WatchedDestination> all;
  for (const transport::Address& address : addresses) all.push_back(watched(address, reports && quick, compact));
  return all;
}

}  // namespace

Destinations::Destinations(const std::vector<std::string>& urls, const NetworkChoice& network, bool reports,
                           IfExists if_exists, uint8_t coding)
    : reports_(reports),
      urls_(addresses_among(urls)),
      addresses_(resolve(urls_)),
      rtcp_(rtcp_name(), std::random_device{}(), audience_of(addresses_), network.most_receivers),
      watch_(watched(addresses_, reports, coding != 0)),
      refusals_(addresses_.size()),
      sender_({.destinations = addresses_,
               .multicast_ttl = network.multicast_ttl,
               .interface_index = network.interface.empty() ? 0 : transport::interface_index(network.interface),
               .control = true,
               .group_feedback = coding != 0 || network.hears_groups,
               .patience = network.patience}),
      web_(network.open_web, network.most_viewers, [this] { sender_.wake(); }) {
  if (coding != 0) compact_listeners_.emplace(coding);
  addresses_changed();
  for (const std::string& url : urls)
    if (url.starts_with("pcap:")) captures_.push_back(open_capture(url.substr(5), if_exists));
  for (const std::string& url : urls)
    if (is_web(url)) web_.add(url);
}

void Destinations::expect_coding(uint8_t coding) {
  if (compact_listeners_ && compact_listeners_->coding() != coding) compact_listeners_.emplace(coding);
}

std::vector<std::string> Destinations::urls() const {
  std::vector<std::string> all = urls_;
  for (std::string& url : web_.urls()) all.push_back(std::move(url));
  return all;
}

void Destinations::addresses_changed() {
  rtcp_.set_audience(audience_of(addresses_));
  all_on_loopback_ = std::ranges::all_of(addresses_, &transport::Address::loopback);
  ipv6_ = std::ranges::any_of(addresses_, &transport::Address::ipv6);
}

void Destinations::add(const std::string& url) {
  if (!url.starts_with("rtp://") && !is_web(url))
    throw Error(ErrorKind::usage,
                fmt::format("cannot add '{}' to a running stream; give rtp://HOST:PORT or web://[ADDRESS]:PORT", url));
  if (!real_time()) throw Error(ErrorKind::usage, "a stream into captures alone has no pace that others could follow");
  if (std::ranges::find(urls_, url) != urls_.end() || web_.has(url))
    throw Error(ErrorKind::usage, fmt::format("the stream goes to {} already", url));
  if (is_web(url)) return web_.add(url);
  const transport::Address address = transport::resolve_address(url, false);
  sender_.add(address);
  addresses_.push_back(address);
  urls_.push_back(url);
  refusals_.push_back(0);
  addresses_changed();
  watch_.add(watched(address, reports_ && all_unicast(), compact_listeners_.has_value()));
}

void Destinations::remove(const std::string& url) {
  const auto found = std::ranges::find(urls_, url);
  if (found == urls_.end() && !web_.has(url))
    throw Error(ErrorKind::usage, fmt::format("the stream does not go to {}", url));
  if (urls().size() == 1)
    throw Error(ErrorKind::usage, fmt::format("{} is the only address the stream goes to: add another first", url));
  if (web_.remove(url)) return;
  const auto place = found - urls_.begin();
  sender_.remove(static_cast<size_t>(place), rtcp_.goodbye(steady_now(), wall_now()));
  urls_.erase(found);
  addresses_.erase(addresses_.begin() + place);
  refusals_.erase(refusals_.begin() + place);
  watch_.remove(static_cast<size_t>(place));
  addresses_changed();
}

Destinations::Capture Destinations::open_capture(const std::string& path, IfExists if_exists) {
  return media::under_free_name(path, if_exists, [&](const std::string& name, size_t part) {
    media::NewFile file = media::create_file(name, if_exists == IfExists::overwrite);
    if (part > 1) log_info("the capture is written to {}", name);
    return Capture{.writer = std::make_unique<transport::PcapWriter>(std::move(file.descriptor), name),
                   .created = file.created ? name : ""};
  });
}

Destinations::~Destinations() {
  std::error_code ignored;
  for (const Capture& capture : captures_)
    if (!sent_ && !capture.created.empty()) std::filesystem::remove(capture.created, ignored);
  end();
}

void Destinations::end() {
  if (real_time() && !std::exchange(has_ended_, true)) send_control(rtcp_.goodbye(steady_now(), wall_now()));
}

void Destinations::send_control(Bytes datagram) {
  sender_.send_control(datagram);
  web_.send_control(datagram);
}

void Destinations::put_sound(std::span<const transport::OutgoingPacket> packets, WallTime time) {
  const std::lock_guard lock(sound_mutex_);
  for (const transport::OutgoingPacket& packet : packets) {
    WaitingPacket& waiting = sound_.emplace_back(WaitingPacket{.bytes = {}, .time = time});
    waiting.bytes.reserve(packet.size());
    waiting.bytes.assign(packet.header.begin(), packet.header.end());
    waiting.bytes.insert(waiting.bytes.end(), packet.payload.begin(), packet.payload.end());
  }
}

void Destinations::write_sound(WallTime until) {
  const std::lock_guard lock(sound_mutex_);
  for (; !sound_.empty() && sound_.front().time <= until; sound_.pop_front())
    for (const Capture& capture : captures_)
      capture.writer->write({.header = sound_.front().bytes, .payload = {}}, sound_.front().time,
                            transport::kDefaultPort + transport::kAudioPortOffset);
}

void Destinations::finish_captures() {
  if (has_captures()) write_sound(WallTime::max());
  for (const Capture& capture : captures_) capture.writer->finish();
}

bool Destinations::all_unicast() const {
  return std::ranges::none_of(addresses_, [](const transport::Address& address) { return address.multicast; });
}

int Destinations::usual_mtu() const {
  if (only_web()) return kWebMtu;
  constexpr int kEthernet = 1500, kLeast = 576;
  return path_mtu() > 0 ? std::clamp(path_mtu(), kLeast, kEthernet) : kEthernet;
}

double Destinations::usual_spread() const {
  constexpr double kSpread = 0.75;
  constexpr double kLoopbackSpread = 0.25;  // no switch can overflow, and pacing adds latency
  return all_on_loopback() ? kLoopbackSpread : kSpread;
}

void Destinations::send(std::span<const transport::OutgoingPacket> packets, WallTime time, WallTime captured) {
  sent_ = true;
  if (real_time()) {
    sender_.send(packets);
    web_.send(packets);
    rtcp_.on_sent(packets, steady_now(), captured);
    watch_.sent(steady_now());
  }
  if (!has_captures()) return;
  write_sound(time);
  for (const Capture& capture : captures_)
    for (const auto& packet : packets) capture.writer->write(packet, time, transport::kDefaultPort);
}

void Destinations::send_to(size_t destination, std::span<const transport::OutgoingPacket> packets) {
  if (destination < addresses_.size())
    sender_.send_to(destination, packets);
  else
    web_.send_to(destination - addresses_.size(), packets);
}

void Destinations::serve_viewers(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer) {
  ssrc_ = ssrc;
  viewers_sealer_ = sealer;
  web_.open_seal(std::move(sealer));
}

void Destinations::wait(SteadyTime deadline, const transport::UdpSender::OnFeedback& sink) {
  const SteadyTime report_at = rtcp_.next_deadline().value_or(deadline);
  const SteadyTime look_at = watch_.next_look().value_or(deadline);
  const SteadyTime cursor_at = cursor_ ? cursor_->next_deadline(steady_now()).value_or(deadline) : deadline;
  sender_.wait(std::min({deadline, report_at, look_at, cursor_at}), [&](const transport::Feedback& feedback) {
    if (!feedback.control) {
      watch_.heard(feedback.destination);
      sink(feedback);
      return;
    }
    on_report(feedback);
  });
  if (!web_.empty()) take_from_viewers(sink);
  if (cursor_ && real_time()) send_cursor();
  if (steady_now() >= look_at) look_for_listeners(steady_now());
  if (steady_now() >= report_at)
    if (const Bytes report = rtcp_.report(steady_now(), wall_now()); !report.empty()) send_control(report);
}

std::optional<SteadyTime> Destinations::next_deadline() const {
  std::optional<SteadyTime> next = rtcp_.next_deadline();
  if (const auto look = watch_.next_look()) next = std::min(next.value_or(*look), *look);
  return next;
}

void Destinations::take_from_viewers(const transport::UdpSender::OnFeedback& sink) {
  const size_t first = addresses_.size();
  web_.take_feedback({.feedback =
                          [&](transport::Feedback feedback) {
                            feedback.destination += first;
                            feedback.control ? on_report(feedback) : sink(feedback);
                          },
                      .joined = [&](size_t slot, const transport::PeerAddress& viewer) { greet(slot, viewer, sink); }});
}

// A viewer that has just come gets the relation of the stream's clock to the wall clock, and does not wait until it has
// noticed that it lacks all tiles.
void Destinations::greet(size_t slot, const transport::PeerAddress& viewer,
                         const transport::UdpSender::OnFeedback& sink) {
  web_.send_control_to(slot, rtcp_.report_to_newcomer(steady_now(), wall_now()));
  if (cursor_) cursor_->repeat();
  std::array<std::byte, transport::kTileRequestHeaderBytes> request{};
  Bytes datagram = Bytes(request).first(transport::write_tile_request(request, {.ssrc = ssrc_, .all = true}, {}));
  std::array<std::byte, transport::kTileRequestHeaderBytes + transport::kSealOverhead> sealed{};
  if (viewers_sealer_) datagram = viewers_sealer_->seal(datagram, {}, sealed, wall_now());
  sink({.datagram = datagram, .from = viewer, .destination = addresses_.size() + slot, .arrived = steady_now()});
}

void Destinations::carry_cursor(uint32_t ssrc, std::shared_ptr<transport::Sealer> sealer) {
  cursor_ = std::make_unique<CursorSender>(ssrc, std::move(sealer));
}

void Destinations::show_cursor(const Cursor& cursor, WallTime captured) {
  if (!cursor_) return;
  cursor_->show(cursor, captured);
  sender_.wake();
}

void Destinations::send_cursor() {
  const auto packets = cursor_->packets(steady_now(), wall_now());
  if (packets.empty()) return;
  sender_.send(packets);
  web_.send(packets);
  for (const Capture& capture : captures_)
    for (const auto& packet : packets) capture.writer->write(packet, wall_now(), transport::kDefaultPort);
}

// Anybody can send to the control port. The members of a group are unknown, so all are accepted.
bool Destinations::is_receiver(const transport::Feedback& feedback) const {
  if (feedback.destination >= addresses_.size()) return true;  // a viewer
  const transport::Address& to = addresses_[feedback.destination];
  return to.multicast || transport::peer_of(to).same_host(feedback.from);
}

void Destinations::on_report(const transport::Feedback& feedback) {
  const auto report = transport::parse_rtcp(feedback.datagram);
  if (!report || !is_receiver(feedback)) return;
  const bool is_viewer = feedback.destination >= addresses_.size();
  // The name has the stream's port, which users know, not RTCP's.
  const std::string receiver = transport::to_text(
      is_viewer ? feedback.from : transport::with_port(feedback.from, addresses_[feedback.destination].port));
  rtcp_.on_report(*report, receiver, feedback.arrived, wall_now());
  if (!is_viewer) watch_.heard(feedback.destination);
  if (compact_listeners_) compact_listeners_->reported(receiver, *report, feedback.arrived);
}

void Destinations::look_for_listeners(SteadyTime now) {
  for (size_t i = 0; i < refusals_.size(); ++i)
    if (const uint64_t refusals = sender_.refusals(i); refusals != std::exchange(refusals_[i], refusals))
      watch_.refused(i, now);
  if (compact_listeners_)
    for (const std::string& line : compact_listeners_->news(now)) log_warning("{}", line);
  for (const ListenerWatch::News& news : watch_.news(now))
    if (news.good)
      log_info("{}", news.line);
    else
      log_warning("{}", news.line);
}

}  // namespace texcast::stream
