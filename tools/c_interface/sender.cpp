#include "texcast/c/sender.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>

#include "conversions.h"
#include "texcast/stream_preset.h"
#include "texcast/stream_sender.h"

struct texcast_sender {
  template <typename Source>
  texcast_sender(const texcast::StreamSenderSettings& settings, const Source& source)
      : channels(settings.sound ? static_cast<size_t>(settings.sound->channels) : 0),
        sender(settings, source),
        device_name(sender.device_name()) {}

  std::mutex mutex{};     // held by every call, except for status and sound
  const size_t channels;  // 0: no sound
  texcast::StreamSender sender;
  const std::string device_name;
};

namespace texcast::c {

namespace {

std::optional<SoundFormat> sound_of(const texcast_sender_settings& given) {
  if (given.sound_sample_rate == 0) return std::nullopt;
  return SoundFormat{.sample_rate = given.sound_sample_rate,
                     .channels = given.sound_channels == 0 ? SoundFormat{}.channels : given.sound_channels};
}

// Sets the encoder's format by the preset too, if there is one.
StreamSenderSettings sender_settings(const texcast_sender_settings* settings, EncoderSettings& encoder) {
  static_assert(static_cast<int>(SoundCoding::opus) == TEXCAST_SOUND_OPUS);
  const auto given = input(settings, "texcast_sender_settings");
  StreamSenderSettings result;
  if (given.preset) apply_preset(given.preset, result, encoder);
  if (given.destination_count > 0) required(given.destinations, "destinations");
  for (size_t i = 0; i < given.destination_count; ++i)
    result.destinations.emplace_back(&required(given.destinations[i], "a destination"));
  result.name = text(given.name);
  if (given.fps != 0) result.fps = given.fps;
  result.passphrase = text(given.passphrase);
  if (given.fec) result.fec = given.fec;
  result.interface = text(given.network_interface);
  if (given.has_crf) result.crf = given.crf;
  if (given.bitrate != 0) result.bitrate = given.bitrate;
  if (given.least_bitrate != 0) result.least_bitrate = given.least_bitrate;
  result.refresh_seconds = given.refresh_seconds;
  result.spread = given.spread;
  result.max_bits_per_s = given.max_bits_per_s;
  if (given.raw) result.compact = false;
  if (given.no_retransmission) result.retransmit = false;
  if (given.multicast_ttl != 0) result.multicast_ttl = given.multicast_ttl;
  result.mtu = given.mtu;
  result.transform = transform(given.transform);
  result.quality = quality(given.search);
  result.sound = sound_of(given);
  result.sound_coding = enumerator<SoundCoding>(given.sound_coding, 2, "sound_coding");
  return result;
}

constexpr size_t kMostSamples = 100'000'000;  // so that no number overflows

bool has_format(const texcast_encoder_settings* encoder) {
  return number_of(optional_input(encoder, "texcast_encoder_settings").format) != TEXCAST_FORMAT_NONE;
}

texcast_sender_status c_status(const StreamSenderStatus& s) {
  const auto listening =
      std::ranges::count_if(s.receivers, [](const StreamReceiverReport& report) { return !report.left; });
  return {.struct_size = sizeof(texcast_sender_status),
          .frames = s.frames,
          .dropped = s.dropped,
          .packets = s.packets,
          .bytes = s.bytes,
          .refused = s.refused,
          .requests = s.requests,
          .again = s.again,
          .sound_packets = s.sound_packets,
          .sound_bytes = s.sound_bytes,
          .sound_dropped = s.sound_dropped,
          .bits_per_s = s.bits_per_s.value_or(0),
          .crf = s.crf.value_or(-1),
          .encoded_ms = s.encoded.p50,
          .sent_ms = s.last_packet.p50,
          .receivers = static_cast<int32_t>(listening),
          .reserved = 0};
}

}  // namespace

}  // namespace texcast::c

using namespace texcast;
using namespace texcast::c;

