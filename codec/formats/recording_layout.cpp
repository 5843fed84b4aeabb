#include "formats/recording_layout.h"

namespace texcast {

std::string_view name(RecordingLayout layout) { return layout == RecordingLayout::hapq ? "hapq" : "planes"; }

std::optional<RecordingLayout> recording_layout_from_name(std::string_view wanted) {
  for (const RecordingLayout layout : kRecordingLayouts)
    if (name(layout) == wanted) return layout;
  return std::nullopt;
}

}  // namespace texcast
