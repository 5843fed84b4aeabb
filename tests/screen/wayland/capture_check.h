// capture_check.h — pictures that are all different, and checks that a capture returned them.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <vector>

#include "../../patience.h"
#include "own_desktop.h"
#include "screen/wayland_capture.h"

namespace texcast::screen {
inline std::ostream& operator<<(std::ostream& out, const Rect& rect) {
  return out << rect.width << 'x' << rect.height << '+' << rect.x << '+' << rect.y;
}
}  // namespace texcast::screen

namespace texcast::test {

using namespace std::chrono_literals;
using screen::Rect;
using screen::ScreenCapture;
using screen::ScreenUpdate;

// The damage of an update that has one rectangle.
inline Rect damage_of(const ScreenUpdate& update) {
  CHECK(update.damage.size() == 1);
  return update.damage.empty() ? Rect{} : update.damage.front();
}

// A compositor may say a texel less at the right and bottom than has changed, so that this much is copied.
inline Rect with_margin(const Rect& damage) { return {damage.x, damage.y, damage.width + 1, damage.height + 1}; }

// PipeWire and a bus; nullptr if they are not installed.
inline std::unique_ptr<OwnDesktop> streams_desktop() {
  auto desktop = std::make_unique<OwnDesktop>();
  if (desktop->start_bus() && desktop->start_pipewire()) return desktop;
  MESSAGE("SKIP: there is no " << desktop->missing());
  return nullptr;
}

struct Picture {
  int width = 0, height = 0;
  std::vector<uint32_t> texels{};  // X R G B, most significant byte first

  Picture(int w, int h, uint32_t seed) : width(w), height(h), texels(static_cast<size_t>(w) * h) {
    fill({0, 0, w, h}, seed);
  }
  void fill(const Rect& rect, uint32_t seed) {
    for (int y = rect.y; y < rect.y + rect.height; ++y)
      for (int x = rect.x; x < rect.x + rect.width; ++x)
        texels[static_cast<size_t>(y) * width + x] = (seed = seed * 1664525 + 1013904223) >> 8;
  }
  Picture part(const Rect& rect) const {
    Picture cut(rect.width, rect.height, 0);
    for (int y = 0; y < rect.height; ++y)
      std::memcpy(cut.texels.data() + static_cast<size_t>(y) * rect.width,
                  texels.data() + static_cast<size_t>(y + rect.y) * width + rect.x,
                  static_cast<size_t>(rect.width) * 4);
    return cut;
  }
};

// Ignores the fourth bytes.
inline bool shows(const FrameView& view, const Picture& picture) {
  if (view.format.width != picture.width || view.format.height != picture.height ||
      view.format.pixel_format != PixelFormat::bgra || !view.format.opaque)
    return false;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      uint32_t texel = 0;
      std::memcpy(&texel, view.planes[0].data + y * view.planes[0].stride_bytes + x * 4, 4);
      if (((texel ^ picture.texels[static_cast<size_t>(y) * picture.width + x]) & 0xFFFFFFu) != 0) return false;
    }
  return true;
}

inline std::vector<uint32_t> texels_of(const FrameView& view) {
  std::vector<uint32_t> texels(static_cast<size_t>(view.format.width) * view.format.height);
  for (int y = 0; y < view.format.height; ++y)
    std::memcpy(texels.data() + static_cast<size_t>(y) * view.format.width,
                view.planes[0].data + y * view.planes[0].stride_bytes, static_cast<size_t>(view.format.width) * 4);
  return texels;
}

// Updates until a picture arrived: whether all changes from one update to the next were in the damage.
struct Watched {
  bool came = false, resized = false, damage_covers = true;
  int64_t damaged_texels = 0;  // in total
  int draws = 0;               // needed
};

inline bool is_covered(const ScreenUpdate& update, const std::vector<uint32_t>& before,
                       const std::vector<uint32_t>& now) {
  const int width = update.picture.format.width;
  for (size_t i = 0; i < now.size(); ++i) {
    if ((before.size() == now.size() && ((before[i] ^ now[i]) & 0xFFFFFFu) == 0)) continue;
    const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
    bool inside = false;
    for (const Rect& one : update.damage)
      inside |= x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height;
    if (!inside) return false;
  }
  return true;
}

// `before`: the texels of the previous update, kept from call to call.
inline Watched watch_until(ScreenCapture& capture, const Picture& picture, std::vector<uint32_t>& before,
                           nanoseconds limit = test::kPatience) {
  Watched watched;
  const SteadyTime deadline = steady_now() + limit;
  while (!watched.came && steady_now() < deadline) {
    const ScreenUpdate update = capture.wait(steady_now() + 100ms);  // it may be there already
    std::vector<uint32_t> now = texels_of(update.picture);
    watched.damage_covers &= is_covered(update, before, now);
    before = std::move(now);
    watched.resized |= update.resized;
    for (const Rect& one : update.damage) watched.damaged_texels += int64_t{one.width} * one.height;
    watched.came = shows(update.picture, picture);
  }
  return watched;
}

// The error that ends a capture, waited for longer than any machine takes; empty: it goes on.
inline std::string end_of(ScreenCapture& capture) {
  try {
    for (const SteadyTime deadline = steady_now() + test::kPatience; steady_now() < deadline;) capture.wait(deadline);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::input);
    return error.what();
  }
  return {};
}

inline bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace texcast::test
