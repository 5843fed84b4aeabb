// property_values.h — flags and values that properties of the sink and the source have in common.
#pragma once

#include <gst/gst.h>

#include <string>

namespace texcast::gstreamer {

inline constexpr auto kFlags =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
inline constexpr auto kSecret =
    static_cast<GParamFlags>(G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
inline constexpr auto kReadOnly = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

// Returns the text of a string value, "" if it holds none.
inline std::string text_of(const GValue* value) {
  const char* text = g_value_get_string(value);
  return text != nullptr ? text : "";
}

}  // namespace texcast::gstreamer
