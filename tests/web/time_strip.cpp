// time-strip X Y CELL FPS: draws the time as a strip of 64 cells of CELL x CELL pixels at X, Y of the desktop of
// DISPLAY, FPS times a second, until it is killed. media/time_code.h defines the cells. By hand, for
// tests/web/bench.mjs: what a browser shows of the strip tells how old it is.
#include <xcb/xcb.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr int kCells = 64;

uint64_t cells_of(uint64_t ms) {
  uint64_t crc = 0xFFFF;  // CRC-16/CCITT-FALSE of the 40 bits
  for (int bit = 39; bit >= 0; --bit) {
    const bool top = (crc >> 15 & 1) != (ms >> bit & 1);
    crc = (crc << 1 ^ (top ? 0x1021 : 0)) & 0xFFFF;
  }
  return uint64_t{0b10110010} << 56 | ms << 16 | crc;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return std::fputs("usage: time-strip X Y CELL FPS\n", stderr), 2;
  const int x = std::atoi(arguments[1]), y = std::atoi(arguments[2]), cell = std::atoi(arguments[3]);
  const double fps = std::atof(arguments[4]);
  xcb_connection_t* const display = xcb_connect(nullptr, nullptr);
  if (xcb_connection_has_error(display) != 0 || cell < 1 || fps <= 0) return std::fputs("no X display\n", stderr), 1;
  const xcb_screen_t* const screen = xcb_setup_roots_iterator(xcb_get_setup(display)).data;

  // A window without a frame, above the others.
  const xcb_window_t window = xcb_generate_id(display);
  const uint32_t values[] = {screen->black_pixel, 1};
  xcb_create_window(display, XCB_COPY_FROM_PARENT, window, screen->root, static_cast<int16_t>(x),
                    static_cast<int16_t>(y), static_cast<uint16_t>(kCells * cell), static_cast<uint16_t>(cell), 0,
                    XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT,
                    values);
  xcb_map_window(display, window);
  const xcb_gcontext_t context = xcb_generate_id(display);
  xcb_create_gc(display, context, window, 0, nullptr);

  using Clock = std::chrono::steady_clock;
  const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / fps));
  // The picture is put together in a pixmap and copied at once, so that no capture sees a part of it.
  const xcb_pixmap_t drawing = xcb_generate_id(display);
  xcb_create_pixmap(display, screen->root_depth, drawing, window, static_cast<uint16_t>(kCells * cell),
                    static_cast<uint16_t>(cell));
  for (Clock::time_point due = Clock::now(); xcb_connection_has_error(display) == 0; due += interval) {
    std::this_thread::sleep_until(due);
    if (const auto now = Clock::now(); now - due > interval) due = now;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ms = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
    const uint64_t cells = cells_of(ms & ((uint64_t{1} << 40) - 1));
    for (const bool white : {false, true}) {
      const uint32_t color = white ? screen->white_pixel : screen->black_pixel;
      xcb_change_gc(display, context, XCB_GC_FOREGROUND, &color);
      xcb_rectangle_t rectangles[kCells];
      uint32_t of_color = 0;
      for (int i = 0; i < kCells; ++i)
        if ((cells >> (kCells - 1 - i) & 1) == (white ? 1 : 0))
          rectangles[of_color++] = {static_cast<int16_t>(i * cell), 0, static_cast<uint16_t>(cell),
                                    static_cast<uint16_t>(cell)};
      xcb_poly_fill_rectangle(display, drawing, context, of_color, rectangles);
    }
    xcb_copy_area(display, drawing, window, context, 0, 0, 0, 0, static_cast<uint16_t>(kCells * cell),
                  static_cast<uint16_t>(cell));
    xcb_flush(display);
  }
}
