// stream_announcement.h — what senders and receivers of streams announce on the local network (announcer.h). A stream
// that stays on this machine is not announced.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "texcast/format.h"
#include "transport/address.h"
#include "transport/announcer.h"
#include "transport/crypto_choice.h"

namespace texcast::transport {

// The program that announces itself.
struct AnnouncedAs {
  std::string name{};        // AnnouncerSettings::name
  bool asked_for = false;    // AnnouncerSettings::asked_for
  std::string interface {};  // name or address of the only network interface for announcements; empty: all
  // AnnouncerSettings::on_named; `joined`: the name can be listened to.
  std::function<void(const std::string& name, bool joined)> on_named{};
};

struct AnnouncedStream {
  std::optional<TextureDesc> texture{};  // nothing: unknown, of an encrypted stream that a relay cannot read
  double fps = 0;
  bool compact = false;
  CryptoChoice crypto{};
  std::string sound{};  // coding of the audio; empty: no audio
  bool paused = false;
  std::optional<double> rate_bits_per_s{};
  std::vector<Address> destinations{};
};

// The announcement of a stream by its sender, for as long as the object exists. Not thread-safe.
class AnnouncedSender {
 public:
  explicit AnnouncedSender(AnnouncedAs as) : as_(std::move(as)) {}
  // Announces the stream, or updates the announcement when the stream has changed. Throws Error{network} if there is no
  // such interface.
  void tell(const AnnouncedStream& stream);

 private:
  const AnnouncedAs as_;
  std::unique_ptr<Announcer> announcer_;  // nullptr: there is nothing to announce
};

// The announcement of a receiver that listens at `address`, with `port` in place of a port 0. `crypto`: the streams
// that it accepts. nullptr: other machines cannot reach it. Throws Error{network} as above.
std::unique_ptr<Announcer> announce_receiver(const AnnouncedAs& as, const Address& address, uint16_t port,
                                             CryptoChoice crypto);

}  // namespace texcast::transport
