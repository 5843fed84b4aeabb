// stream_sender.h — sends frames, or finished textures, to texcast or UltraGrid receivers in real time.
//
// Example: a stream of frames that the program draws.
//     texcast::StreamSender sender({.destinations = {"rtp://192.168.1.20:5004"}, .fps = 60},
//                                  texcast::EncoderSettings{.source = format});
//     for (int64_t n = 0; running; ++n) {
//       draw(frame);                                          // texcast::FrameView
//       sender.send(frame, n * texcast::frame_period(60));    // false: dropped, the network is a frame behind
//     }
//     sender.finish();
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "texcast/encoder.h"
#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"
#include "texcast/frame_times.h"
#include "texcast/sound.h"
#include "texcast/transform_coding.h"

namespace texcast {

struct StreamSenderSettings {
  // "rtp://HOST[:PORT]" each, hosts or one multicast group; port 5004. Or the name of a receiver that announces itself
  // (`texcast play`, StreamReceiverSettings::name); the search takes up to five seconds.
  std::vector<std::string> destinations{};
  // Not empty: the stream is announced on the local network by this name (discovery.h), unless it stays on this
  // machine. Receivers can listen to the name of a stream that goes to a group. 1 to 63 bytes of UTF-8 without control
  // characters.
  std::string name{};
  double fps = 60;           // frames per second, of the stream and for pacing
  std::string passphrase{};  // not empty: packets are encrypted, and receivers need the passphrase
  std::string fec =
      "auto";  // forward error correction, as in `texcast send --fec`: "none", "20%", "ultragrid-rs:200:240" …
  // True: a coded stream, in which only changed tiles are sent. Without `crf` and `bitrate` it is lossless, and a
  // desktop takes a thirtieth of the raw bit rate, or much less. If a GPU encodes the frames it codes the stream too.
  // False: a raw stream, which UltraGrid and older texcast receivers can read too. Formats without blocks of 4 x 4
  // texels, and streams with UltraGrid's `fec`, are always raw.
  bool compact = true;
  // Lossy coding at a constant quality: from 0, the best, to 51; 23 is usual. Static areas reach full quality within a
  // few frames. For coded streams in unsigned BC1, BC3, BC4 and BC5 blocks, except scaled YCoCg. nullopt: lossless.
  std::optional<double> crf{};
  // Lossy coding at this bit rate, in bits per second on the line to each destination, with headers and `fec`; a buffer
  // of two frame times smooths it. 0: no limit. The quality is the best that fits, up to `crf`, or up to 16 without
  // one. If `least_bitrate` is above 0 the rate adapts to the available bandwidth between the two, by receivers'
  // reports.
  double bitrate = 0, least_bitrate = 0;
  // Lossy: whether tiles may have transform coding. `on` needs a format that can have it, else Error{usage}.
  TransformCoding transform = TransformCoding::automatic;
  Quality quality = Quality::fast;  // lossy: the search effort for each block
  // The period in seconds in which a coded stream sends all tiles anew, for receivers that cannot request them. 0: 5 in
  // groups, otherwise never; infinity: never.
  double refresh_seconds = 0;
  bool retransmit = true;     // send lost packets again if receivers request them (unicast only)
  std::string interface {};   // name or address of the network interface; empty: by the routing table
  int multicast_ttl = 1;      // 0..255
  int mtu = 0;                // bytes of an IP packet, 576..65535; 0: the path MTU, at most 1500
  double spread = 0;          // part of the frame time over which packets are paced, up to 1; 0: by the network path
  double max_bits_per_s = 0;  // limit on the line; 0: none
  // The sound that send_sound() takes; nullopt: none. It goes to each destination's port plus 2.
  std::optional<SoundFormat> sound{};
  SoundCoding sound_coding = SoundCoding::pcm;
};

// The latest RTCP report of one receiver. Receivers of encrypted streams send none.
struct StreamReceiverReport {
  std::string address{};                  // "192.168.1.20:5004"
  bool left = false;                      // it has sent BYE; the values are its last ones
  int64_t lost = 0;                       // packets so far; negative if there are more duplicates
  double loss = 0;                        // loss fraction between its last two reports, 0..1
  double jitter_ms = 0;                   // RFC 3550, 6.4.1
  std::optional<double> round_trip_ms{};  // from its second report on
};

// Milliseconds, over the last 4096 frames; 0 if there are none.
struct LatencyFigures {
  double p50 = 0, p95 = 0;
};

struct StreamSenderStatus {
  uint64_t frames = 0;    // sent
  uint64_t dropped = 0;   // send() returned false
  uint64_t packets = 0;   // with parity, without those sent again
  uint64_t bytes = 0;     // UDP payload of these packets
  uint64_t refused = 0;   // packets that the system refused: the port is closed, or there is no route
  uint64_t requests = 0;  // NACKs from receivers
  uint64_t again = 0;     // packets sent again
  // The current bit rate limit of a lossy stream with a bit rate; the approximate current quality of a lossy stream.
  std::optional<double> bits_per_s{}, crf{};
  uint64_t sound_packets = 0, sound_bytes = 0;        // sent, with parity
  uint64_t sound_dropped = 0;                         // samples per channel for which send_sound() returned false
  LatencyFigures encoded, first_packet, last_packet;  // since send() was called
  std::vector<StreamReceiverReport> receivers{};
};

// Encodes and sends on threads of its own. It holds a frame or two at most, so that latency does not grow. All calls
// come from one thread, except status() and send_sound(), which may come from any. Messages, for example that nobody
// listens, go to the log (log.h).
class TEXCAST_API StreamSender {
 public:
  // Takes frames. Throws what make_encoder throws (encoder.h), Error{usage} if settings contradict each other,
  // Error{network} if an address does not resolve or has no route.
  StreamSender(const StreamSenderSettings& settings, const EncoderSettings& encoder);
  // Takes textures of one description. Throws the same.
  StreamSender(const StreamSenderSettings& settings, const TextureDesc& texture);
  // Sends RTCP BYE. Frames that have not left are dropped; call finish() first to send them.
  ~StreamSender();
  StreamSender(StreamSender&& other) noexcept;
  StreamSender& operator=(StreamSender&& other) noexcept;

