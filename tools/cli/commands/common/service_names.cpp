#include "common/service_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "cli/interrupt.h"
#include "live/datagrams.h"
#include "live/web_viewers.h"
#include "texcast/error.h"
#include "texcast/format.h"
#include "text/nearest.h"
#include "transport/address.h"
#include "transport/finder.h"
#include "transport/interface.h"

namespace texcast::cli {
namespace {

using transport::Address;
using transport::Announcer;
using transport::AnnouncerSettings;
using transport::FoundService;
using transport::ServiceKind;

// Longest time for a NAME to answer. The search ends earlier when everybody on the network has.
constexpr nanoseconds kWait = std::chrono::seconds(5);

// "clip.mp4", "out.pcap": a word with such an extension is meant as a file.
bool ends_as_file(std::string_view word) {
  const size_t dot = word.rfind('.');
  if (dot == word.npos || dot == 0) return false;
  const std::string_view end = word.substr(dot + 1);
  return end.size() >= 2 && end.size() <= 4 &&
         std::ranges::all_of(end, [](unsigned char c) { return std::isalnum(c) != 0; }) &&
         std::ranges::any_of(end, [](unsigned char c) { return std::isalpha(c) != 0; });
}

// The services of one kind with their addresses, for messages: at most kMost.
std::string listed(const std::vector<FoundService>& services, ServiceKind kind) {
  constexpr size_t kMost = 8;
  std::string list;
  size_t count = 0;
  for (const FoundService& service : services)
    if (service.kind == kind && count++ < kMost)
      list += fmt::format("{}'{}'{}", list.empty() ? "" : ", ", transport::fitting_name(service.name),
                          service.urls.empty() ? "" : fmt::format(" ({})", service.urls.front()));
  if (count > kMost) list += fmt::format(" and {} more", count - kMost);
  return list;
}

// Those of one kind whose name somebody may have meant.
std::vector<std::string> names_of(const std::vector<FoundService>& services, ServiceKind kind) {
  std::vector<std::string> names;
  for (const FoundService& service : services)
    if (service.kind == kind) names.push_back(transport::fitting_name(service.name));
  return names;
}

// Reports that no service of that kind and name was found, which others were, and what to do.
[[noreturn]] void throw_not_found(ServiceKind kind, const std::string& name, const std::vector<FoundService>& others) {
  const bool wanted_player = kind == ServiceKind::player;
  const ServiceKind other = wanted_player ? ServiceKind::sender : ServiceKind::player;
  const bool is_other = std::ranges::any_of(
      others, [&](const FoundService& one) { return one.kind == other && transport::same_name(one.name, name); });
  std::string text = fmt::format("no {} called '{}' answers", transport::name(kind), name);
  if (is_other)
    text += wanted_player ? "; a sender has that name (texcast play NAME)"
                          : "; a player has that name (texcast send INPUT NAME)";
  text += did_you_mean(name, names_of(others, kind));
  const std::string list = listed(others, kind);
  text += list.empty() ? fmt::format("; no {} was found", transport::name(kind)) : fmt::format("; found: {}", list);
  text += wanted_player ? "; start one there (texcast play :5004), or give its address, HOST:PORT"
                        : "; start one there (texcast send INPUT DEST), or listen at an address, :5004";
  throw Error(ErrorKind::network, text);
}

FoundService find(ServiceKind kind, const std::string& name) {
  transport::ServiceSearch search;
  try {
    search = transport::find_service(kind, name, kWait, interrupt_flag());
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("cannot look for a {} called '{}': {}; give its address instead, HOST:PORT",
                                          transport::name(kind), name, error.what()));
  }
  if (!search.found) throw_not_found(kind, name, search.others);
  return std::move(*search.found);
}

// The bound port, from a URL to send to.
uint16_t port_of(const std::vector<std::string>& urls, uint16_t otherwise) {
  uint16_t port = otherwise;
  if (!urls.empty()) {
    const std::string& url = urls.front();
    std::from_chars(url.data() + url.rfind(':') + 1, url.data() + url.size(), port);
  }
  return port;
}

// The host as text, without its port.
std::string host_of(const Address& address) {
  std::string host = transport::host_and_port(address);
  host.resize(host.rfind(':'));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return host.substr(0, host.find('%'));
}

unsigned interface_with(const std::string& address) {
  for (const transport::NetworkInterface& one : transport::network_interfaces())
    if (std::ranges::count(one.addresses, address) > 0) return one.index;
  return 0;
}

std::string said_name(const NameOptions& names, uint16_t port) {
  if (!names.name) return transport::usual_name(port);
  const std::string name = transport::fitting_name(*names.name);
  if (name != *names.name || name.empty())
    throw Error(ErrorKind::usage, fmt::format("--name '{}': a name must have 1 to 63 bytes of UTF-8 without control "
                                              "characters",
                                              name));
  return name;
}

AnnouncerSettings announcement(ServiceKind kind, const NameOptions& names, const std::string& interface,
                               uint16_t port) {
  // The usual names of two players on a host differ by port; those of two senders are made distinct by the daemon.
  return {.kind = kind,
          .name = said_name(names, kind == ServiceKind::player ? port : transport::kDefaultPort),
          .port = port,
          .facts = {.version = TEXCAST_VERSION},
          .interface_index = interface.empty() ? 0 : transport::interface_index(interface),
          .asked_for = names.name.has_value()};
}

// A sender that sends to a multicast group.
FoundService joined_sender(const std::string& name) {
  FoundService sender = find(ServiceKind::sender, name);
  if (sender.urls.empty())
    throw Error(
        ErrorKind::network,
        fmt::format("'{}' ({}) sends to fixed addresses, not to a multicast group that could be joined: start a "
                    "player here (texcast play :5004), and send to it there (texcast send INPUT {})",
                    name, transport::fitting_name(sender.host), transport::usual_name(transport::kDefaultPort)));
  log_info("found {}", described(sender));
  return sender;
}

void name_sources(std::vector<std::string>& sources, StreamOptions& o) {
  for (std::string& source : sources) {
    std::error_code ignored;
    if (std::filesystem::exists(source, ignored)) continue;
    source = with_scheme(source);
    if (!is_name(source)) continue;
    FoundService sender = joined_sender(source);
    source = sender.urls.front();
    if (sources.size() == 1 && o.interface.empty()) o.interface = sender.interface;  // the group is on that network
  }
}

// `places`: addresses, after NAMEs have been resolved.
void reject_unused_names(const NameOptions& names, const std::vector<std::string>& places) {
  const bool streams = std::ranges::any_of(places, stream::is_rtp);
  const bool has_page = std::ranges::any_of(places, stream::is_web);  // with the name as its title
  const auto reject_if = [](bool unused, const char* why) {
    if (unused) throw Error(ErrorKind::usage, why);
  };
  reject_if(names.name && !streams && !has_page, "--name is for streams, and no address is given");
  reject_if(names.no_announce && !streams, "--no-announce is for streams, and no address is given");
  reject_if(names.name && names.no_announce, "--no-announce excludes --name");
}

}  // namespace

