#include "outage.h"

#include <string>

namespace texcast::gstreamer {
namespace {

// Why packets that came are not a stream; empty if none came.
std::string refusal_text(const StreamReceiverStatus& status) {
  switch (status.refusal) {
    case StreamRefusal::none: break;
    case StreamRefusal::no_passphrase: return "the stream is encrypted; set 'passphrase' or 'key-file'";
    case StreamRefusal::wrong_passphrase: return "the stream has another passphrase, or is damaged";
    case StreamRefusal::replayed: return "its packets arrived before";
    case StreamRefusal::not_encrypted: return "the stream is not encrypted, although a passphrase is set";
    case StreamRefusal::other_cipher: return "the stream has another cipher";
    case StreamRefusal::older_texcast: return "the sender is an older texcast, whose encryption carries no time";
    case StreamRefusal::too_old: return "it was encrypted too long ago, or the sender's clock is behind";
    case StreamRefusal::from_the_future: return "the sender's clock is ahead";
  }
  if (status.pictures_too_large > 0) return "its pictures are larger than 'max-width' and 'max-height'";
  if (status.frames_unsupported > 0) return "its coding is not supported";
  if (status.packets_foreign > 0) return "packets came from hosts that are not accepted";
  return {};
}

}  // namespace

void post_timeout(GstElement* element, const std::string& listen, nanoseconds timeout,
                  const StreamReceiverStatus& status) {
  const std::string why = refusal_text(status);
  GST_ELEMENT_WARNING(element, RESOURCE, READ,
                      ("no picture came to %s for %.1f s%s%s", listen.c_str(), in_seconds(timeout),
                       why.empty() ? "" : ": ", why.c_str()),
                      (nullptr));
  gst_element_post_message(
      element,
      gst_message_new_element(GST_OBJECT(element), gst_structure_new("texcast-timeout", "timeout", G_TYPE_UINT64,
                                                                     static_cast<guint64>(timeout.count()), "reason",
                                                                     G_TYPE_STRING, why.c_str(), nullptr)));
}

void post_stream(GstElement* element, const TextureDesc& desc, double fps, const StreamReceiverStatus& status) {
  gst_element_post_message(
      element, gst_message_new_element(
                   GST_OBJECT(element),
                   gst_structure_new("texcast-stream", "format", G_TYPE_STRING, std::string(name(desc.format)).c_str(),
                                     "width", G_TYPE_INT, desc.width, "height", G_TYPE_INT, desc.height, "fps",
                                     G_TYPE_DOUBLE, fps, "sender", G_TYPE_STRING, status.sender.c_str(), nullptr)));
}

}  // namespace texcast::gstreamer
