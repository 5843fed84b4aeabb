#include "stream/recording.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include "../comes_true.h"
#include "../compact/lossy_stream.h"
#include "../patience.h"
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

// Waits until the recording has released one.
FrameRef awaited_frame(stream::BlockPool& pool, const TextureDesc& desc, nanoseconds pts) {
  FrameRef frame = pool.acquire(texture_layout(desc).total_bytes);
  for (const SteadyTime limit = steady_now() + test::kPatience; !frame && steady_now() < limit;) {
    std::this_thread::sleep_for(1ms);
    frame = pool.acquire(texture_layout(desc).total_bytes);
  }
  REQUIRE(frame);
  frame->desc = desc;
  frame->times.pts = pts;
  frame->available = {};
  frame->arrived = {};
  frame->concealed_blocks = 0;
  return frame;
}

void wait_until(const std::function<bool()>& is_so) { REQUIRE(test::comes_true(is_so)); }

// A transcoder to Hap Q whose compiler takes as long as the test wants.
class SlowCompiler {
 public:
  LayoutSettings layout() {
    LayoutSettings layout;
    layout.make_transcoder = [done = done_.get_future().share()](TranscoderSettings settings) {
      done.wait_for(test::kPatience);
      settings.device = "cpu-reference";
      return make_transcoder(settings);
    };
    return layout;
  }
  void finish() { done_.set_value(); }

 private:
  std::promise<void> done_;
};

const TextureDesc kYCoCg{.format = TextureFormat::ycocg_bc4_420, .width = 13, .height = 7};

std::byte block_byte(int frame, size_t i) { return static_cast<std::byte>(7 * frame + 31 * static_cast<int>(i)); }

// Hap Q keeps the eight luma blocks of kYCoCg.
int luma_bytes_as_they_were(Bytes blocks, int frame) {
  int verbatim = 0;
  for (size_t i = 0; i < 64; ++i) verbatim += blocks[i / 8 * 16 + i % 8] == block_byte(frame, i);
  return verbatim;
}

}  // namespace

TEST_CASE("a stream that changes its size continues in a second file") {
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

TEST_CASE("a recording waits for the audio of its last frame, and both end together") {
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
    std::this_thread::sleep_for(50ms);                // arrives after a recording that did not wait would be closed
    if (goes_on) put_sound(recording, 120ms, 500ms);  // else the file is closed after a second
    CHECK(report.get().frames == 5);
    const auto reader = media::open_audio(path);
    REQUIRE(reader);
    reader->set_format({});
    std::vector<float> samples(size_t{2} * 48000);
    const size_t frames = reader->read(samples);
    CHECK(frames == (goes_on ? size_t{9600} : size_t{5760}));  // 200 ms; 120 ms
  }
}

