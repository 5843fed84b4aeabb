// input_spec.h — translates SourceSettings::input for FFmpeg: "lavfi:GRAPH", "DEMUXER::DEVICE", a URL, a file.
#pragma once

#include <map>
#include <string>

#include "media/frame_source.h"

struct AVInputFormat;

namespace texcast::media {

struct InputSpec {
  std::string shown;                           // for messages, as the user wrote it
  std::string url;                             // for FFmpeg
  const AVInputFormat* demuxer = nullptr;      // null: FFmpeg detects it
  std::map<std::string, std::string> options;  // for the demuxer
  // SourceSettings::fps is requested from the device; otherwise frames are dropped and repeated to reach it.
  bool is_device = false;
  bool is_live = false;  // frames come in real time by themselves
};

// Handles everything but "test" and screens. Throws Error{input} for a demuxer that does not exist. Thread-safe.
InputSpec parse_input(const SourceSettings& settings);

}  // namespace texcast::media
