// layout_recorder.h — records YCoCg-BC4 into .mov and .mkv: as Hap Q, into which a device transcodes it on the way to
// the file, or as unchanged planes.
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

// Whether textures that arrive before the transcoding kernel is compiled make the caller wait, or go to the disk.
enum class WhileCompiling { wait, to_disk };

struct LayoutSettings {
  // nullopt: Hap Q if there is a device that can transcode, otherwise planes, and the log says so.
  std::optional<RecordingLayout> layout{};
  std::string device{};             // that transcodes, as for choose_device
  Quality quality = Quality::fast;  // of the chroma: one of ycocg-dxt5's
  // Called with each texture as readers of the file get it, also after lossy coding: on the writing thread, some frames
  // later.
  std::function<void(const TextureView&)> on_recorded{};
  // `wait`: write() blocks until the kernel is there. `to_disk`: it does not; the textures wait in a FrameSpool beside
  // the file, at most `most_waiting_bytes` of them.
  WhileCompiling while_compiling = WhileCompiling::wait;
  int64_t most_waiting_bytes = FrameSpool::kMostBytes;
  std::function<std::unique_ptr<Transcoder>(const TranscoderSettings&)> make_transcoder = texcast::make_transcoder;
};

// The most textures between write() and the file.
inline constexpr int kRepackedInFlight = 2;

// Whether the recording has a choice of layouts: YCoCg-BC4 into .mov or .mkv.
bool has_layouts(const std::string& path, TextureFormat format);
// Throws Error{usage} if a layout is given and the recording has no choice.
void check_layout(const std::string& path, TextureFormat format, std::optional<RecordingLayout> layout);

// Throws the Error{usage} of make_recorder() for textures that the file cannot hold. Touches no file.
void check_holds(const media::RecorderSettings& settings, const LayoutSettings& layout);

// Like media::make_recorder, with these layouts. Throws what media::make_recorder, check_layout and make_transcoder
// throw; with WhileCompiling::to_disk, what make_transcoder throws comes from a later call of the recorder.
std::unique_ptr<media::Recorder> make_recorder(const media::RecorderSettings& settings, const LayoutSettings& layout);

}  // namespace texcast::stream
