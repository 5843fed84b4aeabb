// gl_texture.h — textures on the GPU: the blocks are uploaded unchanged, nothing is decoded here.
//
// A plane becomes one GL texture of its size rounded up to whole blocks; two pixels that share their chroma are one
// RGBA texel. Three sets of planes are used in turn, so that a new frame never overwrites the one that the GPU may
// still be drawing, which would make the driver wait or copy. Each set records which picture it holds, and gets the
// rows of the next one that changed since.
//
// With a part (picture_part.h) the textures have whole_blocks() of it, and only these blocks are uploaded.
#pragma once

#include <array>
#include <optional>

#include "formats/row_changes.h"
#include "gl_pass.h"
#include "player/gl_object.h"
#include "player/picture_part.h"
#include "texcast/format.h"

namespace texcast::player {

// The place of blocks in a buffer of the GPU.
struct UnpackPlace {
  GLuint buffer = 0;
  size_t offset = 0;
};

class TextureRing {
 public:
  // From the next picture on. Nothing: whole pictures.
  void set_part(const std::optional<PicturePart>& part);
  // Misuse unless `texture.blocks` has texture_layout's size. Allocates when desc changes; otherwise makes one
  // gl(Compressed)TexSubImage2D call per plane, or for each range of rows that changed, straight from the span or, with
  // `place`, from there. Throws Error{no_display} if the size is too big, Error{usage} if the part is outside of the
  // picture.
  void upload(const TextureView& texture, const RowChanges& changes, std::optional<UnpackPlace> place = std::nullopt);
  // Uploads the whole rows of blocks among the first `ready_bytes` of the texture that will be uploaded next, straight
  // from the span: upload() then only does the rest, wherever that is stored. Call it with increasing `ready_bytes`,
  // until upload() or drop_ahead(). Does nothing for a texture unlike the last one.
  void upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes);
  void drop_ahead() { ahead_bytes_ = 0; }
  void clear() {
    current_ = -1;
    ahead_bytes_ = 0;
  }

  bool has_picture() const { return current_ >= 0; }
  const TextureDesc& desc() const { return desc_; }            // of the current picture
  const TextureLayout& layout() const { return layout_; }      // of the textures
  const Rect& textured() const { return textured_; }           // the rectangle of the picture that they have
  const Rect& shown() const { return shown_; }                 // the rectangle of it to be drawn
  uint64_t uploaded_bytes() const { return uploaded_bytes_; }  // since the beginning
  // Binds the current picture's planes to texture units 0 and up.
  void bind() const;

 private:
  static constexpr int kSets = 3;
  void allocate(const TextureDesc& desc);
  bool fits(const TextureDesc& desc) const;
  void fill_rows(size_t plane, size_t first, size_t end, const std::byte* blocks);
  void upload_rows(const TextureView& texture, const RowChanges& changes, std::optional<UnpackPlace> place, size_t end);

  // The contents of a set: blocks of pictures of a sequence (0: of others, or nothing), each row from one of the
  // numbers `oldest` to `newest`. These differ only if rows of a picture were uploaded that was then dropped.
  struct Held {
    uint64_t sequence = 0, oldest = 0, newest = 0;
  };

  TextureDesc desc_;
  std::optional<PicturePart> part_;
  Rect shown_, textured_;
  TextureLayout picture_layout_;  // of the pictures that are uploaded
  TextureLayout layout_;
  std::array<std::array<GlTexture, 3>, kSets> sets_;
  std::array<Held, kSets> held_;
  bool allocated_ = false;
  int current_ = -1;
  uint64_t uploaded_bytes_ = 0;
  size_t ahead_bytes_ = 0;  // of the next texture, which are in the set after the current one
};

// Applies to the bound texture: one level, clamped to its edges, `filter` for both directions.
void set_sampling(GLint filter);

// Whether the current context can sample blocks of that coding.
bool samples(CodingId id);

// Throws Error{no_display} if the current context cannot sample the required formats.
void require_texture_formats();

}  // namespace texcast::player