texcast_status texcast_sender_create(const texcast_frame* source, const texcast_encoder_settings* encoder,
                                     const texcast_sender_settings* settings, texcast_sender** sender,
                                     texcast_error* error) {
  return guarded(error, [&] {
    texcast_sender*& out = handle_out(sender, "sender");
    EncoderSettings encoding = encoder_settings(source, encoder);
    const TextureFormat format = encoding.texture;
    const StreamSenderSettings sending = sender_settings(settings, encoding);
    if (has_format(encoder)) encoding.texture = format;
    out = new texcast_sender(sending, encoding);
    return TEXCAST_OK;
  });
}

texcast_status texcast_sender_create_for_textures(const texcast_texture* like, const texcast_sender_settings* settings,
                                                  texcast_sender** sender, texcast_error* error) {
  return guarded(error, [&] {
    texcast_sender*& out = handle_out(sender, "sender");
    const TextureDesc texture = texture_desc(input(like, "like"));
    EncoderSettings unused{.source = {.width = texture.width, .height = texture.height}};
    out = new texcast_sender(sender_settings(settings, unused), texture);
    return TEXCAST_OK;
  });
}

texcast_status texcast_sender_send_frame(texcast_sender* sender, const texcast_frame* frame, texcast_error* error) {
  return guarded(error, [&] {
    texcast_sender& self = required(sender, "sender");
    const texcast_frame given = input(frame, "frame");
    const FrameView view = frame_view(given);
    const std::lock_guard lock(self.mutex);
    return self.sender.send(view, nanoseconds(given.pts_ns)) ? TEXCAST_OK : TEXCAST_DROPPED;
  });
}

texcast_status texcast_sender_send_texture(texcast_sender* sender, const texcast_texture* texture,
                                           texcast_error* error) {
  return guarded(error, [&] {
    texcast_sender& self = required(sender, "sender");
    const texcast_texture given = input(texture, "texture");
    const TextureView view = texture_view(given);
    const std::lock_guard lock(self.mutex);
    return self.sender.send(view, nanoseconds(given.pts_ns)) ? TEXCAST_OK : TEXCAST_DROPPED;
  });
}

texcast_status texcast_sender_send_sound(texcast_sender* sender, const float* samples, size_t count, int64_t pts_ns,
                                         texcast_error* error) {
  return guarded(error, [&] {
    texcast_sender& self = required(sender, "sender");
    if (count > 0) required(samples, "samples");
    if (self.channels == 0) throw_misuse("this sender has no sound: set texcast_sender_settings::sound_sample_rate");
    if (count > kMostSamples) throw_misuse("a block of sound has at most 100 million samples");
    return self.sender.send_sound({samples, count * self.channels}, nanoseconds(pts_ns)) ? TEXCAST_OK : TEXCAST_DROPPED;
  });
}

texcast_status texcast_sender_finish(texcast_sender* sender, int64_t limit_ns, texcast_error* error) {
  return guarded(error, [&] {
    texcast_sender& self = required(sender, "sender");
    if (limit_ns < 0) throw_misuse("limit_ns is negative");
    const std::lock_guard lock(self.mutex);
    return self.sender.finish(nanoseconds(limit_ns)) ? TEXCAST_OK : TEXCAST_TIMEOUT;
  });
}

texcast_status texcast_sender_get_texture(texcast_sender* sender, texcast_texture* texture, texcast_error* error) {
  return guarded(error, [&] {
    texcast_sender& self = required(sender, "sender");
    const Output out(texture, "texture");
    const std::lock_guard lock(self.mutex);
    out.set(c_texture(self.sender.texture_desc()));
    return TEXCAST_OK;
  });
}

texcast_status texcast_sender_get_status(const texcast_sender* sender, texcast_sender_status* status,
                                         texcast_error* error) {
  return guarded(error, [&] {
    const texcast_sender& self = required(sender, "sender");
    const Output out(status, "texcast_sender_status");
    out.set(c_status(self.sender.status()));
    return TEXCAST_OK;
  });
}

const char* texcast_sender_device_name(const texcast_sender* sender) {
  return sender ? sender->device_name.c_str() : nullptr;
}

void texcast_sender_destroy(texcast_sender* sender) { delete sender; }
