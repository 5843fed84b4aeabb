#include "files/picture_filters.h"

#include <utility>

#include "files/texture_files.h"
#include "stream/resized_source.h"

namespace texcast::cli {

stream::MipSettings mip_settings(const EncodeOptions& o, MipFilter filter) {
  return {.filter = filter, .normals = o.normal_map, .separate_alpha = o.separate_alpha};
}

// --resize: by the sharper filter.
std::unique_ptr<media::FrameSource> resized(const EncodeOptions& o, std::unique_ptr<media::FrameSource> source) {
  if (!o.resize) return source;
  const FrameFormat from = source->format();
  const Size size = o.resize->size.value_or(
      Size{stream::nearest_power_of_two(from.width), stream::nearest_power_of_two(from.height)});
  if (size.width == from.width && size.height == from.height) return source;
  return stream::resized_source(std::move(source), size.width, size.height,
                                holds_tracks(o.output) ? stream::ResizedShape::shown : stream::ResizedShape::pixels,
                                o.encoding.format, mip_settings(o, MipFilter::kaiser));
}

}  // namespace texcast::cli
