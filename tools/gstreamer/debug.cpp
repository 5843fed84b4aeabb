#include "debug.h"

#include <string>
#include <string_view>

#include "texcast/log.h"

namespace texcast::gstreamer {

GstDebugCategory* debug_category() {
  static GstDebugCategory* const category = [] {
    GstDebugCategory* made = nullptr;
    GST_DEBUG_CATEGORY_INIT(made, "texcast", 0, "texcast: video as GPU texture blocks");
    return made;
  }();
  return category;
}

void connect_log() {
  set_log_function(
      [](LogLevel level, std::string_view line) {
        const std::string text(line);
        switch (level) {
          case LogLevel::debug: GST_DEBUG("%s", text.c_str()); break;
          case LogLevel::info: GST_INFO("%s", text.c_str()); break;
          case LogLevel::warning: GST_WARNING("%s", text.c_str()); break;
          case LogLevel::error: GST_ERROR("%s", text.c_str()); break;
        }
      },
      LogLevel::debug);
}

}  // namespace texcast::gstreamer
