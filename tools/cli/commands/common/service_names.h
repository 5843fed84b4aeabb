// service_names.h — senders and players by name: NAMEs in the place of addresses, and this program's own announcements.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "texcast/format.h"
#include "transport/address.h"
#include "transport/announcer.h"
#include "transport/service.h"

namespace texcast::cli {

// Whether a SOURCE or DEST is a NAME: what looks like no URL, capture, address or file.
bool is_name(const std::string& word);

// For a terminal: "player 'studio' at rtp://192.0.2.1:5004".
std::string described(const transport::FoundService& service);

// ---- NAMEs into addresses; each throws Error{network} where it is not found, with who was and what to do ----

// Options without NAMEs: URLs instead. What is no NAME stays as it is, and then nobody is asked. Error{usage} where
// `names` has nothing to do with what is given.
PlayOptions with_addresses(PlayOptions options);
StreamOptions with_addresses(StreamOptions options);
SendOptions with_addresses(SendOptions options);

// ---- announcements; null where there is nothing to announce, or --no-announce says so ----

// `url`: where it listens; `send_to`: what DatagramSource::send_to() says of it.
std::unique_ptr<transport::Announcer> announce_player(const StreamOptions& options, const std::string& url,
                                                      const std::vector<std::string>& send_to);

struct AnnouncedStream {
  TextureDesc texture;
  double fps = 0;
  bool compact = false;
  transport::CryptoChoice crypto{};
  std::string sound{};  // how it is coded; empty: there is none
  bool paused = false;
  std::optional<double> rate_bits_per_s{};
  std::vector<transport::Address> destinations{};
};
// Of `send`, as long as it lives. One thread.
class AnnouncedSender {
 public:
  explicit AnnouncedSender(const SendOptions& options) : o_(options) {}
  // What the stream is, at first and when it has become another.
  void tell(const AnnouncedStream& stream);

 private:
  const SendOptions& o_;
  std::unique_ptr<transport::Announcer> announcer_;  // null: there is nothing to announce
};

}  // namespace texcast::cli
