#include "gl_overlay.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "gl_pass.h"
#include "gl_texture.h"
#include "player/osd_text.h"
#include "player/seek_bar.h"

namespace texcast::player {
namespace {

struct Colour {  // 0..1, not premultiplied
  float red = 0;
  float green = 0;
  float blue = 0;
  float opacity = 1;
};

// Text stays readable over white terminals and busy pictures: an eighth of the picture shines through, so that a panel
// is seen to lie over something.
constexpr Colour kPanel{0, 0, 0, 0.875F};
constexpr Colour kDim{0, 0, 0, 0.6F};
constexpr Colour kTrack{1, 1, 1, 0.28F};
constexpr Colour kPlayed{0.32F, 0.67F, 1, 1};
constexpr Colour kPointed{1, 1, 1, 0.9F};
constexpr Colour kKnob{1, 1, 1, 1};

// OpenGL counts rows from below.
void set_viewport(const Rect& where, Size target) {
  glViewport(where.x, target.height - where.y - where.height, where.width, where.height);
}

// A box of one colour with round corners. Blending must be enabled, premultiplied.
class BoxPass {
 public:
  BoxPass()
      : pass_("box", fragment_shader(kFragment, Glsl::core_330)),
        shape_(pass_.location("shape")),
        colour_(pass_.location("paint")) {}

  // `radius` of the corners, pixels; half the height makes a pill.
  void draw(const Rect& box, float radius, const Colour& colour, Size target) {
    if (box.width < 1 || box.height < 1) return;
    pass_.use();
    glUniform3f(shape_, static_cast<float>(box.width), static_cast<float>(box.height), radius);
    glUniform4f(colour_, colour.red * colour.opacity, colour.green * colour.opacity, colour.blue * colour.opacity,
                colour.opacity);
    set_viewport(box, target);
    pass_.draw({}, {});
  }

 private:
  // The distance to a box with circular corners: negative inside; half a pixel on either side of 0 is blended.
  static constexpr const char* kFragment = R"(
uniform vec3 shape;   // width, height, radius of the corners
uniform vec4 paint;   // premultiplied
out vec4 colour;
void main() {
  vec2 outwards = abs(at0 - 0.5) * shape.xy - 0.5 * shape.xy + shape.z;
  float outside = length(max(outwards, 0.0)) + min(max(outwards.x, outwards.y), 0.0) - shape.z;
  colour = paint * clamp(0.5 - outside, 0.0, 1.0);
}
)";
  RectanglePass pass_;
  GLint shape_ = -1;
  GLint colour_ = -1;
};

// White text by the coverage in the texture that is bound to unit 0.
class TextPass {
 public:
  void draw(const Rect& where, Size target) {
    set_viewport(where, target);
    pass_.draw({}, {});
  }

 private:
  RectanglePass pass_{"text", fragment_shader(R"(
out vec4 colour;
void main() { colour = vec4(texture(plane0, at0).r); }  // premultiplied white
)",
                                              Glsl::core_330)};
};

// A piece of text on the GPU, uploaded again only when it changed.
class TextTexture {
 public:
  // Lays the lines out for `target`; an empty size if there is nothing to draw.
  Size update(OsdText& text, std::span<const std::string> lines, Size target) {
    if (target_ == target && std::equal(lines.begin(), lines.end(), lines_.begin(), lines_.end()))
      return {panel_.width, panel_.height};
    target_ = target;
    lines_.assign(lines.begin(), lines.end());
    text.render(lines_, text_height(target), target.width, target.height, panel_);
    if (panel_.width == 0) return {};
    if (!texture_) texture_ = GlTexture::create();
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture_.name());
    set_sampling(GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, panel_.width, panel_.height, 0, GL_RED, GL_UNSIGNED_BYTE,
                 panel_.coverage.data());
    return {panel_.width, panel_.height};
  }
  // Draws with its upper left corner at x, y.
  void draw(TextPass& pass, int x, int y, Size target) const {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture_.name());
    pass.draw({x, y, panel_.width, panel_.height}, target);
  }

 private:
  TextPanel panel_;
  std::vector<std::string> lines_;
  Size target_;
  GlTexture texture_;
};

int margin_of(Size target) { return text_height(target) / 2; }

Rect panel_at(OverlayPlace place, Size size, Size target, int margin) {
  Rect panel{(target.width - size.width) / 2, (target.height - size.height) / 2, size.width, size.height};
  if (place != OverlayPlace::centre) panel.y = std::min(margin, target.height - size.height);
  if (place == OverlayPlace::top_left) panel.x = std::min(margin, target.width - size.width);
  if (place == OverlayPlace::top_right) panel.x = std::max(0, target.width - size.width - margin);
  return panel;
}

}  // namespace

class OverlayRenderer::Drawing {
 public:
  explicit Drawing(const std::string& font_file) : text_(font_file) {}
  void draw(const Overlay& overlay, Size target);

 private:
  void place(std::span<const TextBlock> texts, Size target);
  void draw_seek_bar(const SeekBar& bar, Size target);
  void draw_label(const std::string& words, TextTexture& text, const Rect& where, bool to_the_right, Size target);
  void draw_pointed(const SeekBar& bar, const SeekBarLayout& layout, Size target);

