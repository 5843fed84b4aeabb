// picture_packets.h — packets of a file by picture: one packet of each track that the picture lies in, all of one time.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "media/ffmpeg.h"

namespace texcast::media {

inline constexpr size_t kMaxPictureTracks = 3;

// The first packet has the picture's time; it is null where there is no picture.
using PicturePacket = std::array<std::shared_ptr<AVPacket>, kMaxPictureTracks>;

// Not thread-safe. Packets of the other tracks are thrown away. Tracks may be interleaved in any way, as long as a
// picture's packets lie within kMostWaiting of each other.
class PicturePackets {
 public:
  static constexpr size_t kMostWaiting = 256;

  // `tracks` are the input's, which must outlive this: 1 to kMaxPictureTracks.
  PicturePackets(AVFormatContext& input, std::vector<const AVStream*> tracks);

  enum class Read { picture, end, damaged };
  // The next picture, its packets new. Where one is damaged, or lacks a part, error() says how, and reading goes on
  // after it.
  Read read(PicturePacket& picture);
  const std::string& error() const { return error_; }
  void restart();  // the input was made to go on elsewhere

 private:
  using Packet = std::shared_ptr<AVPacket>;
  enum class Next { packet, end, damaged };
  Next read_packet(Packet& packet, size_t& part);
  Read assemble(PicturePacket& picture);

  AVFormatContext& input_;
  std::vector<const AVStream*> tracks_;
  std::array<std::deque<Packet>, kMaxPictureTracks> waiting_;
  bool ended_ = false;
  std::string error_;
};

// The time of a packet, of whichever of its two stamps there is; AV_NOPTS_VALUE without.
inline int64_t stamp_of(const AVPacket& packet) { return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts; }

}  // namespace texcast::media
