#include "debug.h"

#include <string>
#include <string_view>

#include "texcast/log.h"

namespace texcast::gstreamer {
namespace {

GstDebugLevel level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return GST_LEVEL_DEBUG;
    case LogLevel::info: return GST_LEVEL_INFO;
    case LogLevel::warning: return GST_LEVEL_WARNING;
    case LogLevel::error: break;
  }
  return GST_LEVEL_ERROR;
}

void pass_on(LogLevel level, std::string_view line) {
  GST_CAT_LEVEL_LOG(debug_category(), level_of(level), nullptr, "%s", std::string(line).c_str());
}

}  // namespace

GstDebugCategory* debug_category() {
  static GstDebugCategory* const category = [] {
    GstDebugCategory* made = nullptr;
    GST_DEBUG_CATEGORY_INIT(made, "texcast", 0, "texcast: video as GPU texture blocks");
    return made;
  }();
  return category;
}

void connect_log() { set_log_function(pass_on, LogLevel::debug); }

}  // namespace texcast::gstreamer
