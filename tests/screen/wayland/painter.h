// painter.h — a client of the compositor that draws our texels over its whole screen, exactly: a wlr-layer-shell
// surface in shared memory.
#pragma once

#include <wayland-client.h>

#include <array>
#include <cstdint>
#include <vector>

#include "screen/screen_capture.h"

namespace texcast::test {

class Painter {
 public:
  Painter();  // on WAYLAND_DISPLAY; throws std::runtime_error
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  // The size of the screen, after all events that the compositor has sent.
  screen::Rect size();
  // Draws all texels of the screen, X R G B (most significant byte first), rows from the top, and sends `damage` to the
  // compositor. Returns when the compositor has taken them.
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
