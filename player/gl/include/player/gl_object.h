// gl_object.h — owning handles for OpenGL names. The context must be current when they are made and destroyed.
#pragma once

#include <epoxy/gl.h>

#include <utility>

namespace texcast::player {

template <typename Traits>
class GlObject {
 public:
  GlObject() = default;
  explicit GlObject(GLuint name) : name_(name) {}
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~GlObject() {
    if (name_ != 0) Traits::destroy(name_);
  }
  static GlObject create() { return GlObject(Traits::create()); }
  GLuint name() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

struct TextureTraits {
  static GLuint create() {
    GLuint name = 0;
    glGenTextures(1, &name);
    return name;
  }
  static void destroy(GLuint name) { glDeleteTextures(1, &name); }
};
struct VertexArrayTraits {
  static GLuint create() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return name;
  }
  static void destroy(GLuint name) { glDeleteVertexArrays(1, &name); }
};
struct SamplerTraits {
  static GLuint create() {
    GLuint name = 0;
    glGenSamplers(1, &name);
    return name;
  }
  static void destroy(GLuint name) { glDeleteSamplers(1, &name); }
};
struct FramebufferTraits {
  static GLuint create() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return name;
  }
  static void destroy(GLuint name) { glDeleteFramebuffers(1, &name); }
};
struct RenderbufferTraits {
  static GLuint create() {
    GLuint name = 0;
    glGenRenderbuffers(1, &name);
    return name;
  }
  static void destroy(GLuint name) { glDeleteRenderbuffers(1, &name); }
};
struct BufferTraits {
  static GLuint create() {
    GLuint name = 0;
    glGenBuffers(1, &name);
    return name;
  }
  static void destroy(GLuint name) { glDeleteBuffers(1, &name); }
};
struct ProgramTraits {
  static GLuint create() { return glCreateProgram(); }
  static void destroy(GLuint name) { glDeleteProgram(name); }
};

using GlTexture = GlObject<TextureTraits>;
using GlSampler = GlObject<SamplerTraits>;
using GlVertexArray = GlObject<VertexArrayTraits>;
using GlFramebuffer = GlObject<FramebufferTraits>;
using GlRenderbuffer = GlObject<RenderbufferTraits>;
using GlBuffer = GlObject<BufferTraits>;
using GlProgram = GlObject<ProgramTraits>;

}  // namespace texcast::player
