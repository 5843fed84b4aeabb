#include "conversions.h"

#include <algorithm>
#include <ranges>

namespace texcast::c {

namespace {

// The numbers of pixel formats are one higher in C, as 0 is "not set" there.
constexpr bool same(PixelFormat format, texcast_pixel_format number) {
  return static_cast<int>(format) + 1 == static_cast<int>(number);
}
static_assert(kPixelFormatCount == 14);
static_assert(same(PixelFormat::yuv420p, TEXCAST_PIXELS_YUV420P) && same(PixelFormat::nv12, TEXCAST_PIXELS_NV12) &&
              same(PixelFormat::yuv422p, TEXCAST_PIXELS_YUV422P) &&
              same(PixelFormat::yuv444p, TEXCAST_PIXELS_YUV444P) &&
              same(PixelFormat::yuyv422, TEXCAST_PIXELS_YUYV422) &&
              same(PixelFormat::uyvy422, TEXCAST_PIXELS_UYVY422) &&
              same(PixelFormat::yuv420p10, TEXCAST_PIXELS_YUV420P10) && same(PixelFormat::p010, TEXCAST_PIXELS_P010) &&
              same(PixelFormat::rgb24, TEXCAST_PIXELS_RGB24) && same(PixelFormat::rgba, TEXCAST_PIXELS_RGBA) &&
              same(PixelFormat::bgra, TEXCAST_PIXELS_BGRA) && same(PixelFormat::gray, TEXCAST_PIXELS_GRAY) &&
              same(PixelFormat::gray16, TEXCAST_PIXELS_GRAY16) &&
              same(PixelFormat::rgba_half, TEXCAST_PIXELS_RGBA_HALF));

constexpr bool same(TextureFormat format, texcast_format number) {
  return static_cast<int>(format) == static_cast<int>(number);
}
constexpr bool texture_formats_are_same() {
  using enum TextureFormat;
  return same(bc1, TEXCAST_FORMAT_BC1) && same(ycocg_bc4_420, TEXCAST_FORMAT_YCOCG_BC4_420) &&
         same(ycocg_bc4_422, TEXCAST_FORMAT_YCOCG_BC4_422) && same(ycocg_bc4_444, TEXCAST_FORMAT_YCOCG_BC4_444) &&
         same(ycocg_dxt5, TEXCAST_FORMAT_YCOCG_DXT5) && same(bc3, TEXCAST_FORMAT_BC3) &&
         same(bc4, TEXCAST_FORMAT_BC4) && same(ycocg_dxt5_alpha, TEXCAST_FORMAT_YCOCG_DXT5_ALPHA) &&
         same(bc1_ycbcr, TEXCAST_FORMAT_BC1_YCBCR) && same(uyvy, TEXCAST_FORMAT_UYVY) &&
         same(rgba8, TEXCAST_FORMAT_RGBA8) && same(rgb8, TEXCAST_FORMAT_RGB8) && same(bgr8, TEXCAST_FORMAT_BGR8) &&
         same(yuyv, TEXCAST_FORMAT_YUYV) && same(bc5, TEXCAST_FORMAT_BC5) && same(eac_r11, TEXCAST_FORMAT_EAC_R11) &&
         same(eac_r11_signed, TEXCAST_FORMAT_EAC_R11_SIGNED) && same(eac_rg11, TEXCAST_FORMAT_EAC_RG11) &&
         same(eac_rg11_signed, TEXCAST_FORMAT_EAC_RG11_SIGNED) && same(bc4_signed, TEXCAST_FORMAT_BC4_SIGNED) &&
         same(bc5_signed, TEXCAST_FORMAT_BC5_SIGNED) && same(etc1, TEXCAST_FORMAT_ETC1) &&
         same(etc2, TEXCAST_FORMAT_ETC2) && same(etc2_alpha, TEXCAST_FORMAT_ETC2_ALPHA) &&
         same(etc2_a1, TEXCAST_FORMAT_ETC2_A1) && same(bc7, TEXCAST_FORMAT_BC7) && same(bc6h, TEXCAST_FORMAT_BC6H) &&
         same(bc6h_signed, TEXCAST_FORMAT_BC6H_SIGNED) && same(astc_4x4, TEXCAST_FORMAT_ASTC_4X4) &&
         same(astc_5x4, TEXCAST_FORMAT_ASTC_5X4) && same(astc_5x5, TEXCAST_FORMAT_ASTC_5X5) &&
         same(astc_6x5, TEXCAST_FORMAT_ASTC_6X5) && same(astc_6x6, TEXCAST_FORMAT_ASTC_6X6) &&
         same(astc_8x5, TEXCAST_FORMAT_ASTC_8X5) && same(astc_8x6, TEXCAST_FORMAT_ASTC_8X6) &&
         same(astc_8x8, TEXCAST_FORMAT_ASTC_8X8) && same(astc_10x5, TEXCAST_FORMAT_ASTC_10X5) &&
         same(astc_10x6, TEXCAST_FORMAT_ASTC_10X6) && same(astc_10x8, TEXCAST_FORMAT_ASTC_10X8) &&
         same(astc_10x10, TEXCAST_FORMAT_ASTC_10X10) && same(astc_12x10, TEXCAST_FORMAT_ASTC_12X10) &&
         same(astc_12x12, TEXCAST_FORMAT_ASTC_12X12);
}
static_assert(texture_formats_are_same());

ColorSpec color_spec(const texcast_color_matrix& matrix, const texcast_color_range& range, int32_t primaries,
                     int32_t transfer, ColorRange usual_range) {
  ColorSpec color;
  const auto m = enumerator<int>(matrix, 4, "matrix");
  if (m != TEXCAST_MATRIX_USUAL) color.matrix = static_cast<ColorMatrix>(m - 1);
  const auto r = enumerator<int>(range, 3, "range");
  color.range = r == TEXCAST_RANGE_USUAL ? usual_range : static_cast<ColorRange>(r - 1);
  if (primaries < 0 || primaries > 255 || transfer < 0 || transfer > 255)
    throw_misuse("primaries and transfer are numbers of H.273, 0 to 255");
  if (primaries != 0) color.primaries = static_cast<uint8_t>(primaries);
  if (transfer != 0) color.transfer = static_cast<uint8_t>(transfer);
  return color;
}
static_assert(static_cast<int>(ColorMatrix::bt601) + 1 == TEXCAST_MATRIX_BT601);
static_assert(static_cast<int>(ColorMatrix::bt709) + 1 == TEXCAST_MATRIX_BT709);
static_assert(static_cast<int>(ColorMatrix::bt2020) + 1 == TEXCAST_MATRIX_BT2020);
static_assert(static_cast<int>(ColorRange::limited) + 1 == TEXCAST_RANGE_LIMITED);
static_assert(static_cast<int>(ColorRange::full) + 1 == TEXCAST_RANGE_FULL);

PixelAspect aspect_of(int32_t num, int32_t den) {
  if (num == 0 && den == 0) return {};
  const auto aspect = num > 0 && den > 0 ? pixel_aspect(num, den) : std::nullopt;
  if (!aspect)
    throw_misuse("the pixel aspect ratio " + std::to_string(num) + ":" + std::to_string(den) +
                 " is not between 1:16 and 16:1");
  return *aspect;
}

void check_sides(int32_t width, int32_t height) {
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    throw_misuse(std::to_string(width) + "x" + std::to_string(height) + " is no size: sides are 1 to " +
                 std::to_string(kMaxFrameSize));
}

bool is_full_range(PixelFormat format) {
  return is_rgb(format) || format == PixelFormat::gray || format == PixelFormat::gray16;
}

}  // namespace

std::optional<PixelFormat> known_pixel_format(const texcast_pixel_format& format) {
  const uint32_t number = number_of(format);
  if (number < 1 || number > static_cast<uint32_t>(kPixelFormatCount)) return std::nullopt;
  return static_cast<PixelFormat>(number - 1);
}

TextureFormat required_format(const texcast_format& format) {
  const uint32_t number = number_of(format);
  const auto all = formats();
  const auto row = std::ranges::find(all, number, [](const Format& f) { return static_cast<uint32_t>(f.id); });
  if (row == all.end()) throw_misuse("there is no texture format " + std::to_string(number));
  return row->id;
}

FrameFormat frame_format(const texcast_frame& frame) {
  const auto format = known_pixel_format(frame.pixel_format);
  if (!format) throw_misuse("there is no pixel format " + std::to_string(number_of(frame.pixel_format)));
  check_sides(frame.width, frame.height);
  return {.pixel_format = *format,
          .width = frame.width,
          .height = frame.height,
          .color = color_spec(frame.matrix, frame.range, frame.primaries, frame.transfer,
                              is_full_range(*format) ? ColorRange::full : ColorRange::limited),
          .opaque = frame.opaque != 0,
          .aspect = aspect_of(frame.aspect_num, frame.aspect_den)};
}

FrameView frame_view(const texcast_frame& frame) {
  FrameView view{.format = frame_format(frame)};
  const auto planes = static_cast<size_t>(plane_count(view.format.pixel_format));
  for (size_t p = 0; p < planes; ++p) {
    if (!frame.plane[p]) throw_misuse("plane " + std::to_string(p) + " of the frame is NULL");
    if (frame.stride[p] < plane_row_bytes(view.format, static_cast<int>(p)))
      throw_misuse("stride " + std::to_string(p) + " of the frame is less than a row of its plane");
    view.planes[p] = {.data = static_cast<const std::byte*>(frame.plane[p]), .stride_bytes = frame.stride[p]};
  }
  return view;
}

TextureDesc texture_desc(const texcast_texture& texture) {
  const TextureFormat format = required_format(texture.format);
  check_sides(texture.width, texture.height);
  if (texture.orientation < 0 || texture.orientation > 8)
    throw_misuse("there is no orientation " + std::to_string(texture.orientation));
  return {
      .format = format,
      .width = texture.width,
      .height = texture.height,
      .color =
          color_spec(texture.matrix, texture.range, texture.primaries, texture.transfer, usual_color(format).range),
      .aspect = aspect_of(texture.aspect_num, texture.aspect_den),
      .orientation = texture.orientation == 0 ? Orientation::upright : static_cast<Orientation>(texture.orientation)};
}

TextureView texture_view(const texcast_texture& texture) {
  const TextureDesc desc = texture_desc(texture);
  if (!texture.blocks) throw_misuse("the texture's blocks are NULL");
  if (const size_t bytes = texture_layout(desc).total_bytes; texture.bytes != bytes)
    throw_misuse("the texture has " + std::to_string(texture.bytes) + " bytes instead of " + std::to_string(bytes));
  return {.desc = desc, .blocks = {static_cast<const std::byte*>(texture.blocks), texture.bytes}};
}

texcast_texture c_texture(const TextureDesc& desc) {
  return {.struct_size = sizeof(texcast_texture),
          .format = static_cast<texcast_format>(desc.format),
          .width = desc.width,
          .height = desc.height,
          .matrix = static_cast<texcast_color_matrix>(static_cast<int>(desc.color.matrix) + 1),
          .range = static_cast<texcast_color_range>(static_cast<int>(desc.color.range) + 1),
          .primaries = desc.color.primaries,
          .transfer = desc.color.transfer,
          .aspect_num = desc.aspect.num,
          .aspect_den = desc.aspect.den,
          .orientation = static_cast<int32_t>(desc.orientation),
          .blocks = nullptr,
          .bytes = texture_layout(desc).total_bytes,
          .pts_ns = 0};
}

texcast_texture c_texture(const TextureView& texture, nanoseconds pts) {
  texcast_texture result = c_texture(texture.desc);
  result.blocks = texture.blocks.data();
  result.bytes = texture.blocks.size();
  result.pts_ns = pts.count();
  return result;
}

Quality quality(const texcast_quality& quality) {
  static_assert(static_cast<int>(Quality::best) == TEXCAST_QUALITY_BEST && kQualities.size() == 4);
  return enumerator<Quality>(quality, kQualities.size(), "quality");
}

TransformCoding transform(const texcast_transform& transform) {
  static_assert(static_cast<int>(TransformCoding::on) == TEXCAST_TRANSFORM_ON);
  static_assert(static_cast<int>(TransformCoding::off) == TEXCAST_TRANSFORM_OFF);
  return enumerator<TransformCoding>(transform, 3, "transform");
}

EncoderSettings encoder_settings(const texcast_frame* source, const texcast_encoder_settings* settings) {
  const auto given = optional_input(settings, "texcast_encoder_settings");
  EncoderSettings result{.source = frame_format(input(source, "source"))};
  if (number_of(given.format) != TEXCAST_FORMAT_NONE) result.texture = required_format(given.format);
  result.quality = quality(given.quality);
  result.device = text(given.device);
  if (given.frames_in_flight != 0) result.frames_in_flight = given.frames_in_flight;
  static_assert(static_cast<int>(EncoderStart::when_built) == TEXCAST_START_WHEN_BUILT);
  result.start = enumerator<EncoderStart>(given.start, 2, "start");
  return result;
}

}  // namespace texcast::c
