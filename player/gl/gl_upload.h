// gl_upload.h — upload buffers that the GPU reads without a copy: pixel-unpack buffers, mapped while threads fill them.
// Each has a fence, which tells when the GPU has read it and it may be filled again.
//
// With GL_ARB_buffer_storage (OpenGL 4.4) they stay mapped all their life. Without it a buffer is unmapped to be
// uploaded and mapped again when the GPU has read it.
//
// Thread: the render thread with its context current, but for what UploadBuffers itself allows on any thread.
#pragma once

#include <optional>

#include "player/gl_object.h"
#include "player/upload_buffers.h"

namespace texcast::player {

class GlUploadBuffers;

// All sets of buffers of one presenter, to find out in which buffer blocks lie. Borrows the sets, which enter and leave
// by themselves; must outlive them.
class GlUploadSets {
 public:
  // Where blocks lie: the buffer, and their offset in it in bytes.
  struct Place {
    GlUploadBuffers* set = nullptr;
    size_t slot = 0;
    size_t offset = 0;
  };
  std::optional<Place> find(Bytes blocks) const;
  void reclaim();  // makes buffers free that the GPU has read; cheap enough for several calls a frame

 private:
  friend class GlUploadBuffers;
  std::vector<GlUploadBuffers*> sets_;
};

class GlUploadBuffers final : public UploadBuffers {
 public:
  // `persistent`: to stay mapped; only where persistent_mapping(). Throws Error{no_display} when there is no memory.
  GlUploadBuffers(GlUploadSets& sets, size_t count, size_t bytes, bool persistent);
  ~GlUploadBuffers() override;

  static bool persistent_mapping();

  // The name of the slot's buffer, which the GPU may read until end_upload(): that comes after the calls that read it.
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
