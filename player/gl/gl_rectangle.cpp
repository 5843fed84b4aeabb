#include "gl_rectangle.h"

namespace texcast::player {
namespace {

// One triangle that covers the viewport (V), so that no diagonal crosses it whose pixels would be shaded twice:
//
//     (-1,3) .
//            | \                     .
//     (-1,1) +---+
//            | V |   \               .
//    (-1,-1) +---+------. (3,-1)
constexpr const char* kVertexShader = R"(#version 330 core
uniform vec4 scales;
uniform float upwards;  // 1: rows count from the top
noperspective out vec2 at0;
noperspective out vec2 at1;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  vec2 unit = vec2(corner.x, corner.y * upwards) * 0.5 + 0.5;
  at0 = unit * scales.xy;
  at1 = unit * scales.zw;
  gl_Position = vec4(corner, 0.0, 1.0);
}
)";

constexpr const char* kFragmentHead = R"(#version 330 core
uniform sampler2D plane0;
uniform sampler2D plane1;
uniform sampler2D plane2;
noperspective in vec2 at0;
noperspective in vec2 at1;
)";

}  // namespace

RectanglePass::RectanglePass(std::string_view name, const std::string& fragment_body)
    : program_(link_program(name, kVertexShader, kFragmentHead + fragment_body)),
      no_attributes_(GlVertexArray::create()),
      scales_(location("scales")),
      upwards_(location("upwards")) {
  use();
  glUniform1i(location("plane0"), 0);
  glUniform1i(location("plane1"), 1);
  glUniform1i(location("plane2"), 2);
}

void RectanglePass::draw(Scale at0_scale, Scale at1_scale, bool top_row_first) {
  use();
  glUniform4f(scales_, at0_scale.x, at0_scale.y, at1_scale.x, at1_scale.y);
  glUniform1f(upwards_, top_row_first ? 1.0F : -1.0F);
  glBindVertexArray(no_attributes_.name());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace texcast::player
