#include "texcast/stream_sender.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/loop_thread.h"
#include "base/misuse.h"
#include "compact/crf.h"
#include "compact/opencl_lossless_backend.h"
#include "formats/require_texture.h"
#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "pushed_sound.h"
#include "stream/send_engine.h"
#include "stream/texture_sender.h"
#include "texcast/error.h"
#include "texture_input.h"
#include "transport/audio_session.h"
#include "transport/fec_spec.h"
#include "transport/key_file.h"
#include "transport/service_words.h"
#include "transport/stream_announcement.h"
#include "transport/wire_keys.h"

namespace texcast {
namespace {

using stream::SendSettings;

constexpr nanoseconds kLongestWait = std::chrono::milliseconds(100);
constexpr const char* kMovedSender = "a sender that was moved from";

void check_sound(const SoundFormat& sound, SoundCoding coding) {
  REQUIRE_USE(sound.sample_rate >= 8000 && sound.sample_rate <= 192'000, "sound has 8000 to 192000 samples a second");
  REQUIRE_USE(sound.channels >= 1 && sound.channels <= transport::AudioSession::kMaxChannels,
              "sound has 1 to 16 channels");
  REQUIRE_USE(coding != SoundCoding::opus || sound.sample_rate == media::kOpusRate,
              "sound in Opus has 48000 samples a second");
}

transport::FecChoice fec_of(const StreamSenderSettings& s) {
  const auto fec = transport::parse_fec(s.fec);
  if (!fec) throw Error(ErrorKind::usage, fec.error().message);
  return *fec;
}

void check(const StreamSenderSettings& s) {
  REQUIRE_USE(transport::fitting_name(s.name) == s.name,
              "a name has 1 to 63 bytes of UTF-8 without control characters");
  if (s.sound) check_sound(*s.sound, s.sound_coding);
  REQUIRE_USE(!s.destinations.empty(), "a stream needs a destination");
  REQUIRE_USE(std::isfinite(s.fps) && s.fps > 0, "frames a second are a number above 0");
  REQUIRE_USE(s.mtu == 0 || (s.mtu >= 576 && s.mtu <= 65535), "an mtu is 576 to 65535 bytes, or 0");
  REQUIRE_USE(s.spread >= 0 && s.spread <= 1, "spread is a part of the frame time, 0 to 1");
  REQUIRE_USE(std::isfinite(s.max_bits_per_s) && s.max_bits_per_s >= 0, "a rate is a number of bits a second, or 0");
  REQUIRE_USE(!s.crf || (s.compact && compact::is_crf(*s.crf)), "a crf is 0 to 51, and needs a coded stream (compact)");
  REQUIRE_USE(s.bitrate == 0 || (s.compact && std::isfinite(s.bitrate) && s.bitrate > 0),
              "a bitrate is a number of bits a second, or 0, and needs a coded stream (compact)");
  REQUIRE_USE(s.least_bitrate >= 0 && s.least_bitrate <= s.bitrate, "the least bitrate is 0 to the bitrate");
  REQUIRE_USE(s.transform != TransformCoding::on || s.crf || s.bitrate > 0,
              "transform coding needs a lossy stream: a crf or a bitrate");
  REQUIRE_USE(s.refresh_seconds >= 0, "a time to refresh in is a number of seconds, 0 or infinity");
  REQUIRE_USE(s.multicast_ttl >= 0 && s.multicast_ttl <= 255, "a TTL is 0 to 255");
  REQUIRE_USE(s.passphrase.size() <= transport::Passphrase::kLongest, "a passphrase has 1024 bytes at most");
  for (const std::string& url : s.destinations)
    if (!url.starts_with("rtp://") && !transport::is_service_name(url))
      throw Error(ErrorKind::usage, "cannot send to '" + url + "'; give rtp://HOST:PORT");
  fec_of(s);
}

// Checked, and with addresses in place of names. A search takes seconds, so that it comes last.
StreamSenderSettings resolved(StreamSenderSettings s) {
  for (std::string& destination : s.destinations) destination = transport::with_scheme(destination);
  check(s);
  for (std::string& destination : s.destinations)
    if (transport::is_service_name(destination))
      destination = transport::require_service(transport::ServiceKind::player, destination).urls.at(0);
  return s;
}

// Without the keys, which take a tenth of a second.
SendSettings wire_settings(const StreamSenderSettings& s) {
  SendSettings settings{.fps = s.fps, .wire = {.fec = fec_of(s), .answers_requests = s.retransmit}};
  if (!s.passphrase.empty()) settings.wire.crypto = transport::CryptoChoice::texcast;
  settings.compact = {.on = s.compact,
                      .crf = s.crf,
                      .transform = s.transform,
                      .quality = s.quality,
                      .refresh_seconds = s.refresh_seconds};
  if (s.bitrate > 0)
    settings.compact.bitrate =
        stream::Bitrate{.least = s.least_bitrate > 0 ? s.least_bitrate : s.bitrate, .most = s.bitrate};
  return settings;
}

// The device that codes the stream in place of threads: the GPU that encodes its textures.
std::optional<DeviceInfo> coding_device(const StreamSenderSettings& s, const EncoderSettings& encoder) {
  if (!goes_compact(wire_settings(s), encoder.texture)) return std::nullopt;
  return compact::usual_device(encoder.device);
}

SendSettings send_settings(const StreamSenderSettings& s, const stream::Destinations& destinations,
                           std::optional<DeviceInfo> coding_device) {
  SendSettings settings = wire_settings(s);
  settings.compact.device = std::move(coding_device);
  settings.mtu = s.mtu > 0 ? s.mtu : destinations.usual_mtu();
  settings.spread = s.spread > 0 ? s.spread : destinations.usual_spread();
  if (!s.passphrase.empty()) settings.wire.keys = transport::WireKeys::derive(s.passphrase);
  if (s.max_bits_per_s > 0) settings.rate_bits_per_s = s.max_bits_per_s;
  if (const int path = destinations.path_mtu(); path > 0 && settings.mtu > path)
    throw Error(ErrorKind::usage, "packets of " + std::to_string(settings.mtu) +
                                      " bytes are too large: the path MTU is " + std::to_string(path));
  return settings;
}

// As for the pictures, at the ports of the sound. nullptr: there is none.
std::unique_ptr<stream::PushedSound> sound_for(const StreamSenderSettings& s, const SendSettings& pictures) {
  if (!s.sound) return nullptr;
  const bool is_opus = s.sound_coding == SoundCoding::opus;
  return std::make_unique<stream::PushedSound>(
      s.destinations, stream::NetworkChoice{.interface = s.interface, .multicast_ttl = s.multicast_ttl},
      stream::AudioSenderSettings{.coding = is_opus ? transport::AudioCoding::opus : transport::AudioCoding::pcm,
                                  .rate = s.sound->sample_rate,
                                  .channels = s.sound->channels,
                                  .parity = pictures.wire.fec.kind != transport::FecKind::none,
                                  .crypto = pictures.wire.crypto,
                                  .keys = pictures.wire.keys,
                                  .mtu = pictures.mtu});
}

// In a coded stream the encoder skips tiles that did not change, too.
std::unique_ptr<Encoder> encoder_for(const StreamSenderSettings& s, EncoderSettings encoder) {
  const SendSettings wire = wire_settings(s);
  encoder.keep_pictures = encoder.keep_pictures || wire.compact.is_lossy();
  encoder.compare = encoder.compare || goes_compact(wire, encoder.texture);
  return make_encoder(encoder);
}

LatencyFigures figures(const LatencyWindow& window) { return {window.milliseconds(0.5), window.milliseconds(0.95)}; }

}  // namespace

// Frames enter the engine in send(). A thread, the pump, passes them on when they are encoded; the mutex keeps the two
// apart.
class StreamSender::State {
 public:
  State(const StreamSenderSettings& settings, const EncoderSettings& encoder)
      : State(settings, encoder_for(settings, encoder), nullptr, coding_device(settings, encoder)) {}
  State(const StreamSenderSettings& settings, const TextureDesc& texture)
      : State(settings, std::make_unique<stream::TextureInput>(texture)) {}