  struct Passes {
    BoxPass box;
    TextPass text;
  };
  OsdText text_;
  std::optional<Passes> passes_;
  struct Block {
    TextTexture text{};
    Rect panel{};  // empty: not drawn
  };
  std::vector<Block> blocks_;
  TextTexture position_;
  TextTexture duration_;
  TextTexture pointed_;
};

OverlayRenderer::OverlayRenderer(const std::string& font_file) : drawing_(std::make_unique<Drawing>(font_file)) {}

OverlayRenderer::~OverlayRenderer() = default;

void OverlayRenderer::draw(const Overlay& overlay, Size target) { drawing_->draw(overlay, target); }

void OverlayRenderer::Drawing::draw(const Overlay& overlay, Size target) {
  const bool has_text =
      std::any_of(overlay.texts.begin(), overlay.texts.end(), [](const auto& t) { return !t.lines.empty(); });
  if (!has_text && overlay.seek_bar == nullptr && !overlay.dim) return;
  if (!passes_) passes_.emplace();
  place(overlay.texts, target);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  if (overlay.dim) passes_->box.draw({0, 0, target.width, target.height}, 0, kDim, target);
  for (const Block& block : blocks_) {
    if (block.panel.width == 0) continue;
    passes_->box.draw(block.panel, static_cast<float>(margin_of(target)), kPanel, target);
    block.text.draw(passes_->text, block.panel.x, block.panel.y, target);
  }
  if (overlay.seek_bar) draw_seek_bar(*overlay.seek_bar, target);
  glDisable(GL_BLEND);
}

// Panels do not overlap: one in the middle is placed to the right of the previous ones, or left out if there is no
// room; one at the right is placed below them.
void OverlayRenderer::Drawing::place(std::span<const TextBlock> texts, Size target) {
  blocks_.resize(texts.size());
  const int margin = margin_of(target);
  for (size_t i = 0; i < texts.size(); ++i) {
    Block& block = blocks_[i];
    block.panel = {};
    if (texts[i].lines.empty()) continue;
    const Size size = block.text.update(text_, texts[i].lines, target);
    block.panel = panel_at(texts[i].place, size, target, margin);
    for (size_t before = 0; before < i; ++before) {
      Rect& other = blocks_[before].panel;
      if (texts[i].place == OverlayPlace::top_right && overlap(block.panel, other))
        block.panel.y = other.y + other.height + margin;
      if (texts[i].place != OverlayPlace::centre) continue;
      if (overlap(block.panel, other)) block.panel.x = std::max(0, target.width - size.width - margin);
      if (overlap(block.panel, other)) {
        other = {};
        block.panel = panel_at(texts[i].place, size, target, margin);
      }
    }
  }
}

void OverlayRenderer::Drawing::draw_seek_bar(const SeekBar& bar, Size target) {
  const SeekBarLayout layout = seek_bar_layout(target, static_cast<int>(bar.duration.size()));
  const auto pill = [&](const Rect& rect, const Colour& colour) {
    passes_->box.draw(rect, static_cast<float>(std::min(rect.width, rect.height)) / 2, colour, target);
  };
  passes_->box.draw(layout.panel, static_cast<float>(layout.panel.height) / 4, kPanel, target);
  pill(layout.track, kTrack);
  const int knob_x = x_at(layout, bar.played);
  Rect played = layout.track;
  played.width = knob_x - layout.track.x + 1;
  pill(played, kPlayed);
  if (bar.pointed) {
    const int high = layout.knob;
    const int wide = std::max(2, layout.track.height / 3);
    pill({x_at(layout, *bar.pointed) - wide / 2, layout.track.y + layout.track.height / 2 - high / 2, wide, high},
         kPointed);
    draw_pointed(bar, layout, target);
  }
  pill({knob_x - layout.knob / 2, layout.track.y + layout.track.height / 2 - layout.knob / 2, layout.knob, layout.knob},
       kKnob);
  draw_label(bar.position, position_, layout.position_label, true, target);
  draw_label(bar.duration, duration_, layout.duration_label, false, target);
}

void OverlayRenderer::Drawing::draw_label(const std::string& words, TextTexture& text, const Rect& where,
                                          bool to_the_right, Size target) {
  if (words.empty() || where.width == 0) return;
  const Size size = text.update(text_, {&words, 1}, target);
  if (size.width == 0) return;
  const int border = text_.border();
  const int x = to_the_right ? where.x + where.width - size.width + border : where.x - border;
  text.draw(passes_->text, x, where.y + (where.height - size.height) / 2, target);
}

void OverlayRenderer::Drawing::draw_pointed(const SeekBar& bar, const SeekBarLayout& layout, Size target) {
  if (bar.pointed_at.empty()) return;
  const Size size = pointed_.update(text_, {&bar.pointed_at, 1}, target);
  if (size.width == 0) return;
  const Rect box = box_over(layout, target, x_at(layout, *bar.pointed), size);
  passes_->box.draw(box, static_cast<float>(size.height) / 4, kPanel, target);
  pointed_.draw(passes_->text, box.x, box.y, target);
}

}  // namespace texcast::player
