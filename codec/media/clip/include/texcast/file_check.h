// file_check.h — every frame of a texture file, read and unpacked: which are damaged, and how. All levels, layers and
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
  int64_t count = 1;   // more than one where the file ends before them
  nanoseconds pts{};   // of the first; by the frame rate where the file does not tell
  std::string reason;  // starts with the place of the image where a frame has several: "level 1, layer 2, face 3: …"
};

struct FileCheck {
  int64_t frames = 0;   // that the file has or should have
  int64_t images = 0;   // that were read: more than frames where a .dds or .ktx2 has levels, layers or faces
  int64_t damaged = 0;  // frames
  std::vector<DamagedFrames> damage;  // in the order of the file, kMostListed of them at most
  static constexpr size_t kMostListed = 1000;
  // Frames that are whole, but with blocks that nothing here can show: ASTC of the HDR profile. At most so many too.
  int64_t unshown = 0;
  std::vector<DamagedFrames> notes;
  bool stopped = false;  // before the end
};

// Reads the whole file. `go_on`, if there is one, is called on the calling thread after each frame, and between the
// images of a frame that has several, with the number of frames so far. If it returns false the check stops. Exceptions
// that it throws are passed on. Throws as FileReader's constructor does; damaged frames are no error here. Thread-safe.
TEXCAST_API FileCheck check_file(const std::string& path, const std::function<bool(int64_t frames)>& go_on = {});

}  // namespace texcast
