#include "gl_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace texcast::player {
namespace {

struct ShaderTraits {
  static void destroy(GLuint name) { glDeleteShader(name); }
};
using GlShader = GlObject<ShaderTraits>;

[[noreturn]] void refuse(std::string_view name, std::string_view what, std::string log) {
  std::replace(log.begin(), log.end(), '\n', ' ');
  throw Error(ErrorKind::no_display,
              fmt::format("this OpenGL ({}) cannot {} the player's shader {}: {}; update the graphics driver or use "
                          "--no-window",
                          reinterpret_cast<const char*>(glGetString(GL_RENDERER)), what, name, log));
}

GlShader compile(std::string_view name, GLenum kind, const std::string& source) {
  GlShader shader(glCreateShader(kind));
  const char* text = source.c_str();
  glShaderSource(shader.name(), 1, &text, nullptr);
  glCompileShader(shader.name());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_FALSE) {
    std::array<char, 1024> log{};
    glGetShaderInfoLog(shader.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
    refuse(name, "compile", log.data());
  }
  return shader;
}

}  // namespace

GlProgram link_program(std::string_view name, const std::string& vertex_source, const std::string& fragment_source) {
  const GlShader vertex = compile(name, GL_VERTEX_SHADER, vertex_source);
  const GlShader fragment = compile(name, GL_FRAGMENT_SHADER, fragment_source);
  GlProgram program = GlProgram::create();
  glAttachShader(program.name(), vertex.name());
  glAttachShader(program.name(), fragment.name());
  glLinkProgram(program.name());
  GLint linked = GL_FALSE;
  glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
  if (linked == GL_FALSE) {
    std::array<char, 1024> log{};
    glGetProgramInfoLog(program.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
    refuse(name, "link", log.data());
  }
  return program;
}

GLint uniform(const GlProgram& program, const char* name) { return glGetUniformLocation(program.name(), name); }

}  // namespace texcast::player
