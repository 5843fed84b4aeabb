#include "sink_properties.h"

#include <gst/gst.h>

#include <cmath>

#include "enums.h"
#include "property_values.h"

namespace texcast::gstreamer {
namespace {

enum SinkProperty : guint {
  kDestination = 1,
  kFormat,
  kQuality,
  kPlain,
  kCrf,
  kBitrate,
  kLeastBitrate,
  kTransform,
  kRefresh,
  kFec,
  kRetransmit,
  kFps,
  kMtu,
  kInterface,
  kTtl,
  kRate,
  kPassphrase,
  kKeyFile,
  kDevice,
  kStreamName,
  kAudio,
  kFor,
  kStats,
};

constexpr double kNoCrf = -1;

GstStructure* stats_of(SinkCore& core) {
  const StreamSenderStatus status =
      core.stream().with([](StreamSender& sender) { return sender.status(); }).value_or(StreamSenderStatus{});
  return gst_structure_new(
      "texcast-sink-stats", "frames", G_TYPE_UINT64, static_cast<guint64>(status.frames), "dropped", G_TYPE_UINT64,
      static_cast<guint64>(status.dropped), "packets", G_TYPE_UINT64, static_cast<guint64>(status.packets), "bytes",
      G_TYPE_UINT64, static_cast<guint64>(status.bytes), "refused", G_TYPE_UINT64, static_cast<guint64>(status.refused),
      "requests", G_TYPE_UINT64, static_cast<guint64>(status.requests), "retransmitted", G_TYPE_UINT64,
      static_cast<guint64>(status.again), "receivers", G_TYPE_UINT, static_cast<guint>(status.receivers.size()),
      "encoded-ms", G_TYPE_DOUBLE, status.encoded.p50, "last-packet-ms", G_TYPE_DOUBLE, status.last_packet.p50,
      nullptr);
}

void install_coding(GObjectClass* type) {
  const SinkSettings usual;
  g_object_class_install_property(type, kFormat,
                                  g_param_spec_enum("format", "Texture format", "Texture format of the stream",
                                                    format_type(), static_cast<int>(usual.encoder.texture), kFlags));
  g_object_class_install_property(
      type, kFor,
      g_param_spec_enum("for", "Preset",
                        "Preset of format, plain, crf, bitrate, fec and retransmit; those that are set override it",
                        preset_type(), 0, kFlags));
  g_object_class_install_property(
      type, kQuality,
      g_param_spec_enum("quality", "Quality", "Search effort of the encoder; not every format has each", quality_type(),
                        static_cast<int>(usual.encoder.quality), kFlags));
  g_object_class_install_property(
      type, kPlain,
      g_param_spec_boolean("plain", "Raw stream", "Send complete frames, which UltraGrid reads too, instead of changes",
                           !usual.stream.compact, kFlags));
  g_object_class_install_property(
      type, kCrf,
      g_param_spec_double("crf", "Constant quality",
                          "Lossy coding at this quality: 0 (best) to 51, usually 23; -1: lossless", kNoCrf, 51, kNoCrf,
                          kFlags));
  g_object_class_install_property(
      type, kBitrate,
      g_param_spec_uint64("bitrate", "Bit rate", "Lossy coding, at most so many bits per second; 0: no limit", 0,
                          G_MAXINT64, 0, kFlags));
  g_object_class_install_property(
      type, kLeastBitrate,
      g_param_spec_uint64("least-bitrate", "Least bit rate",
                          "Adapts the bit rate to the available bandwidth, between this and 'bitrate'; 0: fixed", 0,
                          G_MAXINT64, 0, kFlags));
  g_object_class_install_property(
      type, kTransform,
      g_param_spec_enum("transform", "Transform coding", "Whether tiles of lossy streams may have transform coding",
                        transform_type(), static_cast<int>(usual.stream.transform), kFlags));
  g_object_class_install_property(
      type, kRefresh,
      g_param_spec_double("refresh", "Intra refresh",
                          "Seconds in which all tiles are sent anew; 0: 5 in multicast groups, else never", 0, 86400, 0,
                          kFlags));
  g_object_class_install_property(
      type, kAudio,
      g_param_spec_enum("audio", "Audio coding", "How the sound of the audio pad is coded", sound_coding_type(),
                        static_cast<int>(usual.stream.sound_coding), kFlags));
  g_object_class_install_property(
      type, kDevice,
      g_param_spec_string("device", "Device",
                          "OpenCL device that encodes: an index, a part of its name, or cpu-reference; empty: the best",
                          "", kFlags));
}

void install_network(GObjectClass* type) {
  const SinkSettings usual;
  g_object_class_install_property(
      type, kDestination,
      g_param_spec_string("destination", "Destination",
                          "rtp://HOST[:PORT] of a receiver, a multicast group, or the name of a player; several are "
                          "separated by commas",
                          "", kFlags));
  g_object_class_install_property(
      type, kStreamName,
      g_param_spec_string("stream-name", "Name of the stream",
                          "Announces the stream on the local network by this name; empty: not announced", "", kFlags));
  g_object_class_install_property(
      type, kFec,
      g_param_spec_string("fec", "Forward error correction",
                          "auto (10%), none, N%, ultragrid-rs:K:N, ultragrid-ldgm:K:M:C or mult:N",
                          usual.stream.fec.c_str(), kFlags));
  g_object_class_install_property(
      type, kRetransmit,
      g_param_spec_boolean("retransmit", "Retransmit", "Send lost packets again if receivers request them",
                           usual.stream.retransmit, kFlags));
  g_object_class_install_property(
      type, kFps,
      g_param_spec_double("fps", "Frame rate", "Nominal frames per second, for pacing; 0: by the caps, else 60", 0,
                          1000, 0, kFlags));
  g_object_class_install_property(
      type, kMtu,
      g_param_spec_int("mtu", "MTU", "Largest IP packet, 576 to 65535 bytes; 0: the path MTU, at most 1500", 0, 65535,
                       0, kFlags));
  g_object_class_install_property(
      type, kInterface,
      g_param_spec_string("interface", "Interface", "Name or address of the network interface; empty: by the route", "",
                          kFlags));
  g_object_class_install_property(
      type, kTtl,
      g_param_spec_int("ttl", "Multicast TTL", "Time to live of multicast packets; 0 stays on this machine", 0, 255,
                       usual.stream.multicast_ttl, kFlags));
  g_object_class_install_property(
      type, kRate,
      g_param_spec_uint64("rate", "Send rate", "Limit of bits per second on the line; 0: none", 0, G_MAXINT64, 0,
                          kFlags));
  g_object_class_install_property(
      type, kPassphrase,
      g_param_spec_string("passphrase", "Passphrase",
                          "Encrypts the stream. Other users may see command lines: prefer key-file", "", kSecret));
  g_object_class_install_property(
      type, kKeyFile,
      g_param_spec_string("key-file", "Key file", "File whose first line is the passphrase", "", kFlags));
}

void note_given(SinkSettings::Given& given, guint id) {
  switch (id) {
    case kFormat: given.format = true; break;
    case kPlain: given.plain = true; break;
    case kCrf: given.crf = true; break;
    case kBitrate:
    case kLeastBitrate: given.bitrate = true; break;
    case kFec: given.fec = true; break;
    case kRetransmit: given.retransmit = true; break;
    default: break;
  }
}

// False: there is no such property.
bool set_setting(SinkSettings& s, guint id, const GValue* value) {
  note_given(s.given, id);
  switch (id) {
    case kDestination: s.destination = text_of(value); return true;
    case kFormat: s.encoder.texture = static_cast<TextureFormat>(g_value_get_enum(value)); return true;
    case kQuality: s.encoder.quality = static_cast<Quality>(g_value_get_enum(value)); return true;
    case kPlain: s.stream.compact = g_value_get_boolean(value) == FALSE; return true;
    case kCrf: {
      const double crf = g_value_get_double(value);
      s.stream.crf = crf >= 0 ? std::optional(crf) : std::nullopt;
      return true;
    }
    case kBitrate: s.stream.bitrate = static_cast<double>(g_value_get_uint64(value)); return true;
    case kLeastBitrate: s.stream.least_bitrate = static_cast<double>(g_value_get_uint64(value)); return true;
    case kTransform: s.stream.transform = static_cast<TransformCoding>(g_value_get_enum(value)); return true;
    case kRefresh: s.stream.refresh_seconds = g_value_get_double(value); return true;
    case kStreamName: s.stream.name = text_of(value); return true;
    case kFor: s.preset = g_value_get_enum(value); return true;
    case kAudio: s.stream.sound_coding = static_cast<SoundCoding>(g_value_get_enum(value)); return true;
    case kFec: s.stream.fec = text_of(value); return true;
    case kRetransmit: s.stream.retransmit = g_value_get_boolean(value) != FALSE; return true;
    case kFps: s.stream.fps = g_value_get_double(value); return true;
    case kMtu: s.stream.mtu = g_value_get_int(value); return true;
    case kInterface: s.stream.interface = text_of(value); return true;
    case kTtl: s.stream.multicast_ttl = g_value_get_int(value); return true;
    case kRate: s.stream.max_bits_per_s = static_cast<double>(g_value_get_uint64(value)); return true;
    case kPassphrase: s.stream.passphrase = text_of(value); return true;
    case kKeyFile: s.key_file = text_of(value); return true;
    case kDevice: s.encoder.device = text_of(value); return true;
    default: return false;
  }
}

// False: there is no such property.
bool get_setting(const SinkSettings& s, guint id, GValue* value) {
  switch (id) {
    case kDestination: g_value_set_string(value, s.destination.c_str()); return true;
    case kFormat: g_value_set_enum(value, static_cast<int>(s.encoder.texture)); return true;
    case kQuality: g_value_set_enum(value, static_cast<int>(s.encoder.quality)); return true;
    case kPlain: g_value_set_boolean(value, !s.stream.compact); return true;
    case kCrf: g_value_set_double(value, s.stream.crf.value_or(kNoCrf)); return true;
    case kBitrate: g_value_set_uint64(value, static_cast<guint64>(s.stream.bitrate)); return true;
    case kLeastBitrate: g_value_set_uint64(value, static_cast<guint64>(s.stream.least_bitrate)); return true;
    case kTransform: g_value_set_enum(value, static_cast<int>(s.stream.transform)); return true;
    case kRefresh: g_value_set_double(value, s.stream.refresh_seconds); return true;
    case kStreamName: g_value_set_string(value, s.stream.name.c_str()); return true;
    case kFor: g_value_set_enum(value, s.preset); return true;
    case kAudio: g_value_set_enum(value, static_cast<int>(s.stream.sound_coding)); return true;
    case kFec: g_value_set_string(value, s.stream.fec.c_str()); return true;
    case kRetransmit: g_value_set_boolean(value, s.stream.retransmit); return true;
    case kFps: g_value_set_double(value, s.stream.fps); return true;
    case kMtu: g_value_set_int(value, s.stream.mtu); return true;
    case kInterface: g_value_set_string(value, s.stream.interface.c_str()); return true;
    case kTtl: g_value_set_int(value, s.stream.multicast_ttl); return true;
    case kRate: g_value_set_uint64(value, static_cast<guint64>(s.stream.max_bits_per_s)); return true;
    case kKeyFile: g_value_set_string(value, s.key_file.c_str()); return true;
    case kDevice: g_value_set_string(value, s.encoder.device.c_str()); return true;
    default: return false;
  }
}

}  // namespace

void install_sink_properties(GObjectClass* type) {
  install_network(type);
  install_coding(type);
  g_object_class_install_property(
      type, kStats,
      g_param_spec_boxed("stats", "Statistics", "Counters of the present stream", GST_TYPE_STRUCTURE, kReadOnly));
}

bool set_sink_property(SinkCore& core, guint id, const GValue* value) {
  return core.with_settings([&](SinkSettings& settings) { return set_setting(settings, id, value); });
}

bool get_sink_property(SinkCore& core, guint id, GValue* value) {
  if (id == kStats) {
    g_value_take_boxed(value, stats_of(core));
    return true;
  }
  return core.with_settings([&](const SinkSettings& settings) { return get_setting(settings, id, value); });
}

}  // namespace texcast::gstreamer
