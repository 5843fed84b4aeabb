// gl_object.h — owning handles for OpenGL names. The context must be current when they are created and destroyed.
#pragma once

#include <epoxy/gl.h>

#include <utility>

namespace texcast::player {

// `Kind` defines how a name is created and deleted.
template <typename Kind>
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
    if (name_ != 0) Kind::destroy(name_);
  }
  static GlObject create() { return GlObject(Kind::create()); }
  GLuint name() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

// For the kinds of which OpenGL creates and deletes several at once.
template <auto& generate, auto& remove>
struct GeneratedName {
  static GLuint create() {
    GLuint name = 0;
    generate(1, &name);
    return name;
  }
  static void destroy(GLuint name) { remove(1, &name); }
};
struct ProgramName {
  static GLuint create() { return glCreateProgram(); }
  static void destroy(GLuint name) { glDeleteProgram(name); }
};

using GlTexture = GlObject<GeneratedName<glGenTextures, glDeleteTextures>>;
using GlSampler = GlObject<GeneratedName<glGenSamplers, glDeleteSamplers>>;
using GlVertexArray = GlObject<GeneratedName<glGenVertexArrays, glDeleteVertexArrays>>;
using GlFramebuffer = GlObject<GeneratedName<glGenFramebuffers, glDeleteFramebuffers>>;
using GlRenderbuffer = GlObject<GeneratedName<glGenRenderbuffers, glDeleteRenderbuffers>>;
using GlBuffer = GlObject<GeneratedName<glGenBuffers, glDeleteBuffers>>;
using GlProgram = GlObject<ProgramName>;

}  // namespace texcast::player
