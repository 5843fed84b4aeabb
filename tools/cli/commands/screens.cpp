// screens.cpp — `texcast screens`: lists monitors and windows that can be captured.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "screen/open_capture.h"
#include "text/json_text.h"

namespace texcast::cli {
namespace {

using screen::Capturable;

std::string place_of(const Capturable& c) {
  return fmt::format("{}x{}{:+}{:+}", c.place.width, c.place.height, c.place.x, c.place.y);
}

bool is_scaled(const Capturable& c) {
  return c.pixel_width > 0 && (c.pixel_width != c.place.width || c.pixel_height != c.place.height);
}

Json to_json(const Capturable& c) {
  const bool is_window = c.kind == Capturable::Kind::window;
  Json json = Json::object({{"kind", is_window ? "window" : "monitor"},
                            {"name", c.name},
                            {"input", is_window ? "window:" + c.id : "screen:" + c.name},
                            {"x", c.place.x},
                            {"y", c.place.y},
                            {"width", c.place.width},
                            {"height", c.place.height}});
  if (c.pixel_width > 0) {
    json["pixel_width"] = c.pixel_width;
    json["pixel_height"] = c.pixel_height;
  }
  if (!c.description.empty()) json["description"] = c.description;
  if (is_window)
    json["id"] = c.id;
  else
    json["primary"] = c.primary;
  if (c.refresh_rate > 0) json["refresh_rate"] = c.refresh_rate;
  return json;
}

void print_capturable(const Capturable& c) {
  const bool is_window = c.kind == Capturable::Kind::window;
  std::string detail;
  const auto add = [&](const std::string& fact) { detail += (detail.empty() ? "" : ", ") + fact; };
  if (is_window) add(c.name);
  if (c.refresh_rate > 0) add(fmt::format("{:.2f} Hz", c.refresh_rate));
  if (c.primary) add("primary");
  if (is_scaled(c)) add(fmt::format("{}x{} pixels", c.pixel_width, c.pixel_height));
  if (!c.description.empty()) add(c.description);
  fmt::print("{:<20} {:<20} {}\n", is_window ? "window:" + c.id : "screen:" + c.name, place_of(c), detail);
}

}  // namespace

int run_screens(const ScreensOptions& options) {
  const EndsAtOnceIfInterrupted at_once;
  const std::vector<Capturable> all = screen::list_capturables();
  if (options.json) {
    Json list = Json::array();
    for (const Capturable& c : all) list.push(to_json(c));
    fmt::print("{}\n", Json::object({{"screens", list}}).text(2));
    return 0;
  }
  for (const Capturable& c : all) print_capturable(c);
  return 0;
}

}  // namespace texcast::cli
