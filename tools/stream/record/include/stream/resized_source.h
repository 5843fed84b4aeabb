// resized_source.h — frames of a source at another size.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "media/frame_source.h"
#include "stream/mip_encoder.h"

namespace texcast::stream {

// The power of two that is nearest to `side` by its ratio; up to kMaxFrameSize.
int nearest_power_of_two(int side);

enum class ResizedShape {
  pixels,  // the pixel aspect stays: for textures, whose shape is that of the surface on which they are drawn
  shown,   // the shape of the displayed picture stays: for video
};

// Scales frames for an encoder of that format on all processors, by `rules.filter` and as mip levels are filtered: in
// linear light, weighted by opacity, or as normals. Sides of 1..kMaxFrameSize. Throws what mip_rules() throws. Not
// thread-safe, like all sources.
std::unique_ptr<media::FrameSource> resized_source(std::unique_ptr<media::FrameSource> source, int width, int height,
                                                   ResizedShape shape, TextureFormat texture, const MipSettings& rules);

// A part of a frame as a frame of its own; `texels` becomes its memory. The part lies inside the frame (else misuse),
// and its texels are those that the encoder of the whole frame would read, in 8 bits or halves.
FrameView part_of(const FrameView& frame, int left, int top, int width, int height, TextureFormat texture,
                  std::vector<std::byte>& texels);

}  // namespace texcast::stream
