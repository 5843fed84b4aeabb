// The screen, captured from the test's own X server, on which nobody else draws.
#include "media/frame_source.h"
#include "media_test.h"
#include "x_screen.h"

using namespace texcast;
using namespace texcast::test;

TEST_CASE("the screen: all of it at 60 frames per second, or with the requested size and rate") {
  const PrivateScreen screen("320x200x24");
  if (!screen.is_there()) return;
  {
    const auto source = media::open_source({.input = "screen"});
    CHECK(source->format().pixel_format == PixelFormat::bgra);  // as in the X server
    CHECK(source->format().color.range == ColorRange::full);
    CHECK(source->format().width == 320);
    CHECK(source->format().height == 200);
    CHECK(source->fps() == doctest::Approx(60));
    CHECK(source->is_live());
    nanoseconds last{};
    const SteadyTime begin = steady_now();
    for (int i = 0; i < 12; ++i) {
      const auto frame = source->next();
      REQUIRE(frame.has_value());
      if (i > 0) CHECK(frame->times.pts > last);
      last = frame->times.pts;
    }
    CHECK(steady_now() - begin > std::chrono::milliseconds(120));  // frames come in real time
  }
  const auto part = media::open_source({.input = "screen", .fps = 30, .width = 64, .height = 48});
  CHECK(part->format().width == 64);
  CHECK(part->format().height == 48);
  CHECK(part->fps() == doctest::Approx(30));
  const Error too_large = error_of([] { media::open_source({.input = "screen", .width = 640, .height = 480}); });
  CHECK(too_large.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(too_large, "cannot open 'screen'"), std::string(too_large.what()));
}
