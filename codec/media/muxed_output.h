// muxed_output.h — one .mov or .mkv while it is written: its tracks, its packets, its index at the end. Several video
// and audio tracks; nothing here knows a texture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "av_ptr.h"
#include "base/bytes.h"
#include "base/frame_times.h"
#include "output_file.h"
#include "texcast/frame.h"
#include "texture_codecs.h"

namespace texcast::media {

struct VideoTrack {
  AVCodecID codec = AV_CODEC_ID_NONE;
  uint32_t tag = 0;  // FourCC
  int width = 0;
  int height = 0;
  ColorSpec color{};
  double fps = 60;  // nominal
};

// Not thread-safe. Order: add tracks, begin(), write() …, finish(). Without finish() the file is left as it is:
// whoever wants it complete calls finish().
class MuxedOutput {
 public:
  // `muxer` is "mov" or "matroska". Creates the file; throws Error{failed}.
  MuxedOutput(const std::string& path, const char* muxer);

  int add_video(const VideoTrack& track);  // gives the track's number, from 0 in the order of adding
  void begin();                            // writes the header

  // A packet; FFmpeg reads it before this returns. Times are in `time_base`; those of a track rise: where two come to
  // the same tick, the later is moved on by one. Throws Error{failed}.
  void write(int track, Bytes bytes, int64_t pts, int64_t duration, AVRational time_base = kNanoseconds);
  int64_t bytes() const { return file_.position(); }
  // Writes the index and closes. Gives the bytes of the file; throws Error{failed}.
  int64_t finish();

  const std::string& path() const { return file_.path(); }

 private:
  struct Track {
    AVStream* stream;  // the output's
    std::optional<int64_t> last_pts{};
  };
  AVStream& new_track();
  [[noreturn]] void fail(int code);

  OutputFile file_;  // before its muxer
  OutputPtr output_;
  std::vector<Track> tracks_;
  PacketPtr packet_ = make_packet();
};

}  // namespace texcast::media