bool is_name(const std::string& word) {
  if (word.empty() || word == "-" || word.find('/') != word.npos || stream::is_capture(word)) return false;
  return !ends_as_file(word) && !transport::url_of_short_form(word);
}

std::string with_scheme(const std::string& word) { return transport::url_of_short_form(word).value_or(word); }

std::string described(const FoundService& service) {
  return fmt::format("{} '{}'{}", transport::name(service.kind), transport::fitting_name(service.name),
                     service.urls.empty() ? "" : " at " + service.urls.front());
}

namespace {

// Copies the addresses to the options of the command line alone.
template <typename Options, typename Addresses>
void tell_given(Options& o, Addresses Options::*addresses) {
  if (!o.given) return;
  auto given = std::make_shared<Options>(*o.given);
  (*given).*addresses = o.*addresses;
  o.given = std::move(given);
}

}  // namespace

PlayOptions with_addresses(PlayOptions o) {
  name_sources(o.sources, o.stream);
  tell_given(o, &PlayOptions::sources);
  reject_unused_names(as_given(o).stream.names, o.sources);
  return o;
}

StreamOptions with_addresses(StreamOptions o) {
  std::vector<std::string> sources{o.source};
  name_sources(sources, o);
  o.source = sources.front();
  tell_given(o, &StreamOptions::source);
  reject_unused_names(as_given(o).names, sources);
  return o;
}

void name_destinations(std::vector<std::string>& destinations, bool encrypted) {
  for (std::string& destination : destinations) {
    destination = with_scheme(destination);
    if (!is_name(destination)) continue;
    const FoundService player = find(ServiceKind::player, destination);
    log_info("found {}", described(player));
    if (!player.facts.sealed.empty() && !encrypted)
      log_warning("'{}' accepts only streams that are encrypted with its passphrase ({}): give --key-file FILE",
                  destination, player.facts.sealed);
    destination = player.urls.front();
  }
}

SendOptions with_addresses(SendOptions o) {
  name_destinations(o.destinations, !o.key_file.empty());
  tell_given(o, &SendOptions::destinations);
  reject_unused_names(as_given(o).names, o.destinations);
  return o;
}

std::unique_ptr<Announcer> announce_player(const StreamOptions& o, const std::string& url,
                                           const std::vector<std::string>& send_to) {
  if (o.names.no_announce || !stream::is_rtp(url)) return nullptr;
  const Address address = transport::resolve_address(url, true);
  if (address.loopback) return nullptr;  // other machines cannot reach it
  AnnouncerSettings settings = announcement(ServiceKind::player, o.names, o.interface, port_of(send_to, address.port));
  const std::string host = host_of(address);
  if (address.multicast)
    settings.facts.group = host.substr(host.find('@') + 1);
  else if (!host.empty() && settings.interface_index == 0)
    settings.interface_index = interface_with(host);
  // "rtp://:5004" listens on both.
  settings.ipv4 = host.empty() || !address.ipv6 || host == "::";
  settings.ipv6 = host.empty() || address.ipv6;
  if (!o.key_file.empty()) settings.facts.sealed = name(o.crypto.value_or(transport::CryptoChoice::texcast));
  settings.on_named = [](const std::string& name) {
    log_info("announced as '{}': texcast send INPUT '{}'", name, name);
  };
  return std::make_unique<Announcer>(std::move(settings));
}

void AnnouncedSender::tell(const AnnouncedStream& stream) {
  if (names_.no_announce) return;
  // A stream that stays on this machine is not announced.
  if (std::ranges::all_of(stream.destinations, &Address::loopback)) return announcer_.reset();
  const auto group = std::ranges::find_if(stream.destinations, &Address::multicast);
  const bool joined = group != stream.destinations.end();
  AnnouncerSettings settings =
      announcement(ServiceKind::sender, names_, interface_, joined ? group->port : transport::kDefaultPort);
  auto& facts = settings.facts;
  if (joined) facts.group = host_of(*group);
  if (stream.crypto != transport::CryptoChoice::none) facts.sealed = name(stream.crypto);
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
  if (announcer_) return announcer_->update(facts, settings.port);
  settings.on_named = [joined](const std::string& name) {
    log_info("announced as '{}'{}", name, joined ? fmt::format(": texcast play '{}'", name) : "");
  };
  announcer_ = std::make_unique<Announcer>(std::move(settings));
}

}  // namespace texcast::cli
