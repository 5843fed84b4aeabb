// x_screen.h — the test's own X server, on which nobody else draws, and a client that draws.
#pragma once

#include <xcb/xcb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "screen/screen_capture.h"
#include "x_server.h"

namespace texcast::test {

// An X server to capture. Says so if the machine has none.
class PrivateScreen {
 public:
  // "320x200x24"; `more`: arguments of Xvfb.
  explicit PrivateScreen(const char* size_and_depth, const std::vector<std::string>& more = {});
  ~PrivateScreen() { kill(); }
  PrivateScreen(const PrivateScreen&) = delete;
  PrivateScreen& operator=(const PrivateScreen&) = delete;
  bool is_there() const { return server_.is_there(); }
  void kill() { server_.end(SIGKILL); }

 private:
  XServer server_;
};

// Draws on DISPLAY, with requests of the core protocol (and a mouse by XTEST). A call returns after the server has
// carried it out.
class XClient {
 public:
  XClient();
  ~XClient();
  XClient(const XClient&) = delete;
  XClient& operator=(const XClient&) = delete;

  xcb_window_t root() const { return root_; }
  // Shown, of one colour, without a window manager; `titled`: with a title.
  xcb_window_t window(const screen::Rect& place, uint32_t color, const std::string& title = {}, int border = 0);
  void fill(xcb_drawable_t on, const screen::Rect& rect, uint32_t color);
  void copy(xcb_window_t on, const screen::Rect& from, int x, int y);
  void place(xcb_window_t window, const screen::Rect& place);
  void raise(xcb_window_t window);
  void show(xcb_window_t window, bool shown);
  void close(xcb_window_t window);
  // The pointer is a square of one colour with its hot spot in the upper left corner.
  void set_pointer(xcb_window_t window, int side, uint32_t color);
  void point_at(int x, int y);    // on the root window
  void move_mouse(int x, int y);  // as a hand does
  // By the program xrandr, as libxcb 1.15 truncates the request that sets a monitor. Each size once.
  void set_desktop(int width, int height) const;
  void set_monitor(const std::string& name, const screen::Rect& place) const;
  void remove_monitor(const std::string& name) const;
  // The server's content without the pointer: 0xRRGGBB, row by row.
  std::vector<uint32_t> picture(const screen::Rect& part) const;

 private:
  void settle() const;
  void randr(const std::string& arguments) const;

  xcb_connection_t* connection_;
  xcb_window_t root_;
  xcb_gcontext_t gc_;
};

// In the form of XClient::picture().
std::vector<uint32_t> colors_of(const FrameView& picture);

}  // namespace texcast::test
