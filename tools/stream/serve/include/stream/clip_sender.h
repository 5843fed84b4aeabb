// clip_sender.h — sends a recording to browsers as a live stream: its blocks as they are stored, paced by their time
// stamps, with its sound.
//
//     ReadAhead ──blocks, when they are due──► TextureSender ──► Destinations
//     coded recordings: ClipReader ──packets as they are stored──► PacedSender ──► Destinations
//
// No block is encoded anew. Textures are sent losslessly; the packets of a coded recording are sent as they are, lossy
// or not, and nothing is decoded.
//
// A frame that cannot be read or sent in time is left out, so that the stream keeps to the recording's time. Textures
// are sent again between frames if somebody asks for them: viewers that join see the picture at once, and a recording
// of one picture is a stream too, which never ends. In the stream of a coded recording they see it from its next key
// frame on: a second later at most, or five seconds with transform coding.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "live/destinations.h"
#include "media/clip_reader.h"
#include "stream/sound_sender.h"
#include "stream/texture_sender.h"
#include "texcast/frame_times.h"

namespace texcast::stream {

struct ClipReport {
  uint64_t frames = 0;     // that were due and handed to the sender
  uint64_t overtaken = 0;  // left out: this machine or the network was too slow
  uint64_t unwatched = 0;  // left out: the stream goes to browsers only, and none watched
  uint64_t damaged = 0;
  std::string first_damage{};
  nanoseconds position{};  // in the recording
  double seconds = 0;      // since the first frame
  SentStatus sent{};
};

struct ClipSettings {
  bool loop = false;
  // A recording that is sent once begins when somebody watches, if it goes to browsers only.
  bool wait_for_audience = true;
};

// `destinations` are browsers only. Runs until the recording's end or until `stop`. `on_tick` is called at least ten
// times a second with the figures so far. `sound` may be nullptr. Throws what any part throws; Error{corrupt} if no
// frame can be read.
ClipReport send_clip(std::unique_ptr<media::ClipReader> clip, Destinations& destinations, const SendSettings& settings,
                     const ClipSettings& how, const std::atomic<bool>& stop,
                     const std::function<void(const ClipReport&)>& on_tick, SoundSender* sound = nullptr);

// The frame rate of a stream of this recording, in frames per second.
double stream_rate(const media::ClipInfo& clip);

}  // namespace texcast::stream
