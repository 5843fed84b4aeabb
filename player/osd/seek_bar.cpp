#include "player/seek_bar.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace texcast::player {
namespace {

// A character of the font, DejaVu Sans Mono, is 0.602 of its height wide.
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

void SeekBarControl::set_label_columns(std::optional<int> columns) {
  label_columns_ = columns;
  if (columns) return;
  dragging_ = false;
  pointed_.reset();
  next_seek_.reset();
}

void SeekBarControl::point_at(Size target, int x, int y) {
  const SeekBarLayout layout = seek_bar_layout(target, label_columns_.value_or(0));
  near_ = near_seek_bar(layout, y);
  if (label_columns_ && (dragging_ || contains(layout.panel, x, y)))
    pointed_ = part_at(layout, x);
  else
    pointed_.reset();
}

void SeekBarControl::moved(Size target, int x, int y, SteadyTime now) {
  moved_at_ = now;
  const std::optional<double> before = pointed_;
  point_at(target, x, y);
  if (dragging_ && pointed_ != before) next_seek_ = pointed_;
}

bool SeekBarControl::pressed(Size target, int x, int y, SteadyTime now) {
  moved_at_ = now;
  point_at(target, x, y);
  if (!pointed_) return false;
  dragging_ = true;
  next_seek_ = pointed_;
  seek_under_way_ = false;
  return true;
}

void SeekBarControl::released(SteadyTime now) {
  if (dragging_) show_for_a_while(now);
  dragging_ = false;
}

void SeekBarControl::left() {
  moved_at_.reset();
  near_ = false;
  if (!dragging_) pointed_.reset();
}

void SeekBarControl::show_for_a_while(SteadyTime now) { shown_until_ = now + kShownFor; }

bool SeekBarControl::visible(SteadyTime now) const {
  if (!label_columns_) return false;
  if (dragging_ || (shown_until_ && now < *shown_until_)) return true;
  return near_ && pointer_visible(now);
}

bool SeekBarControl::pointer_visible(SteadyTime now) const {
  return dragging_ || (moved_at_ && now < *moved_at_ + kShownFor);
}

std::optional<double> SeekBarControl::take_seek(SteadyTime now) {
  if (!next_seek_) return std::nullopt;
  if (dragging_ && seek_under_way_ && now < taken_at_ + kLongestWait) return std::nullopt;
  taken_at_ = now;
  seek_under_way_ = true;
  return std::exchange(next_seek_, std::nullopt);
}

}  // namespace texcast::player
