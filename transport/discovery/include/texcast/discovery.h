// discovery.h — finds the streams that senders announce on the local network (DNS-SD, through Avahi's daemon). Senders
// announce themselves by StreamSenderSettings::name, and `texcast send` by itself.
//
// Example: a list of streams that is always up to date.
//     const texcast::StreamWatch watch([&](const std::vector<texcast::FoundStream>& streams) { show(streams); });
//     …
//     texcast::StreamReceiver receiver({.listen = chosen.name}, on_texture);  // or chosen.url
//
// The library loads Avahi's client library (Debian's libavahi-client3) when something is first looked for or announced.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "texcast/export.h"
#include "texcast/frame_times.h"

namespace texcast {

struct FoundStream {
  std::string name{};  // as announced, without control characters: 1 to 63 bytes of UTF-8
  // The multicast group, for StreamReceiverSettings::listen. Empty: the stream goes to fixed addresses, so that it can
  // be received only where it is sent to.
  std::string url{};
  std::string interface {};   // of this machine, on which it was found: for StreamReceiverSettings::interface
  std::string host{};         // "studio.local"
  std::string format{};       // "bc1"; empty: unknown
  int width = 0, height = 0;  // 0: unknown
  double fps = 0;             // 0: unknown
  std::string sound{};        // coding of its sound, "pcm" or "opus"; empty: none
  bool encrypted = false;     // a passphrase is needed
  bool paused = false;
  bool operator==(const FoundStream&) const = default;
};

// The streams that are announced, by name. Waits for `how_long`: a second finds those of a usual network; with 0 it
// waits until the daemon considers the search complete. Throws Error{network} if the search is impossible (no daemon,
// no system bus, no Avahi library). Thread-safe.
TEXCAST_API std::vector<FoundStream> find_streams(nanoseconds how_long = std::chrono::seconds(1));

// Watches the streams that are announced, on a thread of its own.
class TEXCAST_API StreamWatch {
 public:
  // Called with all streams, by name, when one has come, changed or gone. On the thread of the watch. An exception goes
  // to the log.
  using OnChange = std::function<void(const std::vector<FoundStream>& streams)>;

  // Neither waits nor fails. Without a daemon it keeps trying: see problem().
  explicit StreamWatch(OnChange on_change);
  ~StreamWatch();  // ends the calls; takes at most a second if the bus does not respond. Not from within the callback.
  StreamWatch(StreamWatch&& other) noexcept;
  StreamWatch& operator=(StreamWatch&& other) noexcept;

  std::vector<FoundStream> streams() const;  // any thread
  std::string problem() const;               // why nothing can be found, for a person; empty: all is well. Any thread

 private:
  class TEXCAST_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast
