// texture_sender.h — sends encoded textures one by one: as raw bytes (paced_sender.h), or as a coded stream
// (compact_sender.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/latency.h"
#include "texcast/device.h"
#include "texcast/encoder.h"
#include "texcast/transform_coding.h"
#include "transport/packetizer.h"
#include "transport/rtcp_session.h"
#include "transport/sealing.h"
#include "transport/wire_choice.h"

namespace texcast::stream {

// Bits per second on the line, to each destination. If the two differ, the rate adapts to the available bandwidth
// between them, by what receivers report (rate_adaptation.h).
struct Bitrate {
  double least = 0, most = 0;
  bool operator==(const Bitrate&) const = default;
};

// A coded stream (docs/compact.md): only what changed since the previous texture is sent. With a crf or a bit rate it
// is lossy.
struct CompactSettings {
  bool on = true;  // if the stream can be coded: see goes_compact()
  // The quality, as in compact/rd_parameters.h. With a bit rate: the best quality that is used.
  std::optional<double> crf = std::nullopt;
  // The limit counts packets, parity and all headers (rate_control.h).
  std::optional<Bitrate> bitrate = std::nullopt;
  bool is_lossy() const { return crf || bitrate; }
  // Lossy. Throws Error{usage} in make_texture_sender(): `on`, and the format cannot have it.
  TransformCoding transform = TransformCoding::automatic;
  Quality quality = Quality::fast;  // lossy: the search effort for each block
  // The period of the rolling intra refresh, in seconds. 0: 5 s in groups, otherwise tiles are refreshed on request
  // only; infinity: on request only, in groups too.
  double refresh_seconds = 0;
  int threads = -1;  // besides the coding thread; -1: as many as the processors allow
  // Replaces the threads once its kernels are built.
  std::optional<DeviceInfo> device = std::nullopt;
};
// Whether streams of that format have transform coding.
bool has_transform(const CompactSettings& settings, TextureFormat format);

// Several round trips in a LAN.
inline constexpr nanoseconds kAnswerTime = std::chrono::milliseconds(100);

struct SendSettings {
  double fps = 60;                                       // in the stream header, and for pacing
  int mtu = 1500;                                        // bytes of an IP packet
  double spread = 0.75;                                  // part of the frame time over which packets are paced
  std::optional<double> rate_bits_per_s = std::nullopt;  // limit on the line
  transport::WireChoice wire{};
  CompactSettings compact{};
  nanoseconds answer_time = kAnswerTime;  // how long NACKs are answered after the last frame
};

// Figures of a coded stream, over all frames.
struct CompactSent {
  uint64_t skipped = 0, inter = 0, intra = 0, plain = 0;  // tiles; plain: raw ones
  uint64_t transform = 0;                                 // of the inter and intra tiles, with transform coding
  uint64_t repaired = 0, refreshed = 0;                   // intra tiles: requested by receivers, by rolling refresh
  uint64_t repair_bytes = 0;                              // of the requested tiles
  uint64_t requests = 0, refused = 0;                     // tile requests of receivers
  uint64_t late = 0;  // changed tiles that were deferred: the frame had no time or no bits for them
  std::optional<double> rate_bits_per_s{}, crf{};  // lossy, current: the rate limit; the approximate quality
  LatencyWindow coding;                            // from encoded to coded
};

struct SentStatus {
  uint64_t frames = 0;
  uint64_t packets = 0;
  uint64_t bytes = 0;                                     // UDP payload
  uint64_t refused = 0;                                   // packets: port closed, no route
  uint64_t feedback = 0;                                  // datagrams that came back and are no request
  uint64_t requests = 0;                                  // NACKs
  uint64_t again = 0;                                     // packets sent again for them
  uint64_t tile_requests = 0;                             // in a coded stream
  std::optional<SteadyTime> first_frame{}, last_frame{};  // when their first packets left
  LatencyWindow encode;                                   // from available to completely encoded
  LatencyWindow send;                                     // from encoded to last packet handed over
  LatencyWindow first;                                    // from available to first packet handed over
  LatencyWindow last;                                     // from available to last packet handed over
  std::vector<transport::ReceiverOpinion> receivers{};    // their latest reports
  std::optional<CompactSent> compact{};
};

// Whether TextureSender::rehearse() is of use.
enum class Rehearsal {
  over,   // no more: everything is ready
  again,  // another frame is to be rehearsed
  waits,  // kernels are being built; `progress` is set when they are
};

// All calls come from one thread, except status().
class TextureSender {
 public:
  virtual ~TextureSender() = default;
  // Whether start() may be called. Throws what sending threw; nothing is sent after that.
  virtual bool idle() = 0;
  // Whether everything that was started has left. Throws the same.
  virtual bool drained() { return idle(); }
  // Whether NACKs are answered, also while idle.
  virtual bool answers_requests() const = 0;
  // Whether another frame would repair damage at receivers, even if it changes nothing. `progress` is set when this may
  // have become true.
  virtual bool wants_frame() const { return false; }
  // Before the first start(), and only while idle(): does with the frame what start() would do, except that nothing
  // leaves, so that memory, threads and kernels are ready for the stream's first frames. The first is sent as if
  // nothing had been rehearsed. If two frames alternate, motion is rehearsed too. The frame's memory must stay
  // unchanged until the next idle().
  virtual void rehearse(const EncodedFrame& frame);
  // While idle(): whether that is necessary. The answer after at least one rehearsal counts.
  virtual Rehearsal rehearsal();
  // Before the first start(), and only while idle(): codes the stream's first frame, without a limit of time. The next
  // start() must be of this frame, and sends it without coding it again. Its memory must stay unchanged until then.
  virtual void code_ahead(const EncodedFrame& frame);
  // The frame's memory must stay unchanged until the next idle().
  virtual void start(const EncodedFrame& frame) = 0;
  // Whether a frame may be started before it is complete.
  virtual bool takes_bands() const = 0;
  // If so: only the first `ready_bytes` are final, and packets of them leave. advance() announces more bytes; finish()
  // says that the frame is complete, and when it was. Both do nothing if sending the frame failed.
  virtual void start(const EncodedFrame& frame, size_t ready_bytes) = 0;
  virtual void advance(size_t ready_bytes) = 0;
  virtual void finish(WallTime encoded) = 0;
  virtual SentStatus status() const = 0;
  // For a coded stream whose settings are lossy, else misuse: the crf and the bit rate from the next frame on, of which
  // one at least is set. Throws Error{usage} if the bit rate leaves no room for a packet; then nothing has changed.
  virtual void set_quality(std::optional<double> crf, std::optional<Bitrate> bitrate);
};

class Destinations;
class AutoResetEvent;

// Identifies the stream to its receivers, by SSRC, sequence numbers and the encrypted session. A new sender that takes
// the identity of one that is drained and destroyed continues the same stream with another size, format, pace or
// parity.
struct StreamIdentity {
  std::shared_ptr<transport::RtpNumbering> numbers{};
  std::shared_ptr<transport::Sealer> sealer{};  // nullptr: the stream is not encrypted
  SentStatus so_far{};                          // figures that the next sender continues
};
// The numbers start at random (RFC 3550).
StreamIdentity new_identity(const SendSettings& settings);

// Whether textures of this format are sent as a coded stream: the format must have blocks, and the settings must not
// ask for UltraGrid's FEC or encryption, or for repeated packets.
bool goes_compact(const SendSettings& settings, TextureFormat format);
// Whether a coded stream of this format can be lossy, and whether a lossy one can have transform coding.
bool can_go_lossy(TextureFormat format);
bool can_have_transform(TextureFormat format);
// The coding version of the stream (stream_format.h); 0: it is raw.
uint8_t coding_of(const SendSettings& settings, TextureFormat format);
// Makes the sender that the settings ask for. Without an identity a new stream begins. `progress` is set when idle()
// may have changed; `progress` and `destinations` must outlive the sender. Throws Error{usage} if the settings
// contradict each other.
std::unique_ptr<TextureSender> make_texture_sender(Destinations& destinations, const SendSettings& settings,
                                                   const TextureDesc& texture, AutoResetEvent& progress,
                                                   const StreamIdentity& identity = {});

}  // namespace texcast::stream
