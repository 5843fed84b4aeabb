// pixel_formats.h — FFmpeg's pixel formats and colour tags against ours.
#pragma once

#include <optional>

#include "media/ffmpeg.h"
#include "texcast/frame.h"

namespace texcast::media {

// The format that reads an AVFrame of `av` as it lies in memory; nothing where swscale has to help. Formats that
// differ only by an alpha plane or an unused byte, which nobody reads, count as the same.
std::optional<PixelFormat> direct_format(AVPixelFormat av);

// The format of the twelve that loses least of `av`.
PixelFormat nearest_format(AVPixelFormat av);

// Straight alpha, in a plane, in the pixels or in a palette.
bool carries_alpha(AVPixelFormat av);

AVPixelFormat av_format(PixelFormat format);

// How this frame means its colours. `unspecified` is FFmpeg users' rule: YUV below 720 lines is BT.601, from there
// on BT.709; limited for YUV, full for RGB, gray and the yuvj formats.
ColorSpec color_of(const AVFrame& frame);

// False for the matrices that the kernels do not know (SMPTE 240M, YCgCo, ICtCp): color_of takes BT.709 then.
bool is_known_matrix(AVColorSpace matrix);

AVColorSpace av_matrix(ColorMatrix matrix);

}  // namespace texcast::media
