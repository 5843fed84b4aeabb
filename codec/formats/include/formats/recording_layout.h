// recording_layout.h — how YCoCg-BC4 is stored in .mov and .mkv; docs/format.md, "YCoCg-BC4 in recordings".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace texcast {

enum class RecordingLayout : uint8_t {
  hapq,    // as Hap Q, which every player with Hap shows; luma is unchanged, chroma is fitted again
  planes,  // as three tracks of BC4, bit for bit; other players show the first, a gray picture
};
inline constexpr std::array kRecordingLayouts = {RecordingLayout::hapq, RecordingLayout::planes};

std::string_view name(RecordingLayout layout);
std::optional<RecordingLayout> recording_layout_from_name(std::string_view name);

}  // namespace texcast
