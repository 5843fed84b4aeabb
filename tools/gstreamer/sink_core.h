// sink_core.h — what the element texcastsink shares with the sinks inside of it.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "outgoing_stream.h"
#include "texcast/encoder.h"
#include "texcast/stream_sender.h"

namespace texcast::gstreamer {

// The properties, as they are set. They count for streams that begin later.
struct SinkSettings {
  std::string destination{};  // several are separated by commas
  std::string key_file{};
  StreamSenderSettings stream{.fps = 0};  // fps 0: by the caps
  EncoderSettings encoder{};
  int preset = 0;  // as preset_type() numbers them
  // Properties that were set, which override those of the preset.
  struct Given {
    bool format = false, plain = false, crf = false, bitrate = false, fec = false, retransmit = false;
  } given{};
};

// The pictures that the caps describe.
struct VideoShape {
  FrameFormat format{};
  double fps = 0;  // 0: the caps do not say
  bool operator==(const VideoShape&) const = default;
};

// The destinations of the property, as the library takes them.
std::vector<std::string> destinations_of(const std::string& property);

// The settings of a sender. Throws Error{input} if the key file cannot be read.
struct SenderPlan {
  StreamSenderSettings stream;
  EncoderSettings encoder;
};
SenderPlan plan_of(const SinkSettings& settings, const VideoShape& video, const std::optional<SoundFormat>& sound);

// Thread-safe.
class SinkCore : public std::enable_shared_from_this<SinkCore> {
 public:
  // Calls `use` with the settings, which it may change.
  template <typename Use>
  auto with_settings(Use&& use) {
    const std::lock_guard lock(mutex_);
    return use(settings_);
  }
  OutgoingStream& stream() { return stream_; }

  // Other pictures than before begin another stream, to the same destinations. nullopt: there are none any more.
  void set_video(const std::optional<VideoShape>& video);
  // Whether there will be sound: streams then begin when its format is known, or after two seconds without it.
  void expect_sound(bool expected);
  // Sound of another format than before begins another stream.
  void set_sound(const std::optional<SoundFormat>& sound);
  // Whether the present sender takes sound of this format.
  bool takes_sound(const SoundFormat& sound) const;

 private:
  void open();
  std::optional<SoundFormat> settle_sound();

  mutable std::mutex mutex_;  // of all members except stream_
  std::condition_variable changed_;
  SinkSettings settings_{};
  std::optional<VideoShape> video_{};
  bool expects_sound_ = false;
  bool awaits_sound_ = false;           // a stream that begins waits for the format
  std::optional<SoundFormat> sound_{};  // by the caps
  std::optional<SoundFormat> sent_{};   // of the present sender
  OutgoingStream stream_{};
};

}  // namespace texcast::gstreamer
