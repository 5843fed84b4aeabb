// gl_upload.h — upload buffers in memory that the GPU reads by itself: pixel-unpack buffers, mapped while threads fill
// them, with a fence each before they are filled again.
//
// With GL_ARB_buffer_storage (OpenGL 4.4) they stay mapped all their life. Without it a buffer is unmapped to be
// uploaded and mapped again when the GPU has read it.
#pragma once

#include <optional>

#include "player/gl_object.h"
#include "player/upload_buffers.h"

namespace texcast::player {

class GlUploadBuffers;

// A presenter's sets of buffers, to find out which of them blocks lie in. Outlives them.
class GlUploadSets {
 public:
  // Blocks inside one of the buffers: its name and the offset in it.
  struct Place {
    GlUploadBuffers* set = nullptr;
    size_t slot = 0;
    size_t offset = 0;
  };
  std::optional<Place> find(Bytes blocks) const;
  void reclaim();  // makes buffers free that the GPU has read; cheap, several times a frame

 private:
  friend class GlUploadBuffers;
  std::vector<GlUploadBuffers*> sets_;
};

// All but what UploadBuffers has: render thread, context current.
class GlUploadBuffers final : public UploadBuffers {
 public:
  // `persistent`: as the driver can, which persistent_mapping() tells. Throws Error{no_display} without memory.
  GlUploadBuffers(GlUploadSets& sets, size_t count, size_t bytes, bool persistent);
  ~GlUploadBuffers() override;

  static bool persistent_mapping();

  // The slot's buffer, ready to be read by the GPU; end_upload after the calls that read it.
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