  bool send(const FrameView& frame, nanoseconds pts) {
    REQUIRE_USE(textures_ == nullptr, "a sender of blocks was given a frame");
    pump_.rethrow_failure();
    const std::lock_guard lock(mutex_);
    if (!engine_.has_room()) return drop();
    const WallTime now = wall_now();
    encoder_->submit(frame, {.pts = pts, .available = now});
    if (sound_) sound_->on_frame(pts, now);
    return true;
  }

  bool send(const TextureView& texture, nanoseconds pts) {
    REQUIRE_USE(textures_ != nullptr, "a sender of frames was given blocks");
    REQUIRE_USE(texture.desc == texture_desc(), "the texture is not as was promised");
    require_whole(texture, "StreamSender::send");
    pump_.rethrow_failure();
    const std::lock_guard lock(mutex_);
    if (!engine_.has_room()) return drop();
    const WallTime now = wall_now();
    textures_->put(texture, {.pts = pts, .available = now, .encoded = now});
    if (sound_) sound_->on_frame(pts, now);
    return true;
  }

  bool send_sound(std::span<const float> samples, nanoseconds pts) {
    REQUIRE_USE(sound_ != nullptr, "a sender without sound was given some");
    REQUIRE_USE(samples.size() % channels_ == 0, "sound was given with a part of a sample");
    return sound_->put(samples, pts);
  }

