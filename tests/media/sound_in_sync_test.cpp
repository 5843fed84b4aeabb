// Sound of files of every kind is read, and begins when the picture says so: the picture turns white at one second, and
// a tone begins there. The files are FFmpeg's; decoders differ by less than the limits.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "media/audio_reader.h"
#include "media/frame_source.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

const std::string kFlash = "-f lavfi -i \"color=black:s=64x48:r=25:d=2,drawbox=color=white:t=fill:enable='gte(t,1)'\" ";
const std::string kTone =
    "-f lavfi -i \"aevalsrc='gte(t,1)*0.5*sin(2000*PI*t)|gte(t,1)*0.5*sin(2000*PI*t)':s=48000:d=2\" ";

double brightness(const FrameView& frame) {
  DecodedImage image;
  convert_to_rgb(frame, image);
  double sum = 0;
  for (const uint8_t value : image.pixels) sum += value;
  return sum / static_cast<double>(image.pixels.size());
}

// When the picture turns white, from its first frame.
double flash_of(media::FrameSource& source) {
  while (const auto frame = source.next())
    if (brightness(frame->view) > 128) return in_seconds(frame->times.pts);
  return -1;
}

// When the tone begins, in seconds from `from`; negative: never.
double tone_of(media::AudioReader& audio, nanoseconds from = {}) {
  audio.seek(from);
  std::vector<float> sound(2 * 48000 * 2);
  sound.resize(2 * audio.read(sound));
  for (size_t i = 0; i < sound.size(); i += 2)
    if (std::abs(sound[i]) > 0.1F) return static_cast<double>(i) / 2 / 48000;
  return -1;
}

struct Kind {
  const char* name;
  const char* codecs;
  double limit_ms = 2;
};

}  // namespace

TEST_CASE(
    "sound of files without a header is read, in sync with the picture, from the beginning, again, and after it") {
  const Scratch scratch;
  for (const Kind& kind : {Kind{"a.ts", "-c:v libx264 -c:a aac"},
                           {"b.ts", "-c:v mpeg2video -c:a mp2"},
                           {"c.m2ts", "-c:v libx264 -c:a ac3"},
                           {"d.flv", "-c:v flv -c:a aac"},
                           {"e.mpg", "-c:v mpeg2video -c:a mp2"},
                           {"f.m3u8", "-c:v libx264 -c:a aac"},
                           {"g.webm", "-c:v libvpx -c:a libopus", 8},
                           {"h.ogv", "-c:v libtheora -c:a libvorbis"},
                           {"i.mp4", "-c:v libx264 -c:a aac"},
                           {"j.mkv", "-c:v libx264 -c:a libvorbis"},
                           {"k.avi", "-c:v mpeg4 -c:a pcm_s16le"}}) {
    CAPTURE(std::string(kind.name));
    const std::string file = scratch / kind.name;
    output_of("ffmpeg -v error " + kFlash + kTone + kind.codecs + " " + quoted(file));
    const auto source = media::open_source({.input = file});
    const auto audio = media::open_audio(file);
    REQUIRE(audio);
    REQUIRE(source->begin());
    const nanoseconds begin = *source->begin() - audio->zero_in_file();
    const double flash = flash_of(*source);
    REQUIRE(flash == doctest::Approx(1).epsilon(0.001));
    const auto error_ms = [&](double tone, double from) { return std::abs(from + tone - flash) * 1000; };
    const double first = tone_of(*audio, begin);
    MESSAGE(std::string(kind.name), ": tone minus flash ", (first - flash) * 1000, " ms");
    CHECK(error_ms(first, 0) < kind.limit_ms);  // in .webm ffmpeg, too, finds Opus 6.5 ms early: its pre-skip
    CHECK(error_ms(tone_of(*audio, begin + 800ms), 0.8) < kind.limit_ms);
    CHECK(error_ms(tone_of(*audio, begin), 0) < kind.limit_ms);  // as when a loop starts over
  }
}

TEST_CASE("files of sound alone begin with their sound") {
  const Scratch scratch;
  for (const Kind& kind : {Kind{"a.mp3", ""},
                           {"b.aac", "", 30},
                           {"c.ts", "-c:a mp2", 25},
                           {"d.wav", ""},
                           {"e.flac", ""},
                           {"f.m4a", ""},
                           {"g.ogg", ""}}) {
    CAPTURE(std::string(kind.name));
    const std::string file = scratch / kind.name;
    output_of("ffmpeg -v error " + kTone + kind.codecs + " " + quoted(file));
    const auto audio = media::open_audio(file);
    REQUIRE(audio);
    const double tone = tone_of(*audio);
    MESSAGE(std::string(kind.name), ": ", (tone - 1) * 1000, " ms");
    CHECK(std::abs(tone - 1) * 1000 < kind.limit_ms);  // .aac and transport streams keep the encoder's priming
  }
}
