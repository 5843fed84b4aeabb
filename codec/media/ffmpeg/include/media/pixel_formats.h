// pixel_formats.h — maps FFmpeg's pixel formats and colour tags to texcast's.
//
// Thread-safe: functions only. A pixel format that FFmpeg does not have is misuse.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "media/ffmpeg.h"
#include "texcast/frame.h"
#include "texcast/image.h"

namespace texcast::media {

// The format in which an AVFrame of `av` can be read in place; nothing if swscale has to convert it. Formats that
// differ only by an alpha plane or an unused byte count as the same, and these are not read then.
std::optional<PixelFormat> direct_format(AVPixelFormat av);

// The format that loses least of `av`: direct_format() if there is one.
PixelFormat nearest_format(AVPixelFormat av);

// Whether it has alpha: as a plane, as a channel in each pixel, or in a palette.
bool carries_alpha(AVPixelFormat av);

// Whether a pixel of the frame is not opaque.
bool has_transparency(const AVFrame& frame);

// The reverse of direct_format(). Always has a result: for rgba_half, which FFmpeg 5.1 does not have, one with pixels
// of the same size.
AVPixelFormat av_format(PixelFormat format);

// The frame's colours as it is tagged. Untagged properties are those that players usually assume: matrix BT.601 for YUV
// below 720 lines and BT.709 above; range limited for YUV, full for RGB, gray and the yuvj formats.
ColorSpec color_of(const AVFrame& frame);

// The pixel aspect of the frame; square if it has none or an invalid one.
PixelAspect aspect_of(const AVFrame& frame);

// False for matrices that the kernels do not have (SMPTE 240M, YCgCo, ICtCp): color_of() returns BT.709 for them.
bool is_known_matrix(AVColorSpace matrix);

AVColorSpace av_matrix(ColorMatrix matrix);

// The format of packed pixels of so many channels (1 to 4). FFmpeg has none of two channels: for these it is the one of
// three, whose pixels pixels_of() provides.
AVPixelFormat av_format(int channels, SampleType samples);
// The pixels of the picture, with blue 0 after two channels: those are in `rgb`, which must outlive the result.
std::span<const uint8_t> pixels_of(const DecodedImage& image, std::vector<uint8_t>& rgb);

}  // namespace texcast::media
