#include <doctest/doctest.h>

#include <chrono>

#include "player/seek_bar.h"

namespace texcast::player {
namespace {

using namespace std::chrono_literals;

constexpr Size kWindow{1280, 720};

bool is_inside(const Rect& inner, const Rect& outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

// A mouse in the middle of the track's height, at that fraction of its length.
struct Mouse {
  SeekBarControl control;
  SteadyTime now{1000s};
  SeekBarLayout layout = seek_bar_layout(kWindow, 4);
  int y = layout.track.y;
  Mouse() { control.set_label_columns(4); }
  void move(int x, int to_y) { control.moved(kWindow, x, to_y, now); }
  bool press(double part) { return control.pressed(kWindow, x_at(layout, part), y, now); }
  void drag(double part) { control.moved(kWindow, x_at(layout, part), y, now); }
};

}  // namespace

TEST_CASE("seek bar: all of it inside its panel, the panel inside the window, whatever the size") {
  for (const Size target : {Size{1, 1}, {64, 48}, {320, 180}, {854, 480}, {1280, 720}, {3840, 2160}, {720, 1280}}) {
    CAPTURE(target.width);
    const SeekBarLayout bar = seek_bar_layout(target, 7);
    CHECK(is_inside(bar.panel, {0, 0, target.width, target.height}));
    CHECK(bar.track.width >= 1);
    CHECK(bar.track.x >= bar.panel.x);
    CHECK(bar.track.x + bar.track.width <= bar.panel.x + bar.panel.width);
    if (bar.position_label.width == 0) continue;
    CHECK(is_inside(bar.position_label, bar.panel));
    CHECK(is_inside(bar.duration_label, bar.panel));
    CHECK_FALSE(overlap(bar.position_label, bar.track));
    CHECK_FALSE(overlap(bar.duration_label, bar.track));
    CHECK(bar.track.width > bar.panel.width / 3);
  }
  CHECK(seek_bar_layout({1280, 720}, 7).position_label.width > 0);
  CHECK(seek_bar_layout({160, 120}, 7).position_label.width == 0);
}

TEST_CASE("seek bar: positions and fractions of the duration are each other's inverse, clamped beyond the ends") {
  const SeekBarLayout bar = seek_bar_layout(kWindow, 4);
  for (int x = bar.track.x; x < bar.track.x + bar.track.width; ++x) REQUIRE(x_at(bar, part_at(bar, x)) == x);
  CHECK(part_at(bar, bar.track.x) == 0);
  CHECK(part_at(bar, bar.track.x + bar.track.width - 1) == 1);
  CHECK(part_at(bar, -500) == 0);
  CHECK(part_at(bar, 5000) == 1);
  CHECK(x_at(bar, -1) == bar.track.x);
  CHECK(x_at(bar, 7) == bar.track.x + bar.track.width - 1);
}

TEST_CASE("seek bar: the text above the pointer stays inside the window") {
  const SeekBarLayout bar = seek_bar_layout(kWindow, 4);
  for (const int x : {0, 5, 640, 1275, 1279}) {
    const Rect box = box_over(bar, kWindow, x, {120, 40});
    CHECK(is_inside(box, {0, 0, 1280, 720}));
    CHECK_FALSE(overlap(box, bar.panel));
  }
  CHECK(box_over(bar, kWindow, 640, {120, 40}).x == 580);
}

TEST_CASE("seek bar: appears near the bottom, disappears with the pointer after two seconds") {
  Mouse mouse;
  CHECK_FALSE(mouse.control.visible(mouse.now));
  mouse.move(600, 100);
  CHECK_FALSE(mouse.control.visible(mouse.now));
  CHECK(mouse.control.pointer_visible(mouse.now));
  mouse.move(600, 715);
  CHECK(mouse.control.visible(mouse.now));
  CHECK(mouse.control.visible(mouse.now + 1999ms));
  CHECK_FALSE(mouse.control.visible(mouse.now + 2s));
  CHECK_FALSE(mouse.control.pointer_visible(mouse.now + 2s));
  mouse.control.left();
  CHECK_FALSE(mouse.control.visible(mouse.now));
}

TEST_CASE("seek bar: shown for two seconds after a key seeks; never if seeking is impossible") {
  Mouse mouse;
  mouse.control.show_for_a_while(mouse.now);
  CHECK(mouse.control.visible(mouse.now + 1s));
  CHECK_FALSE(mouse.control.visible(mouse.now + 2s));
  CHECK_FALSE(mouse.control.pointer_visible(mouse.now));
  mouse.control.set_label_columns(std::nullopt);
  CHECK_FALSE(mouse.control.visible(mouse.now + 1s));
  mouse.move(600, 715);
  CHECK_FALSE(mouse.control.visible(mouse.now));
  CHECK_FALSE(mouse.press(0.5));
  CHECK_FALSE(mouse.control.take_seek(mouse.now));
}

TEST_CASE("seek bar: a click beside it is not handled; a click on it seeks") {
  Mouse mouse;
  CHECK_FALSE(mouse.control.pressed(kWindow, 600, 300, mouse.now));
  CHECK_FALSE(mouse.control.take_seek(mouse.now));
  CHECK(mouse.press(0.25));
  CHECK(mouse.control.dragging());
  CHECK(mouse.control.take_seek(mouse.now) == part_at(mouse.layout, x_at(mouse.layout, 0.25)));
  CHECK_FALSE(mouse.control.take_seek(mouse.now + 1s));  // only once
  mouse.control.released(mouse.now);
  CHECK_FALSE(mouse.control.dragging());
}

TEST_CASE("seek bar: a drag seeks again when the previous position is shown, and always ends at the last position") {
  Mouse mouse;
  mouse.press(0.1);
  CHECK(mouse.control.take_seek(mouse.now));
  mouse.drag(0.2);
  mouse.drag(0.3);
  CHECK_FALSE(mouse.control.take_seek(mouse.now + 10ms));  // the picture of 0.1 has not been shown yet
  mouse.control.seek_shown();
  const auto second = mouse.control.take_seek(mouse.now + 20ms);
  CHECK(second == part_at(mouse.layout, x_at(mouse.layout, 0.3)));  // 0.2 was skipped
  mouse.drag(0.4);
  CHECK_FALSE(mouse.control.take_seek(mouse.now + 30ms));
  CHECK(
      mouse.control.take_seek(mouse.now + 20ms + SeekBarControl::kLongestWait));  // a slow disk does not stop the drag
  mouse.drag(2.0);
  mouse.control.left();  // outside the window: still held
  CHECK(mouse.control.visible(mouse.now + 10s));
  mouse.control.released(mouse.now + 40ms);
  CHECK(mouse.control.take_seek(mouse.now + 40ms) == 1.0);
  CHECK_FALSE(mouse.control.take_seek(mouse.now + 40ms));
}

}  // namespace texcast::player
