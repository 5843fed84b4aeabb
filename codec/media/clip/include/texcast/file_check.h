// file_check.h — reads and decompresses every frame of a texture file, and reports damaged ones. All levels, layers and
// faces of .dds and .ktx2 files are read.
//
//     for (const auto& [first, count, pts, reason] : texcast::check_file("show.mov").damage)
//       std::cout << "frame " << first << ": " << reason << '\n';
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "texcast/error.h"
#include "texcast/export.h"
#include "texcast/frame_times.h"

namespace texcast {

struct DamagedFrames {
  int64_t first = 0;   // number in the file, from 0
  int64_t count = 1;   // more than one if the file ends before them
  nanoseconds pts{};   // of the first; from the frame rate if the file has no time stamps
  std::string reason;  // begins with the place of the image if a frame has several: "level 1, layer 2, face 3: …"
};

struct FileCheck {
  int64_t frames = 0;                 // that the file has or should have
  int64_t images = 0;                 // that were read; more than frames if a .dds or .ktx2 has levels, layers or faces
  int64_t damaged = 0;                // frames
  std::vector<DamagedFrames> damage;  // in the order of the file, at most kMostListed
  static constexpr size_t kMostListed = 1000;
  // Intact frames with blocks that texcast cannot display: ASTC of the HDR profile. At most kMostListed notes too.
  int64_t unshown = 0;
  std::vector<DamagedFrames> notes;
  bool stopped = false;  // by go_on(), before the end
};

// Reads the whole file. `go_on`, if there is one, is called on the calling thread after each frame, and between the
// images of a frame that has several, with the number of frames so far. If it returns false the check stops. Exceptions
// that it throws are passed on. Throws as FileReader's constructor does; damaged frames are no error here. Thread-safe.
TEXCAST_API FileCheck check_file(const std::string& path, const std::function<bool(int64_t frames)>& go_on = {});

}  // namespace texcast
