#include "transport/stream_announcement.h"

#include <algorithm>
#include <utility>

#include "transport/interface.h"

namespace texcast::transport {
namespace {

// The host as text, without its port.
std::string host_of(const Address& address) {
  std::string host = host_and_port(address);
  host.resize(host.rfind(':'));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return host.substr(0, host.find('%'));
}

unsigned interface_with(const std::string& address) {
  for (const NetworkInterface& one : network_interfaces())
    if (std::ranges::count(one.addresses, address) > 0) return one.index;
  return 0;
}

AnnouncerSettings settings_of(ServiceKind kind, const AnnouncedAs& as, uint16_t port, bool joined) {
  AnnouncerSettings settings{.kind = kind,
                             .name = as.name,
                             .port = port,
                             .facts = {.version = TEXCAST_VERSION},
                             .interface_index = as.interface.empty() ? 0 : interface_index(as.interface),
                             .asked_for = as.asked_for};
  if (as.on_named)
    settings.on_named = [on_named = as.on_named, joined](const std::string& name) { on_named(name, joined); };
  return settings;
}

std::string sealed_text(CryptoChoice crypto) {
  return crypto == CryptoChoice::none ? std::string() : std::string(name(crypto));
}

void tell_facts(ServiceFacts& facts, const AnnouncedStream& stream) {
  facts.sealed = sealed_text(stream.crypto);
  if (stream.texture) {
    facts.format = name(stream.texture->format);
    facts.coding = stream.compact ? "compact" : "plain";
    facts.width = stream.texture->width;
    facts.height = stream.texture->height;
  }
  facts.fps = stream.fps;
  facts.sound = stream.sound;
  facts.rate_bits_per_s = stream.rate_bits_per_s.value_or(0);
  facts.paused = stream.paused;
}

}  // namespace

void AnnouncedSender::tell(const AnnouncedStream& stream) {
  if (std::ranges::all_of(stream.destinations, &Address::loopback)) return announcer_.reset();
  const auto group = std::ranges::find_if(stream.destinations, &Address::multicast);
  const bool joined = group != stream.destinations.end();
  AnnouncerSettings settings = settings_of(ServiceKind::sender, as_, joined ? group->port : kDefaultPort, joined);
  if (joined) settings.facts.group = host_of(*group);
  tell_facts(settings.facts, stream);
  if (announcer_) return announcer_->update(settings.facts, settings.port);
  announcer_ = std::make_unique<Announcer>(std::move(settings));
}

std::unique_ptr<Announcer> announce_receiver(const AnnouncedAs& as, const Address& address, uint16_t port,
                                             CryptoChoice crypto) {
  if (address.loopback) return nullptr;
  AnnouncerSettings settings = settings_of(ServiceKind::player, as, port != 0 ? port : address.port, true);
  const std::string host = host_of(address);
  if (address.multicast)
    settings.facts.group = host.substr(host.find('@') + 1);
  else if (!host.empty() && settings.interface_index == 0)
    settings.interface_index = interface_with(host);
  // "rtp://:5004" listens on both.
  settings.ipv4 = host.empty() || !address.ipv6 || host == "::";
  settings.ipv6 = host.empty() || address.ipv6;
  settings.facts.sealed = sealed_text(crypto);
  return std::make_unique<Announcer>(std::move(settings));
}

}  // namespace texcast::transport
