// sound_feed.h — the packets of one sound track: from a file of its own, or from the reader of the pictures
// (SoundQueue).
#pragma once

#include <memory>
#include <string>

#include "media/ffmpeg.h"
#include "media/sound_queue.h"
#include "texcast/frame_times.h"

namespace texcast::media {

// Not thread-safe, except stop_waiting(). Times are those of the container's clock.
class SoundFeed {
 public:
  virtual ~SoundFeed() = default;
  virtual CodecPtr open_decoder() const = 0;
  virtual AVRational time_base() const = 0;
  // Time 0 of the recording: the start of the picture, or without one that of the sound, if it is known.
  virtual nanoseconds zero() const = 0;

  enum class Got {
    packet,
    gap,  // nothing comes before gap_end()
    end,
  };
  // The next packet of the track, into `packet`, which must be empty. `needed`: the time of the sound that is wanted;
  // a feed that gets its packets from another thread waits for it.
  virtual Got next(AVPacket& packet, nanoseconds needed) = 0;
  virtual nanoseconds gap_end() const { return {}; }
  // The next packet will be one before `time`, which may be earlier than the first.
  virtual void seek(nanoseconds time) = 0;
  virtual void stop_waiting() {}
};

// The file's first sound track that can be decoded; null if there is none or the file cannot be opened.
std::unique_ptr<SoundFeed> open_file_feed(const std::string& path);
// The same for a queue. `zero`: the time of the picture's first frame.
std::unique_ptr<SoundFeed> open_queue_feed(std::shared_ptr<SoundQueue> queue, nanoseconds zero);

}  // namespace texcast::media
