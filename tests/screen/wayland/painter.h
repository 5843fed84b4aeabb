// painter.h — a client of the compositor that draws texels of ours over all of its screen, exactly: a surface of
// wlr-layer-shell in shared memory.
#pragma once

#include <wayland-client.h>

#include <array>
#include <cstdint>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::test {

class Painter {
 public:
  Painter();  // on WAYLAND_DISPLAY. Throws std::runtime_error.
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  // Of the screen, as the compositor says. Takes what it has said since.
  screen::Rect size();
  // All texels of the screen, X R G B (most significant byte first), rows from the top; `damage` is what the compositor
  // is told of. Returns when it has taken them.
  void draw(const std::vector<uint32_t>& texels, const screen::Rect& damage);

 private:
  struct Shared {  // memory that the compositor reads
    wl_buffer* buffer = nullptr;
    uint32_t* texels = nullptr;
    size_t bytes = 0;
    screen::Rect size{};
    bool busy = false;
  };
  void make(Shared& shared);
  static void let_go(Shared& shared);

  wl_display* display_ = nullptr;
  wl_compositor* compositor_ = nullptr;
  wl_shm* shm_ = nullptr;
  wl_proxy* shell_ = nullptr;
  wl_surface* surface_ = nullptr;
  wl_proxy* layer_ = nullptr;
  screen::Rect size_{};
  std::array<Shared, 2> shared_{};
};

}  // namespace texcast::test
