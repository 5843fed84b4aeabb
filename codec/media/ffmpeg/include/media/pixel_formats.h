// pixel_formats.h — FFmpeg's pixel formats and colour tags, and which of ours they are.
//
// Thread-safe: functions only. A pixel format that FFmpeg does not have is misuse.
#pragma once

#include <optional>

#include "media/ffmpeg.h"
#include "texcast/frame.h"

namespace texcast::media {

// Our format in which an AVFrame of `av` can be read as it lies in memory; nothing where swscale has to convert it.
// Formats that differ only by an alpha plane or an unused byte count as the same: that is not read then.
std::optional<PixelFormat> direct_format(AVPixelFormat av);

// Our format that loses least of `av`: direct_format's where there is one.
PixelFormat nearest_format(AVPixelFormat av);

// Whether it has alpha: a plane of it, a channel in each pixel, or a palette's.
bool carries_alpha(AVPixelFormat av);

// The other way. Always has one: of rgba_half, which FFmpeg 5.1 does not know, one whose pixels are as large.
AVPixelFormat av_format(PixelFormat format);

// The frame's colours as it is tagged. Where it is not, as players usually take it: matrix BT.601 for YUV below 720
// lines and BT.709 from there on; range limited for YUV, full for RGB, gray and the yuvj formats.
ColorSpec color_of(const AVFrame& frame);

// The shape of its pixels as the frame says it; square where it says none that can be.
PixelAspect aspect_of(const AVFrame& frame);

// False for matrices that the kernels do not have (SMPTE 240M, YCgCo, ICtCp): color_of() gives BT.709 for them.
bool is_known_matrix(AVColorSpace matrix);

AVColorSpace av_matrix(ColorMatrix matrix);

}  // namespace texcast::media
