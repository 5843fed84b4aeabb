// layout_recorder.h — recorders that know how YCoCg-BC4 is to lie in .mov and .mkv: as Hap Q, repacked on a device on
// its way into the file, or its planes as they are.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "formats/recording_layout.h"
#include "media/recorder.h"
#include "stream/frame_spool.h"
#include "texcast/quality.h"
#include "texcast/transcoder.h"

namespace texcast::stream {

// What becomes of textures that come while the kernel that repacks is still compiled.
enum class WhileCompiling { wait, to_disk };

struct LayoutSettings {
  // None: Hap Q where there is a device that repacks, else planes, which the log says.
  std::optional<RecordingLayout> layout{};
  std::string device{};             // that repacks, as choose_device takes it
  Quality quality = Quality::fast;  // of the chroma: one of ycocg-dxt5's
  // Each texture as it goes into the file, on the thread that writes, some frames later.
  std::function<void(const TextureView&)> on_recorded{};
  // `wait`: write() takes them when the kernel is there. `to_disk`: at once; they wait beside the file, so many bytes
  // of them at most.
  WhileCompiling while_compiling = WhileCompiling::wait;
  int64_t most_waiting_bytes = FrameSpool::kMostBytes;
  std::function<std::unique_ptr<Transcoder>(const TranscoderSettings&)> make_transcoder = texcast::make_transcoder;
};

// Textures that are under way between the writing of one and its going into the file, at most.
inline constexpr int kRepackedInFlight = 2;

// Whether layouts are for such a recording: YCoCg-BC4 into .mov or .mkv.
bool has_layouts(const std::string& path, TextureFormat format);
// Throws Error{usage} where a layout is asked for and there is none.
void check_layout(const std::string& path, TextureFormat format, std::optional<RecordingLayout> layout);

// Throws the Error{usage} of make_recorder() for textures that are recorded in no such file. Touches no file.
void check_holds(const media::RecorderSettings& settings, const LayoutSettings& layout);

// As media::make_recorder for these textures. Throws as that, check_layout and make_transcoder do; with
// WhileCompiling::to_disk the last in a later call of the recorder's.
std::unique_ptr<media::Recorder> make_recorder(const media::RecorderSettings& settings, const LayoutSettings& layout);

}  // namespace texcast::stream
