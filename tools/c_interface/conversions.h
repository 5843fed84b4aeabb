// conversions.h — values of the C interface from and to those of libtexcast. Values out of range throw misuse.
#pragma once

#include <chrono>
#include <optional>

#include "boundary.h"
#include "texcast/c/texcast.h"
#include "texcast/encoder.h"
#include "texcast/file_reader.h"
#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/stream_sender.h"

namespace texcast::c {

std::optional<PixelFormat> known_pixel_format(const texcast_pixel_format& format);
TextureFormat required_format(const texcast_format& format);

FrameFormat frame_format(const texcast_frame& frame);
FrameView frame_view(const texcast_frame& frame);

TextureDesc texture_desc(const texcast_texture& texture);
TextureView texture_view(const texcast_texture& texture);
// Without blocks and time.
texcast_texture c_texture(const TextureDesc& desc);
texcast_texture c_texture(const TextureView& texture, nanoseconds pts);

Quality quality(const texcast_quality& quality);
TransformCoding transform(const texcast_transform& transform);
EncoderSettings encoder_settings(const texcast_frame* source, const texcast_encoder_settings* settings);

}  // namespace texcast::c
