#include "gl_texture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.h"
#include "base/error.h"

namespace texcast::player {
namespace {

GLenum internal_format(TextureFormat format, int plane) {
  switch (format) {
    case TextureFormat::bc1:
    case TextureFormat::bc1_ycbcr: return GL_COMPRESSED_RGB_S3TC_DXT1_EXT;
    case TextureFormat::bc3:
    case TextureFormat::ycocg_dxt5: return GL_COMPRESSED_RGBA_S3TC_DXT5_EXT;
    case TextureFormat::ycocg_dxt5_alpha:
      return plane == 0 ? GL_COMPRESSED_RGBA_S3TC_DXT5_EXT : GL_COMPRESSED_RED_RGTC1;
    case TextureFormat::bc4:
    case TextureFormat::ycocg_bc4_420:
    case TextureFormat::ycocg_bc4_422:
    case TextureFormat::ycocg_bc4_444: return GL_COMPRESSED_RED_RGTC1;
    case TextureFormat::rgb8:
    case TextureFormat::bgr8: return GL_RGB8;
    case TextureFormat::rgba8:
    case TextureFormat::uyvy:  // a pair of pixels is one texel
    case TextureFormat::yuyv: return GL_RGBA8;
  }
  ENSURE(!"a texture format that there is");
  return GL_NONE;
}

// Of formats that are not compressed: how the bytes of a texel mean R, G, B, A.
GLenum byte_order(TextureFormat format) {
  if (format == TextureFormat::bgr8) return GL_BGR;
  return format == TextureFormat::rgb8 ? GL_RGB : GL_RGBA;
}

// In texels: 4x4 to a compressed block, one to any other.
GLsizei texels_across(TextureFormat format, const PlaneLayout& plane) {
  return is_compressed(format) ? plane.blocks_x * 4 : plane.blocks_x;
}
GLsizei texels_down(TextureFormat format, const PlaneLayout& plane) {
  return is_compressed(format) ? plane.blocks_y * 4 : plane.blocks_y;
}

// OpenGL takes rows for padded to 4 bytes unless told.
void set_row_alignment(const PlaneLayout& plane) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, plane.blocks_x * plane.block_bytes % 4 == 0 ? 4 : 1);
}

void make_texture(TextureFormat format, int index, const PlaneLayout& plane) {
  const auto internal = internal_format(format, index);
  const GLsizei width = texels_across(format, plane), height = texels_down(format, plane);
  if (is_compressed(format))
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, internal, width, height, 0, static_cast<GLsizei>(plane.bytes), nullptr);
  else
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), width, height, 0, byte_order(format), GL_UNSIGNED_BYTE,
                 nullptr);
}

// Rows of blocks from `first` to before `end`. `blocks`: theirs, in memory or as an offset in the buffer that is bound.
void fill_rows(TextureFormat format, int index, const PlaneLayout& plane, size_t first, size_t end,
               const void* blocks) {
  const int rows_each = is_compressed(format) ? 4 : 1;  // of texels
  const auto y = static_cast<GLint>(first) * rows_each;
  const GLsizei width = texels_across(format, plane), height = static_cast<GLsizei>(end - first) * rows_each;
  if (is_compressed(format)) {
    const size_t row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, height, internal_format(format, index),
                              static_cast<GLsizei>((end - first) * row_bytes), blocks);
  } else {
    set_row_alignment(plane);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, height, byte_order(format), GL_UNSIGNED_BYTE, blocks);
  }
}

}  // namespace

void TextureRing::allocate(const TextureDesc& desc) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  layout_ = texture_layout(desc);
  const PlaneLayout& first = layout_.planes[0];
  if (texels_across(desc.format, first) > largest || texels_down(desc.format, first) > largest) {
    throw Error(ErrorKind::no_display,
                fmt::format("the picture is {}x{} but this OpenGL ({}) has textures up to {}x{} only; use --no-window",
                            desc.width, desc.height, reinterpret_cast<const char*>(glGetString(GL_RENDERER)), largest,
                            largest));
  }
  while (glGetError() != GL_NO_ERROR) continue;
  for (auto& set : sets_) {
    for (int p = 0; p < layout_.plane_count; ++p) {
      const PlaneLayout& plane = layout_.planes[static_cast<size_t>(p)];
      GlTexture& target = set[static_cast<size_t>(p)];
      target = GlTexture::create();
      glBindTexture(GL_TEXTURE_2D, target.name());
      set_sampling(GL_NEAREST);
      make_texture(desc.format, p, plane);
    }
  }
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
    throw Error(ErrorKind::no_display,
                fmt::format("OpenGL has no room for {}x{} {} textures (error 0x{:04x}); free graphics memory or use "
                            "--no-window",
                            desc.width, desc.height, name(desc.format), error));
  }
}

