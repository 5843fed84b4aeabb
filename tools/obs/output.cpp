// output.cpp — the output "texcast: send the program": sends what OBS shows, in the format that OBS has it in.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <obs-module.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "frame_copy.h"
#include "messages.h"
#include "parts.h"
#include "send_options.h"
#include "sound.h"

namespace texcast::obs {
namespace {

// OBS's format as texcast's; nothing: texcast's encoders do not read it.
std::optional<PixelFormat> pixel_format_of(video_format format) {
  switch (format) {
    case VIDEO_FORMAT_I420: return PixelFormat::yuv420p;
    case VIDEO_FORMAT_NV12: return PixelFormat::nv12;
    case VIDEO_FORMAT_YUY2: return PixelFormat::yuyv422;
    case VIDEO_FORMAT_UYVY: return PixelFormat::uyvy422;
    case VIDEO_FORMAT_I422: return PixelFormat::yuv422p;
    case VIDEO_FORMAT_I444: return PixelFormat::yuv444p;
    case VIDEO_FORMAT_I010: return PixelFormat::yuv420p10;
    case VIDEO_FORMAT_P010: return PixelFormat::p010;
    case VIDEO_FORMAT_RGBA: return PixelFormat::rgba;
    case VIDEO_FORMAT_BGRA:
    case VIDEO_FORMAT_BGRX: return PixelFormat::bgra;
    case VIDEO_FORMAT_Y800: return PixelFormat::gray;
    default: return std::nullopt;
  }
}

ColorSpec color_of(const video_scale_info& info) {
  ColorSpec color{.range = info.range == VIDEO_RANGE_FULL ? ColorRange::full : ColorRange::limited};
  switch (info.colorspace) {
    case VIDEO_CS_601: color.matrix = ColorMatrix::bt601; break;
    case VIDEO_CS_2100_PQ:
    case VIDEO_CS_2100_HLG: color.matrix = ColorMatrix::bt2020; break;
    case VIDEO_CS_DEFAULT:
    case VIDEO_CS_709:
    case VIDEO_CS_SRGB: color.matrix = ColorMatrix::bt709; break;
  }
  return color;
}

// OBS's frames, or what OBS is to convert them to if texcast does not read them.
video_scale_info frames_of(const video_output_info& own) {
  video_scale_info frames{
      .format = own.format, .width = own.width, .height = own.height, .range = own.range, .colorspace = own.colorspace};
  if (!pixel_format_of(own.format)) frames.format = VIDEO_FORMAT_NV12;
  frames.range = resolve_video_range(frames.format, frames.range);
  return frames;
}

// OBS calls start() and stop() on any thread, on_frame() on the thread of its video output.
class ProgramOutput {
 public:
  ProgramOutput(obs_data_t* data, obs_output_t* output) : output_(output) { update(data); }

  void update(obs_data_t* data) {
    const std::lock_guard lock(mutex_);
    options_ = send_options_of(data);
  }

  bool start() {
    const video_output_info* const own = video_output_get_info(obs_output_video(output_));
    if (!own || !obs_output_can_begin_data_capture(output_, 0)) return false;
    const video_scale_info frames = frames_of(*own);
    {
      const std::lock_guard lock(mutex_);
      if (!options_) {
        obs_output_set_last_error(output_, text("Destination.Missing"));
        return false;
      }
      format_ = {.pixel_format = pixel_format_of(frames.format).value_or(PixelFormat::nv12),
                 .width = static_cast<int>(frames.width),
                 .height = static_cast<int>(frames.height),
                 .color = color_of(frames),
                 .opaque = true};
      if (!is_rgb(format_.pixel_format)) format_.opaque = false;
      sender_ = std::make_shared<Sender>(*options_, canvas_fps());
    }
    obs_output_set_video_conversion(output_, &frames);
    return obs_output_begin_data_capture(output_, has_sound() ? OBS_OUTPUT_AV : OBS_OUTPUT_VIDEO);
  }

  void stop() {
    obs_output_end_data_capture(output_);
    const std::lock_guard lock(mutex_);
    sender_.reset();
  }

  void on_frame(const video_data& frame) {
    if (const auto sender = current()) {
      std::array<PlaneView, 3> planes{};
      for (size_t p = 0; p < planes.size(); ++p)
        planes.at(p) = {reinterpret_cast<const std::byte*>(frame.data[p]),
                        static_cast<std::ptrdiff_t>(frame.linesize[p])};
      submit_copy(*sender, format_, planes, nanoseconds(frame.timestamp));
    }
  }

  void on_sound(const audio_data& audio) {
    if (const auto sender = current())
      sender->submit_sound(interleaved(audio.data, audio.frames, sound_of_obs()), nanoseconds(audio.timestamp));
  }

  std::string status() const {
    const auto sender = current();
    return sender ? sender->status() : text("Status.Stopped");
  }
  int dropped() const {
    const auto sender = current();
    return sender ? static_cast<int>(sender->dropped()) : 0;
  }

 private:
  bool has_sound() const {
    const std::lock_guard lock(mutex_);
    return options_ && options_->stream.sound;
  }
  std::shared_ptr<Sender> current() const {
    const std::lock_guard lock(mutex_);
    return sender_;
  }

  obs_output_t* const output_;
  mutable std::mutex mutex_;
  std::optional<SendOptions> options_;
  std::shared_ptr<Sender> sender_;
  FrameFormat format_{};
};

ProgramOutput& output_of(void* data) { return *static_cast<ProgramOutput*>(data); }

void* create_output(obs_data_t* data, obs_output_t* output) {
  try {
    return new ProgramOutput(data, output);
  } catch (const std::exception& error) {
    say(LogLevel::error, error.what());
    return nullptr;
  }
}

void tell_status(void* data, calldata_t* call) {
  calldata_set_string(call, "status", output_of(data).status().c_str());
}

}  // namespace

void register_output() {
  obs_output_info info{};
  info.id = "texcast_output";
  info.flags = OBS_OUTPUT_AV;
  info.get_name = [](void*) { return text("Output.Name"); };
  info.create = [](obs_data_t* data, obs_output_t* output) {
    void* const made = create_output(data, output);
    if (made)
      proc_handler_add(obs_output_get_proc_handler(output), "void status(out string status)", tell_status, made);
    return made;
  };
  info.destroy = [](void* data) { delete &output_of(data); };
  info.start = [](void* data) { return output_of(data).start(); };
  info.stop = [](void* data, uint64_t) { output_of(data).stop(); };
  info.raw_video = [](void* data, video_data* frame) { output_of(data).on_frame(*frame); };
  info.raw_audio = [](void* data, audio_data* audio) { output_of(data).on_sound(*audio); };
  info.update = [](void* data, obs_data_t* settings) { output_of(data).update(settings); };
  info.get_defaults = set_send_defaults;
  info.get_dropped_frames = [](void* data) { return output_of(data).dropped(); };
  obs_register_output(&info);
}

}  // namespace texcast::obs
