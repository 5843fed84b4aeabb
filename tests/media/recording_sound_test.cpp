// Sound in recordings, and recordings in several files. The reference is ffmpeg: it decodes from a recording the
// samples that it decodes from the source, between the recording's start and end.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "media/clip_reader.h"
#include "media/frame_source.h"
#include "media/recorder.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

const TextureDesc kSmallDesc{.format = TextureFormat::bc1, .width = 64, .height = 48};
constexpr nanoseconds kPictureTime = 40ms;

// Two seconds of 25 pictures per second, with two tracks of sound that never repeats.
void make_source_with_sound(const std::string& path, const std::string& codecs) {
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i "
      "\"aevalsrc='0.5*sin(3000*t*t)|0.4*sin(2000*t*t+1)':s=48000:d=2\" -f lavfi -i "
      "\"aevalsrc='0.5*sin(1500*t*t)':s=44100:d=2\" -map 0 -map 1 -map 2 " +
      codecs + " -metadata:s:a:0 language=eng -metadata:s:a:1 language=fra -y " + quoted(path));
}

std::vector<std::string> record_with_sound(const std::string& path, int frames, std::optional<media::AudioSource> audio,
                                           media::SplitSettings split = {}) {
  const auto recorder = media::make_recorder({.path = path,
                                              .texture = kSmallDesc,
                                              .fps = 25,
                                              .snappy = false,
                                              .audio = audio,
                                              .split = split,
                                              .if_exists = IfExists::overwrite});
  for (int i = 0; i < frames; ++i)
    recorder->write({kSmallDesc, some_blocks(kSmallDesc, static_cast<unsigned>(i))}, i * kPictureTime);
  return recorder->finish().files;
}

std::vector<int16_t> samples_of(const std::string& path, int track, const std::string& filter = "") {
  const std::string bytes = output_of("ffmpeg -v error -i " + quoted(path) + " -map 0:a:" + std::to_string(track) +
                                      (filter.empty() ? "" : " -af " + filter) + " -f s16le -c:a pcm_s16le -");
  std::vector<int16_t> samples(bytes.size() / 2);
  std::memcpy(samples.data(), bytes.data(), samples.size() * 2);
  return samples;
}

// The largest difference over the first `count` samples of `expected`; -1 if there are fewer.
int difference(const std::vector<int16_t>& got, const std::vector<int16_t>& expected, size_t count) {
  if (got.size() < count || expected.size() < count) return -1;
  int largest = 0;
  for (size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(got[i] - expected[i]));
  return largest;
}

std::string audio_of(const std::string& path) {
  return output_of("ffprobe -v error -select_streams a -show_entries stream=codec_name,sample_rate,channels:" +
                   std::string("stream_tags=language -of compact=p=0:nk=1 ") + quoted(path));
}

}  // namespace

TEST_CASE("PCM is recorded sample by sample, and cut with the pictures into several files") {
  const Scratch scratch;
  const std::string source = scratch / "source.mov";
  make_source_with_sound(source, "-c:v mpeg4 -c:a pcm_s16le");
  for (const char* name : {"show.mov", "show.mkv"}) {
    CAPTURE(std::string(name));
    const auto files =
        record_with_sound(scratch / name, 30, media::AudioSource{.file = source, .begin = 400ms}, {.duration = 500ms});
    REQUIRE(files.size() == 3);  // 13 frames are the first 500 ms and a little more
    CHECK(files[0] == scratch / name);
    CHECK(files[1].substr(files[1].rfind('/')) == "/show-2" + files[0].substr(files[0].rfind('.')));
    unsigned number = 0;
    std::vector<int16_t> heard[2];
    for (const std::string& file : files) {
      const auto clip = media::open_clip(file);
      for (unsigned i = 0;; ++i, ++number) {
        const auto frame = clip->next();
        REQUIRE(frame.has_value());
        if (!*frame) break;
        CHECK((*frame)->pts == i * kPictureTime);  // each file begins at 0
        const auto blocks = some_blocks(kSmallDesc, number);
        CHECK(std::equal(blocks.begin(), blocks.end(), (*frame)->texture.blocks.begin()));
      }
      CHECK(audio_of(file) == "pcm_s16le|48000|2|eng\npcm_s16le|44100|1|fra\n");
      for (int track = 0; track < 2; ++track)
        for (const int16_t sample : samples_of(file, track)) heard[track].push_back(sample);
    }
    CHECK(number == 30);
    for (int track = 0; track < 2; ++track) CHECK(heard[track] == samples_of(source, track, "atrim=start=0.4:end=1.6"));
  }
}