  bool finish(nanoseconds limit) {
    const SteadyTime deadline = steady_now() + limit;
    if (sound_) sound_->flush();
    while (!is_drained()) {
      pump_.rethrow_failure();
      if (steady_now() >= deadline) return false;
      moved_.wait_until(std::min(deadline, steady_now() + kLongestWait));
    }
    if (engine_.answers_requests())
      std::this_thread::sleep_until(std::min(deadline, steady_now() + stream::kAnswerTime));
    return true;
  }

  std::shared_ptr<FramePool> frame_pool() { return encoder_->frame_pool(); }
  TextureDesc texture_desc() const { return encoder_->texture_desc(); }
  std::string device_name() const { return encoder_->device_name(); }

  StreamSenderStatus status() const {
    const stream::SentStatus sent = engine_.sent();
    StreamSenderStatus status{.frames = sent.frames,
                              .dropped = dropped_.load(std::memory_order_relaxed),
                              .packets = sent.packets,
                              .bytes = sent.bytes,
                              .refused = sent.refused,
                              .requests = sent.requests,
                              .again = sent.again,
                              .encoded = figures(sent.encode),
                              .first_packet = figures(sent.first),
                              .last_packet = figures(sent.last)};
    if (sent.compact) {
      status.bits_per_s = sent.compact->rate_bits_per_s;
      status.crf = sent.compact->crf;
    }
    if (sound_) {
      const stream::PushedSoundStatus sound = sound_->status();
      status.sound_packets = sound.sent.packets;
      status.sound_bytes = sound.sent.bytes;
      status.sound_dropped = sound.dropped;
    }
    for (const transport::ReceiverOpinion& r : sent.receivers)
      status.receivers.push_back({.address = r.address,
                                  .left = r.left,
                                  .lost = r.lost,
                                  .loss = r.loss,
                                  .jitter_ms = r.jitter_ms,
                                  .round_trip_ms = r.round_trip_ms});
    return status;
  }

 private:
  State(const StreamSenderSettings& settings, std::unique_ptr<stream::TextureInput> textures)
      : State(settings, nullptr, std::move(textures), std::nullopt) {}
  // One of `encoder` and `textures` is set.
  State(const StreamSenderSettings& settings, std::unique_ptr<Encoder> encoder,
        std::unique_ptr<stream::TextureInput> textures, std::optional<DeviceInfo> coding_device)
      : textures_(textures.get()),
        encoder_(textures ? std::move(textures) : std::move(encoder)),
        destinations_(settings.destinations, {.interface = settings.interface, .multicast_ttl = settings.multicast_ttl},
                      settings.passphrase.empty(), IfExists::refuse,
                      coding_of(wire_settings(settings), encoder_->texture_desc().format)),
        send_settings_(send_settings(settings, destinations_, std::move(coding_device))),
        engine_(*encoder_, destinations_, send_settings_, progress_),
        channels_(settings.sound ? static_cast<size_t>(settings.sound->channels) : 1),
        sound_(sound_for(settings, send_settings_)),
        pump_([this](const std::stop_token& stop) { pump(stop); },
              [this](const std::exception_ptr&) { moved_.set(); }) {
    announce(settings);
  }

