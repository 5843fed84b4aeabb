// recorder.h — records textures to a file without encoding them again. The public interface is texcast/file_writer.h,
// which is built on this one.
//
// Example:
//     const auto recorder = make_recorder({.path = "show.mov", .texture = texture.desc, .fps = 60});
//     recorder->write(texture, pts);  // … for every frame
//     const RecorderReport report = recorder->finish();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/stage_time.h"
#include "compact/rd_parameters.h"
#include "media/output_claim.h"
#include "media/pipe_output.h"
#include "media/recorded_part.h"
#include "media/recorded_sound.h"
#include "texcast/file_coding.h"
#include "texcast/file_writer.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"
#include "texcast/if_exists.h"

namespace texcast::compact {
class EncoderBackend;
}

namespace texcast::media {

class SoundQueue;

// How the sound of the recorded source is copied from its file.
enum class AudioMode {
  copy,  // unchanged if the container takes it, else as pcm
  pcm,   // decoded: 16 bits per sample, or 24 if there are more
  none,
};
struct AudioSource {
  std::string file;
  std::shared_ptr<SoundQueue> queue{};  // replaces `file` (FrameSource::sound)
  nanoseconds begin{};  // the time of the recording's first frame in the file's own clock (FrameSource::begin)
  AudioMode mode = AudioMode::copy;
};

using texcast::RecordingFull;
using texcast::SplitSettings;

inline constexpr size_t kUsualFiles = 64;  // for a stream whose format changes

struct RecorderSettings {
  std::string path;  // .mov or .mkv; .dds, .ktx2 or .astc (one image, or a sequence with %05d in the name)
  TextureDesc texture{};
  double fps = 60;  // nominal, more than 0 (else misuse)
  FileCoding coding = FileCoding::plain;
  std::optional<compact::RdParameters> lossy{};  // compact: none is lossless
  Quality quality = Quality::fast;               // lossy: the search effort for each block
  // Lossy: tiles may have transform coding (compact::TileGrid::can_have_transform(), else misuse).
  bool transform = false;
  // Lossy: makes the encoder backend that replaces the CPU once it is ready, for streams with or without transform
  // coding. Called on a thread of its own; may take long or throw Error. If it is empty or returns nullptr, the CPU
  // encodes. The bytes are the same.
  std::function<std::unique_ptr<compact::EncoderBackend>(const TextureDesc&, bool transform)> make_backend{};
  // Compact: the recording time from one key frame to the next, which is the most that a seek has to decode. 0: only
  // the first frame of each file is one. Default: one second, or five with transform coding.
  std::optional<nanoseconds> keyframe_interval{};
  bool keeps_lossy = false;      // compact: Recorder::keep() gets payloads with lossy slices
  bool keeps_transform = false;  // with keeps_lossy: also with transform slices (as `transform`)
  bool snappy = true;            // .mov and .mkv, plain: compress the blocks
  // .mov and .mkv, plain: in how many pieces a frame is compressed, 1 to 64; 0: chosen by its size.
  int chunks = 0;
  bool zstd = true;                        // .ktx2: compress the blocks
  std::optional<AudioSource> audio{};      // .mov and .mkv
  std::shared_ptr<RecordedSound> sound{};  // replaces `audio`
  SplitSettings split{};                   // .mov and .mkv
  // .mov and .mkv, without `split`: the file is a part of a longer recording, whose time is the frames' pts. In a coded
  // stream the part begins at a key frame of that recording: at a multiple of keyframe_interval.
  std::optional<RecordedPart> part{};
  int64_t most_bytes = 0;                 // limit of all files together, which have at least one frame; 0: no limit
  size_t most_files = kUsualFiles;        // for stream::Recording: the most files that it begins as the texture changes
  IfExists if_exists = IfExists::refuse;  // with refuse, parts after the first still get the next free name
  size_t first_part = 1;                  // number of the first file: 2 for show-2.mov
  // Of the first file, if it was claimed before; none: the recorder claims it.
  std::shared_ptr<OutputClaim> claim{};
  // Not null: written to instead of a file, and `path` is its name: .mkv, or one image. Without claim, journal, split
  // and limits.
  PipePtr pipe{};
  std::string never_replaced{};  // a file that is being read: no part takes its name, whatever if_exists is
};

struct RecorderReport {
  int64_t frames = 0;
  int64_t bytes = 0;                 // of all files
  std::vector<std::string> files{};  // their actual names, which may differ from the requested ones
  size_t next_part = 1;              // number of the first name that was not used
  StageTime repack{};                // converting YCoCg-BC4 to Hap Q, including waits for the device that does it
  StageTime pack{};                  // compressing the blocks
  StageTime write{};                 // passing them to the system
};

// The present state.
struct RecorderProgress {
  int64_t bytes = 0;       // of the files, if they were closed now
  nanoseconds disk{};      // time spent waiting for the disk
  nanoseconds work{};      // time spent compressing, or waiting for the device that repacks
  nanoseconds compiler{};  // time spent waiting for the repacking kernel to be compiled
  RecorderProgress& operator+=(const RecorderProgress& other) {
    bytes += other.bytes;
    disk += other.disk;
    work += other.work;
    compiler += other.compiler;
    return *this;
  }
};

// Not thread-safe. Throws RecordingFull, and Error{failed} with the system's reason if the file cannot be written. The
// destructor finishes the file if finish() was not called, and logs failures.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // Writes one frame of the texture that the recorder was made for (else misuse). `texture` is only read during the
  // call. `pts` increases from frame to frame and may begin anywhere: the first frame is time 0 of the recording.
  virtual void write(const TextureView& texture, nanoseconds pts) = 0;
  // In the frame that is written next, so many blocks never arrived and were concealed by those of the previous frame.
  // Recorded in the journal if the file has one (media/recording_state.h: concealed_in).
  virtual void mark_concealed(uint32_t /*blocks*/) {}
  // The payloads of a coded stream that turn the frame that was written last into the one that is written next, each
  // after its length as LE32. They must stay valid until then. A recorder with keeps_lossy stores them unchanged,
  // unless a key frame is due; others ignore them. `needs_samples`: they may have transform slices, which refer to
  // samples. A recorder with keeps_transform stores those after a frame with add_samples(); until then it codes blocks.
  virtual void keep(Bytes /*payloads*/, bool /*needs_samples*/) {}
  // The samples of the frame that is written next, all planes of compact::SamplePlanes, in memory that stays valid
  // until then. A recorder with keeps_transform makes it a key frame if one is due or it needs_samples().
  virtual void add_samples(std::span<const uint8_t> /*samples*/) {}
  // Whether a frame with samples is needed: payloads cannot be kept without, or a key frame is due.
  virtual bool needs_samples() const { return false; }
  // The blocks of the frame that was written last as readers get them, if lossy coding has changed them; else empty.
  // Valid until the next call.
  virtual Bytes reconstruction() const { return {}; }
  // Mip levels of the frame that is written next, from the second on, in memory that stays valid until then. Only for
  // .dds and .ktx2 (else Error{usage}).
  virtual void add_levels(std::span<const TextureView> smaller);
  // Whether another frame can be written: false after the only one of a single image.
  virtual bool takes_more() const { return true; }
  // waiting(): the number of frames that were written but are not in the file yet, because a resource that they need is
  // still being built. go_on() passes one of them to the file, or returns false if none can go now; call it while there
  // is nothing to write. finish() waits until all are in the file.
  virtual size_t waiting() const { return 0; }
  virtual bool go_on() { return false; }
  virtual RecorderReport finish() = 0;
  virtual RecorderProgress progress() const { return {}; }
};

// The default of RecorderSettings::keyframe_interval.
nanoseconds usual_keyframe_interval(bool transform);

// Throws Error{usage} if there are no recordings of that extension.
void check_recordable(const std::string& path);

// Throws the Error{usage} of make_recorder() if the container cannot hold such textures. Touches no file.
void check_holds(const RecorderSettings& settings);

// Whether a recording of that name is one file with one image: .dds, .ktx2 or .astc without a number in the name.
bool holds_one_image(const std::string& path);

// The message for a second frame under a name that can hold one image, with the remedy.
std::string one_image_text(const std::string& path);

// Loads the libraries that recordings of that name need, which takes a while the first time. Throws Error if one is
// missing, as make_recorder() does.
void load_for_recording(const std::string& path);

// Whether a recording of that name can have sound: .mov, .mkv, and .nut in a pipe (PictureRecorder).
bool takes_sound(const std::string& path);

// Claims the name; write() creates the file, so that a recording without frames leaves none. Throws as Recorder does;
// NameTaken; Error{usage} if the container cannot hold the format or frames of that size (the message names those that
// can); Error{input} if the sound's file cannot be read.
std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings);

}  // namespace texcast::media
