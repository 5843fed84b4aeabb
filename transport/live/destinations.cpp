#include "live/destinations.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>

#include "base/log.h"
#include "live/stream_format.h"
#include "media/new_file.h"
#include "rtcp_name.h"
#include "texcast/error.h"
#include "transport/interface.h"

namespace texcast::stream {

namespace {

std::vector<transport::Address> resolve(const std::vector<std::string>& urls) {
  std::vector<transport::Address> addresses;
  for (const std::string& url : urls)
    if (url.starts_with("rtp://"))
      addresses.push_back(transport::resolve_address(url, false));
    else if (!url.starts_with("pcap:"))
      throw Error(ErrorKind::usage, fmt::format("cannot send to '{}'; give rtp://HOST:PORT or pcap:FILE", url));
  return addresses;
}

transport::RtcpAudience audience_of(const std::vector<transport::Address>& addresses) {
  const bool unicast = std::ranges::none_of(addresses, &transport::Address::multicast);
  return unicast ? transport::RtcpAudience::unicast : transport::RtcpAudience::group;
}

// Groups refuse nothing, and their members take their time before they report.
std::vector<WatchedDestination> watched(const std::vector<transport::Address>& addresses, bool reports, bool compact) {
  const bool quick = audience_of(addresses) == transport::RtcpAudience::unicast;
  std::vector<WatchedDestination> all;
  for (const transport::Address& address : addresses)
    all.push_back({.name = transport::host_and_port(address), .speaks = reports && quick, .compact = compact});
  return all;
}

}  // namespace

Destinations::Destinations(const std::vector<std::string>& urls, const NetworkChoice& network, bool reports,
                           IfExists if_exists, bool compact)
    : addresses_(resolve(urls)),
      rtcp_(rtcp_name(), std::random_device{}(), audience_of(addresses_)),
      watch_(watched(addresses_, reports, compact)),
      refusals_(addresses_.size()),
      sender_({.destinations = addresses_,
               .multicast_ttl = network.multicast_ttl,
               .interface_index = network.interface.empty() ? 0 : transport::interface_index(network.interface),
               .control = true,
               .group_feedback = compact}) {
  if (compact) compact_listeners_.emplace(kCompactCoding);
  for (const transport::Address& address : addresses_) {
    all_on_loopback_ = all_on_loopback_ && address.loopback;
    ipv6_ = ipv6_ || address.ipv6;
  }
  for (const std::string& url : urls)
    if (url.starts_with("pcap:")) captures_.push_back(open_capture(url.substr(5), if_exists));
}

Destinations::Capture Destinations::open_capture(const std::string& path, IfExists if_exists) {
  return media::under_free_name(path, if_exists, [&](const std::string& name, size_t part) {
    const media::NewFile file = media::create_file(name, if_exists == IfExists::overwrite);
    if (part > 1) log_info("the capture is written to {}", name);
    return Capture{.writer = std::make_unique<transport::PcapWriter>(file.descriptor, name),
                   .created = file.created ? name : ""};
  });
}

Destinations::~Destinations() {
  std::error_code ignored;
  for (const Capture& capture : captures_)
    if (!sent_ && !capture.created.empty()) std::filesystem::remove(capture.created, ignored);
  if (real_time()) sender_.send_control(rtcp_.goodbye(steady_now(), wall_now()));
}

void Destinations::finish_captures() {
  for (const Capture& capture : captures_) capture.writer->finish();
}

bool Destinations::all_unicast() const {
  return std::ranges::none_of(addresses_, [](const transport::Address& address) { return address.multicast; });
}

int Destinations::usual_mtu() const {
  constexpr int kEthernet = 1500, kLeast = 576;
  return path_mtu() > 0 ? std::clamp(path_mtu(), kLeast, kEthernet) : kEthernet;
}

double Destinations::usual_spread() const {
  constexpr double kSpread = 0.75;
  constexpr double kLoopbackSpread = 0.25;  // no switch that bursts overflow, and packets that wait are latency
  return all_on_loopback() ? kLoopbackSpread : kSpread;
}

void Destinations::send(std::span<const transport::OutgoingPacket> packets, WallTime time) {
  sent_ = true;
  if (real_time()) {
    sender_.send(packets);
    rtcp_.on_sent(packets, steady_now());
    watch_.sent(steady_now());
  }
  for (const Capture& capture : captures_)
    for (const auto& packet : packets) capture.writer->write(packet, time, transport::kDefaultPort);
}

void Destinations::wait(SteadyTime deadline, const transport::UdpSender::OnFeedback& sink) {
  const SteadyTime report_at = rtcp_.next_deadline().value_or(deadline);
  const SteadyTime look_at = watch_.next_look().value_or(deadline);
  sender_.wait(std::min({deadline, report_at, look_at}), [&](const transport::Feedback& feedback) {
    if (!feedback.control) {
      watch_.heard(feedback.destination);
      sink(feedback);
      return;
    }
    on_report(feedback);
  });
  if (steady_now() >= look_at) look_for_listeners(steady_now());
  if (steady_now() >= report_at)
    if (const Bytes report = rtcp_.report(steady_now(), wall_now()); !report.empty()) sender_.send_control(report);
}

void Destinations::on_report(const transport::Feedback& feedback) {
  // Named by the stream's port, which users know, and not by that of RTCP.
  const std::string receiver =
      transport::to_text(transport::with_port(feedback.from, addresses_[feedback.destination].port));
  if (!rtcp_.on_datagram(feedback.datagram, receiver, feedback.arrived, wall_now())) return;
  watch_.heard(feedback.destination);
  if (!compact_listeners_) return;
  if (const auto report = transport::parse_rtcp(feedback.datagram))
    compact_listeners_->reported(receiver, *report, feedback.arrived);
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
