// gl_pass.h — compiles shaders, and runs one over every pixel of the viewport, which all drawing here is based on.
//
// Thread: that of the context, which must be current, also when a pass is destroyed.
#pragma once

#include <string>
#include <string_view>

#include "player/gl_object.h"
#include "player/shaders.h"
#include "texcast/shape.h"

namespace texcast::player {

// `name` is for messages. If the driver refuses a shader, throws Error{no_display} with the driver's log.
GlProgram link_program(std::string_view name, const std::string& vertex_source, const std::string& fragment_source);

// The location of a uniform; -1, which glUniform* ignores, if the compiler found it unused.
GLint uniform(const GlProgram& program, const char* name);

// A rectangle of a texture, whose own sides are 1.
struct Area {
  Scale size{};
  Scale origin{0, 0};
};

class RectanglePass {
 public:
  // `fragment`: a shader of player/shaders.h.
  RectanglePass(std::string_view name, const std::string& fragment);

  // `turn`: the orientation of the picture (texcast/shape.h). `top_row_first`: for targets that are read as textures,
  // whose row 0 is the picture's top row. The screen's rows count from below.
  void draw(const Area& at0, const Area& at1, bool top_row_first = false, const Turn& turn = {});
  GLint location(const char* name) const { return uniform(program_, name); }
  void use() const { glUseProgram(program_.name()); }

 private:
  GlProgram program_;
  GlVertexArray no_attributes_;  // the core profile requires a vertex array object
  GLint scales_ = -1;
  GLint origins_ = -1;
  GLint upwards_ = -1;
  GLint back_ = -1;
};

}  // namespace texcast::player
