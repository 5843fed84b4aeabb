// clip_details.h — the contents of a texture file besides its picture, and how its frames are stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/clip_reader.h"
#include "texcast/frame_times.h"

namespace texcast::media {

struct AudioTrack {
  std::string codec;  // FFmpeg's name: "pcm_s16le"
  int channels = 0;
  int sample_rate = 0;
  std::optional<nanoseconds> duration{};
};

// Covers the frames that were examined.
struct FramePacking {
  int64_t frames = 0;
  size_t fewest_chunks = 0;  // per frame
  size_t most_chunks = 0;
  bool any_snappy = false;
  bool any_plain = false;
};

struct ClipDetails {
  std::optional<FramePacking> packing{};  // only for Hap frames
  double stored_bits_per_pixel = 0;
  bool is_sampled = false;  // stored_bits_per_pixel covers the first frames only, as the file has no index of all
  std::optional<int64_t> counted_frames{};  // if the file is so short that all were counted
  bool has_variable_rate = false;
  std::vector<AudioTrack> audio;
  std::vector<std::string> damage;  // one line per defect of the file, or of a still's first picture
  std::vector<std::string> notes;   // the same for correct contents that are not displayed as intended
};

// Reads the first frames of `clip`, which must be at its start. The position is undefined afterwards.
ClipDetails clip_details(ClipReader& clip);

}  // namespace texcast::media
