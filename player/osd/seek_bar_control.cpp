#include "player/seek_bar_control.h"

#include <utility>

#include "player/seek_bar.h"

namespace texcast::player {

void SeekBarControl::set_label_columns(std::optional<int> columns) {
  label_columns_ = columns;
  if (columns) return;
  dragging_ = false;
  pointed_.reset();
  wish_.reset();
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
  if (dragging_ && pointed_ != before) wish_ = pointed_;
}

bool SeekBarControl::pressed(Size target, int x, int y, SteadyTime now) {
  moved_at_ = now;
  point_at(target, x, y);
  if (!pointed_) return false;
  dragging_ = true;
  wish_ = pointed_;
  waiting_for_answer_ = false;
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

void SeekBarControl::show_for_a_while(SteadyTime now) { shown_until_ = now + kStays; }

bool SeekBarControl::visible(SteadyTime now) const {
  if (!label_columns_) return false;
  if (dragging_ || (shown_until_ && now < *shown_until_)) return true;
  return near_ && pointer_visible(now);
}

bool SeekBarControl::pointer_visible(SteadyTime now) const {
  return dragging_ || (moved_at_ && now < *moved_at_ + kStays);
}

std::optional<double> SeekBarControl::take_wish(SteadyTime now) {
  if (!wish_) return std::nullopt;
  if (dragging_ && waiting_for_answer_ && now < asked_at_ + kPatience) return std::nullopt;
  asked_at_ = now;
  waiting_for_answer_ = true;
  return std::exchange(wish_, std::nullopt);
}

}  // namespace texcast::player
