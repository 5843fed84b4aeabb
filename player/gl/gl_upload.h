// gl_upload.h — upload buffers that the GPU reads without a copy: pixel-unpack buffers, mapped while threads fill them.
// Each has a fence, which signals when the GPU has read it and it may be filled again.
//
// With GL_ARB_buffer_storage (OpenGL 4.4) they stay mapped permanently. Without it a buffer is unmapped for the upload
// and mapped again when the GPU has read it.
//
// Thread: the render thread with its context current, except for what UploadBuffers itself allows on any thread.
#pragma once

#include <optional>

#include "player/gl_object.h"
#include "player/upload_buffers.h"

namespace texcast::player {

class GlUploadBuffers;

// All sets of buffers of one presenter, to find the buffer that holds given blocks. Borrows the sets, which register
// and unregister themselves; must outlive them.
class GlUploadSets {
 public:
  // The place of blocks: the buffer, and their offset in it in bytes.
  struct Place {
    GlUploadBuffers* set = nullptr;
    size_t slot = 0;
    size_t offset = 0;
  };
  std::optional<Place> find(Bytes blocks) const;
  void reclaim();  // frees buffers that the GPU has read; cheap enough for several calls per frame

 private:
  friend class GlUploadBuffers;
  std::vector<GlUploadBuffers*> sets_;
};

class GlUploadBuffers final : public UploadBuffers {
 public:
  // `persistent`: to stay mapped; only if persistent_mapping(). Throws Error{no_display} if there is no memory.
  GlUploadBuffers(GlUploadSets& sets, size_t count, size_t bytes, bool persistent);
  ~GlUploadBuffers() override;

  static bool persistent_mapping();

  // begin_upload() returns the name of the slot's buffer, which the GPU may read until end_upload(). Call that after
  // the calls that read it.
  GLuint begin_upload(size_t slot);
  void end_upload(size_t slot);

 private:
  friend class GlUploadSets;
  struct Memory {
    GlBuffer buffer;
    GLsync read_by_gpu = nullptr;
  };
  void map(size_t slot);
  void reclaim();

  GlUploadSets& sets_;
  const size_t bytes_;
  const bool persistent_;
  std::vector<Memory> memory_;
};

}  // namespace texcast::player
