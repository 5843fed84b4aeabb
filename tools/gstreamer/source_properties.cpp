#include "source_properties.h"

#include <gst/gst.h>

#include <string>

#include "property_values.h"

namespace texcast::gstreamer {
namespace {

enum SourceProperty : guint {
  kListen = 1,
  kInterfaceOfSource,
  kFrom,
  kCrypto,
  kMaxAge,
  kPassphraseOfSource,
  kKeyFileOfSource,
  kMaxWidth,
  kMaxHeight,
  kLatency,
  kTimeout,
  kSourceStats,
  kSendTo,
  kStreamNameOfSource,
  kDeviceOfSource,
};

constexpr guint64 kLongestLatency = 10 * GST_SECOND;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

nanoseconds time_of(const GValue* value) { return nanoseconds(static_cast<int64_t>(g_value_get_uint64(value))); }

GstStructure* source_stats(SourceCore& core) {
  const StreamReceiverStatus status = core.stream.status().value_or(StreamReceiverStatus{});
  const auto count = [](uint64_t number) { return static_cast<guint64>(number); };
  return gst_structure_new(
      "texcast-source-stats", "frames", G_TYPE_UINT64, count(status.frames), "frames-concealed", G_TYPE_UINT64,
      count(status.frames_concealed), "frames-lost", G_TYPE_UINT64, count(status.frames_lost), "frames-dropped",
      G_TYPE_UINT64, count(core.stream.dropped() + status.frames_unbuffered), "packets", G_TYPE_UINT64,
      count(status.packets), "bytes", G_TYPE_UINT64, count(status.bytes), "packets-lost", G_TYPE_UINT64,
      count(status.packets_lost), "packets-recovered", G_TYPE_UINT64, count(status.packets_recovered),
      "packets-refused", G_TYPE_UINT64, count(status.packets_refused), "decoded-by-device", G_TYPE_BOOLEAN,
      static_cast<gboolean>(core.is_by_device), "sender", G_TYPE_STRING, status.sender.c_str(), nullptr);
}

void install_address(GObjectClass* type) {
  const SourceSettings usual;
  g_object_class_install_property(
      type, kListen,
      g_param_spec_string("listen", "Listen",
                          "rtp://[ADDRESS][:PORT], a multicast group, rtp://SOURCE@GROUP, or the name of a stream "
                          "that goes to a group; port 0: any free one",
                          usual.stream.listen.c_str(), kFlags));
  g_object_class_install_property(
      type, kStreamNameOfSource,
      g_param_spec_string("stream-name", "Name of the receiver",
                          "Announces the receiver on the local network by this name, which senders take as a "
                          "destination; empty: not announced",
                          "", kFlags));
  g_object_class_install_property(
      type, kInterfaceOfSource,
      g_param_spec_string("interface", "Interface", "Name or address of the network interface; empty: any", "",
                          kFlags));
  g_object_class_install_property(
      type, kFrom,
      g_param_spec_string("from", "From",
                          "The only accepted hosts or networks (192.168.1.0/24), separated by commas; empty: all", "",
                          kFlags));
  g_object_class_install_property(
      type, kPassphraseOfSource,
      g_param_spec_string("passphrase", "Passphrase",
                          "Accepts only streams encrypted with it. Other users may see command lines: prefer key-file",
                          "", kSecret));
  g_object_class_install_property(
      type, kKeyFileOfSource,
      g_param_spec_string("key-file", "Key file", "File whose first line is the passphrase", "", kFlags));
  g_object_class_install_property(
      type, kCrypto,
      g_param_spec_string("crypto", "Cipher",
                          "Cipher for the passphrase: texcast, or ultragrid-gcm, -cbc, -ctr, -cfb or -ecb",
                          usual.stream.cipher.c_str(), kFlags));
  g_object_class_install_property(
      type, kMaxAge,
      g_param_spec_uint64("max-age", "Maximum age",
                          "Nanoseconds since an encrypted stream was encrypted, at its first packet; 0: any", 0,
                          G_MAXINT64, static_cast<guint64>(usual.stream.max_age.count()), kFlags));
}

void install_limits(GObjectClass* type) {
  const SourceSettings usual;
  g_object_class_install_property(
      type, kMaxWidth,
      g_param_spec_int("max-width", "Maximum width",
                       "Widest accepted picture, given together with max-height; 0: 16 megapixels of any shape", 0,
                       kMaxFrameSize, 0, kFlags));
  g_object_class_install_property(
      type, kMaxHeight,
      g_param_spec_int("max-height", "Maximum height", "Highest accepted picture, given together with max-width", 0,
                       kMaxFrameSize, 0, kFlags));
  g_object_class_install_property(
      type, kLatency,
      g_param_spec_uint64("latency", "Latency",
                          "Nanoseconds that a frame may need for jitter and decoding; later ones are skipped if there "
                          "are newer ones",
                          0, kLongestLatency, static_cast<guint64>(usual.latency.count()), kFlags));
  g_object_class_install_property(
      type, kTimeout,
      g_param_spec_uint64("timeout", "Timeout",
                          "Nanoseconds without a picture after which a warning and the element message "
                          "texcast-timeout are posted; 0: never",
                          0, G_MAXINT64, static_cast<guint64>(usual.timeout.count()), kFlags));
}

}  // namespace

void install_source_properties(GObjectClass* type) {
  install_address(type);
  install_limits(type);
  g_object_class_install_property(
      type, kDeviceOfSource,
      g_param_spec_string(
          "device", "Device",
          "OpenCL device that decodes to NV12, I420, YV12, YUY2, BGRx and BGRA: an index, a part of its "
          "name, or cpu-reference (none); empty: the best GPU, else none",
          "", kFlags));
  g_object_class_install_property(
      type, kSourceStats,
      g_param_spec_boxed("stats", "Statistics", "Counters of the reception", GST_TYPE_STRUCTURE, kReadOnly));
  g_object_class_install_property(
      type, kSendTo,
      g_param_spec_string("send-to", "Send to", "Addresses for senders, the likeliest first, separated by commas", "",
                          kReadOnly));
}

bool set_source_property(SourceCore& core, guint id, const GValue* value) {
  const std::lock_guard lock(core.mutex);
  SourceSettings& s = core.settings;
  switch (id) {
    case kListen: s.stream.listen = text_of(value); return true;
    case kStreamNameOfSource: s.stream.name = text_of(value); return true;
    case kInterfaceOfSource: s.stream.interface = text_of(value); return true;
    case kFrom: s.from = text_of(value); return true;
    case kCrypto: s.stream.cipher = text_of(value); return true;
    case kMaxAge: s.stream.max_age = time_of(value); return true;
    case kPassphraseOfSource: s.stream.passphrase = text_of(value); return true;
    case kKeyFileOfSource: s.key_file = text_of(value); return true;
    case kMaxWidth: s.stream.max_width = g_value_get_int(value); return true;
    case kMaxHeight: s.stream.max_height = g_value_get_int(value); return true;
    case kLatency: s.latency = time_of(value); return true;
    case kTimeout: s.timeout = time_of(value); return true;
    case kDeviceOfSource: s.device = text_of(value); return true;
    default: return false;
  }
}

bool get_source_property(SourceCore& core, guint id, GValue* value) {
  if (id == kSourceStats) {
    g_value_take_boxed(value, source_stats(core));
    return true;
  }
  if (id == kSendTo) {
    g_value_set_string(value, joined(core.stream.send_to()).c_str());
    return true;
  }
  const std::lock_guard lock(core.mutex);
  const SourceSettings& s = core.settings;
  switch (id) {
    case kListen: g_value_set_string(value, s.stream.listen.c_str()); return true;
    case kStreamNameOfSource: g_value_set_string(value, s.stream.name.c_str()); return true;
    case kInterfaceOfSource: g_value_set_string(value, s.stream.interface.c_str()); return true;
    case kFrom: g_value_set_string(value, s.from.c_str()); return true;
    case kCrypto: g_value_set_string(value, s.stream.cipher.c_str()); return true;
    case kMaxAge: g_value_set_uint64(value, static_cast<guint64>(s.stream.max_age.count())); return true;
    case kKeyFileOfSource: g_value_set_string(value, s.key_file.c_str()); return true;
    case kMaxWidth: g_value_set_int(value, s.stream.max_width); return true;
    case kMaxHeight: g_value_set_int(value, s.stream.max_height); return true;
    case kLatency: g_value_set_uint64(value, static_cast<guint64>(s.latency.count())); return true;
    case kTimeout: g_value_set_uint64(value, static_cast<guint64>(s.timeout.count())); return true;
    case kDeviceOfSource: g_value_set_string(value, s.device.c_str()); return true;
    default: return false;
  }
}

}  // namespace texcast::gstreamer
