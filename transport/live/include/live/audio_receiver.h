// audio_receiver.h — receives a stream's audio: on a thread of its own from a port of its own, or fed with the audio
// datagrams of a capture. Only the host whose picture is shown is heard. Audio from up to a second before its first
// frame is kept until then.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/loop_thread.h"
#include "live/datagrams.h"
#include "live/picture_sender.h"
#include "transport/audio_session.h"
#include "transport/receive_session.h"

namespace texcast::stream {

// The state at one moment; a copy.
struct AudioStatus {
  transport::AudioCounters counters;  // foreign: includes hosts other than the picture's
  std::optional<transport::AudioStream> stream;
};

class EarlySound;

class AudioReceiver : private DatagramSink {
 public:
  // On the receiving thread, in order; the unit is valid during the call.
  using OnUnit = std::function<void(const transport::AudioUnit& unit, SteadyTime now)>;

  // Starts at once. `picture` and everything that `on_unit` uses must outlive this.
  AudioReceiver(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                const PictureSender& picture, OnUnit on_unit);
  // Without a thread, for feed().
  AudioReceiver(const transport::AudioSessionSettings& settings, const PictureSender& picture, OnUnit on_unit);
  ~AudioReceiver() override;
  AudioReceiver(const AudioReceiver&) = delete;
  AudioReceiver& operator=(const AudioReceiver&) = delete;

  // Call on one thread, on which the units are delivered.
  void feed(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from);

  AudioStatus status() const;
  // Ends the delivery. If audio was fed, units that waited for others are delivered first, because no more datagrams
  // follow.
  void stop();

 private:
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override;
  void run(const std::stop_token& stop);
  void follow_picture();
  void take(Bytes datagram, const Instant& arrived);
  void give_out(SteadyTime now);
  void update_counters();

  std::unique_ptr<DatagramSource> source_;  // null: feed() is used
  SteadyTime fed_at_{};
  const PictureSender& picture_;
  std::optional<transport::PeerAddress> heard_host_;  // nothing: no picture yet
  const std::unique_ptr<EarlySound> early_;
  uint64_t strangers_ = 0;  // datagrams of other hosts
  transport::AudioSession session_;
  const OnUnit on_unit_;
  mutable std::mutex mutex_;
  AudioStatus status_;
  std::optional<LoopThread> thread_;  // last: it uses all of the above
};

// Opens the audio port of a stream that arrives at `source` ("rtp://…"). Null, with a line in the log, if that fails:
// then the stream has no sound. `interface`, `from`: see open_datagrams().
std::unique_ptr<DatagramSource> open_sound_datagrams(const std::string& source, const std::string& interface,
                                                     const std::vector<std::string>& from);

// The ports of a stream and of its audio, which is null, with a line in the log, if it cannot be received. Both are
// free ports if `source` has port 0. Throws as open_datagrams().
struct StreamDatagrams {
  std::unique_ptr<DatagramSource> pictures, sound;
};
StreamDatagrams open_stream_datagrams(const std::string& source, const std::string& interface,
                                      const std::vector<std::string>& from);

// The audio's share of a stream's encryption settings.
transport::AudioSessionSettings sound_settings(const transport::ReceiveSettings& settings);

}  // namespace texcast::stream
