// The screen, captured from an X server of our own that nobody else draws on.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "media/frame_source.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;

namespace {

// Xvfb on a display number that it chooses, which DISPLAY names until the end of the scope.
class PrivateScreen {
 public:
  explicit PrivateScreen(const char* size_and_depth) {
    if (const char* before = std::getenv("DISPLAY")) before_ = before;
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    server_ = fork();
    if (server_ == 0) {
      const std::string fd = std::to_string(ends[1]);
      close(ends[0]);
      execlp("Xvfb", "Xvfb", "-displayfd", fd.c_str(), "-screen", "0", size_and_depth, "-nolisten", "tcp", "-ac",
             "-noreset", static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    std::string number;
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) number += c;  // ends with the server's end at the latest
    close(ends[0]);
    is_there_ = !number.empty();
    if (is_there_) setenv("DISPLAY", (":" + number).c_str(), 1);
  }
  ~PrivateScreen() {
    if (server_ > 0) {
      kill(server_, SIGTERM);
      waitpid(server_, nullptr, 0);
    }
    before_ ? setenv("DISPLAY", before_->c_str(), 1) : unsetenv("DISPLAY");
  }
  PrivateScreen(const PrivateScreen&) = delete;
  PrivateScreen& operator=(const PrivateScreen&) = delete;
  bool is_there() const { return is_there_; }

 private:
  pid_t server_ = -1;
  bool is_there_ = false;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("the screen: all of it at 60 a second, or the size and rate asked for") {
  const PrivateScreen screen("320x200x24");
  if (!screen.is_there()) {
    MESSAGE("SKIP: no X server (Xvfb) to capture");
    return;
  }
  {
    const auto source = media::open_source({.input = "screen"});
    CHECK(source->format().pixel_format == PixelFormat::bgra);  // as it lies in the X server
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
    CHECK(steady_now() - begin > std::chrono::milliseconds(120));  // they come in real time
  }
  const auto part = media::open_source({.input = "screen", .fps = 30, .width = 64, .height = 48});
  CHECK(part->format().width == 64);
  CHECK(part->format().height == 48);
  CHECK(part->fps() == doctest::Approx(30));
  const Error too_large = error_of([] { media::open_source({.input = "screen", .width = 640, .height = 480}); });
  CHECK(too_large.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(too_large, "cannot open 'screen'"), std::string(too_large.what()));
}
