// video_formats.h — GStreamer's video formats and those of libtexcast.
#pragma once

#include <gst/video/video.h>

#include <optional>

#include "texcast/format.h"
#include "texcast/frame.h"
#include "texcast/picture_converter.h"

namespace texcast::gstreamer {

// Caps of raw video that can be sent: the formats of FrameFormat, in any size of it. The caller owns them.
GstCaps* sent_caps();
// Caps of raw video to which received textures are decoded.
GstCaps* received_caps();

// The format of frames with this description; nothing if libtexcast has no such format.
std::optional<FrameFormat> frame_format(const GstVideoInfo& info);

// GStreamer's plane for plane `plane` of a FrameFormat. They differ in YV12 only, which has V before U.
int yv12_plane(GstVideoFormat format, int plane);

// A mapped frame in the order of planes that libtexcast wants. It is valid as long as the map.
FrameView frame_view(const FrameFormat& format, const GstVideoFrame& frame);

// The format in which libtexcast writes pictures of textures of this format, for frames with this description. Nothing
// if it does not write the same as GStreamer's conversions would: other formats, chroma at other sites than the centre,
// alpha, and textures of more than 8 bits.
std::optional<FrameFormat> picture_format(const GstVideoInfo& info, TextureFormat from);

// The planes of a mapped frame, in libtexcast's order; to be written only if it is mapped for that. They are valid as
// long as the map.
MutablePlanes mutable_planes(const FrameFormat& format, const GstVideoFrame& frame);

// Adds to fixed caps of received pictures that their chroma is the mean of the texels that share it, unless downstream
// wants other chroma. Takes the caps.
GstCaps* with_chroma_site(GstCaps* caps);

// Frames a second as a fraction. 0/1 if there is none: not known, or a stream with an implausible rate.
struct Rate {
  int num = 0;
  int den = 1;
};
Rate rate_of(double fps);

}  // namespace texcast::gstreamer
