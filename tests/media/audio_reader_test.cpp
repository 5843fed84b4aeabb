// A recording's sound, compared with what the ffmpeg program decodes.
#include "media/audio_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "media/audio_tempo.h"
#include "media/test_sound.h"
#include "media/time_clicks.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> samples(bytes.size() / sizeof(float));
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  return samples;
}

std::vector<float> read_all(media::AudioReader& audio, size_t at_once) {
  std::vector<float> all, block(at_once);
  while (true) {
    const size_t frames = audio.read(block);
    all.insert(all.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(2 * frames));
    if (2 * frames < block.size()) return all;
  }
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(double{a[i]} - b[i]));
  return largest;
}

// Likewise with `b` up to a millisecond earlier or later, as Matroska rounds the time stamps of both tracks to
// milliseconds.
double smallest_difference(std::span<const float> a, std::span<const float> b) {
  a = a.first(std::min<size_t>(a.size(), 2 * 12'000));  // a quarter of a second suffices
  b = b.first(std::min<size_t>(b.size(), 2 * 12'000));
  double smallest = 1;
  for (size_t shift = 0; shift <= 48; ++shift) {
    smallest = std::min(smallest, largest_difference(a.subspan(2 * shift), b));
    smallest = std::min(smallest, largest_difference(a, b.subspan(2 * shift)));
  }
  return smallest;
}

// The start of a track in seconds of the container's clock. AAC's priming samples precede the picture.
double start_of(const std::string& path, const std::string& track) {
  return std::stod(output_of("ffprobe -v error -select_streams " + track +
                             " -show_entries stream=start_time -of csv=p=0 " + quoted(path)));
}

// Two tones that never repeat, so that no two nearby places sound the same.
const std::string kSound = " -f lavfi -i 'aevalsrc=0.5*sin(440*2*PI*t+20*t*t)|0.5*sin(300*2*PI*t+35*t*t):s=48000:d=2' ";
const std::string kPicture = "ffmpeg -v error -y -f lavfi -i testsrc2=s=64x64:r=25:d=2 ";

}  // namespace

TEST_CASE("sound is what FFmpeg decodes, sample by sample, from any position") {
  const Scratch scratch;
  for (const char* how :
       {"-c:a pcm_s16le sound.mov", "-c:a pcm_f32le sound.mkv", "-c:a aac sound.mov", "-c:a aac sound.mkv"}) {
    CAPTURE(std::string(how));
    const std::string words = how, name = words.substr(5, words.find(' ', 5) - 5);
    const std::string path = scratch / words.substr(words.find("sound"));
    output_of(kPicture + kSound + "-c:v hap " + words.substr(0, words.find("sound")) + quoted(path));
    auto want = floats_of(output_of("ffmpeg -v error -i " + quoted(path) + " -f f32le -ac 2 -ar 48000 -"));
    const auto early = static_cast<std::ptrdiff_t>((start_of(path, "v") - start_of(path, "a")) * 48000 + 0.5);
    want.erase(want.begin(), want.begin() + 2 * early);
    const auto audio = media::open_audio(path);
    REQUIRE(audio);
    CHECK(audio->codec_name() == name);
    audio->set_format({48000, 2});
    const auto all = read_all(*audio, 2 * 777);
    CHECK(std::abs(static_cast<double>(all.size()) - static_cast<double>(want.size())) <= 2 * 2048);
    CHECK((path.ends_with(".mkv") ? smallest_difference(all, want) : largest_difference(all, want)) < 1e-4);
    for (const nanoseconds pts : {1500ms, 0ms, 1ms, 777ms}) {
      CAPTURE(pts.count());
      audio->seek(pts);
      const auto from = static_cast<std::ptrdiff_t>(2 * (pts.count() * 48 / 1'000'000));
      const std::vector<float> rest(want.begin() + from, want.end());
      const auto all_got = read_all(*audio, 2 * 1024);
      // Matroska's demuxer skips priming packets after a seek to the beginning, where 12 ms are then silent.
      const bool is_without_priming = words.ends_with("aac sound.mkv") && pts < 20ms;
      const size_t skipped = is_without_priming ? 2 * 1024 : 0;
      // AAC's noise is random, and does not restart at a seek.
      const auto got = std::span(all_got).subspan(skipped), theirs = std::span(rest).subspan(skipped);
      const double allowed = name == "aac" ? 0.05 : 1e-4;
      CHECK((path.ends_with(".mkv") ? smallest_difference(got, theirs) : largest_difference(got, theirs)) < allowed);
    }
    audio->seek(1h);
    CHECK(read_all(*audio, 2 * 64).empty());
  }
}

TEST_CASE("sound of another rate, mono or delayed sound has its place on the picture's time line") {
  const Scratch scratch;
  output_of(kPicture + "-itsoffset 0.5 -f lavfi -i 'aevalsrc=0.5*sin(440*2*PI*t+20*t*t):s=44100:d=1' -c:v hap " +
            "-c:a pcm_s16le " + quoted(scratch / "late.mkv"));
  const auto audio = media::open_audio(scratch / "late.mkv");
  REQUIRE(audio);
  CHECK(audio->stored().rate == 44100);
  CHECK(audio->stored().channels == 1);
  audio->set_format({48000, 2});
  const auto all = read_all(*audio, 2 * 1000);
  CHECK(std::abs(static_cast<double>(all.size()) / 2 / 48000 - 1.5) < 0.002);
  double worst = 0;
  for (size_t i = 100; i + 200 < all.size() / 2; ++i) {
    const double t = static_cast<double>(i) / 48000 - 0.5;
    if (std::abs(t) < 0.002) continue;  // the edge rings
    const double want = t < 0 ? 0 : 0.5 * std::sin(440 * 2 * M_PI * t + 20 * t * t);
    worst =
        std::max(worst, std::abs(all[2 * i] - want * std::sqrt(0.5)));  // mono on two loudspeakers: half the power each
  }
  CHECK(worst < 0.01);
}

TEST_CASE("damaged packets of sound become silence, and a file without sound has none") {
  const Scratch scratch;
  output_of(kPicture + kSound + "-c:v hap -c:a pcm_s16le " + quoted(scratch / "whole.mkv"));
  std::string bytes = read_file(scratch / "whole.mkv");
  write_file(scratch / "cut.mkv", bytes.substr(0, bytes.size() / 2));
  const auto cut = media::open_audio(scratch / "cut.mkv");
  REQUIRE(cut);
  const size_t half = read_all(*cut, 2 * 1024).size() / 2;
  CHECK(half > 48000 / 2);
  CHECK(half < 48000 * 3 / 2);
  output_of(kPicture + "-c:v hap " + quoted(scratch / "silent.mov"));
  CHECK_FALSE(media::open_audio(scratch / "silent.mov"));
  CHECK_FALSE(media::open_audio(scratch / "nothing.mov"));
  CHECK_FALSE(media::open_audio(kData + "/README.md"));
}

TEST_CASE("other speeds keep the pitch") {
  for (const double speed : {0.25, 0.8, 2.0, 4.0}) {
    CAPTURE(speed);
    media::AudioTempo tempo({48000, 2}, speed);
    std::vector<float> out, block(2 * 1024);
    const int blocks = static_cast<int>(60 * speed);
    for (int b = 0; b < blocks; ++b) {
      for (int i = 0; i < 1024; ++i)
        block[static_cast<size_t>(2 * i)] = block[static_cast<size_t>(2 * i + 1)] =
            static_cast<float>(std::sin(1000 * 2 * M_PI * (b * 1024 + i) / 48000));
      tempo.convert(block, out);
    }
    tempo.convert({}, out);
    const double length = static_cast<double>(out.size()) / 2 / 48000;
    CHECK(length == doctest::Approx(blocks * 1024 / 48000.0 / speed).epsilon(0.1));
    int rises = 0;  // zero crossings: a thousand per second
    for (size_t i = 2; i < out.size(); i += 2) rises += out[i - 2] < 0 && out[i] >= 0;
    CHECK(rises / length == doctest::Approx(1000).epsilon(0.02));
  }
}

TEST_CASE("time clicks: one at each half second of the wall clock, exact to the sample, as late as a microphone's") {
  const auto sound = media::make_time_clicks();
  const AudioFormat format = sound->format();
  std::vector<float> heard;
  std::optional<WallTime> begin;
  while (heard.size() < static_cast<size_t>(format.rate) * 11 / 10) {
    const auto piece = sound->next();
    REQUIRE(piece);
    const auto samples = piece->samples.size() / static_cast<size_t>(format.channels);
    const nanoseconds length(static_cast<int64_t>(samples) * 1'000'000'000 / format.rate);
    CHECK(wall_now() >= piece->captured + length - std::chrono::milliseconds(1));
    if (!begin) begin = piece->captured;
    const nanoseconds before(static_cast<int64_t>(heard.size()) * 1'000'000'000 / format.rate);
    CHECK(std::chrono::abs(piece->captured - *begin - before) <= nanoseconds(1));
    for (size_t i = 0; i < samples; ++i) heard.push_back(piece->samples[i * static_cast<size_t>(format.channels)]);
  }
  const nanoseconds first = media::kClickPeriod - begin->time_since_epoch() % media::kClickPeriod;
  int found = 0;
  for (const nanoseconds at : {first, first + media::kClickPeriod}) {
    const auto around = static_cast<size_t>(in_seconds(at) * format.rate);
    const size_t from = around < 200 ? 0 : around - 200;
    if (around < 200 || from + 500 > heard.size()) continue;
    const auto click = media::find_click(std::span(heard).subspan(from, 500), format.rate);
    REQUIRE(click);
    ++found;
    CHECK(std::abs(*click + static_cast<double>(from) - in_seconds(at) * format.rate) < 1);
  }
  CHECK(found >= 1);
}
