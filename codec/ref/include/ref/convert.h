// convert.h — converts source frames to RGB texel by texel, with the arithmetic of frames/color.h.
#pragma once

#include <array>
#include <cstdint>

#include "frames/color.h"
#include "ref/bc6h.h"
#include "ref/blocks.h"
#include "texcast/frame.h"
#include "texcast/image.h"

namespace texcast::ref {

class FrameReader {
 public:
  // Keeps the view. Throws Error{misuse} for a frame that cannot be read (frames/require_frame.h).
  explicit FrameReader(const FrameView& frame);
  // R, G, B of a texel; coordinates outside the frame repeat its edge.
  std::array<int, 3> rgb(int x, int y) const;
  // The same for `across` x `down` texels from (x, y) on, row by row; not negative.
  void texels(int x, int y, int across, int down, uint8_t* rgb) const;
  RgbBlock block(int block_x, int block_y) const;
  // Halves as in ref/bc6h.h: those of rgba_half, else byte / 255 rounded to nearest.
  std::array<int, 3> halves(int x, int y) const;
  HalfBlock half_block(int block_x, int block_y) const;
  int alpha(int x, int y) const;  // 255 if the source has none
  // Full range: Y' from the conversion, or (13933 R + 46871 G + 4732 B) / 65536, rounded (BT.709).
  int luma(int x, int y) const;
  int alpha_or_luma(int x, int y) const;  // alpha if the source has it
  // The same before rounding to bytes, in steps of 1 / kByteStep of one: 0..kFineWhite. For RGB, whose samples are
  // bytes, the sum that luma() rounds, truncated.
  int fine_luma(int x, int y) const;
  int fine_alpha_or_luma(int x, int y) const;
  ChannelBlock alpha_block(int block_x, int block_y) const;
  ChannelBlock alpha_or_luma_block(int block_x, int block_y) const;

 private:
  std::array<int, 3> samples(int x, int y) const;
  int luma_of_rgb(int x, int y) const;
  FrameView frame_;
  ColorConversion conversion_;
};

// Reads R, G, B of the texels [x0, x1) by [y0, y1) of a frame, row by row without gaps. Thread-safe.
void read_rgb(const FrameView& frame, int x0, int y0, int x1, int y1, uint8_t* rgb);

// Reads rows of a frame in the channels and samples that convert_to_channels() (texcast/decoder.h) describes.
// Thread-safe.
class ChannelReader {
 public:
  // Keeps the view. Throws Error{misuse} for a frame that cannot be read, and for channels or samples that do not
  // exist.
  ChannelReader(const FrameView& frame, int channels, SampleType samples);
  void read(int y, uint8_t* row) const;  // width * channels samples

 private:
  void read_bytes(int y, uint8_t* row) const;
  std::array<uint16_t, 4> words(int x, int y) const;
  std::array<uint16_t, 4> halves(int x, int y) const;

  FrameView frame_;
  FrameReader reader_;
  int channels_;
  SampleType samples_;
};

}  // namespace texcast::ref
