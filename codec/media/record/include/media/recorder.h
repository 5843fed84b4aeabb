// recorder.h — finished blocks into a file, never re-encoded. Others are given texcast/file_writer.h, which stands on
// this.
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

// The sound of what is recorded, carried along from the file that it comes from.
enum class AudioMode {
  copy,  // as it is where the container takes it, else as pcm
  pcm,   // decoded: 16 bits a sample, or 24 where there are more
  none,
};
struct AudioSource {
  std::string file;
  nanoseconds begin{};  // when the recording's first frame is on the file's own clock (FrameSource::begin)
  AudioMode mode = AudioMode::copy;
};

using texcast::RecordingFull;
using texcast::SplitSettings;

inline constexpr size_t kUsualFiles = 64;  // that a stream which changes begins

struct RecorderSettings {
  std::string path;  // .mov or .mkv; .dds, .ktx2 or .astc (one image, or a sequence with %05d in the name)
  TextureDesc texture{};
  double fps = 60;  // nominal, more than 0 (else misuse)
  FileCoding coding = FileCoding::plain;
  std::optional<compact::RdParameters> lossy{};  // compact: none is lossless
  Quality quality = Quality::fast;               // lossy: how many choices are tried for each block
  // Lossy: makes who chooses instead of threads, once it is there; called on a thread of its own, and may take
  // long or throw Error. Nothing, or what it gives is nullptr: threads alone. The bytes are the same.
  std::function<std::unique_ptr<compact::EncoderBackend>(const TextureDesc&)> make_chooser{};
  bool keeps_lossy = false;  // compact: Recorder::keep() is given payloads with lossy units
  bool snappy = true;        // .mov and .mkv, plain: compress the blocks
  int chunks = 0;    // .mov and .mkv, plain: in how many pieces a frame is compressed, 1 to 64; 0: as its size suggests
  bool zstd = true;  // .ktx2: compress the blocks
  std::optional<AudioSource> audio{};      // .mov and .mkv
  std::shared_ptr<RecordedSound> sound{};  // instead of that
  SplitSettings split{};                   // .mov and .mkv
  int64_t most_bytes = 0;                  // of all files together, but they have a frame at least; 0: no limit
  size_t most_files = kUsualFiles;         // of stream::Recording: how many it begins as the texture changes
  IfExists if_exists = IfExists::refuse;   // with refuse, parts after the first still get the next free name
  size_t first_part = 1;                   // number of the first file: 2 for show-2.mov
  // Of the first file, where it was claimed before; none: the recorder claims it.
  std::shared_ptr<OutputClaim> claim{};
  std::string never_replaced{};  // a file that is read meanwhile: no part takes its name, whatever if_exists says
};

struct RecorderReport {
  int64_t frames = 0;
  int64_t bytes = 0;                 // of the file or files
  std::vector<std::string> files{};  // as they are named: not always as they were to be
  size_t next_part = 1;              // number of the first name that was not used
  StageTime repack{};                // making Hap Q of YCoCg-BC4, with the wait for the device that does it
  StageTime pack{};                  // compressing the blocks
  StageTime write{};                 // giving them to the system
};

// What there is until now.
struct RecorderProgress {
  int64_t bytes = 0;       // of the files, were they closed now
  nanoseconds disk{};      // waited for the disk
  nanoseconds work{};      // compressed, or waited for the device that repacks
  nanoseconds compiler{};  // waited until what repacks was compiled
  RecorderProgress& operator+=(const RecorderProgress& other) {
    bytes += other.bytes;
    disk += other.disk;
    work += other.work;
    compiler += other.compiler;
    return *this;
  }
};

// Not thread-safe. Throws RecordingFull, and Error{failed} when the file cannot be written, with the system's reason.
// The destructor finishes the file if finish() was not called, and logs what goes wrong then.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // One frame, of the texture that the recorder was made for (else misuse); its blocks have been read when this
  // returns. `pts` rises from frame to frame and may begin anywhere: the first frame is time 0 of the recording.
  virtual void write(const TextureView& texture, nanoseconds pts) = 0;
  // In the frame that is written next, so many blocks never arrived and were filled in from the frame before. Noted in
  // the journal where the file has one (media/recording_state.h: concealed_in).
  virtual void mark_concealed(uint32_t /*blocks*/) {}
  // The frame that is written next is what these payloads of a compact stream make of the one that was written last,
  // each behind its length as LE32. They stay until then. A recorder with keeps_lossy keeps them as they are, but where
  // a key frame is due; others do not look at them.
  virtual void keep(Bytes /*payloads*/) {}
  // Mip levels of the frame that is written next, from the second on, in memory that stays until then. Of the recorders
  // of .dds and .ktx2 alone (else Error{usage}).
  virtual void add_levels(std::span<const TextureView> smaller);
  // Whether there is room for another frame: not behind the one of a single image.
  virtual bool takes_more() const { return true; }
  // Frames that were written and are not in the file yet, because what they need is still being made; and one of them
  // on its way. False: none can go now. Whoever has nothing to write calls it. finish() waits until all are in the
  // file.
  virtual size_t waiting() const { return 0; }
  virtual bool go_on() { return false; }
  virtual RecorderReport finish() = 0;
  virtual RecorderProgress progress() const { return {}; }
};

// Throws Error{usage} where recordings of no format have that extension.
void check_recordable(const std::string& path);

// Throws the Error{usage} of make_recorder() where the container cannot hold such textures. Touches no file.
void check_holds(const RecorderSettings& settings);

// What is said of a second frame for a name that has one image: what to do about it.
std::string one_image_text(const std::string& path);

// Loads the libraries that recordings of that name need, as that takes a while the first time. Throws Error where one
// is missing, as make_recorder() does.
void load_for_recording(const std::string& path);

// Whether a recording of that name can have sound: .mov and .mkv.
bool takes_sound(const std::string& path);

// Creates the file of a .mov or .mkv; others are made by write(). Throws as Recorder does, NameTaken, Error{usage}
// where the container cannot hold the format or frames of that size (the message says which can), and Error{input}
// where the sound's file cannot be read.
std::unique_ptr<Recorder> make_recorder(const RecorderSettings& settings);

}  // namespace texcast::media
