#include "gl_cursor.h"

#include <algorithm>
#include <cmath>

#include "gl_texture.h"

namespace texcast::player {
namespace {

constexpr const char* kFragment = R"(
out vec4 colour;
void main() { colour = texture(plane0, at0); }  // premultiplied
)";

struct Point {
  double x = 0, y = 0;
};

// The displayed position of a point of the picture.
Point seen(Point in_picture, const Rect& shown, Rect where, const Turn& turn) {
  const double x = (in_picture.x - shown.x) / shown.width - 0.5, y = (in_picture.y - shown.y) / shown.height - 0.5;
  return {where.x + (turn.xx * x + turn.xy * y + 0.5) * where.width,
          where.y + (turn.yx * x + turn.yy * y + 0.5) * where.height};
}

}  // namespace

void CursorRenderer::draw(const Cursor& cursor, const Rect& shown, Rect where, Size target, Orientation orientation) {
  if (!cursor.visible || !cursor.shape) return;
  const CursorShape& shape = *cursor.shape;
  const Turn turn = turn_of(orientation);
  const Point corner{static_cast<double>(cursor.x - shape.hot_x), static_cast<double>(cursor.y - shape.hot_y)};
  const Point a = seen(corner, shown, where, turn);
  const Point b = seen({corner.x + shape.width, corner.y + shape.height}, shown, where, turn);
  const int left = static_cast<int>(std::lround(std::min(a.x, b.x)));
  const int top = static_cast<int>(std::lround(std::min(a.y, b.y)));
  const int width = std::max(1, static_cast<int>(std::lround(std::abs(a.x - b.x))));
  const int height = std::max(1, static_cast<int>(std::lround(std::abs(a.y - b.y))));
  if (!overlap({left, top, width, height}, where)) return;

  if (!pass_) pass_.emplace("pointer", fragment_shader(kFragment, Glsl::core_330));
  glActiveTexture(GL_TEXTURE0);
  if (!texture_) texture_ = GlTexture::create();
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  if (shape_ != cursor.shape) {
    shape_ = cursor.shape;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, shape.width, shape.height, 0, GL_BGRA, GL_UNSIGNED_BYTE,
                 shape.texels.data());
  }
  const bool exact = (swaps_sides(orientation) ? height : width) == shape.width &&
                     (swaps_sides(orientation) ? width : height) == shape.height;
  set_sampling(exact ? GL_NEAREST : GL_LINEAR);
  glEnable(GL_SCISSOR_TEST);
  // OpenGL counts rows from below.
  glScissor(where.x, target.height - where.y - where.height, where.width, where.height);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glViewport(left, target.height - top - height, width, height);
  pass_->draw({}, {}, false, turn);
  glDisable(GL_BLEND);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace texcast::player
