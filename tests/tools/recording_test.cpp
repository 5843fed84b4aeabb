#include "stream/recording.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "../compact/lossy_stream.h"
#include "command_output.h"
#include "media/audio_reader.h"
#include "media/clip_reader.h"
#include "media/recovery.h"
#include "temporary_folder.h"
#include "texcast/error.h"

using namespace texcast;
using namespace texcast::stream;
using test::TemporaryFolder;
using namespace std::chrono_literals;

namespace {

FrameRef frame_of(stream::BlockPool& pool, const TextureDesc& desc, nanoseconds pts) {
  FrameRef frame = pool.acquire(texture_layout(desc).total_bytes);
  REQUIRE(frame);
  frame->desc = desc;
  frame->times.pts = pts;
  return frame;
}

FrameRef frame_of(stream::BlockPool& pool, int width, nanoseconds pts) {
  return frame_of(pool, {.format = TextureFormat::bc1, .width = width, .height = 8}, pts);
}

std::vector<nanoseconds> times_in(const std::string& file) {
  std::vector<nanoseconds> times;
  const auto clip = media::open_clip(file);
  while (true) {
    const auto next = clip->next();
    if (!next || !*next) return times;
    times.push_back((*next)->pts);
  }
}

constexpr WallTime kSoundBegun{1h};

}  // namespace

TEST_CASE("a stream that changes its size goes on in a second file") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  stream::BlockPool pool(8);
  Recording recording({.path = path}, WhenFull::wait);
  for (int i = 0; i < 5; ++i) recording.put(frame_of(pool, i < 3 ? 16 : 32, i * 40ms), 25);
  const RecordingReport report = recording.finish();
  CHECK(report.frames == 5);
  REQUIRE(report.files.size() == 2);
  CHECK(report.files[1] == (folder.path / "show-2.mov").string());
  CHECK(times_in(report.files[0]).size() == 3);
  const auto second = times_in(report.files[1]);
  REQUIRE(second.size() == 2);
  CHECK(second[0] == 0ns);  // each file begins at zero
}

TEST_CASE("a recording that is ended waits for the sound of its last frame, and both end together") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  const auto put_sound = [](Recording& recording, nanoseconds begin, nanoseconds end) {
    const std::vector<float> samples(480, 0.25F);  // 5 ms
    for (; begin < end; begin += 5ms)
      recording.put_sound({.samples = samples, .captured = kSoundBegun + begin, .arrived = SteadyTime(begin)});
  };
  for (const bool goes_on : {true, false}) {
    CAPTURE(goes_on);
    const std::string path = folder.path / (goes_on ? "whole.mov" : "short.mov");
    Recording recording({.path = path}, WhenFull::wait);
    recording.expect_sound();
    put_sound(recording, 0ms, 120ms);
    for (int i = 0; i < 5; ++i) {
      FrameRef frame = frame_of(pool, 16, i * 40ms);
      frame->available = kSoundBegun + i * 40ms;
      recording.put(frame, 25);
    }
    auto report = std::async(std::launch::async, [&] { return recording.finish_with_sound(); });
    std::this_thread::sleep_for(50ms);                // it comes when a recording that did not wait would be closed
    if (goes_on) put_sound(recording, 120ms, 500ms);  // else a second later the file is closed all the same
    CHECK(report.get().frames == 5);
    const auto reader = media::open_audio(path);
    REQUIRE(reader);
    reader->set_format({});
    std::vector<float> samples(size_t{2} * 48000);
    const size_t frames = reader->read(samples);
    CHECK(frames == (goes_on ? size_t{9600} : size_t{5760}));  // 200 ms; 120 ms
  }
}

TEST_CASE("time stamps from outside that jump back still rise in the file") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  stream::BlockPool pool(8);
  Recording recording({.path = path}, WhenFull::wait);
  for (const nanoseconds pts : {100ms, 140ms, 140ms, 20ms, 60ms}) recording.put(frame_of(pool, 16, pts), 25);
  CHECK(recording.finish().frames == 5);
  const auto times = times_in(path);
  REQUIRE(times.size() == 5);
  for (size_t i = 0; i < times.size(); ++i)
    CHECK(std::chrono::duration<double>(times[i]).count() ==
          doctest::Approx(0.04 * static_cast<double>(i)).epsilon(0.01));
}

TEST_CASE("a file that cannot be written ends the recording, not what it is a recording of") {
  stream::BlockPool pool(Recording::kQueueFrames + 4);
  Recording recording({.path = "/nonexistent/show.mov"}, WhenFull::wait);
  for (int i = 0; i < 100; ++i) CHECK_NOTHROW(recording.put(frame_of(pool, 16, i * 40ms), 25));
  const RecordingReport report = recording.finish();
  REQUIRE(report.failure);
  CHECK(report.failure->kind() == ErrorKind::failed);
  CHECK(recording.ended());
  CHECK_FALSE(recording.finish().failure);  // told once
}

// RLIMIT_FSIZE is to a program as a full disk is.
TEST_CASE("a full disk ends a recording that is repacked; its file plays") {
  struct FileSizeLimit {
    rlimit before{};
    explicit FileSizeLimit(rlim_t bytes) {
      std::signal(SIGXFSZ, SIG_IGN);
      getrlimit(RLIMIT_FSIZE, &before);
      const rlimit now{.rlim_cur = bytes, .rlim_max = before.rlim_max};
      setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before); }
  };
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  stream::BlockPool pool(Recording::kQueueFrames + 4);
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 256, .height = 256};
  RecordingReport report;
  {
    const FileSizeLimit limit(1'500'000);
    Recording recording({.path = path, .snappy = false}, WhenFull::wait,
                        {.layout = RecordingLayout::hapq, .device = "cpu-reference"});
    for (int i = 0; i < 60; ++i) recording.put(frame_of(pool, desc, i * 40ms), 25);
    report = recording.finish();
  }
  REQUIRE(report.failure);
  INFO(std::string(report.failure->what()));
  REQUIRE(report.files.size() == 1);
  const auto frames = static_cast<int64_t>(times_in(path).size());
  CHECK(frames > 5);
  CHECK(report.frames == frames);
  CHECK(report.bytes == static_cast<int64_t>(std::filesystem::file_size(path)));
}

TEST_CASE("a recording ends, closed and whole, before its files have more than they may") {
  for (const char* name : {"show.mov", "show.mkv", "show%03d.dds"}) {
    INFO(std::string(name));
    const TemporaryFolder folder;
    constexpr int64_t kMost = 300'000;
    stream::BlockPool pool(Recording::kQueueFrames + 4);
    RecordingReport report;
    Recording recording({.path = folder.file(name), .snappy = false, .most_bytes = kMost}, WhenFull::wait);
    for (int i = 0; i < 40; ++i) {  // of two sizes, which are two files
      const TextureDesc desc{.format = TextureFormat::bc1, .width = i < 4 ? 256 : 128, .height = 128};
      recording.put(frame_of(pool, desc, i * 40ms), 25);
    }
    report = recording.finish();
    CHECK_FALSE(report.failure);
    CHECK(report.full.find("--max-disk") != std::string::npos);
    CHECK(report.files.size() == 2);
    int64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path))
      bytes += static_cast<int64_t>(entry.file_size());
    CHECK(bytes == report.bytes);
    CHECK(bytes <= kMost);
    CHECK(bytes > kMost - 100'000);
    int64_t frames = 0;
    for (const std::string& file : report.files) frames += static_cast<int64_t>(times_in(file).size());
    CHECK(frames == report.frames);
  }
}

TEST_CASE("a stream that changes takes no name of another's file") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("show-2.mov")) << "another's";
  stream::BlockPool pool(8);
  Recording recording({.path = folder.file("show.mov")}, WhenFull::wait);
  for (int i = 0; i < 6; ++i) recording.put(frame_of(pool, i < 2 ? 16 : i < 4 ? 32 : 16, i * 40ms), 25);
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  CHECK(report.files == std::vector{folder.file("show.mov"), folder.file("show-3.mov"), folder.file("show-4.mov")});
  std::string kept;
  std::getline(std::ifstream(folder.file("show-2.mov")), kept);
  CHECK(kept == "another's");
}

TEST_CASE("nothing put: no file") {
  const TemporaryFolder folder;
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::drop);
  CHECK(recording.finish().files.empty());
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("a stream of ycocg-bc4 becomes Hap Q with its luma as it was") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  stream::BlockPool pool(8);
  Recording recording({.path = path}, WhenFull::wait, {.layout = RecordingLayout::hapq, .device = "cpu-reference"});
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 13, .height = 7};
  const auto block = [](int frame, size_t i) { return static_cast<std::byte>(7 * frame + 31 * static_cast<int>(i)); };
  for (int n = 0; n < 5; ++n) {  // more than are repacked at once
    const FrameRef frame = frame_of(pool, desc, n * 40ms);
    for (size_t i = 0; i < frame->blocks.size(); ++i) frame->blocks[i] = block(n, i);
    recording.put(frame, 25);
  }
  CHECK(recording.finish().frames == 5);
  const auto clip = media::open_clip(path);
  CHECK(clip->info().fourcc == "HapY");
  for (int n = 0; n < 5; ++n) {
    const auto next = clip->next();
    REQUIRE((next && *next));
    CHECK((*next)->pts == n * 40ms);
    int verbatim = 0;
    for (size_t i = 0; i < 64; ++i) verbatim += (*next)->texture.blocks[i / 8 * 16 + i % 8] == block(n, i);
    CHECK(verbatim == 64);
  }
}

