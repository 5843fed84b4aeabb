#include "files/filtering.h"

#include <utility>

#include "files/texture_files.h"
#include "stream/resized_source.h"

namespace texcast::cli {

stream::MipSettings mip_settings(const EncodeOptions& o, MipFilter filter) {
  return {.filter = filter, .normals = o.normal_map, .separate_alpha = o.separate_alpha};
}

std::string first_device(const std::string& devices) {
  return devices == "all" ? "" : devices.substr(0, devices.find(','));
}

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

std::unique_ptr<stream::MipEncoder> open_mips(const EncodeOptions& o, const FrameFormat& source, int in_flight) {
  if (!o.mips) return nullptr;
  return std::make_unique<stream::MipEncoder>(EncoderSettings{.source = source,
                                                              .texture = o.encoding.format,
                                                              .quality = o.encoding.quality,
                                                              .method = o.encoding.method,
                                                              .options = o.encoding.options,
                                                              .device = first_device(o.encoding.device),
                                                              .frames_in_flight = in_flight},
                                              mip_settings(o, *o.mips));
}

}  // namespace texcast::cli
