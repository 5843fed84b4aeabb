#include "x_layout.h"

#include <fmt/core.h>
#include <xcb/randr.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "screen/x11_capture.h"

namespace texcast::screen {
namespace {

constexpr uint32_t kMostProperty = 1 << 16;  // 32-bit words

XReply<xcb_get_property_reply_t> property_of(const XDisplay& display, xcb_window_t window, xcb_atom_t name) {
  if (name == XCB_ATOM_NONE) return nullptr;
  return display.reply(xcb_get_property_reply,
                       xcb_get_property(display.get(), 0, window, name, XCB_GET_PROPERTY_TYPE_ANY, 0, kMostProperty));
}

std::string text_in(const xcb_get_property_reply_t& property) {
  const auto size = static_cast<size_t>(xcb_get_property_value_length(&property));
  const std::string_view bytes(static_cast<const char*>(xcb_get_property_value(&property)), size);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

// X's own texts are Latin-1.
std::string utf8_of_latin1(const std::string& text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return utf8;
}

std::vector<xcb_window_t> children_of(const XDisplay& display, xcb_window_t window) {
  const auto tree = display.reply(xcb_query_tree_reply, xcb_query_tree(display.get(), window));
  if (!tree) return {};
  const xcb_window_t* const first = xcb_query_tree_children(tree.get());
  return {first, first + xcb_query_tree_children_length(tree.get())};
}

std::vector<xcb_window_t> managed_windows(const XDisplay& display) {
  const auto list = property_of(display, display.root(), display.atom("_NET_CLIENT_LIST"));
  if (!list || list->format != 32) return children_of(display, display.root());
  const auto* const first = static_cast<const xcb_window_t*>(xcb_get_property_value(list.get()));
  return {first, first + xcb_get_property_value_length(list.get()) / 4};
}

double rate_of(const xcb_randr_mode_info_t& mode) {
  double lines = mode.vtotal;
  if ((mode.mode_flags & XCB_RANDR_MODE_FLAG_DOUBLE_SCAN) != 0) lines *= 2;
  if ((mode.mode_flags & XCB_RANDR_MODE_FLAG_INTERLACE) != 0) lines /= 2;
  return mode.htotal > 0 && lines > 0 ? mode.dot_clock / (mode.htotal * lines) : 0;
}

double rate_of(const XDisplay& display, const xcb_randr_monitor_info_t& monitor,
               const xcb_randr_get_screen_resources_current_reply_t& resources) {
  if (xcb_randr_monitor_info_outputs_length(&monitor) == 0) return 0;
  const auto output =
      display.reply(xcb_randr_get_output_info_reply,
                    xcb_randr_get_output_info(display.get(), xcb_randr_monitor_info_outputs(&monitor)[0],
                                              resources.config_timestamp));
  if (!output || output->crtc == XCB_NONE) return 0;
  const auto crtc = display.reply(xcb_randr_get_crtc_info_reply,
                                  xcb_randr_get_crtc_info(display.get(), output->crtc, resources.config_timestamp));
  if (!crtc) return 0;
  const xcb_randr_mode_info_t* const modes = xcb_randr_get_screen_resources_current_modes(&resources);
  for (int i = 0; i < xcb_randr_get_screen_resources_current_modes_length(&resources); ++i)
    if (modes[i].id == crtc->mode) return rate_of(modes[i]);
  return 0;
}

std::string name_of(const XDisplay& display, xcb_atom_t atom) {
  const auto name = display.reply(xcb_get_atom_name_reply, xcb_get_atom_name(display.get(), atom));
  if (!name) return {};
  return {xcb_get_atom_name_name(name.get()), static_cast<size_t>(xcb_get_atom_name_name_length(name.get()))};
}

std::optional<Capturable> window_of(const XDisplay& display, xcb_window_t window) {
  const auto attributes =
      display.reply(xcb_get_window_attributes_reply, xcb_get_window_attributes(display.get(), window));
  if (!attributes || attributes->map_state != XCB_MAP_STATE_VIEWABLE ||
      attributes->_class != XCB_WINDOW_CLASS_INPUT_OUTPUT)
    return std::nullopt;
  Capturable found{.kind = Capturable::Kind::window, .name = title_of(display, window)};
  const auto size = display.reply(xcb_get_geometry_reply, xcb_get_geometry(display.get(), window));
  const auto place = display.reply(xcb_translate_coordinates_reply,
                                   xcb_translate_coordinates(display.get(), window, display.root(), 0, 0));
  if (found.name.empty() || !size || !place) return std::nullopt;
  found.id = fmt::format("{:#x}", window);
  found.place = {place->dst_x, place->dst_y, size->width, size->height};
  return found;
}

}  // namespace

Rect desktop_of(const XDisplay& display) {
  const auto size = display.reply(xcb_get_geometry_reply, xcb_get_geometry(display.get(), display.root()));
  return size ? Rect{0, 0, size->width, size->height} : Rect{};
}

std::string title_of(const XDisplay& display, xcb_window_t window) {
  for (const char* name : {"_NET_WM_NAME", "WM_NAME"}) {
    const auto title = property_of(display, window, display.atom(name));
    if (!title || title->format != 8) continue;
    const std::string text = text_in(*title);
    if (!text.empty()) return title->type == XCB_ATOM_STRING ? utf8_of_latin1(text) : text;
  }
  return {};
}

std::vector<Capturable> monitors_of(const XDisplay& display) {
  std::vector<Capturable> monitors;
  if (!display.has_monitors()) return monitors;
  const auto list =
      display.reply(xcb_randr_get_monitors_reply, xcb_randr_get_monitors(display.get(), display.root(), 1));
  const auto resources = display.reply(xcb_randr_get_screen_resources_current_reply,
                                       xcb_randr_get_screen_resources_current(display.get(), display.root()));
  if (!list || !resources) return monitors;
  for (auto i = xcb_randr_get_monitors_monitors_iterator(list.get()); i.rem > 0; xcb_randr_monitor_info_next(&i)) {
    const xcb_randr_monitor_info_t& monitor = *i.data;
    monitors.push_back({.kind = Capturable::Kind::monitor,
                        .name = name_of(display, monitor.name),
                        .place = {monitor.x, monitor.y, monitor.width, monitor.height},
                        .refresh_rate = rate_of(display, monitor, *resources),
                        .primary = monitor.primary != 0});
  }
  std::stable_sort(monitors.begin(), monitors.end(),
                   [](const Capturable& a, const Capturable& b) { return a.place.x < b.place.x; });
  return monitors;
}

std::vector<Capturable> windows_of(const XDisplay& display) {
  std::vector<Capturable> windows;
  for (const xcb_window_t id : managed_windows(display))
    if (auto window = window_of(display, id)) windows.push_back(std::move(*window));
  return windows;
}

std::optional<xcb_window_t> window_of_id(const std::string& text) {
  if (!text.starts_with("0x")) return std::nullopt;
  xcb_window_t id = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), id, 16);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(id) : std::nullopt;
}

std::vector<Capturable> list_x11() {
  const XDisplay display;
  std::vector<Capturable> all = monitors_of(display);
  for (Capturable& window : windows_of(display)) all.push_back(std::move(window));
  return all;
}

}  // namespace texcast::screen
