#include "gl_texture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

// In OpenGL's texels: those of a compressed block, or one for an uncompressed block.
GLsizei texels_across(const Coding& coding, const PlaneLayout& plane) {
  return coding.is_compressed ? plane.blocks_x * coding.block_width : plane.blocks_x;
}
GLsizei texels_down(const Coding& coding, const PlaneLayout& plane) {
  return coding.is_compressed ? plane.blocks_y * coding.block_height : plane.blocks_y;
}

// OpenGL assumes rows that are padded to 4 bytes otherwise.
void set_row_alignment(const PlaneLayout& plane) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, plane.blocks_x * plane.block_bytes % 4 == 0 ? 4 : 1);
}

void make_texture(const Coding& coding, const PlaneLayout& plane) {
  const GLsizei width = texels_across(coding, plane), height = texels_down(coding, plane);
  if (coding.is_compressed)
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, coding.gl.internal_format, width, height, 0,
                           static_cast<GLsizei>(plane.bytes), nullptr);
  else
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(coding.gl.internal_format), width, height, 0,
                 coding.gl.pixel_format, GL_UNSIGNED_BYTE, nullptr);
}

// Rows of blocks from `first` up to `end`. `blocks`: their memory, or an offset in the bound buffer.
void fill_rows(const Coding& coding, const PlaneLayout& plane, size_t first, size_t end, const void* blocks) {
  const int rows_each = coding.is_compressed ? coding.block_height : 1;  // texels
  const auto y = static_cast<GLint>(first) * rows_each;
  const GLsizei width = texels_across(coding, plane), height = static_cast<GLsizei>(end - first) * rows_each;
  if (coding.is_compressed) {
    const size_t row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, height, coding.gl.internal_format,
                              static_cast<GLsizei>((end - first) * row_bytes), blocks);
  } else {
    set_row_alignment(plane);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, height, coding.gl.pixel_format, GL_UNSIGNED_BYTE, blocks);
  }
}

const char* renderer() { return reinterpret_cast<const char*>(glGetString(GL_RENDERER)); }

// Throws Error{no_display} if this OpenGL cannot sample the coding.
void require_coding(const Coding& coding) {
  if (samples(coding.id)) return;
  throw Error(ErrorKind::no_display,
              fmt::format("this OpenGL ({}) has no {} textures ({}); update the graphics driver, set "
                          "LIBGL_ALWAYS_SOFTWARE=1 for Mesa's software renderer, or use --no-window",
                          renderer(), coding.name, coding.gl.extension));
}

}  // namespace

void TextureRing::allocate(const TextureDesc& desc) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  layout_ = texture_layout(desc);
  const PlaneLayout& first = layout_.planes[0];
  const Coding& coding = plane_coding(desc.format, 0);
  if (texels_across(coding, first) > largest || texels_down(coding, first) > largest) {
    throw Error(ErrorKind::no_display,
                fmt::format("the picture is {}x{} but this OpenGL ({}) has textures up to {}x{} only; use --no-window",
                            desc.width, desc.height, renderer(), largest, largest));
  }
  for (size_t p = 0; p < static_cast<size_t>(layout_.plane_count); ++p) require_coding(plane_coding(desc.format, p));
  while (glGetError() != GL_NO_ERROR) continue;
  held_ = {};
  for (auto& set : sets_) {
    for (size_t p = 0; p < static_cast<size_t>(layout_.plane_count); ++p) {
      GlTexture& target = set[p];
      target = GlTexture::create();
      glBindTexture(GL_TEXTURE_2D, target.name());
      set_sampling(GL_NEAREST);
      make_texture(plane_coding(desc.format, p), layout_.planes[p]);
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

void TextureRing::upload(const TextureView& texture, const RowChanges& changes, std::optional<UnpackPlace> place) {
  if (!fits(texture.desc)) {
    allocated_ = false;
    current_ = -1;
    ahead_bytes_ = 0;
    allocate(texture.desc);
    allocated_ = true;
  }
  desc_ = texture.desc;
  ENSURE(texture.blocks.size() == layout_.total_bytes);
  upload_rows(texture, changes, place, layout_.total_bytes);
  ahead_bytes_ = 0;
  current_ = (current_ + 1) % kSets;
  held_[static_cast<size_t>(current_)] = {changes.sequence, changes.number, changes.number};
}

void TextureRing::upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes) {
  if (!fits(texture.desc)) return;
  ENSURE(texture.blocks.size() == layout_.total_bytes && ready_bytes <= layout_.total_bytes);
  upload_rows(texture, changes, std::nullopt, ready_bytes);
}

// From ahead_bytes_ on: whole rows of blocks that end at `end` or before, except those that the set has.
void TextureRing::upload_rows(const TextureView& texture, const RowChanges& changes, std::optional<UnpackPlace> place,
                              size_t end) {
  const auto set = static_cast<size_t>((current_ + 1) % kSets);
  Held& held = held_[set];
  if (!changes.know_since(held.sequence, held.newest)) held = {};
  const bool whole = held.sequence == 0;
  const Format& format = format_row(desc_.format);
  ENSURE(whole ||
         changes.changed_in.size() == static_cast<size_t>(tile_raster(texture.desc.width, texture.desc.height).rows));
  if (!whole) held.newest = changes.number;
  if (place) glBindBuffer(GL_PIXEL_UNPACK_BUFFER, place->buffer);
  glActiveTexture(GL_TEXTURE0);
  for (int p = 0; p < layout_.plane_count; ++p) {
    const PlaneLayout& plane = layout_.planes[static_cast<size_t>(p)];
    const size_t row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y);
    if (ahead_bytes_ >= plane.offset + plane.bytes || end < plane.offset + row_bytes) continue;
    const size_t first = ahead_bytes_ > plane.offset ? (ahead_bytes_ - plane.offset) / row_bytes : 0;
    const size_t last = std::min(static_cast<size_t>(plane.blocks_y), (end - plane.offset) / row_bytes);
    if (last <= first) continue;
    glBindTexture(GL_TEXTURE_2D, sets_[set][static_cast<size_t>(p)].name());
    const auto fill = [&](size_t from, size_t to) {
      const size_t offset = plane.offset + from * row_bytes, bytes = (to - from) * row_bytes;
      fill_rows(
          plane_coding(desc_.format, static_cast<size_t>(p)), plane, from, to,
          place ? reinterpret_cast<const void*>(place->offset + offset) : texture.blocks.subspan(offset, bytes).data());
    };
    if (whole)
      fill(first, last);
    else
      for_each_changed(changes, held.oldest, format.planes[static_cast<size_t>(p)], plane, first, last, fill);
    ahead_bytes_ = plane.offset + last * row_bytes;
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

void set_sampling(GLint filter) {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

bool samples(CodingId id) {
  const GlCoding& gl = coding(id).gl;
  if (gl.internal_format == 0) return false;
  return gl.extension.empty() || epoxy_has_gl_extension(std::string(gl.extension).c_str());
}

void require_texture_formats() {
  // Every stream may use BC1. RGTC is core since OpenGL 3.0; S3TC never became core, as its patents expired only in
  // 2017.
  require_coding(coding(CodingId::bc1));
}

}  // namespace texcast::player
