// stream_receiver.h — receives streams of texcast and UltraGrid as textures, with their times and losses.
//
// Example: pass every texture to a callback.
//     texcast::StreamReceiver receiver({.listen = "rtp://:5004"}, [&](const texcast::ReceivedTexture& received) {
//       upload(received.texture);                    // valid during the call
//       if (interesting) kept = received.keep();     // the texture's memory does not change while `kept` lives
//     });
//     …
//     receiver.stop();
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"
#include "texcast/sound.h"

namespace texcast {

struct StreamReceiverSettings {
  // "rtp://[ADDRESS][:PORT]", a multicast group, or "rtp://SOURCE@GROUP"; port 0: any free one. Or the name of an
  // announced stream (discovery.h) that goes to a group, which is then joined; the search takes up to five seconds.
  std::string listen = "rtp://:5004";
  // Not empty: announced on the local network by this name, which `texcast send` and StreamSender take as a
  // destination. 1 to 63 bytes of UTF-8 without control characters. Not if only this machine can reach `listen`.
  std::string name{};
  std::string interface {};         // name or address of a network interface; empty: any
  std::vector<std::string> from{};  // the only accepted hosts or networks ("192.168.1.0/24"); empty: all
  std::string passphrase{};         // not empty: only packets encrypted with it are accepted
  // The cipher for the passphrase: "texcast", or UltraGrid's "ultragrid-gcm", "-cbc", "-ctr", "-cfb", "-ecb".
  std::string cipher = "texcast";
  // Maximum age of an encrypted stream at its first packet; 0: any. Refuses replays of older recordings.
  nanoseconds max_age = std::chrono::seconds(60);
  // The largest accepted picture; 0: sixteen megapixels of any shape.
  int max_width = 0, max_height = 0;
  size_t textures_kept = 4;  // how many textures the program may keep at a time (ReceivedTexture::keep), up to 1000
};

// One frame. It lives during the callback only.
struct ReceivedTexture {
  TextureView texture{};          // valid during the callback, and as long as the result of keep()
  FrameTimes times{};             // sender's: pts, available, encoded, sent; receiver's: first_packet, assembled
  double fps = 0;                 // the stream's nominal rate
  uint64_t number = 0;            // counts the frames of this stream from 0, including lost ones
  uint32_t concealed_blocks = 0;  // blocks that never arrived; they are the previous frame's, or zero
  bool new_stream = false;        // the first frame of another sender, or of another description

  // The texture's memory does not change while the result lives, on any thread, even after the receiver's end. At most
  // StreamReceiverSettings::textures_kept results may live at a time; with more, frames are dropped (unbuffered).
  [[nodiscard]] TEXCAST_API std::shared_ptr<const void> keep() const;

  const void* origin = nullptr;  // internal
};

// Why the latest refused packet was refused.
enum class StreamRefusal : uint8_t {
  none,
  no_passphrase,     // it is encrypted, and no passphrase was given
  wrong_passphrase,  // or it is damaged
  replayed,          // it arrived before
  not_encrypted,     // although a passphrase was given
  other_cipher,      // than StreamReceiverSettings::cipher
  older_texcast,     // encrypted by a version whose sessions carried no time
  too_old,           // encrypted longer ago than StreamReceiverSettings::max_age, or the sender's clock is behind
  from_the_future,   // the sender's clock is ahead of ours by more than that
};

struct StreamReceiverStatus {
  uint64_t frames = 0;              // passed to the callback
  uint64_t frames_concealed = 0;    // of these: with blocks of the previous frame
  uint64_t frames_lost = 0;         // nothing of them could be shown
  uint64_t frames_unbuffered = 0;   // no memory: the callback is too slow, or too many textures are kept
  uint64_t frames_undecoded = 0;    // decoding was too slow, or exceeded the budget of an unproven sender
  uint64_t frames_unsupported = 0;  // of an unknown coding
  uint64_t packets = 0;             // accepted
  uint64_t bytes = 0;               // their payload
  uint64_t packets_lost = 0;
  uint64_t packets_recovered = 0;   // lost ones that parity or retransmission recovered
  uint64_t packets_refused = 0;     // by encryption: see `refusal`
  uint64_t packets_foreign = 0;     // from other senders, and from hosts that are not accepted
  uint64_t packets_malformed = 0;   // no RTP, or with contradictory headers
  uint64_t pictures_too_large = 0;  // packets of such pictures
  uint64_t dropped_by_system = 0;   // the socket buffer was full
  uint64_t sound_packets = 0;       // accepted, with parity
  uint64_t sound_packets_lost = 0;  // neither arrived nor recovered
  double sound_concealed_ms = 0;    // per channel
  StreamRefusal refusal = StreamRefusal::none;
  std::string sender{};  // "192.168.1.20:49152"; empty: none yet
};

// Receives on a thread of its own, from construction to stop(). Requests lost packets if the sender answers. Delivers
// frames in order, complete or concealed, without added delay.
class TEXCAST_API StreamReceiver {
 public:
  // Called on threads of the receiver, one at a time. Meanwhile other frames wait, and for raw streams also packets in
  // the socket's buffer: do long work on another thread. An exception ends the reception, and is rethrown by stop().
  using OnTexture = std::function<void(const ReceivedTexture& received)>;
  // The sound of the sender whose pictures arrive, from its first picture on, in order. Called on another thread of the
  // receiver than OnTexture, possibly at the same time. An exception ends the reception, and is rethrown by stop().
  using OnSound = std::function<void(const ReceivedSound& sound)>;

  // Receives sound if `on_sound` is not empty, at the port after the next one of the pictures. If that is taken, a line
  // in the log says so, and there is no sound. Throws Error{network} (port in use, no such address), Error{usage}, or
  // Error{misuse} without OnTexture.
  StreamReceiver(const StreamReceiverSettings& settings, OnTexture on_texture, OnSound on_sound = {});
  ~StreamReceiver();  // stops; may be called from within a callback: no further call begins
  StreamReceiver(StreamReceiver&& other) noexcept;
  StreamReceiver& operator=(StreamReceiver&& other) noexcept;

  // Ends the calls of the callbacks. Throws a callback's exception, once. Must not be called from within a callback
  // (Error{misuse}).
  void stop();
  bool ended() const;                        // a callback has thrown, or stop() was called; any thread
  StreamReceiverStatus status() const;       // any thread
  std::vector<std::string> send_to() const;  // URLs for a sender, the likeliest first

 private:
  class TEXCAST_LOCAL State;
  std::shared_ptr<State> state_;
};

}  // namespace texcast
