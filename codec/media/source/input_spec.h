// input_spec.h — translates SourceSettings::input for FFmpeg: "lavfi:GRAPH", "DEMUXER::DEVICE", a URL, a pipe, a file.
#pragma once

#include <atomic>
#include <map>
#include <optional>
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
  // A pipe, which is read by DescriptorInput: an open descriptor ("-", "pipe:3"), or the FIFO `shown`.
  std::optional<int> descriptor{};
  bool is_fifo = false;
  // The reader of the pictures must keep the sound: the input cannot be opened a second time for it.
  bool keeps_sound = false;
  const std::atomic<bool>* stop = nullptr;  // as SourceSettings::stop

  bool is_pipe() const { return descriptor || is_fifo; }
};

// Handles everything but "test" and screens. Throws Error{input} for a demuxer that does not exist. Thread-safe.
InputSpec parse_input(const SourceSettings& settings);

}  // namespace texcast::media
