// audio_receiver.h — a stream's sound as it comes: on a thread of its own from a port of its own, or fed with what was
// among other datagrams. Only the host whose picture is shown is heard. What came up to a second before its first
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

// What has come until now; a copy of one moment.
struct AudioStatus {
  transport::AudioCounters counters;  // foreign: also of other hosts than the picture's
  std::optional<transport::AudioStream> stream;
};

class EarlySound;

class AudioReceiver : private DatagramSink {
 public:
  // On the receiving thread, in order; the unit is valid during the call.
  using OnUnit = std::function<void(const transport::AudioUnit& unit, SteadyTime now)>;

  // Starts at once. `picture` and what `on_unit` uses must outlive this.
  AudioReceiver(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                const PictureSender& picture, OnUnit on_unit);
  // Without a thread: of what feed() is given.
  AudioReceiver(const transport::AudioSessionSettings& settings, const PictureSender& picture, OnUnit on_unit);
  ~AudioReceiver() override;
  AudioReceiver(const AudioReceiver&) = delete;
  AudioReceiver& operator=(const AudioReceiver&) = delete;

  // One thread; what it gives out comes on that.
  void feed(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from);

  AudioStatus status() const;
  // Nothing is given out after it. Where it was fed, what waited for others still is: nobody feeds it any more.
  void stop();

 private:
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override;
  void run(const std::stop_token& stop);
  void follow_picture();
  void take(Bytes datagram, const Instant& arrived);
  void give_out(SteadyTime now);
  void update_counters();

  std::unique_ptr<DatagramSource> source_;  // null: it is fed
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

// Where the sound of a stream that comes to `source` ("rtp://…") comes to. Null, with one line in the log, where that
// cannot be opened: then the stream is silent. `interface`, `from`: as open_datagrams() has them.
std::unique_ptr<DatagramSource> open_sound_datagrams(const std::string& source, const std::string& interface,
                                                     const std::vector<std::string>& from);

// The sound's of what a stream's settings say of encryption.
transport::AudioSessionSettings sound_settings(const transport::ReceiveSettings& settings);

}  // namespace texcast::stream