TEST_CASE("packets are copied if the container takes them, and heard at the same sample") {
  const Scratch scratch;
  const std::string source = scratch / "source.mp4";
  make_source_with_sound(source, "-c:v mpeg4 -c:a aac");
  const auto files = record_with_sound(scratch / "show.mov", 30, media::AudioSource{.file = source, .begin = 400ms},
                                       {.duration = 500ms});
  REQUIRE(files.size() == 3);
  CHECK(audio_of(files[0]) == "aac|48000|2|eng\naac|44100|1|fra\n");
  const char* parts[] = {"atrim=start=0.4:end=0.92", "atrim=start=0.92:end=1.44", "atrim=start=1.44:end=1.6"};
  for (size_t i = 0; i < 3; ++i)
    for (int track = 0; track < 2; ++track) {
      const auto expected = samples_of(source, track, parts[i]);
      const auto got = samples_of(files[i], track);
      CHECK(difference(got, expected, expected.size()) <= 1);  // the decoder's preroll before the cut is there too
      CHECK(got.size() < expected.size() + 2 * 1024 * 2);
    }
  // Matroska has nothing before time 0, so that the first complete packet begins it.
  record_with_sound(scratch / "show.mkv", 30, media::AudioSource{.file = source, .begin = 0ms});
  CHECK(audio_of(scratch / "show.mkv") == "aac|48000|2|eng\naac|44100|1|fra\n");
}

TEST_CASE("sound that the container does not take becomes PCM with all its bits, or is left out") {
  const Scratch scratch;
  const std::string source = scratch / "source.mkv";
  make_source_with_sound(source, "-c:v mpeg4 -c:a:0 flac -sample_fmt:a:0 s32 -c:a:1 flac -sample_fmt:a:1 s16");
  record_with_sound(scratch / "show.mov", 10, media::AudioSource{.file = source});
  CHECK(audio_of(scratch / "show.mov") == "pcm_s24le|48000|2|eng\npcm_s16le|44100|1|fra\n");
  for (int track = 0; track < 2; ++track) {
    const auto got = samples_of(scratch / "show.mov", track);
    CHECK(got.size() == (track == 0 ? 2 * 19'200u : 17'640u));  // 400 ms
    CHECK(difference(got, samples_of(source, track), got.size()) == 0);
  }
  record_with_sound(scratch / "show.mkv", 10, media::AudioSource{.file = source});
  CHECK(audio_of(scratch / "show.mkv") == "flac|48000|2|eng\nflac|44100|1|fra\n");
  record_with_sound(scratch / "pcm.mkv", 10, media::AudioSource{.file = source, .mode = media::AudioMode::pcm});
  CHECK(audio_of(scratch / "pcm.mkv") == "pcm_s24le|48000|2|eng\npcm_s16le|44100|1|fra\n");
  record_with_sound(scratch / "none.mov", 10, media::AudioSource{.file = source, .mode = media::AudioMode::none});
  CHECK(audio_of(scratch / "none.mov") == "");
}

TEST_CASE("no file exceeds the maximum size, and no frame is lost between two files") {
  const Scratch scratch;
  const std::string source = scratch / "source.mov";
  make_source_with_sound(source, "-c:v mpeg4 -c:a pcm_s16le");
  constexpr int64_t kMost = 250'000;
  for (const bool with_sound : {false, true}) {
    const auto files = record_with_sound(scratch / "show.mov", 120,
                                         with_sound ? std::optional(media::AudioSource{.file = source}) : std::nullopt,
                                         {.bytes = kMost});
    REQUIRE(files.size() >= 2);
    unsigned number = 0;
    for (const std::string& file : files) {
      CHECK(static_cast<int64_t>(std::filesystem::file_size(file)) <= kMost);
      const auto clip = media::open_clip(file);
      for (bool first = true;; first = false, ++number) {
        const auto frame = clip->next();
        REQUIRE(frame.has_value());
        if (!*frame) break;
        if (first) CHECK((*frame)->pts == 0ns);
        const auto blocks = some_blocks(kSmallDesc, number);
        CHECK(std::equal(blocks.begin(), blocks.end(), (*frame)->texture.blocks.begin()));
      }
    }
    CHECK(number == 120);
  }
}

TEST_CASE("a source reports the time of its first frame on the clock of its sound") {
  const Scratch scratch;
  make_source_with_sound(scratch / "source.mov", "-c:v mpeg4 -c:a pcm_s16le");
  output_of("ffmpeg -v error -i " + quoted(scratch / "source.mov") + " -c copy -output_ts_offset 3 -y " +
            quoted(scratch / "late.mkv"));
  const auto begin_of = [&](const std::string& name, nanoseconds start) {
    return media::open_source({.input = scratch / name, .start = start})->begin();
  };
  CHECK(begin_of("source.mov", 0s) == 0ns);
  CHECK(begin_of("source.mov", 400ms) == 400ms);
  CHECK(begin_of("late.mkv", 400ms) == 3400ms);
  CHECK(!media::open_source({.input = "test"})->begin().has_value());
}
