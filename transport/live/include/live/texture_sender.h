// texture_sender.h — what takes encoded textures one by one and has them leave: as their bytes (paced_sender.h), or as
// how they differ from the one before (compact_sender.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/latency.h"
#include "texcast/device.h"
#include "texcast/encoder.h"
#include "transport/packetizer.h"
#include "transport/rtcp_session.h"
#include "transport/sealing.h"
#include "transport/wire_choice.h"

namespace texcast::stream {

// Bits a second of the line, to each destination. Where the two differ the rate is what receivers say that the way
// takes (rate_adaptation.h), between them.
struct Bitrate {
  double least = 0, most = 0;
  bool operator==(const Bitrate&) const = default;
};

// A stream of how textures differ from those before them. With a crf or a rate it is one with loss, coded by threads.
struct CompactSettings {
  bool on = true;  // where that can be: see goes_compact()
  // as of compact/rd_parameters.h; beside a rate: never better than this
  std::optional<double> crf = std::nullopt;
  std::optional<Bitrate> bitrate = std::nullopt;  // packets, parity and headers are never more (rate_control.h)
  bool is_lossy() const { return crf || bitrate; }
  Quality quality = Quality::fast;  // with loss: how many choices are tried for each block
  double refresh_seconds = 0;       // every tile is coded alone once in so long; 0: in groups 5 s, else never unasked;
                                    // infinity: never unasked, in groups neither
  int threads = -1;                 // besides the coding one; -1: as many as there are processors for
  std::optional<DeviceInfo> device = std::nullopt;  // codes instead, as soon as its kernels are built
};

// Several round trips of a LAN.
inline constexpr nanoseconds kAnswerTime = std::chrono::milliseconds(100);

struct SendSettings {
  double fps = 60;                                       // of the stream header, and of the pace
  int mtu = 1500;                                        // bytes of an IP packet
  double spread = 0.75;                                  // part of the frame time over which packets are spread
  std::optional<double> rate_bits_per_s = std::nullopt;  // not to be exceeded on the line
  transport::WireChoice wire{};
  CompactSettings compact{};
  nanoseconds answer_time = kAnswerTime;  // for which lost packets of the last frame are sent again
};

// Of a compact stream, all frames together.
struct CompactSent {
  uint64_t skipped = 0, against = 0, alone = 0, plain = 0;  // tiles
  uint64_t repaired = 0, refreshed = 0;  // tiles coded alone because receivers asked, or because it was their turn
  uint64_t repair_bytes = 0;             // of those that receivers asked for
  uint64_t requests = 0, refused = 0;    // of receivers, for tiles
  uint64_t late = 0;                     // tiles that changed, for which a frame had no time or no room
  std::optional<double> rate_bits_per_s{},
      crf{};             // of a stream with loss, now: that it may take; about how coarse it is
  LatencyWindow coding;  // encoded to coded
};

struct SentStatus {
  uint64_t frames = 0;
  uint64_t packets = 0;
  uint64_t bytes = 0;                                     // of datagrams, UDP payload
  uint64_t refused = 0;                                   // nobody listens, no route
  uint64_t feedback = 0;                                  // datagrams that came back and mean nothing to us
  uint64_t requests = 0;                                  // for packets that got lost
  uint64_t again = 0;                                     // packets sent again for them
  uint64_t tile_requests = 0;                             // of compact streams
  std::optional<SteadyTime> first_frame{}, last_frame{};  // when their first packets left
  LatencyWindow encode;                                   // available to encoded, all of it
  LatencyWindow send;                                     // encoded to last packet handed over
  LatencyWindow first;                                    // available to first packet handed over
  LatencyWindow last;                                     // available to last packet handed over
  std::vector<transport::ReceiverOpinion> receivers{};    // what they say of the stream
  std::optional<CompactSent> compact{};
};

// All calls from one thread.
class TextureSender {
 public:
  virtual ~TextureSender() = default;
  // True when start() may be called. Throws what sending met; nothing is sent after that.
  virtual bool idle() = 0;
  // All that was started has left. Throws the same.
  virtual bool drained() { return idle(); }
  // Whether packets are sent again when receivers ask, also while idle.
  virtual bool answers_requests() const = 0;
  // Whether another frame would mend what receivers have wrong: better one that changes nothing than none. `progress`
  // is set when that may have become so.
  virtual bool wants_frame() const { return false; }
  // The frame's memory must stay as it is until idle() again.
  virtual void start(const EncodedFrame& frame) = 0;
  // Whether a frame may be started of which only a beginning is final.
  virtual bool takes_bands() const = 0;
  // Then: only the first `ready_bytes` are final, and what can be made of them leaves. advance() tells of more,
  // finish() that the frame is whole and when that was; both do nothing for a frame whose sending failed.
  virtual void start(const EncodedFrame& frame, size_t ready_bytes) = 0;
  virtual void advance(size_t ready_bytes) = 0;
  virtual void finish(WallTime encoded) = 0;
  virtual SentStatus status() const = 0;
};

class Destinations;
class AutoResetEvent;

// Who the stream is to its receivers: its numbers and its sealed session. A sender that goes on with what another one
// had, once that is drained and gone, changes the stream (size, format, pace, parity) without another one beginning.
struct StreamIdentity {
  std::shared_ptr<transport::RtpNumbering> numbers{};
  std::shared_ptr<transport::Sealer> sealer{};  // null: nothing is sealed
  SentStatus so_far{};                          // figures that the next sender goes on from
};
// With random beginnings (RFC 3550).
StreamIdentity new_identity(const SendSettings& settings);

// Whether textures of that format are sent compact: those of blocks are, where nothing else on the wire is UltraGrid's
// (FEC, encryption, packets several times over).
bool goes_compact(const SendSettings& settings, TextureFormat format);
// Whether it can go with loss.
bool can_go_lossy(TextureFormat format);
// The version of the coder that the stream is of (stream_format.h); 0: it is plain.
uint8_t coding_of(const SendSettings& settings, TextureFormat format);
// Either kind, as the settings say; without an identity a stream begins. `progress` is set when idle() may have
// changed; it and `destinations` must outlive the sender. Throws Error{usage} where the settings contradict each other.
std::unique_ptr<TextureSender> make_texture_sender(Destinations& destinations, const SendSettings& settings,
                                                   const TextureDesc& texture, AutoResetEvent& progress,
                                                   const StreamIdentity& identity = {});

}  // namespace texcast::stream