bool TextureRing::fits(const TextureDesc& desc) const {
  return allocated_ && desc.format == desc_.format && desc.width == desc_.width && desc.height == desc_.height;
}

void TextureRing::upload(const TextureView& texture, std::optional<UnpackPlace> place) {
  if (!fits(texture.desc)) {
    allocated_ = false;
    current_ = -1;
    ahead_bytes_ = 0;
    allocate(texture.desc);
    allocated_ = true;
  }
  desc_ = texture.desc;
  ENSURE(texture.blocks.size() == layout_.total_bytes);
  upload_rows(texture, place, layout_.total_bytes);
  ahead_bytes_ = 0;
  current_ = (current_ + 1) % kSets;
}

void TextureRing::upload_ahead(const TextureView& texture, size_t ready_bytes) {
  if (!fits(texture.desc)) return;
  ENSURE(texture.blocks.size() == layout_.total_bytes && ready_bytes <= layout_.total_bytes);
  upload_rows(texture, std::nullopt, ready_bytes);
}

// From ahead_bytes_ on: whole rows of blocks that end at `end` or before.
void TextureRing::upload_rows(const TextureView& texture, std::optional<UnpackPlace> place, size_t end) {
  const auto set = static_cast<size_t>((current_ + 1) % kSets);
  if (place) glBindBuffer(GL_PIXEL_UNPACK_BUFFER, place->buffer);
  glActiveTexture(GL_TEXTURE0);
  for (int p = 0; p < layout_.plane_count; ++p) {
    const PlaneLayout& plane = layout_.planes[static_cast<size_t>(p)];
    const size_t row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y);
    if (ahead_bytes_ >= plane.offset + plane.bytes || end < plane.offset + row_bytes) continue;
    const size_t first = ahead_bytes_ > plane.offset ? (ahead_bytes_ - plane.offset) / row_bytes : 0;
    const size_t last = std::min(static_cast<size_t>(plane.blocks_y), (end - plane.offset) / row_bytes);
    if (last <= first) continue;
    const size_t offset = plane.offset + first * row_bytes, bytes = (last - first) * row_bytes;
    glBindTexture(GL_TEXTURE_2D, sets_[set][static_cast<size_t>(p)].name());
    fill_rows(
        desc_.format, p, plane, first, last,
        place ? reinterpret_cast<const void*>(place->offset + offset) : texture.blocks.subspan(offset, bytes).data());
    ahead_bytes_ = offset + bytes;
  }
  if (place) glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void TextureRing::bind() const {
  ENSURE(has_picture());
  for (int p = 0; p < layout_.plane_count; ++p) {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(p));
    glBindTexture(GL_TEXTURE_2D, sets_[static_cast<size_t>(current_)][static_cast<size_t>(p)].name());
  }
}

Scale texture_part(const PlaneLayout& plane) {
  return {static_cast<float>(plane.width) / static_cast<float>(plane.blocks_x * plane.block_width),
          static_cast<float>(plane.height) / static_cast<float>(plane.blocks_y * plane.block_height)};
}

void set_sampling(GLint filter) {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

void require_texture_formats() {
  // RGTC is core since OpenGL 3.0; S3TC never became core, its patents having run out only in 2017.
  if (epoxy_has_gl_extension("GL_EXT_texture_compression_s3tc")) return;
  throw Error(
      ErrorKind::no_display,
      fmt::format("this OpenGL ({}) has no S3TC textures (GL_EXT_texture_compression_s3tc); update the graphics "
                  "driver, set LIBGL_ALWAYS_SOFTWARE=1 for Mesa's software renderer, or use --no-window",
                  reinterpret_cast<const char*>(glGetString(GL_RENDERER))));
}

}  // namespace texcast::player
