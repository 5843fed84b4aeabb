#include "player/seek_bar.h"

#include <algorithm>
#include <cmath>

namespace texcast::player {
namespace {

// Of our monospaced font: DejaVu Sans Mono is 0.602 of its height wide.
int label_width(int columns, int text) { return columns * (text * 5 / 8 + 1); }

}  // namespace

SeekBarLayout seek_bar_layout(Size target, int label_columns) {
  const int text = text_height(target);
  const int margin = std::min(text, target.width / 20);
  SeekBarLayout layout;
  const int height = std::min(text * 5 / 2, target.height);
  layout.panel = {margin, std::max(0, target.height - height - margin), std::max(1, target.width - 2 * margin), height};
  const int middle = layout.panel.y + height / 2;
  const int label = label_width(label_columns, text);
  const bool has_labels = layout.panel.width >= 2 * (label + 2 * text) + 4 * text;
  const int side = has_labels ? label + 2 * text : std::min(text, (layout.panel.width - 1) / 2);
  const int thickness = std::max(2, text / 3);
  layout.track = {layout.panel.x + side, middle - thickness / 2, layout.panel.width - 2 * side, thickness};
  layout.knob = std::max(4, text * 7 / 8);
  if (has_labels) {
    const int top = middle - text * 5 / 8;  // lines are a quarter higher than their letters
    layout.position_label = {layout.panel.x + text, top, label, text * 5 / 4};
    layout.duration_label = {layout.track.x + layout.track.width + text, top, label, text * 5 / 4};
  }
  return layout;
}

double part_at(const SeekBarLayout& layout, int x) {
  const double steps = std::max(1, layout.track.width - 1);
  return std::clamp((x - layout.track.x) / steps, 0.0, 1.0);
}

int x_at(const SeekBarLayout& layout, double part) {
  return layout.track.x + static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * (layout.track.width - 1)));
}

bool near_seek_bar(const SeekBarLayout& layout, int y) { return y >= layout.panel.y - 2 * layout.panel.height; }

Rect box_over(const SeekBarLayout& layout, Size target, int x, Size box) {
  const int gap = layout.panel.height / 8;
  return {std::clamp(x - box.width / 2, 0, std::max(0, target.width - box.width)),
          std::max(0, layout.panel.y - gap - box.height), box.width, box.height};
}

}  // namespace texcast::player
