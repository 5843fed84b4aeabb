#include "textures/stream_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

namespace texcast::stream {
namespace {

using transport::FourCC;

std::optional<TextureFormat> format_of(const FourCC& fourcc) {
  const auto has_code = [&](const Format& row) {
    return row.wire == fourcc || std::ranges::find(row.wire_aliases, fourcc) != row.wire_aliases.end();
  };
  const auto found = std::ranges::find_if(formats(), has_code);
  return found == formats().end() ? std::nullopt : std::optional(found->id);
}

// For coded streams, which have no FourCC.
std::optional<TextureFormat> format_of(uint8_t number) {
  const auto found = std::ranges::find(formats(), TextureFormat{number}, &Format::id);
  return found == formats().end() ? std::nullopt : std::optional(found->id);
}

// Bytes 10 and 11 of the stream's header extension: units of 1/1024; 0 for square pixels.
constexpr double kAspectUnits = 1024;

uint16_t aspect_on_wire(PixelAspect aspect) {
  return aspect.is_square() ? uint16_t{0} : static_cast<uint16_t>(std::lround(kAspectUnits * aspect.num / aspect.den));
}

// A value out of range means square pixels, as other senders may have written anything there.
PixelAspect aspect_from_wire(uint16_t units) {
  if (units == 0) return {};
  return simplest_aspect(units / kAspectUnits, 0.5 / kAspectUnits).value_or(PixelAspect{});
}

std::string printable(const FourCC& fourcc) {
  std::string text;
  for (const char c : fourcc) text += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  return text;
}

std::string list_codes() {
  std::string list;
  for (const Format& row : formats()) list += (list.empty() ? "" : ", ") + printable(row.wire);
  return list;
}

}  // namespace

std::string rtcp_tool() { return fmt::format("texcast/{} compact/{}", TEXCAST_VERSION, kNewestCoding); }

transport::StreamDesc stream_of(const TextureDesc& texture, double fps) {
  transport::StreamDesc stream;
  stream.fourcc = format_row(texture.format).wire;
  stream.width = texture.width;
  stream.height = texture.height;
  stream.fps = fps;
  stream.has_extension = true;
  stream.texture_format = static_cast<uint8_t>(texture.format);
  stream.matrix = static_cast<uint8_t>(texture.color.matrix);
  stream.range = static_cast<uint8_t>(texture.color.range);
  stream.primaries = texture.color.primaries;
  stream.transfer = texture.color.transfer;
  stream.pixel_aspect = aspect_on_wire(texture.aspect);
  return stream;
}

Result<TextureDesc> texture_of(const transport::StreamDesc& stream) {
  const auto format = stream.compact() ? format_of(stream.texture_format) : format_of(stream.fourcc);
  if (!format && stream.compact())
    return Failure{fmt::format("the stream has texture format {}, which texcast does not show", stream.texture_format)};
  if (!format) {
    return Failure{fmt::format("the stream is coded as {}, which texcast does not show; it shows {}",
                               printable(stream.fourcc), list_codes())};
  }
  if (stream.has_extension && stream.texture_format != 0 && stream.texture_format != static_cast<uint8_t>(*format)) {
    return Failure{fmt::format("the stream contradicts itself: code {}, but texture format {}",
                               printable(stream.fourcc), stream.texture_format)};
  }
  if (stream.width < 1 || stream.height < 1 || stream.width > kMaxFrameSize || stream.height > kMaxFrameSize)
    return Failure{fmt::format("the stream says {}x{}, more than texcast shows", stream.width, stream.height)};

  TextureDesc texture{.format = *format, .width = stream.width, .height = stream.height, .color = {}};
  texture.color = usual_color(*format);
  if (stream.has_extension) {
    if (stream.matrix <= static_cast<uint8_t>(ColorMatrix::bt2020)) texture.color.matrix = ColorMatrix{stream.matrix};
    if (stream.range <= static_cast<uint8_t>(ColorRange::full)) texture.color.range = ColorRange{stream.range};
    texture.color.primaries = stream.primaries;
    texture.color.transfer = stream.transfer;
    texture.aspect = aspect_from_wire(stream.pixel_aspect);
  }
  return texture;
}

Result<TextureDesc> texture_of(const transport::ReceivedFrame& frame) {
  const Result<TextureDesc> texture = texture_of(frame.stream);
  if (!texture) return texture;
  if (frame.stream.compact()) {
    if (compact::TileGrid::can_cut(texture->format) && frame.stream.coding <= kNewestCoding) return texture;
    return Failure{fmt::format(
        "the stream is coded, {} in version {} of the coding, which this texcast does not decode; have it sent "
        "with --plain",
        name(texture->format), frame.stream.coding)};
  }
  const size_t expected = texture_layout(*texture).total_bytes;
  if (frame.bytes.size() == expected) return texture;
  return Failure{fmt::format("frames have {} bytes instead of {}; they are not shown", frame.bytes.size(), expected)};
}

void limit_pictures(transport::ReceiveSettings& settings, int width, int height) {
  constexpr int kUsualSide = 4096;  // its area, in any shape
  const bool usual = width == 0;
  settings.max_picture = {.width = usual ? kMaxFrameSize : width,
                          .height = usual ? kMaxFrameSize : height,
                          .pixels = usual ? int64_t{kUsualSide} * kUsualSide : int64_t{width} * height};
  // The largest supported format has 4 bytes a pixel; the rest covers headers.
  settings.max_frame_bytes =
      std::min(settings.max_frame_bytes, static_cast<size_t>(settings.max_picture.pixels) * 4 + 65536);
}

uint32_t blocks_in(const TextureDesc& texture, std::span<const transport::ByteRange> ranges) {
  const TextureLayout layout = texture_layout(texture);
  size_t blocks = 0;
  for (int p = 0; p < layout.plane_count; ++p) {
    const PlaneLayout& plane = layout.planes[static_cast<size_t>(p)];
    const auto size = static_cast<size_t>(plane.block_bytes);
    size_t counted = 0;  // blocks of the plane so far, as two ranges may touch the same block
    for (const auto& range : ranges) {
      const size_t begin = std::max<size_t>(range.begin, plane.offset);
      const size_t end = std::min<size_t>(range.end, plane.offset + plane.bytes);
      if (begin >= end) continue;
      const size_t first = std::max((begin - plane.offset) / size, counted);
      counted = (end - plane.offset + size - 1) / size;
      blocks += counted - first;
    }
  }
  return static_cast<uint32_t>(blocks);
}

}  // namespace texcast::stream
