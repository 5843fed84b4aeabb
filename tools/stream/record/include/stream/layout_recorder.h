// layout_recorder.h — recorders that know how YCoCg-BC4 is to lie in .mov and .mkv: as Hap Q, repacked on a device on
// its way into the file, or its planes as they are.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "formats/recording_layout.h"
#include "media/recorder.h"
#include "texcast/quality.h"

namespace texcast::stream {

struct LayoutSettings {
  // None: Hap Q where there is a device that repacks, else planes, which the log says.
  std::optional<RecordingLayout> layout{};
  std::string device{};             // that repacks, as choose_device takes it
  Quality quality = Quality::fast;  // of the chroma: one of ycocg-dxt5's
  // Each texture as it goes into the file, on the thread that writes, some frames later.
  std::function<void(const TextureView&)> on_recorded{};
};

// Textures that are under way between the writing of one and its going into the file, at most.
inline constexpr int kRepackedInFlight = 2;

// Whether layouts are for such a recording: YCoCg-BC4 into .mov or .mkv.
bool has_layouts(const std::string& path, TextureFormat format);
// Throws Error{usage} where a layout is asked for and there is none.
void check_layout(const std::string& path, TextureFormat format, std::optional<RecordingLayout> layout);

// As media::make_recorder for these textures. Throws as that, check_layout and make_transcoder do.
std::unique_ptr<media::Recorder> make_recorder(const media::RecorderSettings& settings, const LayoutSettings& layout);

}  // namespace texcast::stream