TEST_CASE("time stamps that jump back still rise in the file") {
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

TEST_CASE("a file that cannot be written ends the recording, not the stream") {
  stream::BlockPool pool(Recording::kQueueFrames + 4);
  Recording recording({.path = "/nonexistent/show.mov"}, WhenFull::wait);
  for (int i = 0; i < 100; ++i) CHECK_NOTHROW(recording.put(frame_of(pool, 16, i * 40ms), 25));
  const RecordingReport report = recording.finish();
  REQUIRE(report.failure);
  CHECK(report.failure->kind() == ErrorKind::failed);
  CHECK(recording.ended());
  CHECK_FALSE(recording.finish().failure);  // reported once
}

// RLIMIT_FSIZE acts like a full disk.
TEST_CASE("a full disk ends a recording that is repacked; its file can be played") {
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

TEST_CASE("a recording ends and is closed before its files exceed their limit") {
  for (const char* name : {"show.mov", "show.mkv", "show%03d.dds"}) {
    INFO(std::string(name));
    const TemporaryFolder folder;
    constexpr int64_t kMost = 300'000;
    stream::BlockPool pool(Recording::kQueueFrames + 4);
    RecordingReport report;
    Recording recording({.path = folder.file(name), .snappy = false, .most_bytes = kMost}, WhenFull::wait);
    for (int i = 0; i < 40; ++i) {  // of two sizes, in two files
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

TEST_CASE("a stream that changes does not take the name of an existing file") {
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

TEST_CASE("without frames there is no file") {
  const TemporaryFolder folder;
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::drop);
  CHECK(recording.finish().files.empty());
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("a stream of ycocg-bc4 becomes Hap Q with the same luma") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "show.mov";
  stream::BlockPool pool(8);
  Recording recording({.path = path}, WhenFull::wait, {.layout = RecordingLayout::hapq, .device = "cpu-reference"});
  for (int n = 0; n < 5; ++n) {  // more than are repacked at once
    const FrameRef frame = frame_of(pool, kYCoCg, n * 40ms);
    for (size_t i = 0; i < frame->blocks.size(); ++i) frame->blocks[i] = block_byte(n, i);
    recording.put(frame, 25);
  }
  CHECK(recording.finish().frames == 5);
  const auto clip = media::open_clip(path);
  CHECK(clip->info().fourcc == "HapY");
  for (int n = 0; n < 5; ++n) {
    const auto next = clip->next();
    REQUIRE((next && *next));
    CHECK((*next)->pts == n * 40ms);
    CHECK(luma_bytes_as_they_were((*next)->texture.blocks, n) == 64);
  }
}

TEST_CASE("frames that arrive while the kernel for Hap Q is compiled are spooled to disk, and none is lost") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames / 2);  // so that the test is not faster than the queue
  SlowCompiler compiler;
  constexpr int kFrames = 200;
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::drop, compiler.layout());
  for (int n = 0; n < kFrames; ++n) {
    const FrameRef frame = awaited_frame(pool, kYCoCg, n * 40ms);
    for (size_t i = 0; i < frame->blocks.size(); ++i) frame->blocks[i] = block_byte(n, i);
    frame->concealed_blocks = n == 150 ? 3 : 0;
    recording.put(frame, 25);
  }
  CHECK(std::filesystem::is_empty(folder.path));
  compiler.finish();
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  CHECK(report.missing.total() == 0);
  CHECK(report.frames == kFrames);
  REQUIRE(report.files == std::vector{folder.file("show.mov")});
  const auto clip = media::open_clip(report.files[0]);
  CHECK(clip->info().fourcc == "HapY");
  for (int n = 0; n < kFrames; ++n) {
    const auto next = clip->next();
    REQUIRE((next && *next));
    CHECK((*next)->pts == n * 40ms);
    CHECK(luma_bytes_as_they_were((*next)->texture.blocks, n) == 64);
  }
  CHECK(media::concealed_in(report.files[0])->frames == 1);
}

TEST_CASE("spooled frames are written after compiling, while others still arrive") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames / 2);
  SlowCompiler compiler;
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::drop, compiler.layout());
  for (int n = 0; n < 40; ++n) recording.put(awaited_frame(pool, kYCoCg, n * 40ms), 25);
  compiler.finish();
  // Spooled frames are written even if no frame arrives.
  wait_until([&] {
    std::error_code ignored;
    return std::filesystem::file_size(folder.file("show.mov.journal"), ignored) > 40 * 40 && !ignored;
  });
  for (int n = 40; n < 80; ++n) recording.put(awaited_frame(pool, kYCoCg, n * 40ms), 25);
  const RecordingReport report = recording.finish();
  CHECK(report.missing.total() == 0);
  const auto times = times_in(report.files.at(0));
  REQUIRE(times.size() == 80);
  for (int n = 0; n < 80; ++n) CHECK(times[static_cast<size_t>(n)] == n * 40ms);
}

