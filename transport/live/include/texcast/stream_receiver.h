// stream_receiver.h — texcast's and UltraGrid's streams as textures, with their times and what of them is missing.
//
// Example: every texture into a callback.
//     texcast::StreamReceiver receiver({.listen = "rtp://:5004"}, [&](const texcast::ReceivedTexture& received) {
//       upload(received.texture);                    // valid during the call
//       if (interesting) kept = received.keep();     // the texture's memory stays as it is as long as `kept` lives
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

namespace texcast {

struct StreamReceiverSettings {
  std::string listen =
      "rtp://:5004";                // "rtp://[ADDRESS][:PORT]", a multicast group, or "rtp://SOURCE@GROUP"; port 0: any
  std::string interface {};         // name or address of a network interface; empty: any
  std::vector<std::string> from{};  // hosts or networks ("192.168.1.0/24") that alone are listened to; none: all
  std::string passphrase{};         // not empty: only what is sealed with it is taken
  // The cipher, where there is a passphrase: "texcast", or UltraGrid's "ultragrid-gcm", "-cbc", "-ctr", "-cfb", "-ecb".
  std::string cipher = "texcast";
  // How old a sealed stream may be when it is first heard: 0 any. Recordings of older ones are refused.
  nanoseconds max_age = std::chrono::seconds(60);
  // The largest picture that is taken; 0: sixteen megapixels of any shape.
  int max_width = 0, max_height = 0;
  size_t textures_kept = 4;  // that the program keeps at a time at most (ReceivedTexture::keep), up to 1000
};

// One frame. Not to be kept itself: it lives during the callback.
struct ReceivedTexture {
  TextureView texture{};          // valid during the callback, and as long as what keep() gave
  FrameTimes times{};             // sender's: pts, available, encoded, sent; ours: first_packet, assembled
  double fps = 0;                 // nominal, of the stream
  uint64_t number = 0;            // of frames of this stream from 0; lost ones count
  uint32_t concealed_blocks = 0;  // never arrived: these are the blocks of the frame before, or zero
  bool new_stream = false;        // the first of another sender, or of another description

  // The texture's memory does not change as long as the result lives, on any thread, also after the receiver's end. Of
  // those StreamReceiverSettings::textures_kept may live at a time; with more, frames are let go (unbuffered).
  [[nodiscard]] TEXCAST_API std::shared_ptr<const void> keep() const;

  const void* origin = nullptr;  // whose it is; texcast's own
};

// Why packets are refused, of the latest that was.
enum class StreamRefusal : uint8_t {
  none,
  no_passphrase,     // they are encrypted, and no passphrase was given
  wrong_passphrase,  // or they are damaged
  replayed,          // they were here before
  not_encrypted,     // and a passphrase was given
  other_cipher,      // than StreamReceiverSettings::cipher
  older_texcast,     // sealed by a version whose sessions had no time
  too_old,           // sealed longer ago than StreamReceiverSettings::max_age, or the sender's clock is behind
  from_the_future,   // the sender's clock is ahead of ours by more than that
};

struct StreamReceiverStatus {
  uint64_t frames = 0;              // given to the callback
  uint64_t frames_concealed = 0;    // of them: with blocks of the frame before
  uint64_t frames_lost = 0;         // nothing of them could be shown
  uint64_t frames_unbuffered = 0;   // no memory: the callback takes too long, or too many are kept
  uint64_t frames_undecoded = 0;    // decoding took too long, or was more than an unproven sender may cause
  uint64_t frames_unsupported = 0;  // of a coding that texcast does not know
  uint64_t packets = 0;             // taken
  uint64_t bytes = 0;               // payload of those
  uint64_t packets_lost = 0;
  uint64_t packets_recovered = 0;   // lost ones that parity or asking gave back
  uint64_t packets_refused = 0;     // by encryption: see `refusal`
  uint64_t packets_foreign = 0;     // of other senders, and of hosts that are not listened to
  uint64_t packets_malformed = 0;   // no RTP, or contradicting themselves
  uint64_t pictures_too_large = 0;  // packets of such
  uint64_t dropped_by_system = 0;   // for want of socket buffer
  StreamRefusal refusal = StreamRefusal::none;
  std::string sender{};  // "192.168.1.20:49152"; empty: nobody yet
};

// Receives on a thread of its own, from its beginning to stop(). Lost packets are asked for again where the sender
// answers; frames come in order, whole or concealed, as soon as they are.
class TEXCAST_API StreamReceiver {
 public:
  // Called on threads of the receiver's, one at a time. While it runs other frames wait, of streams that are not
  // compact packets in the socket's buffer too: leave long work to another thread. What it throws ends the receiving,
  // and is thrown by stop().
  using OnTexture = std::function<void(const ReceivedTexture& received)>;

  // Throws Error{network} (the port is taken, no such address), Error{usage}, Error{misuse} without a callback.
  StreamReceiver(const StreamReceiverSettings& settings, OnTexture on_texture);
  ~StreamReceiver();  // stops; also from within the callback, which is then the last
  StreamReceiver(StreamReceiver&& other) noexcept;
  StreamReceiver& operator=(StreamReceiver&& other) noexcept;

  // After it the callback is not called any more. Throws what the callback threw, once. Not from within the callback
  // (Error{misuse}).
  void stop();
  bool ended() const;                   // the callback has thrown, or stop() was called. Any thread
  StreamReceiverStatus status() const;  // any thread
  std::vector<std::string> send_to()
      const;  // URLs that a sender may be given so that it comes here, the likeliest first

 private:
  class TEXCAST_LOCAL State;
  std::shared_ptr<State> state_;
};

}  // namespace texcast
