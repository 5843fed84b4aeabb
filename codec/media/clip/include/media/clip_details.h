// clip_details.h — what a texture file holds beside its picture, and how its frames are stored.
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

// Of the frames that were looked at.
struct FramePacking {
  int64_t frames = 0;
  size_t fewest_chunks = 0;  // a frame
  size_t most_chunks = 0;
  bool any_snappy = false;
  bool any_plain = false;
};

struct ClipDetails {
  std::optional<FramePacking> packing{};  // Hap frames have one
  double stored_bits_per_pixel = 0;
  bool is_sampled = false;                  // the figure above is of the first frames, as the file has no index of all
  std::optional<int64_t> counted_frames{};  // where the file is so short that all were looked at
  bool has_variable_rate = false;
  std::vector<AudioTrack> audio;
  std::vector<std::string> damage;  // a line for each thing that is wrong with the file, or a still's first picture
  std::vector<std::string> notes;   // the same of what is right, and is not shown as it was meant
};

// Reads the first frames of `clip`, which is at its start and is then somewhere else.
ClipDetails clip_details(ClipReader& clip);

}  // namespace texcast::media
