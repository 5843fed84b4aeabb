// Inputs that cannot be opened: one line says what is wrong and what to do, with the kind for which main() returns 5.
#include <cstdlib>

#include "media/frame_source.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;

namespace {

Error opening(const std::string& input) {
  return error_of([&] { media::open_source({.input = input}); });
}

void check(const std::string& input, const std::string& words) {
  const Error error = opening(input);
  CHECK(error.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(error, words), std::string(error.what()));
}

}  // namespace

TEST_CASE("each bad input has its own message") {
  const Scratch scratch;
  check(scratch / "missing.mp4", "no such file; check the path");
  check(scratch / "missing%05d.png", "missing%05d.png");
  check("", "");
  check("nosuchprotocol://x", "has no such protocol");
  check("lavfi:nosuchfilter", "nosuchfilter");
  check("nosuchdemuxer::x", "no demuxer or device 'nosuchdemuxer'");
  check(scratch / ".", "");
  for (const char* name : {"notes.txt", "notes", "notes.mp4", "notes.dds", "notes.png"}) {
    CAPTURE(std::string(name));
    std::string text;
    for (int i = 0; i < 200; ++i) text += "This is a text about nothing much, line after line.\n";
    write_file(scratch / name, text);
    const Error error = opening(scratch / name);
    CHECK(error.kind() == ErrorKind::input);
    CHECK_MESSAGE(says(error, scratch / name), std::string(error.what()));
  }
  check(scratch / "notes.txt", "not a video or image that FFmpeg opens");
  check(scratch / "notes.mp4", "not a video or image that FFmpeg opens");
  check(scratch / "notes", "not a video or image that FFmpeg opens");
  write_file(scratch / "empty.mov", "");
  check(scratch / "empty.mov", "the file is empty");
  write_file(scratch / "words.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello\n");
  check(scratch / "words.srt", "not a video or image");
  output_of("ffmpeg -v error -y -f lavfi -i sine=duration=0.2 " + quoted(scratch / "sound.wav"));
  check(scratch / "sound.wav", "it has no pictures");
}

TEST_CASE("a truncated .mov says so") {
  const Scratch scratch;
  output_of("ffmpeg -v error -y -f lavfi -i testsrc2=size=64x64:rate=10:duration=1 " + quoted(scratch / "whole.mov"));
  const std::string whole = read_file(scratch / "whole.mov");
  write_file(scratch / "cut.mov", whole.substr(0, whole.size() / 2));
  check(scratch / "cut.mov", "moov atom not found: the file is truncated");
}

TEST_CASE("truncated or noisy pictures end in an error or in fewer frames, never in a crash") {
  const Scratch scratch;
  for (const char* name : {"/clip.mp4", "/kodim05_127x95.png"}) {
    const std::string whole = read_file(kData + name).substr(0, 400'000);
    for (const double part : {0.001, 0.02, 0.2, 0.9}) {
      const std::string path = scratch / ("cut" + std::filesystem::path(name).extension().string());
      std::string bytes = whole.substr(0, static_cast<size_t>(part * static_cast<double>(whole.size())));
      for (size_t i = bytes.size() / 2; i < bytes.size(); i += 997) bytes[i] = static_cast<char>(i);
      write_file(path, bytes);
      try {
        const auto source = media::open_source({.input = path});
        int frames = 0;
        while (source->next()) ++frames;
        CHECK(frames <= 240);
      } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
      }
    }
  }
}

TEST_CASE("capturing the screen without a display says how to get one") {
  const char* const before = std::getenv("DISPLAY");
  const std::string kept = before ? before : "";
  unsetenv("DISPLAY");
  check("screen", "DISPLAY is not set");
  setenv("DISPLAY", ":987", 1);
  check("screen", "cannot open 'screen'");
  if (before) {
    setenv("DISPLAY", kept.c_str(), 1);
  } else {
    unsetenv("DISPLAY");
  }
}
