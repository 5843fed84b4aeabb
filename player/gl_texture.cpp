#include "gl_texture.h"

#include <fmt/format.h>

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

// `blocks`: memory, or an offset in the buffer that is bound.
void fill_texture(TextureFormat format, int index, const PlaneLayout& plane, const void* blocks) {
  const GLsizei width = texels_across(format, plane), height = texels_down(format, plane);
  if (is_compressed(format)) {
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, internal_format(format, index),
                              static_cast<GLsizei>(plane.bytes), blocks);
  } else {
    set_row_alignment(plane);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, byte_order(format), GL_UNSIGNED_BYTE, blocks);
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

void TextureRing::upload(const TextureView& texture, std::optional<UnpackPlace> place) {
  if (!allocated_ || texture.desc.format != desc_.format || texture.desc.width != desc_.width ||
      texture.desc.height != desc_.height) {
    allocated_ = false;
    current_ = -1;
    allocate(texture.desc);
    allocated_ = true;
  }
  desc_ = texture.desc;
  ENSURE(texture.blocks.size() == layout_.total_bytes);
  current_ = (current_ + 1) % kSets;
  if (place) glBindBuffer(GL_PIXEL_UNPACK_BUFFER, place->buffer);
  glActiveTexture(GL_TEXTURE0);
  for (int p = 0; p < layout_.plane_count; ++p) {
    const PlaneLayout& plane = layout_.planes[static_cast<size_t>(p)];
    glBindTexture(GL_TEXTURE_2D, sets_[static_cast<size_t>(current_)][static_cast<size_t>(p)].name());
    fill_texture(desc_.format, p, plane,
                 place ? reinterpret_cast<const void*>(place->offset + plane.offset)
                       : texture.blocks.subspan(plane.offset, plane.bytes).data());
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
