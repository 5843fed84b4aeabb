// muxed_output.h — writes a .mov or .mkv: its tracks, its packets, its index at the end, and the journal beside it; or
// Matroska or NUT into a pipe, without index and journal. Any number of video and audio tracks; the contents of packets
// do not matter here.
//
//     MuxedOutput output("show.mov", "mov");
//     const int picture = output.add_video({.codec = AV_CODEC_ID_HAP, .tag = …, .width = 1920, .height = 1080});
//     output.begin();
//     output.write({.track = picture, .bytes = frame, .pts = 0, .duration = 16'666'667});
//     output.finish();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "container/journal.h"
#include "media/ffmpeg.h"
#include "media/pipe_output.h"
#include "texcast/frame.h"
#include "texcast/frame_times.h"

namespace texcast::media {

class JournalFile;
class OutputClaim;
class OutputFile;
struct RecordedPart;

struct VideoTrack {
  AVCodecID codec = AV_CODEC_ID_NONE;
  uint32_t tag = 0;                        // FourCC in MKTAG's byte order
  AVPixelFormat pixels = AV_PIX_FMT_NONE;  // for raw video
  int depth = 0;  // bits per pixel in the header: 32 for Hap formats with alpha; 0: the default
  int width = 0;  // pixels
  int height = 0;
  ColorSpec color{};
  PixelAspect aspect{};
  double fps = 60;     // nominal
  std::string name{};  // of the track; may be empty
  Bytes extradata{};   // for the decoder; only read by add_video()
};

struct TrackPacket {
  int track = 0;
  Bytes bytes;      // only read by write()
  int64_t pts = 0;  // ticks of time_base, since the first frame of the file
  int64_t duration = 0;
  AVRational time_base = kNanoseconds;
  bool is_key = true;  // depends on no earlier packet
};

// Not thread-safe. Order of calls: add tracks, begin(), write() …, finish(). Without finish() the file is left as after
// a crash, with a journal that describes its contents.
class MuxedOutput {
 public:
  // `muxer` is "mov" or "matroska". Creates the file of the claim's name, and uses the claim's journal. Throws
  // NameTaken if there is a file that the claim does not replace, and Error{failed}.
  MuxedOutput(std::shared_ptr<OutputClaim> claim, const char* muxer);
  // Writes into a pipe, every packet at once. `muxer` is "matroska" or "nut". Calls throw ReaderGone when nobody reads.
  MuxedOutput(const PipeOutput& pipe, const char* muxer);
  // Claims exactly that name, which must be free.
  MuxedOutput(const std::string& path, const char* muxer);
  ~MuxedOutput();
  MuxedOutput(const MuxedOutput&) = delete;
  MuxedOutput& operator=(const MuxedOutput&) = delete;

  // These return the track's number, from 0 in the order of adding.
  int add_video(const VideoTrack& track);
  // Adds any track, as another file or a journal describes it. `fps` is nominal and used for video only; {0, 1} is
  // none. `language` is an ISO 639-2 code; it and `name` may be empty.
  int add_track(const AVCodecParameters& parameters, AVRational time_base, AVRational fps, const std::string& language,
                const std::string& name);
  void set_part(const RecordedPart& part);  // that the file holds; call it before begin()
  void begin();                             // writes the header; throws Error{failed}

  // Time stamps of a track must increase. If two fall on the same tick of the file, the later one is moved by a tick.
  // Throws Error{failed}. If the disk is full, the file is first closed with all packets before this one: is_open() is
  // false then, and the object may only be destroyed.
  void write(const TrackPacket& packet);
  // Records in the journal that frame `number` of this file, from 0, has so many blocks that never arrived.
  void mark_concealed(int64_t number, uint32_t blocks);
  bool is_open() const { return output_ != nullptr; }
  // An upper estimate of the file's length if it were finished now, index included. After the file was closed because
  // of a full disk, its actual length.
  int64_t bytes() const;
  // Writes the index and closes. Returns the length of the file in bytes; throws Error{failed}.
  int64_t finish();

  const std::string& path() const;

 private:
  struct Track {
    AVStream* stream;  // of the output
    std::optional<int64_t> last_pts{};
    int64_t packets = 0;
  };
  MuxedOutput(std::unique_ptr<OutputFile> file, std::unique_ptr<JournalFile> journal, const char* muxer);
  AVStream& new_track(AVMediaType type);
  [[noreturn]] void fail(int code);
  [[noreturn]] void fail_removed();
  [[noreturn]] void close_early(int system_error);
  int64_t index_bytes() const;
  void journal_packet(const AVPacket& packet, int64_t offset, Bytes bytes);
  void hand_to_system();

  std::unique_ptr<OutputFile> file_;      // declared before its muxer
  std::unique_ptr<JournalFile> journal_;  // null: a pipe
  OutputPtr output_;
  bool is_mov_;
  int64_t packets_ = 0;
  int64_t closed_bytes_ = 0;
  int64_t in_cluster_ = 0;  // bytes of packets in Matroska's open cluster that are not in the file yet
  SteadyTime begun_{};
  SteadyTime next_cluster_{};
  SteadyTime next_look_{};
  std::vector<container::JournalRecord> marks_;
  std::vector<Track> tracks_;
  PacketPtr packet_ = make_packet();
};

}  // namespace texcast::media
