// web_stream.h — a stream that browsers watch, as its sender sees it: datagrams to the viewers, their feedback back. An
// interface without I/O; web_server.h serves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "texcast/frame_times.h"
#include "transport/packetizer.h"
#include "transport/peer_address.h"

namespace texcast::web {

// The kind of data in a datagram. The values are those of the protocol (docs/web.md).
enum class Channel : uint8_t { picture = 0, sound = 1 };
inline constexpr size_t kChannels = 2;

// One viewer's connection. Numbers count from 1, and are never used again; a viewer that reconnects gets a new one.
using ViewerId = uint32_t;

// A stream as viewers see it. The server passes this on, and only compares `families` with what a viewer's GPU takes.
struct StreamOffer {
  std::string name;  // unique among the streams of a server: "bc1", "etc2"
  // Texture families that a GPU must take to show the stream: "s3tc", "rgtc", "bptc", "etc2", "astc". None: any GPU.
  std::vector<std::string> families;
  std::string format;  // as for --format
  bool has_sound = false;
  bool is_sealed = false;  // the stream is sealed elsewhere; these datagrams are not
  bool operator==(const StreamOffer&) const = default;
};

// All members may be called on any thread, and return at once: nothing waits for the network.
class Stream {
 public:
  // A viewer's datagram, or news about a viewer. Each viewer joins once, before its first datagram, and leaves once,
  // after its last one.
  struct Feedback {
    enum class Kind : uint8_t { joined, datagram, left };
    Kind kind = Kind::datagram;
    ViewerId viewer = 0;
    transport::PeerAddress from;
    Channel channel = Channel::picture;  // of a datagram
    Bytes datagram;                      // 1 to 65535 bytes, valid during the call only; empty for other kinds
    SteadyTime arrived{};
  };
  using OnFeedback = std::function<void(const Feedback&)>;

  virtual ~Stream() = default;  // as end("") and on_feedback({})

  // Sends datagrams of 1 to 65507 bytes to all viewers. They are copied once, into memory that all viewers share, so
  // that the packets need to be valid only during the call. Costs one atomic load while nobody watches. A viewer whose
  // connection does not keep up loses datagrams, as a receiver of UDP would; nobody else does. Order is kept within a
  // channel; sound may overtake pictures.
  virtual void send(Channel channel, std::span<const transport::OutgoingPacket> packets) = 0;
  // The same to one viewer, such as an answer to its feedback. Does nothing if the viewer has left.
  virtual void send_to(ViewerId viewer, Channel channel, std::span<const transport::OutgoingPacket> packets) = 0;
  // The number of viewers that watch this stream. One atomic load.
  virtual size_t viewers() const = 0;
  bool has_viewers() const { return viewers() != 0; }

  // The stream changed, for example its format. Viewers get the new offer before the datagrams that are sent after this
  // call. Those whose GPU does not take the new format get another stream that it takes (leaving this one), or are sent
  // away with a line that says why.
  virtual void change(const StreamOffer& offer) = 0;

  // `wake` is called whenever feedback waits that take_feedback() has not taken; an empty function ends that. It is
  // called on the server's thread (or by this call, if feedback waits already), must return quickly, and must not call
  // the stream. No call is in progress when on_feedback() returns.
  virtual void on_feedback(std::function<void()> wake) = 0;
  // Calls `sink` on this thread for all feedback that waits, in its order of arrival. At most one thread at a time.
  virtual void take_feedback(const OnFeedback& sink) = 0;

  // The stream is over: its viewers see `message` (one line; may be empty), and wait for another stream of the server.
  // Nothing is sent afterwards.
  virtual void end(std::string_view message) = 0;
};

}  // namespace texcast::web