TEST_CASE("the audio of spooled frames is not lost, however long compiling takes") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames / 2);
  SlowCompiler compiler;
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::drop, compiler.layout());
  recording.expect_sound();
  const std::vector<float> samples(480, 0.25F);  // 5 ms, of two channels
  for (int n = 0; n < 250; ++n) {                // ten seconds
    for (int piece = 0; piece < 8; ++piece) {
      const nanoseconds time = n * 40ms + piece * 5ms;
      recording.put_sound({.samples = samples, .captured = kSoundBegun + time, .arrived = SteadyTime(time)});
    }
    FrameRef frame = awaited_frame(pool, kYCoCg, n * 40ms);
    frame->available = kSoundBegun + n * 40ms;
    recording.put(frame, 25);
  }
  compiler.finish();
  const RecordingReport report = recording.finish();
  CHECK(report.frames == 250);
  const auto reader = media::open_audio(report.files.at(0));
  REQUIRE(reader);
  reader->set_format({});
  std::vector<float> heard(size_t{2} * 48000 * 11);
  const size_t frames = reader->read(heard);
  CHECK(frames == size_t{480000});
  size_t silent = 0;
  for (size_t i = 0; i < 2 * frames; ++i) silent += heard[i] == 0 ? 1 : 0;
  CHECK(silent == 0);
}

TEST_CASE("a limit that spooled frames reach ends the recording with those that fit") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames / 2);
  SlowCompiler compiler;
  constexpr int64_t kMost = 100'000;
  Recording recording({.path = folder.path / "show.mov", .snappy = false, .most_bytes = kMost}, WhenFull::drop,
                      compiler.layout());
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 128, .height = 64};  // Hap Q: 8 KiB
  for (int n = 0; n < 30; ++n) recording.put(awaited_frame(pool, desc, n * 40ms), 25);
  compiler.finish();
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  CHECK(report.full.find("--max-disk") != std::string::npos);
  REQUIRE(report.files.size() == 1);
  CHECK(report.frames > 1);
  CHECK(report.frames < 30);
  CHECK(times_in(report.files[0]).size() == static_cast<size_t>(report.frames));
  CHECK(static_cast<int64_t>(std::filesystem::file_size(report.files[0])) <= kMost);
}

TEST_CASE("spooled frames without room on the disk are missing, and counted") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames + 8);
  SlowCompiler compiler;
  LayoutSettings layout = compiler.layout();
  layout.most_waiting_bytes = 0;
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::drop, layout);
  constexpr int kFrames = Recording::kQueueFrames + 6;
  for (int n = 0; n < kFrames; ++n) recording.put(frame_of(pool, kYCoCg, n * 40ms), 25);
  const uint64_t dropped = recording.dropped();
  CHECK(dropped >= 5);
  compiler.finish();
  const RecordingReport report = recording.finish();
  CHECK(report.missing.total() == dropped);
  CHECK(report.frames + static_cast<int64_t>(dropped) == kFrames);
}

TEST_CASE("a stream that the file cannot hold is reported and skipped, and a suitable one continues") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::wait);
  const TextureDesc bc5{.format = TextureFormat::bc5, .width = 4, .height = 4};
  const auto put = [&](const TextureDesc& desc, int begin, int end) {
    for (int n = begin; n < end; ++n) recording.put(awaited_frame(pool, desc, n * 40ms), 25);
  };
  put(bc5, 0, 1);  // before anything else
  wait_until([&] { return recording.passed_over() == 1; });
  CHECK_FALSE(recording.ended());
  const auto notice = recording.notice();
  REQUIRE(notice);
  CHECK(notice->find("bc5 of 4x4 cannot be stored in .mov") != std::string::npos);
  put({.width = 16, .height = 8}, 0, 3);
  put(bc5, 0, 20);
  put({.width = 16, .height = 8}, 3, 6);
  put(bc5, 0, 3);
  put({.width = 32, .height = 8}, 0, 4);
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  CHECK(report.passed.cannot_hold == 24);
  CHECK(report.passed.total() == 24);
  CHECK(report.files == std::vector{folder.file("show.mov"), folder.file("show-2.mov")});
  CHECK(times_in(report.files.at(0)).size() == 6);
  CHECK(times_in(report.files.at(1)).size() == 4);
  CHECK_FALSE(recording.notice());  // once only
}

