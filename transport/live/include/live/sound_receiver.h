// sound_receiver.h — receives and decodes the sound of a stream, for playing, recording and other programs.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "live/audio_receiver.h"
#include "live/sound_block.h"
#include "live/sound_decoder.h"

namespace texcast::stream {

// Figures of the loudspeaker.
struct HeardSound {
  nanoseconds offset{};  // to the picture; positive: the sound is late
  double drift_ppm = 0;  // of the sound card's clock against the sender's
  uint64_t jumps = 0;    // audible ones, without the first
  uint64_t missing = 0;  // samples that did not arrive in time
};

struct SoundStatus {
  AudioStatus received;
  double concealed_ms = 0;            // per channel
  std::optional<HeardSound> heard{};  // nullopt: there is no loudspeaker
};

class SoundReceiver {
 public:
  using OnBlock = std::function<void(const SoundBlock& block)>;  // on the receiving thread
  // Starts at once. `picture` and everything that `on_block` uses must outlive this.
  SoundReceiver(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                const PictureSender& picture, OnBlock on_block);
  // For sound among the datagrams of `source`: decodes on the thread that reads them. Construct this before that thread
  // begins; call stop() and finish() after it has ended. Misuse if sound has a port of its own.
  SoundReceiver(DatagramSource& source, const transport::AudioSessionSettings& settings, const PictureSender& picture,
                OnBlock on_block);
  SoundStatus status() const;
  // After the last picture: waits for its sound, then stop().
  void finish(double fps);
  void stop();  // afterwards `on_block` is not called

 private:
  void decode(const transport::AudioUnit& unit, SteadyTime now);

  SoundDecoder decoder_;
  const OnBlock on_block_;
  const bool has_thread_;
  mutable std::mutex mutex_;
  double concealed_ms_ = 0;
  AudioReceiver receiver_;  // last: its thread uses the above
};

// Receives the sound of the stream that comes to `source`. nullptr, with a line in the log, if its port is taken.
std::unique_ptr<SoundReceiver> receive_sound(const std::string& source, const std::string& interface,
                                             const std::vector<std::string>& from,
                                             const transport::ReceiveSettings& settings, const PictureSender& picture,
                                             SoundReceiver::OnBlock on_block);

// "pcm, 48000 Hz, 2 channels"; "none yet".
std::string sound_text(const SoundStatus& status);

}  // namespace texcast::stream
