#include "stream/recording_thread.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "texcast/error.h"

using namespace texcast;
using namespace texcast::stream;

namespace {

struct Written {
  std::vector<std::pair<nanoseconds, std::byte>> frames;  // time, first byte
  bool finished = false;
};

class FakeRecorder final : public media::Recorder {
 public:
  FakeRecorder(Written& written, size_t fails_at) : written_(written), fails_at_(fails_at) {}
  void write(const TextureView& texture, nanoseconds pts) override {
    if (written_.frames.size() == fails_at_) throw Error(ErrorKind::failed, "the disk is full");
    written_.frames.emplace_back(pts, texture.blocks[0]);
  }
  media::RecorderReport finish() override {
    written_.finished = true;
    return {.frames = static_cast<int64_t>(written_.frames.size())};
  }

 private:
  Written& written_;
  const size_t fails_at_;
};

}  // namespace

TEST_CASE("textures are written in order, each before its memory is returned") {
  Written written;
  RecordingThread recording(std::make_unique<FakeRecorder>(written, 1000));
  std::array<std::byte, 8> memory{};  // the same for every texture, as in an encoder
  for (int i = 0; i < 100; ++i) {
    recording.settle();
    memory[0] = static_cast<std::byte>(i);
    recording.write({{.width = 4, .height = 4}, memory}, nanoseconds(i));
  }
  CHECK(recording.finish().frames == 100);
  CHECK(written.finished);
  REQUIRE(written.frames.size() == 100);
  for (int i = 0; i < 100; ++i)
    CHECK(written.frames[static_cast<size_t>(i)] == std::pair(nanoseconds(i), static_cast<std::byte>(i)));
  CHECK(recording.time().wall > nanoseconds(0));
}

TEST_CASE("an exception of the writer is thrown by the next call, and nothing more is written") {
  Written written;
  RecordingThread recording(std::make_unique<FakeRecorder>(written, 2));
  const std::array<std::byte, 8> memory{};
  const auto write = [&] { recording.write({{.width = 4, .height = 4}, memory}, nanoseconds(0)); };
  write();
  write();
  write();
  CHECK_THROWS_AS(recording.settle(), Error);
  CHECK_THROWS_AS(write(), Error);
  CHECK(written.frames.size() == 2);
}
