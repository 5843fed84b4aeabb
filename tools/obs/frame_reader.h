// frame_reader.h — draws a source into a texture of its own, and reads it back one frame later, so that OBS's graphics
// thread does not wait for the GPU.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <obs.h>

#include <array>
#include <cstdint>
#include <functional>

#include "texcast/frame.h"

namespace texcast::obs {

// All calls inside of OBS's graphics context, including the end.
class FrameReader {
 public:
  FrameReader() = default;
  ~FrameReader();
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // The picture of the call before, as `plane` with `format` (rgba), which is valid during the call.
  using OnFrame = std::function<void(const FrameFormat& format, const PlaneView& plane, uint64_t time_ns)>;

  // Draws `source` as OBS shows it, filters included, and passes on what was drawn by the last call. `with_alpha`:
  // straight alpha; else the picture is over black, and opaque.
  void read(obs_source_t* source, bool with_alpha, uint64_t time_ns, const OnFrame& on_frame);

 private:
  struct Stage {
    gs_stagesurf_t* surface = nullptr;
    FrameFormat format{};
    uint64_t time_ns = 0;
    bool full = false;
  };
  bool draw(obs_source_t* source, uint32_t width, uint32_t height);
  bool divide_by_alpha(uint32_t width, uint32_t height);
  void stage(Stage& into, gs_texture_t* drawn, const FrameFormat& format);

  gs_texrender_t* drawn_ = nullptr;
  gs_texrender_t* straight_ = nullptr;
  std::array<Stage, 2> stages_{};
  size_t next_ = 0;
};

}  // namespace texcast::obs