TEST_CASE("a name for one image holds one, and the recording goes on until it is ended") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  Recording recording({.path = folder.path / "one.dds"}, WhenFull::wait);
  for (int n = 0; n < 3; ++n) recording.put(frame_of(pool, 16, n * 40ms), 25);
  wait_until([&] { return recording.passed_over() == 2; });
  CHECK_FALSE(recording.ended());
  CHECK(recording.notice().value_or("").find("put %05d in the name") != std::string::npos);
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  CHECK(report.files == std::vector{folder.file("one.dds")});
  CHECK(report.frames == 1);
}

TEST_CASE("alternating descriptions do not create a file each") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames + 4);
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::wait);
  for (int n = 0; n < 1500; ++n)
    recording.put(awaited_frame(pool, {.width = n % 2 == 0 ? 4 : 8, .height = 4}, n * 1ms), 25);
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  CHECK(report.files.size() <= 2);
  CHECK(report.passed.not_whole >= 749);
  CHECK(report.frames + static_cast<int64_t>(report.passed.total()) == 1500);
}

TEST_CASE("a changing stream creates a limited number of files, which is reported; the last one continues") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames + 4);
  Recording recording({.path = folder.path / "show.mov", .most_files = 3}, WhenFull::wait);
  int n = 0;
  for (const int width : {8, 16, 24, 32, 24, 40})
    for (int i = 0; i < 10; ++i) recording.put(awaited_frame(pool, {.width = width, .height = 8}, n++ * 40ms), 25);
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  REQUIRE(report.files.size() == 3);
  CHECK(report.passed.too_many_files == 20);
  CHECK(report.frames == 40);
  CHECK(times_in(report.files[2]).size() == 20);
  CHECK(recording.notice().value_or("").find("--max-files") != std::string::npos);
}

TEST_CASE("a stream creates a file with its first complete frame, not before") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  Recording recording({.path = folder.path / "show.mov"}, WhenFull::wait);
  for (int n = 0; n < 20; ++n) {  // of 8 blocks
    FrameRef frame = awaited_frame(pool, {.width = 16, .height = 8}, n * 40ms);
    frame->concealed_blocks = 7;
    recording.put(frame, 25);
  }
  wait_until([&] { return recording.passed_over() == 20; });
  CHECK(std::filesystem::is_empty(folder.path));
  recording.put(awaited_frame(pool, {.width = 16, .height = 8}, 800ms), 25);
  FrameRef broken = awaited_frame(pool, {.width = 16, .height = 8}, 840ms);
  broken->concealed_blocks = 7;
  recording.put(broken, 25);
  const RecordingReport report = recording.finish();
  CHECK(report.frames == 2);
  CHECK(report.passed.not_whole == 20);
  CHECK(report.files.size() == 1);
}