  // Sends the frame, without waiting. It is copied, unless it is from frame_pool(): then it is read in place until the
  // sender releases its share. `pts`: the frame's time in the stream, by which receivers show it; it must rise from
  // frame to frame. False: the frame is dropped, because the device or the network is a whole frame behind. Throws what
  // failed on the threads (Error{no_device}, Error{network}); nothing is sent after that. Misuse (Error{misuse}) if
  // this takes textures, if the frame's format is not EncoderSettings::source, or if it has no memory.
  bool send(const FrameView& frame, nanoseconds pts);
  // The same for a finished texture, which is copied. Misuse if this takes frames.
  bool send(const TextureView& texture, nanoseconds pts);
  // Sends sound of the format StreamSenderSettings::sound, without waiting, from any thread: whole samples of all
  // channels, interleaved, in blocks of any length, which are copied. `pts`: the time of the first sample on the time
  // line of the pictures. A block continues the previous one if its time does, within 2 ms; after a gap there is
  // silence. Sound begins with the first picture: of what comes earlier, two seconds are kept. False: the block is
  // dropped, because with it more than two seconds would wait. Throws what failed on the thread of the sound; pictures
  // are sent nevertheless. Misuse without StreamSenderSettings::sound, or with a part of a sample.
  bool send_sound(std::span<const float> interleaved, nanoseconds pts);
  // Waits until all frames and the sound have left, and 100 ms longer if receivers can request lost packets; at
  // most `limit`. False: some have not left by then. Throws as send(). send() may be called afterwards.
  bool finish(nanoseconds limit = std::chrono::seconds(2));

  // Memory for frames that send() need not copy; nullptr if that saves nothing, or if this takes textures.
  std::shared_ptr<FramePool> frame_pool();
  TextureDesc texture_desc() const;  // of the stream
  std::string device_name() const;   // that encodes; empty if this takes textures
  StreamSenderStatus status() const;

 private:
  class TEXCAST_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast
