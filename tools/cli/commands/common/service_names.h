// service_names.h — service discovery: resolves NAMEs of senders and players to addresses, and announces this program.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "texcast/format.h"
#include "transport/address.h"
#include "transport/announcer.h"
#include "transport/service.h"
#include "transport/stream_announcement.h"

namespace texcast::cli {

// Whether a SOURCE or DEST is a NAME, because it does not look like a URL, capture, address or file.
bool is_name(const std::string& word);

// The URL of an address without rtp:// ("192.0.2.1:5004", ":5004"; transport/address.h); any other word as it is.
std::string with_scheme(const std::string& word);

// For messages: "player 'studio' at rtp://192.0.2.1:5004".
std::string described(const transport::FoundService& service);

// ---- resolving; throws Error{network} if a NAME is not found, with the names that were and what to do ----

// The options with URLs in place of NAMEs and of addresses without rtp://. A SOURCE that is an existing file stays one.
// Without a NAME the network is not used. Throws Error{usage} if --name or
// --no-announce has no effect.
PlayOptions with_addresses(PlayOptions options);
StreamOptions with_addresses(StreamOptions options);
SendOptions with_addresses(SendOptions options);

// The addresses of destinations: URLs in place of NAMEs of players and of addresses without rtp://. `encrypted`: the
// stream is; otherwise a warning says that a player accepts only encrypted streams.
void name_destinations(std::vector<std::string>& destinations, bool encrypted);

// ---- announcing; nullptr if there is nothing to announce, or with --no-announce ----

// `url`: the address it listens on; `send_to`: DatagramSource::send_to() of the open socket.
std::unique_ptr<transport::Announcer> announce_player(const StreamOptions& options, const std::string& url,
                                                      const std::vector<std::string>& send_to);

using transport::AnnouncedStream;
// The announcement of `send` or of a relayed stream, for as long as the object exists. Not thread-safe.
class AnnouncedSender {
 public:
  AnnouncedSender(NameOptions names, std::string interface)
      : names_(std::move(names)), interface_(std::move(interface)) {}
  // Announces the stream, or updates the announcement when the stream has changed.
  void tell(const AnnouncedStream& stream);

 private:
  const NameOptions names_;
  const std::string interface_;
  std::optional<transport::AnnouncedSender> announced_;  // nullopt before tell()
};

}  // namespace texcast::cli