TEST_CASE("time stamps that run ahead split a recording no more often than real time does") {
  const TemporaryFolder folder;
  stream::BlockPool pool(Recording::kQueueFrames + 4);
  Recording recording({.path = folder.path / "show.mov", .split = {.duration = 1s}}, WhenFull::wait);
  for (int n = 0; n < 300; ++n) {
    FrameRef frame = awaited_frame(pool, {.width = 16, .height = 8}, n * 1h);
    frame->arrived = SteadyTime(1000s + n * 1ms);
    recording.put(frame, 25);
  }
  const RecordingReport report = recording.finish();
  CHECK(report.frames == 300);
  CHECK(report.files.size() <= 4);
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

TEST_CASE("a lossy stream is recorded as received, unless the recording lacks a reference") {
  const TemporaryFolder folder;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 200, .height = 70};
  stream::BlockPool pool(64);
  test::LossyStream source(desc);
  Recording recording({.path = folder.path / "show.mkv", .coding = FileCoding::compact}, WhenFull::wait);
  std::vector<std::vector<std::byte>> shown;
  std::string keys;  // of ffprobe, a line for each packet
  for (uint64_t n = 0; n < 12; ++n) {
    source.next();
    if (n == 4) continue;  // dropped, as if the queue were full
    const FrameRef frame = frame_of(pool, desc, static_cast<int64_t>(n) * 40ms);
    std::ranges::copy(source.shown(), frame->blocks.begin());
    frame->id = 30 + n;
    frame->is_lossy = true;
    if (n != 8) {  // which is incomplete
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

namespace {

// A stream with transform coding into a recording, which gets samples as a receiver gives them.
class TransformRecording {
 public:
  // `has_slices`: there are transform slices.
  explicit TransformRecording(const std::string& path, bool has_slices = true)
      : source_(kDesc, has_slices), recording_({.path = path, .coding = FileCoding::compact}, WhenFull::wait) {}

  struct Frame {
    bool has_transform = true;
    bool is_right = true;
    bool is_dropped = false;  // as if the queue were full
  };
  // `gives_samples`: to the recording when it wants them.
  void put(const Frame& how, bool gives_samples) {
    source_.next();
    const auto payloads = source_.payloads_with_lengths();
    const uint64_t id = 30 + number_++;
    if (how.is_dropped) return;
    const FrameRef frame = frame_of(pool_, kDesc, static_cast<int64_t>(number_) * 40ms);
    std::ranges::copy(source_.shown(), frame->blocks.begin());
    frame->id = id;
    frame->is_lossy = true;
    frame->has_transform = how.has_transform;
    if (how.has_transform) frame->wants_samples = wants_samples_;
    if (how.is_right) {
      frame->payloads = payloads;
      frame->needs_id = id - 1;
      if (how.has_transform && gives_samples && wants_samples_->exchange(false)) frame->samples = source_.samples();
    }
    recording_.put(frame, 25);
    shown_.push_back(source_.shown());
    payload_bytes_ += payloads.size();
  }
  void want_samples() { wants_samples_->store(true); }
  // A K for each key frame, and a dot for each other one.
  std::string finish() {
    const RecordingReport report = recording_.finish();
    CHECK(!report.failure);
    REQUIRE(report.files.size() == 1);
    path_ = report.files[0];
    std::string keys;
    const auto clip = media::open_clip(path_);
    version_ = clip->info().coding_version;
    for (const auto& blocks : shown_) {
      CAPTURE(keys.size());
      const auto next = clip->next();
      REQUIRE((next && *next));
      CHECK(std::ranges::equal((*next)->texture.blocks, blocks));
      keys += '.';
    }
    const std::string flags =
        test::output_of("ffprobe -v error -show_entries packet=flags -of csv=p=0 '" + path_ + "'");
    size_t at = 0;
    for (char& key : keys) {
      if (flags.at(at) == 'K') key = 'K';
      at = flags.find('\n', at) + 1;
    }
    return keys;
  }
  int version() const { return version_; }
  const std::string& path() const { return path_; }
  const std::vector<std::vector<std::byte>>& shown() const { return shown_; }
  uintmax_t file_bytes() const { return std::filesystem::file_size(path_); }
  size_t payload_bytes() const { return payload_bytes_; }
  size_t key_bytes() { return source_.samples().size(); }  // more than a key frame takes
  uint32_t transform_tiles() const { return source_.transform_tiles(); }

 private:
  static constexpr TextureDesc kDesc{.format = TextureFormat::ycocg_bc4_420, .width = 200, .height = 70};
  stream::BlockPool pool_{64};
  test::LossyStream source_;
  std::shared_ptr<std::atomic<bool>> wants_samples_ = std::make_shared<std::atomic<bool>>(false);
  Recording recording_;
  uint64_t number_ = 0;
  std::vector<std::vector<std::byte>> shown_;
  size_t payload_bytes_ = 0;
  std::string path_;
  int version_ = 0;
};

}  // namespace

TEST_CASE("a stream with transform coding is recorded as received, after a key frame that has its samples") {
  const TemporaryFolder folder;
  TransformRecording recording(folder.path / "show.mkv");
  recording.want_samples();  // as for the first frame of a stream
  for (int n = 0; n < 40; ++n) recording.put({}, true);
  CHECK(recording.finish() == "K" + std::string(39, '.'));
  CHECK(recording.version() == 4);
  CHECK(recording.transform_tiles() > 40);
  CHECK(recording.file_bytes() < recording.payload_bytes() + recording.key_bytes() + 4000);

  // Any frame is found after a seek.
  const auto clip = media::open_clip(recording.path());
  for (const int64_t number : {30, 0, 39, 7}) {
    clip->seek_to_frame(number);
    const auto next = clip->next();
    REQUIRE((next && *next));
    CHECK(std::ranges::equal((*next)->texture.blocks, recording.shown()[static_cast<size_t>(number)]));
  }
}

TEST_CASE("frames with transform coding are coded anew until the recording has samples, and after lost ones") {
  const TemporaryFolder folder;
  TransformRecording recording(folder.path / "show.mkv");
  for (int n = 0; n < 20; ++n) {
    if (n == 4 || n == 15) recording.want_samples();
    recording.put({.is_right = n != 8, .is_dropped = n == 13}, n == 4 || n == 15);
  }
  // Frame 0 begins the file, and 4 has samples. Frame 8 is not right, and 13 is missing: what follows is coded from the
  // blocks, and the payloads after 15 are kept again. Frame 13 of the file is that after the missing one.
  CHECK(recording.finish() ==
        "K...K...K....."
        "K....");
  CHECK(recording.version() == 4);
}

TEST_CASE("a recording asks for the samples of its next key frame, which a seek finds") {
  const TemporaryFolder folder;
  TransformRecording recording(folder.path / "show.mkv");
  recording.want_samples();
  constexpr int kFrames = 200;
  for (int n = 0; n < kFrames; ++n) recording.put({}, true);
  const std::string keys = recording.finish();
  // It is due after five seconds, and comes with the frame that has samples: those in the queue do not.
  const size_t second = keys.find('K', 1);
  CHECK(second >= 125);
  CHECK(second < kFrames);
  CHECK(keys.find('K', second + 1) == std::string::npos);
  CHECK(recording.file_bytes() < recording.payload_bytes() + 2 * recording.key_bytes() + 10'000);
  const auto clip = media::open_clip(recording.path());
  clip->seek_to_frame(kFrames - 2);
  const auto next = clip->next();
  REQUIRE((next && *next));
  CHECK(std::ranges::equal((*next)->texture.blocks, recording.shown()[kFrames - 2]));
}

TEST_CASE("a recording that began without transform coding holds what follows losslessly") {
  const TemporaryFolder folder;
  TransformRecording recording(folder.path / "show.mkv", false);
  // The sender changes its mind: older programs must read the file to its end.
  recording.want_samples();
  for (int n = 0; n < 8; ++n) recording.put({.has_transform = n >= 4}, true);
  CHECK(recording.finish() == "K...K...");
  CHECK(recording.version() == 2);
}

TEST_CASE("a stream that cannot be a coded stream in the file: nothing is recorded, and the reason is reported") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  Recording recording({.path = folder.path / "show.mkv", .coding = FileCoding::compact}, WhenFull::wait);
  recording.put(frame_of(pool, {.format = TextureFormat::uyvy, .width = 16, .height = 8}, 0ms), 25);
  const RecordingReport report = recording.finish();
  CHECK_FALSE(report.failure);
  CHECK(report.refusal.find("without --coding compact") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("with --layout a stream that it does not fit is not recorded; a suitable one is") {
  const TemporaryFolder folder;
  stream::BlockPool pool(8);
  for (const bool comes : {false, true}) {
    Recording recording({.path = folder.path / "show.mov"}, WhenFull::wait, {.layout = RecordingLayout::planes});
    recording.put(frame_of(pool, 16, 0ms), 25);
    if (comes) recording.put(frame_of(pool, kYCoCg, 40ms), 25);
    const RecordingReport report = recording.finish();
    CHECK_FALSE(report.failure);
    CHECK((report.refusal.find("--layout is for ycocg-bc4") != std::string::npos) == !comes);
    CHECK(report.passed.cannot_hold == 1);
    CHECK(report.files.size() == (comes ? 1 : 0));
  }
}

TEST_CASE("frames with missing blocks are counted in the journal") {
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
