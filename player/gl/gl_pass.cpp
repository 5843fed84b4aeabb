#include "gl_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "texcast/error.h"

namespace texcast::player {
namespace {

struct ShaderName {
  static void destroy(GLuint name) { glDeleteShader(name); }
};
using GlShader = GlObject<ShaderName>;

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

RectanglePass::RectanglePass(std::string_view name, const std::string& fragment)
    : program_(link_program(name, vertex_shader(Glsl::core_330), fragment)),
      no_attributes_(GlVertexArray::create()),
      scales_(location("scales")),
      origins_(location("origins")),
      upwards_(location("upwards")),
      back_(location("back")) {
  use();
  glUniform1i(location("plane0"), 0);
  glUniform1i(location("plane1"), 1);
  glUniform1i(location("plane2"), 2);
}

void RectanglePass::draw(const Area& at0, const Area& at1, bool top_row_first, const Turn& turn) {
  use();
  glUniform4f(scales_, at0.size.x, at0.size.y, at1.size.x, at1.size.y);
  glUniform4f(origins_, at0.origin.x, at0.origin.y, at1.origin.x, at1.origin.y);
  glUniform1f(upwards_, top_row_first ? 1.0F : -1.0F);
  // The inverse of a rotation is its transposed matrix: read by rows here, it is that by columns, as OpenGL takes it.
  const std::array back = {static_cast<float>(turn.xx), static_cast<float>(turn.xy), static_cast<float>(turn.yx),
                           static_cast<float>(turn.yy)};
  glUniformMatrix2fv(back_, 1, GL_FALSE, back.data());
  glBindVertexArray(no_attributes_.name());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace texcast::player
