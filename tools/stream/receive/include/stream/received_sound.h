// received_sound.h — a stream's sound as it comes, decoded, for whoever plays and records it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "live/audio_receiver.h"
#include "stream/sound_block.h"
#include "stream/sound_decoder.h"

namespace texcast::stream {

// What the loudspeaker makes of it.
struct HeardSound {
  nanoseconds offset{};  // to the picture; positive: it is heard later than that is seen
  double drift_ppm = 0;  // of the card against the sender
  uint64_t jumps = 0;    // that were heard, the beginning not counted
  uint64_t missing = 0;  // samples that were not there in time
};

struct SoundStatus {
  AudioStatus received;
  double concealed_ms = 0;            // of a channel
  std::optional<HeardSound> heard{};  // nothing where nobody listens
};

class ReceivedSound {
 public:
  using OnBlock = std::function<void(const SoundBlock& block)>;  // on the receiving thread
  // Starts at once; `picture` and what `on_block` uses must outlive this.
  ReceivedSound(std::unique_ptr<DatagramSource> source, const transport::AudioSessionSettings& settings,
                const PictureSender& picture, OnBlock on_block);
  // Of sound that comes among the datagrams of `source`, on its reading thread; before that begins. stop() and finish()
  // when it has ended. Misuse where sound has a port of its own.
  ReceivedSound(DatagramSource& source, const transport::AudioSessionSettings& settings, const PictureSender& picture,
                OnBlock on_block);
  SoundStatus status() const;
  // Once the pictures have ended: waits for the sound that goes with the last of them, and stop().
  void finish(double fps);
  void stop();  // no block comes after it

 private:
  void decode(const transport::AudioUnit& unit, SteadyTime now);

  SoundDecoder decoder_;
  const OnBlock on_block_;
  const bool has_thread_;
  mutable std::mutex mutex_;
  double concealed_ms_ = 0;
  AudioReceiver receiver_;  // last: its thread uses the above
};

// The sound of the stream that comes to `source`. Null, with a line in the log, where its port cannot be had.
std::unique_ptr<ReceivedSound> receive_sound(const std::string& source, const std::string& interface,
                                             const std::vector<std::string>& from,
                                             const transport::ReceiveSettings& settings, const PictureSender& picture,
                                             ReceivedSound::OnBlock on_block);

// "pcm, 48000 Hz, 2 channels"; "none yet".
std::string sound_text(const SoundStatus& status);

}  // namespace texcast::stream