  void announce(const StreamSenderSettings& s) {
    if (s.name.empty()) return;
    const TextureDesc texture = texture_desc();
    announced_.emplace(transport::AnnouncedAs{.name = s.name, .asked_for = true, .interface = s.interface});
    announced_->tell({.texture = texture,
                      .fps = s.fps,
                      .compact = goes_compact(send_settings_, texture.format),
                      .crypto = send_settings_.wire.crypto,
                      .sound = !s.sound                              ? ""
                               : s.sound_coding == SoundCoding::opus ? "opus"
                                                                     : "pcm",
                      .rate_bits_per_s = send_settings_.rate_bits_per_s,
                      .destinations = destinations_.resolved()});
  }

  bool drop() {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  bool is_drained() {
    if (sound_ && !sound_->is_drained()) return false;
    const std::lock_guard lock(mutex_);
    return engine_.is_drained();
  }

  void pump(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { progress_.set(); });
    while (!stop.stop_requested()) {
      {
        const std::lock_guard lock(mutex_);
        while (engine_.step()) {
        }
      }
      moved_.set();
      progress_.wait_until(steady_now() + kLongestWait);
    }
  }

  stream::TextureInput* const textures_;  // encoder_ of a sender of blocks, else nullptr
  const std::unique_ptr<Encoder> encoder_;
  stream::Destinations destinations_;
  const SendSettings send_settings_;
  stream::AutoResetEvent progress_, moved_;
  std::atomic<uint64_t> dropped_ = 0;
  std::mutex mutex_;  // of engine_ and encoder_
  stream::SendEngine engine_;
  const size_t channels_;                             // of the sound
  const std::unique_ptr<stream::PushedSound> sound_;  // nullptr: none
  std::optional<transport::AnnouncedSender> announced_;
  LoopThread pump_;  // last: it uses the members above
};

StreamSender::StreamSender(const StreamSenderSettings& settings, const EncoderSettings& encoder)
    : state_(std::make_unique<State>(resolved(settings), encoder)) {}
StreamSender::StreamSender(const StreamSenderSettings& settings, const TextureDesc& texture)
    : state_(std::make_unique<State>(resolved(settings), texture)) {}
StreamSender::~StreamSender() = default;
StreamSender::StreamSender(StreamSender&& other) noexcept = default;
StreamSender& StreamSender::operator=(StreamSender&& other) noexcept = default;

bool StreamSender::send(const FrameView& frame, nanoseconds pts) {
  REQUIRE_USE(state_, kMovedSender);
  return state_->send(frame, pts);
}
bool StreamSender::send(const TextureView& texture, nanoseconds pts) {
  REQUIRE_USE(state_, kMovedSender);
  return state_->send(texture, pts);
}
bool StreamSender::send_sound(std::span<const float> interleaved, nanoseconds pts) {
  REQUIRE_USE(state_, kMovedSender);
  return state_->send_sound(interleaved, pts);
}
bool StreamSender::finish(nanoseconds limit) {
  REQUIRE_USE(state_, kMovedSender);
  return state_->finish(limit);
}
std::shared_ptr<FramePool> StreamSender::frame_pool() {
  REQUIRE_USE(state_, kMovedSender);
  return state_->frame_pool();
}
TextureDesc StreamSender::texture_desc() const {
  REQUIRE_USE(state_, kMovedSender);
  return state_->texture_desc();
}
std::string StreamSender::device_name() const {
  REQUIRE_USE(state_, kMovedSender);
  return state_->device_name();
}
StreamSenderStatus StreamSender::status() const {
  REQUIRE_USE(state_, kMovedSender);
  return state_->status();
}

}  // namespace texcast
