#include "gl_upload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

// Reading is requested so that the driver returns memory that the CPU caches: Snappy reads back its output, and from
// write-combined memory, which a write-only mapping is, that takes a hundred times as long.
constexpr GLbitfield kAccess = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT;
constexpr GLbitfield kPersistent = kAccess | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;

}  // namespace

std::optional<GlUploadSets::Place> GlUploadSets::find(Bytes blocks) const {
  for (GlUploadBuffers* set : sets_)
    for (size_t i = 0; i < set->slots_.size(); ++i) {
      const Bytes held = set->slots_[i].bytes;  // changed on this thread only
      if (held.empty() || std::less<>()(blocks.data(), held.data())) continue;
      if (std::less<>()(held.data() + held.size(), blocks.data() + blocks.size())) continue;
      return Place{set, i, static_cast<size_t>(blocks.data() - held.data())};
    }
  return std::nullopt;
}

void GlUploadSets::reclaim() {
  for (GlUploadBuffers* set : sets_) set->reclaim();
}

bool GlUploadBuffers::persistent_mapping() {
  return epoxy_gl_version() >= 44 || epoxy_has_gl_extension("GL_ARB_buffer_storage");
}

GlUploadBuffers::GlUploadBuffers(GlUploadSets& sets, size_t count, size_t bytes, bool persistent)
    : UploadBuffers(count), sets_(sets), bytes_(bytes), persistent_(persistent), memory_(count) {
  while (glGetError() != GL_NO_ERROR) continue;
  const auto size = static_cast<GLsizeiptr>(bytes);
  for (size_t i = 0; i < count; ++i) {
    memory_[i].buffer = GlBuffer::create();
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, memory_[i].buffer.name());
    if (persistent_)
      glBufferStorage(GL_PIXEL_UNPACK_BUFFER, size, nullptr, kPersistent | GL_CLIENT_STORAGE_BIT);
    else
      glBufferData(GL_PIXEL_UNPACK_BUFFER, size, nullptr, GL_STREAM_DRAW);
    map(i);
  }
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  sets_.sets_.push_back(this);
}

GlUploadBuffers::~GlUploadBuffers() {
  std::erase(sets_.sets_, this);
  for (size_t i = 0; i < memory_.size(); ++i) {
    ENSURE(slots_[i].use != Use::leased);
    glDeleteSync(memory_[i].read_by_gpu);  // deleting a buffer unmaps it
  }
}

// The buffer must be bound.
void GlUploadBuffers::map(size_t slot) {
  void* memory =
      glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, static_cast<GLsizeiptr>(bytes_), persistent_ ? kPersistent : kAccess);
  if (memory == nullptr)
    throw Error(ErrorKind::no_display,
                fmt::format("OpenGL has no memory for {} buffers of {} bytes (error 0x{:04x}); free graphics memory or "
                            "use --no-window",
                            memory_.size(), bytes_, glGetError()));
  slots_[slot].bytes = {static_cast<std::byte*>(memory), bytes_};
}

GLuint GlUploadBuffers::begin_upload(size_t slot) {
  if (!persistent_) {
    const std::lock_guard lock(mutex_);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, memory_[slot].buffer.name());
    glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    slots_[slot].bytes = {};
  }
  return memory_[slot].buffer.name();
}

void GlUploadBuffers::end_upload(size_t slot) {
  Memory& memory = memory_[slot];
  glDeleteSync(memory.read_by_gpu);
  memory.read_by_gpu = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  const std::lock_guard lock(mutex_);
  ENSURE(slots_[slot].use == Use::leased);
  slots_[slot].uploaded = true;
}

void GlUploadBuffers::reclaim() {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < slots_.size(); ++i) {
    Memory& memory = memory_[i];
    if (slots_[i].use != Use::with_gpu) continue;
    const GLenum state = glClientWaitSync(memory.read_by_gpu, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    if (state == GL_TIMEOUT_EXPIRED) continue;
    glDeleteSync(std::exchange(memory.read_by_gpu, nullptr));
    if (!persistent_) {
      glBindBuffer(GL_PIXEL_UNPACK_BUFFER, memory.buffer.name());
      map(i);
      glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    }
    slots_[i].use = Use::free;
  }
}

}  // namespace texcast::player
