// input_spec.h — what the words of SourceSettings::input mean to FFmpeg.
#pragma once

#include <map>
#include <string>

#include "media/frame_source.h"

struct AVInputFormat;

namespace texcast::media {

struct InputSpec {
  std::string shown;                       // for messages, as the user wrote it
  std::string url;                         // for FFmpeg
  const AVInputFormat* demuxer = nullptr;  // none: FFmpeg finds out
  std::map<std::string, std::string> options;
  bool is_device = false;  // `fps` is asked of the device, not made by dropping and repeating
  bool is_live = false;    // frames come in real time by themselves
};

// Everything but "test". Throws Error{input} for a demuxer that does not exist and for a screen without a display.
InputSpec parse_input(const SourceSettings& settings);

}  // namespace texcast::media
