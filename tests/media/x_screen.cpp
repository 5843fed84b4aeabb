#include "x_screen.h"

#include <doctest/doctest.h>
#include <xcb/xtest.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace texcast::test {

using screen::Rect;

namespace {

std::vector<std::string> with_access(std::vector<std::string> more) {
  more.emplace_back("-ac");
  return more;
}

}  // namespace

PrivateScreen::PrivateScreen(const char* size_and_depth, const std::vector<std::string>& more)
    : server_(
          {.size_and_depth = size_and_depth, .more = with_access(more), .patience = std::chrono::milliseconds(-1)}) {
  if (!is_there()) MESSAGE("SKIP: no X server (Xvfb) to capture");
}

XClient::XClient() : connection_(xcb_connect(nullptr, nullptr)) {
  REQUIRE(xcb_connection_has_error(connection_) == 0);
  const xcb_screen_t* const screen = xcb_setup_roots_iterator(xcb_get_setup(connection_)).data;
  root_ = screen->root;
  gc_ = xcb_generate_id(connection_);
  xcb_create_gc(connection_, gc_, root_, 0, nullptr);
  settle();
}

XClient::~XClient() { xcb_disconnect(connection_); }

void XClient::settle() const {
  free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
}

xcb_window_t XClient::window(const Rect& place, uint32_t color, const std::string& title, int border) {
  const xcb_window_t window = xcb_generate_id(connection_);
  const std::array<uint32_t, 2> values{color, 1};
  xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window, root_, static_cast<int16_t>(place.x),
                    static_cast<int16_t>(place.y), static_cast<uint16_t>(place.width),
                    static_cast<uint16_t>(place.height), static_cast<uint16_t>(border), XCB_WINDOW_CLASS_INPUT_OUTPUT,
                    XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT, values.data());
  if (!title.empty())
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
                        static_cast<uint32_t>(title.size()), title.data());
  show(window, true);
  return window;
}

void XClient::fill(xcb_drawable_t on, const Rect& rect, uint32_t color) {
  xcb_change_gc(connection_, gc_, XCB_GC_FOREGROUND, &color);
  const xcb_rectangle_t filled{static_cast<int16_t>(rect.x), static_cast<int16_t>(rect.y),
                               static_cast<uint16_t>(rect.width), static_cast<uint16_t>(rect.height)};
  xcb_poly_fill_rectangle(connection_, on, gc_, 1, &filled);
  settle();
}

void XClient::copy(xcb_window_t on, const Rect& from, int x, int y) {
  xcb_copy_area(connection_, on, on, gc_, static_cast<int16_t>(from.x), static_cast<int16_t>(from.y),
                static_cast<int16_t>(x), static_cast<int16_t>(y), static_cast<uint16_t>(from.width),
                static_cast<uint16_t>(from.height));
  settle();
}

void XClient::place(xcb_window_t window, const Rect& place) {
  const std::array<uint32_t, 4> values{static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y),
                                       static_cast<uint32_t>(place.width), static_cast<uint32_t>(place.height)};
  xcb_configure_window(connection_, window,
                       XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT,
                       values.data());
  settle();
}

void XClient::raise(xcb_window_t window) {
  const uint32_t above = XCB_STACK_MODE_ABOVE;
  xcb_configure_window(connection_, window, XCB_CONFIG_WINDOW_STACK_MODE, &above);
  settle();
}

void XClient::show(xcb_window_t window, bool shown) {
  shown ? xcb_map_window(connection_, window) : xcb_unmap_window(connection_, window);
  settle();
}

void XClient::close(xcb_window_t window) {
  xcb_destroy_window(connection_, window);
  settle();
}

void XClient::set_pointer(xcb_window_t window, int side, uint32_t color) {
  const auto edge = static_cast<uint16_t>(side);
  const xcb_pixmap_t shape = xcb_generate_id(connection_);
  xcb_create_pixmap(connection_, 1, shape, root_, edge, edge);
  const xcb_gcontext_t ones = xcb_generate_id(connection_);
  const uint32_t one = 1;
  xcb_create_gc(connection_, ones, shape, XCB_GC_FOREGROUND, &one);
  const xcb_rectangle_t all{0, 0, edge, edge};
  xcb_poly_fill_rectangle(connection_, shape, ones, 1, &all);
  const auto channel = [&](int shift) { return static_cast<uint16_t>((color >> shift & 0xFF) * 0x101); };
  const xcb_cursor_t pointer = xcb_generate_id(connection_);
  xcb_create_cursor(connection_, pointer, shape, shape, channel(16), channel(8), channel(0), 0, 0, 0, 0, 0);
  xcb_change_window_attributes(connection_, window, XCB_CW_CURSOR, &pointer);
  settle();
}

void XClient::point_at(int x, int y) {
  xcb_warp_pointer(connection_, XCB_NONE, root_, 0, 0, 0, 0, static_cast<int16_t>(x), static_cast<int16_t>(y));
  settle();
}

void XClient::randr(const std::string& arguments) const {
  CAPTURE(arguments);
  REQUIRE(std::system(("xrandr " + arguments).c_str()) == 0);
  settle();
}

void XClient::move_mouse(int x, int y) {
  xcb_test_fake_input(connection_, XCB_MOTION_NOTIFY, 0, XCB_CURRENT_TIME, root_, static_cast<int16_t>(x),
                      static_cast<int16_t>(y), 0);
  settle();
}

void XClient::set_desktop(int width, int height) const {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  const auto timing = [](int edge) {
    std::string text;
    for (const int more : {0, 10, 20, 30}) text += " " + std::to_string(edge + more);
    return text;
  };
  randr("--newmode " + size + "t 1" + timing(width) + timing(height));
  randr("--addmode screen " + size + "t");
  randr("--output screen --mode " + size + "t --fbmm 100x100");
}

void XClient::set_monitor(const std::string& name, const Rect& r) const {
  const auto edge = [](int pixels) { return std::to_string(pixels) + "/100"; };
  randr("--setmonitor " + name + " " + edge(r.width) + "x" + edge(r.height) + "+" + std::to_string(r.x) + "+" +
        std::to_string(r.y) + " none");
}

void XClient::remove_monitor(const std::string& name) const { randr("--delmonitor " + name); }

std::vector<uint32_t> XClient::picture(const Rect& part) const {
  auto* const image =
      xcb_get_image_reply(connection_,
                          xcb_get_image(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, root_, static_cast<int16_t>(part.x),
                                        static_cast<int16_t>(part.y), static_cast<uint16_t>(part.width),
                                        static_cast<uint16_t>(part.height), ~0U),
                          nullptr);
  REQUIRE(image);
  std::vector<uint32_t> colors(static_cast<size_t>(part.width) * static_cast<size_t>(part.height));
  REQUIRE(static_cast<size_t>(xcb_get_image_data_length(image)) == colors.size() * 4);
  std::memcpy(colors.data(), xcb_get_image_data(image), colors.size() * 4);
  free(image);
  for (uint32_t& color : colors) color &= 0xFFFFFF;
  return colors;
}

std::vector<uint32_t> colors_of(const FrameView& picture) {
  std::vector<uint32_t> colors;
  const PlaneView& plane = picture.planes[0];
  for (int y = 0; y < picture.format.height; ++y)
    for (int x = 0; x < picture.format.width; ++x) {
      uint32_t color = 0;
      std::memcpy(&color, plane.data + y * plane.stride_bytes + 4 * x, 4);
      colors.push_back(color & 0xFFFFFF);
    }
  return colors;
}

}  // namespace texcast::test
