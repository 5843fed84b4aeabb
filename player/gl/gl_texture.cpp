#include "gl_texture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

// Core since OpenGL 4.2.
constexpr const char* kSkipsInRows = "GL_ARB_compressed_texture_pixel_storage";

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

// Blocks of a part lie apart in memory: OpenGL skips the rest of each row.
bool skips_in_rows() { return epoxy_gl_version() >= 42 || epoxy_has_gl_extension(kSkipsInRows); }

void set_row_length(const Coding& coding, const PlaneLayout& of_memory) {
  glPixelStorei(GL_UNPACK_ROW_LENGTH, texels_across(coding, of_memory));
  if (!coding.is_compressed) return;
  glPixelStorei(GL_UNPACK_COMPRESSED_BLOCK_WIDTH, coding.block_width);
  glPixelStorei(GL_UNPACK_COMPRESSED_BLOCK_HEIGHT, coding.block_height);
  glPixelStorei(GL_UNPACK_COMPRESSED_BLOCK_DEPTH, 1);
  glPixelStorei(GL_UNPACK_COMPRESSED_BLOCK_SIZE, of_memory.block_bytes);
}

void unset_row_length() {
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  if (skips_in_rows()) glPixelStorei(GL_UNPACK_COMPRESSED_BLOCK_SIZE, 0);
}

size_t row_bytes(const PlaneLayout& plane) { return plane.bytes / static_cast<size_t>(plane.blocks_y); }

// `rows` rows of blocks of the bound texture from `first` on. `blocks`: their memory, or an offset in the bound buffer.
void fill(const Coding& coding, const PlaneLayout& plane, size_t first, size_t rows, const std::byte* blocks) {
  const int rows_each = coding.is_compressed ? coding.block_height : 1;  // texels
  const auto y = static_cast<GLint>(first) * rows_each;
  const GLsizei width = texels_across(coding, plane), height = static_cast<GLsizei>(rows) * rows_each;
  if (coding.is_compressed)
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, height, coding.gl.internal_format,
                              static_cast<GLsizei>(rows * row_bytes(plane)), blocks);
  else
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, height, coding.gl.pixel_format, GL_UNSIGNED_BYTE, blocks);
}

const char* renderer() { return reinterpret_cast<const char*>(glGetString(GL_RENDERER)); }

std::string outside_text(const PicturePart& part, const TextureDesc& picture) {
  const std::string what =
      part.cell
          ? fmt::format("cell {},{} of {}x{}", part.cell->column, part.cell->row, part.cell->columns, part.cell->rows)
          : fmt::format("the part {},{},{},{}", part.rect.x, part.rect.y, part.rect.width, part.rect.height);
  return fmt::format("{} has no pixel of the picture, which is {}x{}", what, picture.width, picture.height);
}

// Throws Error{no_display} if this OpenGL cannot sample the coding.
void require_coding(const Coding& coding) {
  if (samples(coding.id)) return;
  throw Error(ErrorKind::no_display,
              fmt::format("this OpenGL ({}) has no {} textures ({}); update the graphics driver, set "
                          "LIBGL_ALWAYS_SOFTWARE=1 for Mesa's software renderer, or use --no-window",
                          renderer(), coding.name, coding.gl.extension));
}

}  // namespace

void TextureRing::set_part(const std::optional<PicturePart>& part) {
  part_ = part;
  allocated_ = false;
  clear();
}

void TextureRing::allocate(const TextureDesc& desc) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  picture_layout_ = texture_layout(desc);
  shown_ = textured_ = {0, 0, desc.width, desc.height};
  if (part_) {
    const auto rect = rect_of(*part_, {desc.width, desc.height});
    if (!rect) throw Error(ErrorKind::usage, outside_text(*part_, desc));
    shown_ = *rect;
    textured_ = whole_blocks(shown_, desc);
  }
  layout_ = texture_layout(desc.format, textured_.width, textured_.height);
  const PlaneLayout& first = layout_.planes[0];
  const Coding& coding = plane_coding(desc.format, 0);
  if (texels_across(coding, first) > largest || texels_down(coding, first) > largest) {
    throw Error(ErrorKind::no_display,
                fmt::format("the picture is {}x{} but this OpenGL ({}) has textures up to {}x{} only; use --no-window",
                            textured_.width, textured_.height, renderer(), largest, largest));
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
  ENSURE(texture.blocks.size() == picture_layout_.total_bytes);
  upload_rows(texture, changes, place, picture_layout_.total_bytes);
  ahead_bytes_ = 0;
  current_ = (current_ + 1) % kSets;
  held_[static_cast<size_t>(current_)] = {changes.sequence, changes.number, changes.number};
}

void TextureRing::upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes) {
  if (!fits(texture.desc)) return;
  ENSURE(texture.blocks.size() == picture_layout_.total_bytes && ready_bytes <= picture_layout_.total_bytes);
  upload_rows(texture, changes, std::nullopt, ready_bytes);
}

// Rows `first` up to `end` of the picture's blocks to the bound texture of a plane, which has them. `blocks`: the
// plane's memory from row `first` on, or an offset in the bound buffer.
void TextureRing::fill_rows(size_t p, size_t first, size_t end, const std::byte* blocks) {
  const Coding& coding = plane_coding(desc_.format, p);
  const PlaneLayout &memory = picture_layout_.planes[p], &plane = layout_.planes[p];
  const BlockRect place = blocks_of(textured_, format_row(desc_.format).planes[p], memory);
  const size_t top = first - static_cast<size_t>(place.y), rows = end - first;
  uploaded_bytes_ += rows * row_bytes(plane);
  set_row_alignment(memory);
  if (place.width == memory.blocks_x) return fill(coding, plane, top, rows, blocks);
  blocks += static_cast<size_t>(place.x) * static_cast<size_t>(memory.block_bytes);
  if (coding.is_compressed && !skips_in_rows()) {
    for (size_t row = 0; row < rows; ++row) fill(coding, plane, top + row, 1, blocks + row * row_bytes(memory));
    return;
  }
  set_row_length(coding, memory);
  fill(coding, plane, top, rows, blocks);
  unset_row_length();
}

// From ahead_bytes_ on: whole rows of blocks that end at `end` or before, except those that the set has and those that
// no texture has.
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
  for (size_t p = 0; p < static_cast<size_t>(layout_.plane_count); ++p) {
    const PlaneLayout& plane = picture_layout_.planes[p];
    const size_t bytes_each = row_bytes(plane);
    if (ahead_bytes_ >= plane.offset + plane.bytes || end < plane.offset + bytes_each) continue;
    const size_t first = ahead_bytes_ > plane.offset ? (ahead_bytes_ - plane.offset) / bytes_each : 0;
    const size_t last = std::min(static_cast<size_t>(plane.blocks_y), (end - plane.offset) / bytes_each);
    if (last <= first) continue;
    const BlockRect own = blocks_of(textured_, format.planes[p], plane);
    const size_t from = std::max(first, static_cast<size_t>(own.y));
    const size_t to = std::min(last, static_cast<size_t>(own.y + own.height));
    glBindTexture(GL_TEXTURE_2D, sets_[set][p].name());
    const auto fill_range = [&](size_t begin, size_t behind) {
      const size_t offset = plane.offset + begin * bytes_each;
      fill_rows(p, begin, behind,
                place ? reinterpret_cast<const std::byte*>(place->offset + offset) : texture.blocks.data() + offset);
    };
    if (whole && from < to)
      fill_range(from, to);
    else if (from < to)
      for_each_changed(changes, held.oldest, format.planes[p], plane, from, to, fill_range);
    ahead_bytes_ = plane.offset + last * bytes_each;
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
