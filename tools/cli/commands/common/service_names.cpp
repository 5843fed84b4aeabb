#include "common/service_names.h"

#include <fmt/core.h>

#include <algorithm>
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
#include "transport/service_words.h"

namespace texcast::cli {
namespace {

using transport::Address;
using transport::AnnouncedAs;
using transport::Announcer;
using transport::FoundService;
using transport::ServiceKind;

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
  const std::string list = transport::listed(others, kind);
  text += list.empty() ? fmt::format("; no {} was found", transport::name(kind)) : fmt::format("; found: {}", list);
  text += wanted_player ? "; start one there (texcast play :5004), or give its address, HOST:PORT"
                        : "; start one there (texcast send INPUT DEST), or listen at an address, :5004";
  throw Error(ErrorKind::network, text);
}

FoundService find(ServiceKind kind, const std::string& name) {
  transport::ServiceSearch search;
  try {
    search = transport::find_service(kind, name, transport::kLongestSearch, interrupt_flag());
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

std::string said_name(const NameOptions& names, uint16_t port) {
  if (!names.name) return transport::usual_name(port);
  const std::string name = transport::fitting_name(*names.name);
  if (name != *names.name || name.empty())
    throw Error(ErrorKind::usage, fmt::format("--name '{}': a name must have 1 to 63 bytes of UTF-8 without control "
                                              "characters",
                                              name));
  return name;
}

AnnouncedAs announced_as(const NameOptions& names, const std::string& interface, uint16_t port) {
  return {.name = said_name(names, port), .asked_for = names.name.has_value(), .interface = interface};
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

bool is_name(const std::string& word) { return transport::is_service_name(word); }

std::string with_scheme(const std::string& word) { return transport::with_scheme(word); }

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
  const uint16_t port = port_of(send_to, address.port);
  AnnouncedAs as = announced_as(o.names, o.interface, port);  // two players on a host have two names
  as.on_named = [](const std::string& name, bool) {
    log_info("announced as '{}': texcast send INPUT '{}'", name, name);
  };
  const auto crypto =
      o.key_file.empty() ? transport::CryptoChoice::none : o.crypto.value_or(transport::CryptoChoice::texcast);
  return transport::announce_receiver(as, address, port, crypto);
}

void AnnouncedSender::tell(const AnnouncedStream& stream) {
  if (names_.no_announce) return;
  if (!announced_) {
    AnnouncedAs as =
        announced_as(names_, interface_, transport::kDefaultPort);  // the daemon makes equal names distinct
    as.on_named = [](const std::string& name, bool joined) {
      log_info("announced as '{}'{}", name, joined ? fmt::format(": texcast play '{}'", name) : "");
    };
    announced_.emplace(std::move(as));
  }
  announced_->tell(stream);
}

}  // namespace texcast::cli
