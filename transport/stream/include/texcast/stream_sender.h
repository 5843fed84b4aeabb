// stream_sender.h — frames or finished blocks to texcast's receivers, or to UltraGrid's, in real time.
//
// Example: a stream of frames that the program makes.
//     texcast::StreamSender sender({.destinations = {"rtp://192.168.1.20:5004"}, .fps = 60},
//                                  texcast::EncoderSettings{.source = format});
//     for (int64_t n = 0; running; ++n) {
//       draw(frame);                                          // texcast::FrameView
//       sender.send(frame, n * texcast::frame_period(60));    // false: dropped, because the way is behind
//     }
//     sender.finish();
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "texcast/encoder.h"
#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/frame_pool.h"
#include "texcast/frame_times.h"

namespace texcast {

struct StreamSenderSettings {
  std::vector<std::string> destinations{};  // "rtp://HOST[:PORT]" each, hosts or one multicast group; the port is 5004
  double fps = 60;                          // of the stream, and of the pace
  std::string passphrase{};                 // not empty: all packets are sealed, and only who has it sees the stream
  std::string fec = "auto";  // against loss, as `texcast send --fec` has it: "none", "20%", "ultragrid-rs:200:240" …
  // Frames leave as how they differ from the one before, every block as it was: a desktop takes a thirtieth of what it
  // is plain, or much less. False: plain, which UltraGrid's receivers and older texcasts read too. Formats without
  // blocks, and `fec` of UltraGrid's, are plain always. A GPU that encodes the frames does this too.
  bool compact = true;
  // With loss: other blocks that come near to the picture and take fewer bits; 0, the best, to 51, usually about 23.
  // What stands gets sharp within a few frames. Compact streams of BC1 and YCoCg-BC4, not of scaled YCoCg. None:
  // without.
  std::optional<double> crf{};
  // With loss, and never more than so many bits a second of the line to each destination, headers and `fec` counted,
  // but for what a buffer of two frame times evens out; 0: as much as it takes. Pictures are as good as that allows,
  // and no better than `crf`, or 16. Where `least_bitrate` is above 0 the rate is found between the two by what
  // receivers say.
  double bitrate = 0, least_bitrate = 0;
  Quality quality = Quality::fast;  // with loss: how many choices are tried for each block
  // In so many seconds all of a compact picture is sent anew, for receivers that cannot ask. 0: in groups 5, else
  // never; infinity: never.
  double refresh_seconds = 0;
  bool retransmit = true;     // lost packets are sent again where receivers ask (to hosts alone)
  std::string interface {};   // name or address of this machine's network interface; empty: as the routes say
  int multicast_ttl = 1;      // routers that a group's packets may cross, and one: 0..255
  int mtu = 0;                // bytes of an IP packet, 576..65535; 0: what the way takes, at most 1500
  double spread = 0;          // part of the frame time over which packets are spread, up to 1; 0: as suits the way
  double max_bits_per_s = 0;  // on the line; 0: no limit
};

// What one receiver said of the stream, by RTCP. Sealed streams are not reported.
struct StreamReceiverReport {
  std::string address{};                  // "192.168.1.20:5004"
  bool left = false;                      // it said goodbye: these were its last words
  int64_t lost = 0;                       // packets so far; below 0 where duplicates outnumber them
  double loss = 0;                        // 0..1, between its last two reports
  double jitter_ms = 0;                   // RFC 3550, 6.4.1
  std::optional<double> round_trip_ms{};  // from its second report on
};

// Milliseconds, over the last 4096 frames; 0 where there are none.
struct LatencyFigures {
  double p50 = 0, p95 = 0;
};

struct StreamSenderStatus {
  uint64_t frames = 0;    // that have left
  uint64_t dropped = 0;   // send() gave false
  uint64_t packets = 0;   // with parity, without those sent again
  uint64_t bytes = 0;     // of those, UDP payload
  uint64_t refused = 0;   // that the system would not take: nobody listens, no route
  uint64_t requests = 0;  // from receivers, for packets that they lost
  uint64_t again = 0;     // packets sent again
  // Of a compact stream with loss, now: what it may take, where it has a rate; and about how coarse it is, as crf.
  std::optional<double> bits_per_s{}, crf{};
  LatencyFigures encoded, first_packet, last_packet;  // since send() was called
  std::vector<StreamReceiverReport> receivers{};
};

// Encodes and sends on threads of its own; keeps at most a frame or two, so that what is sent is never old. All calls
// from one thread, but for status(), which may come from any. What it has to say beside (that nobody listens) goes to
// the log.
class TEXCAST_API StreamSender {
 public:
  // Frames in. Throws what make_encoder throws (encoder.h), Error{usage} for settings that do not go together,
  // Error{network} for an address that does not resolve or has no route.
  StreamSender(const StreamSenderSettings& settings, const EncoderSettings& encoder);
  // Blocks in, of one description. Throws the same.
  StreamSender(const StreamSenderSettings& settings, const TextureDesc& texture);
  // Says goodbye to the receivers. What has not left is forgotten; finish() first, to have it leave.
  ~StreamSender();
  StreamSender(StreamSender&& other) noexcept;
  StreamSender& operator=(StreamSender&& other) noexcept;

  // Takes the frame, without waiting: copied, or, where it is one that frame_pool() lent, read where it lies until the
  // sender's share in it has ended. `pts` is its time in the stream, from frame to frame later; receivers show it by
  // that. False: dropped, because the device or the network is a whole frame behind. Throws what went wrong on the
  // threads (Error{no_device}, Error{network}): nothing is sent after that. Misuse (Error{misuse}) on a sender of
  // blocks, for a frame of another format than was promised, or one without memory.
  bool send(const FrameView& frame, nanoseconds pts);
  // The same for a finished texture, which is copied.
  bool send(const TextureView& texture, nanoseconds pts);
  // Waits until all that was taken has left, and 100 ms longer where receivers may still ask for what they miss; at
  // most `limit`. False where that was not enough. Throws as send() does. send() may go on afterwards.
  bool finish(nanoseconds limit = std::chrono::seconds(2));

  // Where to draw frames so that send() copies nothing; null where that gains nothing, and of a sender of blocks.
  std::shared_ptr<FramePool> frame_pool();
  TextureDesc texture_desc() const;  // of what is sent
  std::string device_name() const;   // that encodes; empty of a sender of blocks
  StreamSenderStatus status() const;

 private:
  class TEXCAST_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace texcast