TEST_CASE(
    "a stream of ycocg-bc4 that is recorded compactly keeps all its planes, in further files of other sizes too") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  Recording recording({.path = folder.path / "show.mkv", .coding = FileCoding::compact}, WhenFull::wait);
  const auto block = [](int frame, size_t i) { return static_cast<std::byte>(7 * frame + 31 * static_cast<int>(i)); };
  for (int n = 0; n < 6; ++n) {
    const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = n < 3 ? 13 : 70, .height = 7};
    const FrameRef frame = frame_of(pool, desc, n * 40ms);
    for (size_t i = 0; i < frame->blocks.size(); ++i) frame->blocks[i] = block(n, i);
    recording.put(frame, 25);
  }
  const RecordingReport report = recording.finish();
  CHECK(!report.failure);
  REQUIRE(report.files.size() == 2);
  for (int n = 0; n < 6; n += 3) {
    const auto clip = media::open_clip(report.files[n / 3]);
    CHECK(clip->info().coding == FileCoding::compact);
    CHECK(clip->info().texture.format == TextureFormat::ycocg_bc4_420);
    for (int k = 0; k < 3; ++k) {
      const auto next = clip->next();
      REQUIRE((next && *next));
      CHECK((*next)->pts == k * 40ms);
      size_t wrong = 0;
      for (size_t i = 0; i < (*next)->texture.blocks.size(); ++i)
        wrong += (*next)->texture.blocks[i] != block(n + k, i);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a stream with loss is recorded as it came, but where the recording lacks what a frame needs") {
  const TemporaryFolder folder;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 200, .height = 70};
  stream::BlockPool pool(64);
  test::LossyStream source(desc);
  Recording recording({.path = folder.path / "show.mkv", .coding = FileCoding::compact}, WhenFull::wait);
  std::vector<std::vector<std::byte>> shown;
  std::string keys;  // as ffprobe has them, a line a packet
  for (uint64_t n = 0; n < 12; ++n) {
    source.next();
    if (n == 4) continue;  // dropped: there was no room in the queue
    const FrameRef frame = frame_of(pool, desc, static_cast<int64_t>(n) * 40ms);
    std::ranges::copy(source.shown(), frame->blocks.begin());
    frame->id = 30 + n;
    frame->is_lossy = true;
    if (n != 8) {  // of which something is missing
      frame->payloads = source.payloads_with_lengths();
      frame->needs_id = frame->id - 1;
    }
    recording.put(frame, 25);
    shown.push_back(source.shown());
    keys += n == 0 || n == 5 || n == 8 ? "K\n" : "\n";
  }
  const RecordingReport report = recording.finish();
  CHECK(!report.failure);
  REQUIRE(report.files.size() == 1);
  std::string flags =
      test::output_of("ffprobe -v error -show_entries packet=flags -of csv=p=0 '" + report.files[0] + "'");
  std::erase_if(flags, [](char c) { return c != 'K' && c != '\n'; });
  CHECK(flags == keys);
  const auto clip = media::open_clip(report.files[0]);
  for (size_t i = 0; i < shown.size(); ++i) {
    CAPTURE(i);
    const auto next = clip->next();
    REQUIRE((next && *next));
    CHECK(std::ranges::equal((*next)->texture.blocks, shown[i]));
  }
}

TEST_CASE("a stream that cannot be recorded compactly ends the recording with what to do") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  Recording recording({.path = folder.path / "show.mkv", .coding = FileCoding::compact}, WhenFull::wait);
  recording.put(frame_of(pool, {.format = TextureFormat::uyvy, .width = 16, .height = 8}, 0ms), 25);
  const RecordingReport report = recording.finish();
  REQUIRE(report.failure);
  CHECK(report.failure->kind() == ErrorKind::usage);
  CHECK(std::string(report.failure->what()).find("without --coding compact") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("a layout for a stream that has none is wrong usage") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::wait, {.layout = RecordingLayout::planes});
  recording.put(frame_of(pool, 16, 0ms), 25);
  const RecordingReport report = recording.finish();
  REQUIRE(report.failure);
  CHECK(report.failure->kind() == ErrorKind::usage);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("frames with blocks that never arrived are counted beside the file") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  stream::BlockPool pool(8);
  Recording recording({.path = path}, WhenFull::wait);
  for (int i = 0; i < 6; ++i) {
    FrameRef frame = frame_of(pool, 16, i * 40ms);
    frame->concealed_blocks = i % 3 == 1 ? 2 : 0;
    recording.put(frame, 25);
  }
  recording.finish();
  const auto concealed = media::concealed_in(path);
  REQUIRE(concealed);
  CHECK(concealed->frames == 2);
  CHECK(concealed->blocks == 4);
  CHECK(media::recording_state(path) == media::RecordingState::complete);
}
