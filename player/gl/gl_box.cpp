#include "gl_box.h"

namespace texcast::player {
namespace {

// The distance to a box whose corners are circles: negative inside; half a pixel either side of 0 is blended.
constexpr const char* kBoxFragment = R"(
uniform vec3 shape;   // width, height, radius of the corners
uniform vec4 paint;   // premultiplied
out vec4 colour;
void main() {
  vec2 outwards = abs(at0 - 0.5) * shape.xy - 0.5 * shape.xy + shape.z;
  float outside = length(max(outwards, 0.0)) + min(max(outwards.x, outwards.y), 0.0) - shape.z;
  colour = paint * clamp(0.5 - outside, 0.0, 1.0);
}
)";

}  // namespace

BoxPass::BoxPass() : pass_("box", kBoxFragment), shape_(pass_.location("shape")), colour_(pass_.location("paint")) {}

void BoxPass::draw(const Rect& box, float radius, const Colour& colour, Size target) {
  if (box.width < 1 || box.height < 1) return;
  pass_.use();
  glUniform3f(shape_, static_cast<float>(box.width), static_cast<float>(box.height), radius);
  glUniform4f(colour_, colour.red * colour.opacity, colour.green * colour.opacity, colour.blue * colour.opacity,
              colour.opacity);
  glViewport(box.x, target.height - box.y - box.height, box.width, box.height);
  pass_.draw({}, {});
}

}  // namespace texcast::player
