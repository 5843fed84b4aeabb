// Recordings of coded streams: the recorded blocks are read back from any position, whatever happened to the file.
#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <random>
#include <sstream>

#include "../compact/lossy_stream.h"
#include "compact/rd_parameters.h"
#include "compact/reconstruction_backend.h"
#include "compact/tile_grid.h"
#include "media/clip_check.h"
#include "media/clip_details.h"
#include "media/clip_reader.h"
#include "media/frame_source.h"
#include "media/recorder.h"
#include "media/recovery.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

using BlockBytes = std::vector<std::byte>;

constexpr nanoseconds kFrameTime = 20ms;  // which Matroska's milliseconds can represent
constexpr unsigned kKeyDistance = 50;     // in frames

TextureDesc blocks_desc(TextureFormat format, int width = 200, int height = 94) {
  return {.format = format, .width = width, .height = height, .color = usual_color(format)};
}

// Noise, of which a part changes in each frame.
std::vector<BlockBytes> changing_frames(const TextureDesc& desc, unsigned count) {
  std::vector<BlockBytes> frames;
  BlockBytes blocks = some_blocks(desc, 1);
  const BlockBytes other = some_blocks(desc, 2);
  for (unsigned i = 0; i < count; ++i) {
    const size_t begin = i * 1000 % blocks.size() & ~size_t{7};
    for (size_t at = begin; at < std::min(begin + 96, blocks.size()); ++at)
      blocks[at] = other[(at + 104 * i) % other.size()] ^ static_cast<std::byte>(i);
    frames.push_back(blocks);
  }
  return frames;
}

std::unique_ptr<media::Recorder> recorder_of(const std::string& path, const TextureDesc& desc) {
  return media::make_recorder(
      {.path = path, .texture = desc, .fps = 50, .coding = FileCoding::compact, .if_exists = IfExists::overwrite});
}

void write_all(media::Recorder& recorder, const TextureDesc& desc, const std::vector<BlockBytes>& frames) {
  for (size_t i = 0; i < frames.size(); ++i) recorder.write({desc, frames[i]}, static_cast<int64_t>(i) * kFrameTime);
}

media::RecorderReport record_compact(const std::string& path, const TextureDesc& desc,
                                     const std::vector<BlockBytes>& frames) {
  const auto recorder = recorder_of(path, desc);
  write_all(*recorder, desc, frames);
  return recorder->finish();
}

bool holds(Bytes a, const BlockBytes& b) { return std::ranges::equal(a, b); }

// Checks that the file has these frames, beginning with that number. Returns the number after its last frame.
size_t check_frames(const std::string& path, const std::vector<BlockBytes>& frames, size_t number = 0) {
  const auto clip = media::open_clip(path);
  for (auto frame = clip->next(); frame && *frame; frame = clip->next())
    CHECK(holds((*frame)->texture.blocks, frames.at(number++)));
  return number;
}

// A packet of a file, from the file's own index.
struct PacketPlace {
  size_t begin = 0, end = 0;
};
std::vector<PacketPlace> packets_in(const std::string& path) {
  std::istringstream rows(output_of("ffprobe -v error -show_entries packet=size,pos -of csv=p=0 " + quoted(path)));
  std::vector<PacketPlace> packets;
  size_t size = 0, begin = 0;
  for (char comma = 0; rows >> size >> comma >> begin;) packets.push_back({begin, begin + size});
  return packets;
}

}  // namespace

TEST_CASE("lossy coded recordings: every frame is there, smaller, and a format that cannot be lossy is refused") {
  const Scratch scratch;
  const TextureDesc desc = blocks_desc(TextureFormat::ycocg_bc4_444);
  const auto frames = changing_frames(desc, 60);
  const auto bytes_of = [&](std::optional<double> crf) {
    const std::string path = scratch / "clip.mkv";
    const auto recorder =
        media::make_recorder({.path = path,
                              .texture = desc,
                              .fps = 50,
                              .coding = FileCoding::compact,
                              .lossy = crf ? std::optional(compact::rd_parameters(*crf)) : std::nullopt,
                              .if_exists = IfExists::overwrite});
    write_all(*recorder, desc, frames);
    const int64_t bytes = recorder->finish().bytes;
    const auto clip = media::open_clip(path);
    CHECK(clip->info().coding == FileCoding::compact);
    size_t count = 0;
    for (auto frame = clip->next(); frame && *frame; frame = clip->next()) ++count;
    CHECK(count == frames.size());
    return bytes;
  };
  const int64_t lossless = bytes_of(std::nullopt), fine = bytes_of(18), coarse = bytes_of(40);
  CHECK(fine < lossless);
  CHECK(coarse < fine);
  const Error error = error_of([&] {
    media::make_recorder({.path = scratch / "other.mkv",
                          .texture = blocks_desc(TextureFormat::ycocg_dxt5),
                          .fps = 50,
                          .coding = FileCoding::compact,
                          .lossy = compact::rd_parameters(20)});
  });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(std::string(error.what()).find("leave out --crf") != std::string::npos);
}

TEST_CASE("key frames come at the interval, or only first in each file") {
  const Scratch scratch;
  const std::string path = scratch / "clip.mkv";
  const TextureDesc desc = blocks_desc(TextureFormat::bc1);
  const auto frames = changing_frames(desc, kKeyDistance + 10);
  struct Row {
    nanoseconds interval, split;
    std::string keys;  // numbers in their files
  };
  for (const Row& row : {Row{0ms, 0ms, "0 "}, Row{0ms, 700ms, "0 0 "}, Row{400ms, 0ms, "0 20 40 "},
                         Row{400ms, 700ms, "0 20 0 20 "}, Row{1ms, 1160ms, [] {
                                                                std::string all;
                                                                for (int i = 0; i < 58; ++i)
                                                                  all += std::to_string(i) + " ";
                                                                return all + "0 1 ";
                                                              }()}}) {
    CAPTURE(row.keys);
    const auto recorder = media::make_recorder({.path = path,
                                                .texture = desc,
                                                .fps = 50,
                                                .coding = FileCoding::compact,
                                                .keyframe_interval = row.interval,
                                                .split = {.duration = row.split},
                                                .if_exists = IfExists::overwrite});
    write_all(*recorder, desc, frames);
    std::string keys;
    size_t next = 0;
    for (const std::string& file : recorder->finish().files) {
      const std::string flags = output_of("ffprobe -v error -show_entries packet=flags -of csv=p=0 " + quoted(file));
      int number = 0;
      for (size_t at = 0; at < flags.size(); at = flags.find('\n', at) + 1, ++number)
        if (flags[at] == 'K') keys += std::to_string(number) + " ";
      next = check_frames(file, frames, next);
    }
    CHECK(keys == row.keys);
    CHECK(next == frames.size());
  }
}

TEST_CASE("a recorder tells the blocks that lossy coding has made of a frame, which readers get") {
  const Scratch scratch;
  const TextureDesc desc = blocks_desc(TextureFormat::ycocg_bc4_444);
  const auto frames = changing_frames(desc, kKeyDistance + 10);
  const std::string path = scratch / "clip.mkv";
  for (const bool splits : {false, true})
    for (const bool is_lossy : {false, true}) {
      CAPTURE(splits);
      CAPTURE(is_lossy);
      const auto recorder =
          media::make_recorder({.path = path,
                                .texture = desc,
                                .fps = 50,
                                .coding = FileCoding::compact,
                                .lossy = is_lossy ? std::optional(compact::rd_parameters(30)) : std::nullopt,
                                .split = {.duration = splits ? 620ms : 0ms},
                                .if_exists = IfExists::overwrite});
      std::vector<BlockBytes> stored;
      for (size_t i = 0; i < frames.size(); ++i) {
        recorder->write({desc, frames[i]}, static_cast<int64_t>(i) * kFrameTime);
        const Bytes changed = recorder->reconstruction();
        CHECK(changed.empty() != is_lossy);
        stored.emplace_back(changed.begin(), changed.end());
        if (!is_lossy) stored.back() = frames[i];
      }
      const auto files = recorder->finish().files;
      CHECK(files.size() == (splits ? 2 : 1));
      size_t number = 0;
      for (const std::string& file : files) number = check_frames(file, stored, number);
      CHECK(number == frames.size());
      CHECK((stored != frames) == is_lossy);
    }
}

namespace {

// Records a received lossy stream, except some frames as if they had arrived incomplete, and returns its frames. Before
// it is closed, a recording of a single file is copied with ".killed.mkv" after its name.
std::vector<BlockBytes> record_stream(const std::string& path, const TextureDesc& desc, unsigned count, bool keeps,
                                      nanoseconds split = {}) {
  const auto recorder = media::make_recorder({.path = path,
                                              .texture = desc,
                                              .fps = 50,
                                              .coding = FileCoding::compact,
                                              .keeps_lossy = keeps,
                                              .split = {.duration = split},
                                              .if_exists = IfExists::overwrite});
  LossyStream stream(desc);
  std::vector<BlockBytes> frames;
  for (unsigned i = 0; i < count; ++i) {
    stream.next();
    frames.push_back(stream.shown());
    const auto payloads = stream.payloads_with_lengths();
    if (i > 0 && i % 35 != 20) recorder->keep(payloads, false);
    recorder->write({desc, frames.back()}, static_cast<int64_t>(i) * kFrameTime);
  }
  if (split == 0ns) {
    write_file(path + ".killed.mkv", read_file(path));
    write_file(path + ".killed.mkv.journal", read_file(path + ".journal"));
  }
  recorder->finish();
  return frames;
}

// The version in the track's setup.
int setup_version(const std::string& path) {
  const std::string file = read_file(path);
  const size_t at = file.find("TXCP");
  REQUIRE(at != std::string::npos);
  return file.at(at + 4);
}

class FailingReconstruction final : public compact::ReconstructionBackend {
 public:
  explicit FailingReconstruction(int& asked) : asked_(asked) {}
  void begin(const compact::FrameToReconstruct&) override {
    ++asked_;
    throw Error(ErrorKind::no_device, "it was taken away");
  }
  compact::ReconstructedFrame result() override { return {}; }
  std::span<const uint8_t> samples() override { return {}; }

 private:
  int& asked_;
};

}  // namespace

TEST_CASE("lossy recordings are decoded by the reader's backend, or by the CPU without one") {
  const Scratch scratch;
  const std::string path = scratch / "clip.mkv";
  const TextureDesc desc = blocks_desc(TextureFormat::ycocg_bc4_444, 704, 512);  // 176 tiles
  const auto recorder = media::make_recorder(
      {.path = path, .texture = desc, .fps = 50, .coding = FileCoding::compact, .lossy = compact::rd_parameters(24)});
  // Gradients that get lighter, as noise would be raw.
  std::vector<BlockBytes> ramps(3, BlockBytes(texture_layout(desc).total_bytes));
  for (size_t frame = 0; frame < ramps.size(); ++frame)
    for (size_t at = 0; at < ramps[frame].size(); at += 8) {
      ramps[frame][at] = static_cast<std::byte>(40 + at / 64 % 150 + 9 * frame);
      ramps[frame][at + 1] = static_cast<std::byte>(20 + at / 64 % 150 + 9 * frame);
      ramps[frame][at + 3] = static_cast<std::byte>(at / 8 % 251);
    }
  write_all(*recorder, desc, ramps);
  recorder->finish();
  std::vector<BlockBytes> frames;
  const auto plain = media::open_clip(path);
  for (auto frame = plain->next(); frame && *frame; frame = plain->next())
    frames.emplace_back((*frame)->texture.blocks.begin(), (*frame)->texture.blocks.end());
  REQUIRE(frames.size() == 3);

  enum class Made { one_that_fails, none, by_an_error };
  for (const Made made : {Made::one_that_fails, Made::none, Made::by_an_error}) {
    CAPTURE(static_cast<int>(made));
    int asked = 0;
    std::atomic<bool> was_made = false;
    const auto clip = media::open_clip(path);
    clip->use_backend([&](const TextureDesc& texture) -> std::unique_ptr<compact::ReconstructionBackend> {
      CHECK(texture == desc);
      was_made = true;
      if (made == Made::by_an_error) throw Error(ErrorKind::no_device, "there is none");
      return made == Made::none ? nullptr : std::make_unique<FailingReconstruction>(asked);
    });
    const auto read_all = [&] {
      clip->seek({});
      for (const BlockBytes& expected : frames) {
        const auto frame = clip->next();
        REQUIRE((frame && *frame));
        REQUIRE(holds((*frame)->texture.blocks, expected));
      }
    };
    // The backend is made in the background.
    for (int round = 0; round < 5000 && !was_made; ++round) read_all();
    for (int round = 0; round < 5000 && made == Made::one_that_fails && asked == 0; ++round) read_all();
    for (int round = 0; round < 3; ++round) read_all();
    CHECK(asked == (made == Made::one_that_fails ? 1 : 0));
  }

  // Lossless recordings do not ask for a backend.
  record_compact(scratch / "lossless.mkv", desc, ramps);
  const auto lossless = media::open_clip(scratch / "lossless.mkv");
  std::atomic<bool> was_made = false;
  lossless->use_backend([&](const TextureDesc&) {
    was_made = true;
    return std::unique_ptr<compact::ReconstructionBackend>();
  });
  for (const BlockBytes& expected : ramps) {
    const auto frame = lossless->next();
    REQUIRE((frame && *frame));
    REQUIRE(holds((*frame)->texture.blocks, expected));
  }
  CHECK(!was_made);
}

TEST_CASE("a received lossy stream is stored unchanged, and sought, split and recovered like other recordings") {
  const Scratch scratch;
  const TextureDesc desc = blocks_desc(TextureFormat::ycocg_bc4_420);
  const std::string path = scratch / "kept.mkv", coded = scratch / "coded.mkv";
  constexpr unsigned kCount = 2 * kKeyDistance + 20;
  const auto frames = record_stream(path, desc, kCount, true);
  record_stream(coded, desc, kCount, false);
  CHECK(setup_version(path) == 2);
  CHECK(setup_version(coded) == 1);
  CHECK(check_frames(path, frames) == kCount);
  CHECK(check_frames(coded, frames) == kCount);
  CHECK(check_file(path).damaged == 0);

  // A key frame each second, and where the stream's frame was not stored.
  std::string keys;
  const std::string flags = output_of("ffprobe -v error -show_entries packet=flags -of csv=p=0 " + quoted(path));
  int number = 0;
  for (size_t at = 0; at < flags.size(); at = flags.find('\n', at) + 1, ++number)
    if (flags[at] == 'K') keys += std::to_string(number) + " ";
  CHECK(keys == "0 20 55 90 ");
  const auto clip = media::open_clip(path);
  for (const int64_t wanted : {77, 3, 90, 21, 54, 119, 0}) {
    CAPTURE(wanted);
    clip->seek_to_frame(wanted);
    const auto frame = clip->next();
    REQUIRE(frame.has_value());
    REQUIRE(frame->has_value());
    CHECK((*frame)->number == wanted);
    CHECK(holds((*frame)->texture.blocks, frames[static_cast<size_t>(wanted)]));
  }

  // A recovered recording has the same version.
  for (const std::string& name : {path, coded}) {
    const std::string killed = name + ".killed.mkv";
    CHECK(media::recording_state(killed) == media::RecordingState::cut_off);
    const auto report = media::recover_recording({.recording = killed});
    CHECK(report.frames > kKeyDistance);
    CHECK(setup_version(killed) == setup_version(name));
    CHECK(check_file(killed).damaged == 0);
    CHECK(check_frames(killed, frames) == static_cast<size_t>(report.frames));
  }

  const auto parts = record_stream(scratch / "part.mkv", desc, 60, true, 620ms);
  size_t next = check_frames(scratch / "part.mkv", parts);
  CHECK(next == 31);
  CHECK(check_frames(scratch / "part-2.mkv", parts, next) == 60);
  CHECK(check_file(scratch / "part-2.mkv").damaged == 0);
}

TEST_CASE("coded recordings of every block format are read back from .mkv, block for block") {
  const Scratch scratch;
  const std::string path = scratch / "clip.mkv";
  for (const Format& row : formats()) {
    if (!compact::TileGrid::can_cut(row.id)) continue;
    CAPTURE(std::string(row.name));
    TextureDesc desc = blocks_desc(row.id);
    const auto frames = changing_frames(desc, 60);
    record_compact(path, desc, frames);
    if (is_ycbcr(row.id)) desc.color.primaries = desc.color.transfer = 1;
    CHECK(media::is_clip(path));
    const auto clip = media::open_clip(path);
    CHECK(clip->info().texture == desc);
    CHECK(clip->info().coding == FileCoding::compact);
    CHECK(clip->info().codec_name == "compact");
    CHECK(clip->info().fourcc == "TXCC");
    CHECK(clip->info().fps == doctest::Approx(50));
    REQUIRE(clip->info().duration.has_value());
    CHECK(*clip->info().duration == 60 * kFrameTime);
    for (size_t i = 0; i < frames.size(); ++i) {
      const auto frame = clip->next();
      REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
      REQUIRE(frame->has_value());
      CHECK(holds((*frame)->texture.blocks, frames[i]));
      CHECK((*frame)->pts == static_cast<int64_t>(i) * kFrameTime);
    }
    const auto end = clip->next();
    REQUIRE(end.has_value());
    CHECK(!end->has_value());
  }
}

TEST_CASE("formats without blocks, and files other than .mkv, are refused with what to do") {
  const Scratch scratch;
  for (const Format& row : formats()) {
    if (compact::TileGrid::can_cut(row.id)) continue;
    const Error error = error_of([&] { recorder_of(scratch / "a.mkv", blocks_desc(row.id)); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK_MESSAGE(says(error, "record it without --coding compact"), std::string(error.what()));
  }
  for (const char* name : {"a.mov", "a-%03d.dds"}) {
    const Error error = error_of([&] { recorder_of(scratch / name, blocks_desc(TextureFormat::bc1)); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK_MESSAGE(says(error, "coded streams can only be recorded to .mkv"), std::string(error.what()));
  }
  CHECK(std::filesystem::is_empty(scratch / ""));
}

TEST_CASE("each frame is found from any position, by time and by number, and the frames after it are correct") {
  const Scratch scratch;
  const std::string path = scratch / "clip.mkv";
  const TextureDesc desc = blocks_desc(TextureFormat::ycocg_bc4_420);
  const auto frames = changing_frames(desc, 3 * kKeyDistance + 7);
  record_compact(path, desc, frames);
  const auto clip = media::open_clip(path);
  const auto expect = [&](size_t number) {
    CAPTURE(number);
    const auto frame = clip->next();
    REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
    REQUIRE(frame->has_value());
    CHECK((*frame)->pts == static_cast<int64_t>(number) * kFrameTime);
    CHECK((*frame)->number == static_cast<int64_t>(number));
    CHECK(holds((*frame)->texture.blocks, frames[number]));
  };
  std::vector<size_t> order(frames.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  for (const size_t number : order) {
    if (number % 2 == 0)
      clip->seek(static_cast<int64_t>(number) * kFrameTime + (number % 4 == 0 ? 0ns : kFrameTime - 1ns));
    else
      clip->seek_to_frame(static_cast<int64_t>(number));
    for (size_t i = number; i < std::min(number + 3, frames.size()); ++i) expect(i);
  }
  clip->seek_to_frame(1'000'000);
  expect(frames.size() - 1);
  clip->seek(-5s);
  expect(0);
}

TEST_CASE("other programs see a video track of that size, rate and duration, with a key frame every second") {
  const Scratch scratch;
  const std::string path = scratch / "clip.mkv";
  const auto desc = blocks_desc(TextureFormat::bc1);
  record_compact(path, desc, changing_frames(desc, 2 * kKeyDistance + 20));
  CHECK(output_of("ffprobe -v error -show_entries stream=codec_type,codec_tag_string,width,height,avg_frame_rate:"
                  "format=duration -of default=nk=1:nw=1 " +
                  quoted(path)) == "video\nTXCC\n200\n94\n50/1\n2.400000\n");
  const std::string flags = output_of("ffprobe -v error -show_entries packet=flags -of csv=p=0 " + quoted(path));
  unsigned packets = 0;
  for (size_t at = 0; at < flags.size(); at = flags.find('\n', at) + 1, ++packets)
    CHECK((flags[at] == 'K') == (packets % kKeyDistance == 0));
  CHECK(packets == 2 * kKeyDistance + 20);
}

TEST_CASE("recordings with transform coding say so, and have a key frame every five seconds") {
  const Scratch scratch;
  const auto desc = blocks_desc(TextureFormat::ycocg_bc4_420);
  for (const bool transform : {false, true}) {
    const std::string path = scratch / (transform ? "with.mkv" : "without.mkv");
    const auto recorder = media::make_recorder({.path = path,
                                                .texture = desc,
                                                .fps = 10,
                                                .coding = FileCoding::compact,
                                                .lossy = compact::rd_parameters(40),
                                                .transform = transform});
    const auto frames = changing_frames(desc, 55);
    for (size_t i = 0; i < frames.size(); ++i)
      recorder->write({desc, frames[i]}, static_cast<int64_t>(i) * std::chrono::milliseconds(100));
    recorder->finish();
    CHECK(setup_version(path) == (transform ? 4 : 2));
    CHECK(media::open_clip(path)->info().coding_version == (transform ? 4 : 2));
    CHECK(check_file(path).damaged == 0);
    const std::string flags = output_of("ffprobe -v error -show_entries packet=flags -of csv=p=0 " + quoted(path));
    unsigned packets = 0;
    for (size_t at = 0; at < flags.size(); at = flags.find('\n', at) + 1, ++packets)
      CHECK((flags[at] == 'K') == (packets % (transform ? 50 : 10) == 0));
    CHECK(packets == 55);
  }
}

TEST_CASE("each file of a split recording can be read by itself") {
  const Scratch scratch;
  const TextureDesc desc = blocks_desc(TextureFormat::bc3);
  const auto frames = changing_frames(desc, 100);
  const auto recorder = media::make_recorder({.path = scratch / "part.mkv",
                                              .texture = desc,
                                              .fps = 50,
                                              .coding = FileCoding::compact,
                                              .split = {.duration = 620ms}});  // within groups of frames
  write_all(*recorder, desc, frames);
  const auto report = recorder->finish();
  REQUIRE(report.files.size() == 4);
  size_t number = 0;
  for (const std::string& file : report.files) {
    number = check_frames(file, frames, number);
    CHECK(check_file(file).damaged == 0);
  }
  CHECK(number == frames.size());
}

TEST_CASE("a recording cut off anywhere is recovered up to there, with correct frames") {
  const Scratch scratch;
  const TextureDesc desc = blocks_desc(TextureFormat::bc1);
  const auto frames = changing_frames(desc, 3 * kKeyDistance);
  const auto recorder = recorder_of(scratch / "live.mkv", desc);
  write_all(*recorder, desc, frames);
  const std::string file = read_file(scratch / "live.mkv"), journal = read_file(scratch / "live.mkv.journal");
  REQUIRE(file.size() > 10'000);  // all groups but the last are written
  const std::string path = scratch / "cut.mkv";
  size_t most = 0;
  for (size_t cut = 0; cut < 20; ++cut) {
    write_file(path, file.substr(0, file.size() - cut * file.size() / 30 - cut));
    write_file(path + ".journal", journal);
    CHECK(media::recording_state(path) == media::RecordingState::cut_off);
    const auto report = media::recover_recording({.recording = path});
    CHECK(media::recording_state(path) == media::RecordingState::complete);
    const auto found = check_file(path);
    CHECK(found.damaged == 0);
    CHECK(found.frames == report.frames);
    const size_t number = check_frames(path, frames);
    CHECK(number == static_cast<size_t>(report.frames));
    if (cut == 0) most = number;
    CHECK(number <= most);
    CHECK(number > 0);
  }
  CHECK(most >= 2 * kKeyDistance);
}

TEST_CASE("recover leaves out frames after a damaged one, up to the next key frame") {
  const Scratch scratch;
  const std::string path = scratch / "show.mkv";
  const TextureDesc desc = blocks_desc(TextureFormat::bc1);
  const auto frames = changing_frames(desc, 2 * kKeyDistance);
  record_compact(path, desc, frames);
  std::string file = read_file(path);
  file.at(packets_in(path).at(10).end - 3) ^= 1;
  write_file(path, file);
  const auto before = check_file(path);
  CHECK(before.damaged == kKeyDistance - 10);
  REQUIRE(before.damage.size() == kKeyDistance - 10);
  CHECK(before.damage.front().first == 10);
  CHECK_MESSAGE(before.damage.front().reason.find("checksum") != std::string::npos, before.damage.front().reason);
  CHECK_MESSAGE(before.damage[1].reason.find("tiles are wrong") != std::string::npos, before.damage[1].reason);
  const auto report = media::recover_recording({.recording = path, .output = scratch / "whole.mkv"});
  CHECK(report.frames == kKeyDistance + 10);
  CHECK(report.damaged == kKeyDistance - 10);
  const auto after = check_file(scratch / "whole.mkv");
  CHECK(after.frames == kKeyDistance + 10);
  CHECK(after.damaged == 0);
  CHECK(error_of([&] { media::recover_recording({.recording = path, .output = scratch / "whole.mov"}); }).kind() ==
        ErrorKind::usage);
}

TEST_CASE("a recording that is killed after its first frame has that frame") {
  const Scratch scratch;
  for (const FileCoding coding : {FileCoding::compact, FileCoding::plain}) {
    const TextureDesc desc = blocks_desc(TextureFormat::bc1, 32, 32);  // smaller than any buffer
    const auto frames = changing_frames(desc, 1);
    const auto recorder = media::make_recorder(
        {.path = scratch / "live.mkv", .texture = desc, .fps = 50, .coding = coding, .if_exists = IfExists::overwrite});
    recorder->write({desc, frames[0]}, 0ns);
    const std::string path = scratch / "killed.mkv";
    write_file(path, read_file(scratch / "live.mkv"));
    write_file(path + ".journal", read_file(scratch / "live.mkv.journal"));
    CHECK(media::recover_recording({.recording = path}).frames == 1);
    CHECK(check_file(path).damaged == 0);
  }
}

TEST_CASE("a hole in the middle costs the frames up to the next key frame, and no others") {
  const Scratch scratch;
  const std::string path = scratch / "show.mkv";
  const TextureDesc desc = blocks_desc(TextureFormat::bc1);
  const auto frames = changing_frames(desc, 4 * kKeyDistance);
  record_compact(path, desc, frames);
  const std::string whole = read_file(path);
  const auto packets = packets_in(path);
  REQUIRE(packets.size() == frames.size());
  // A hole in the second second, from the middle of frame 70 to the middle of frame 80.
  constexpr size_t kFirst = kKeyDistance + 20, kLast = kKeyDistance + 30;
  const size_t begin = packets[kFirst].begin + 20, end = packets[kLast].begin + 20;
  for (const char* what : {"zeros", "noise", "cut out"}) {
    CAPTURE(what);
    std::string file = whole;
    std::mt19937 random(6);
    if (what == std::string("cut out"))
      file.erase(begin, end - begin);
    else
      for (size_t at = begin; at < end; ++at)
        file[at] = what == std::string("zeros") ? '\0' : static_cast<char>(random());
    write_file(path, file);
    const auto found = check_file(path);
    CHECK(found.damaged > 0);
    REQUIRE(!found.damage.empty());
    CHECK(found.damage.front().first >= static_cast<int64_t>(kFirst));
    // Playing it reports incorrect frames, and everything is correct from the next key frame on.
    const auto seconds_of = [&](const std::string& name) {
      std::array<int, 4> right{};
      const auto clip = media::open_clip(name);
      BlockBytes blocks(texture_layout(desc).total_bytes);
      for (size_t i = 0; i < 2 * frames.size(); ++i) {
        const auto stored = clip->next_stored();
        if (!stored) continue;
        if (!*stored) break;
        const auto number = static_cast<size_t>(((*stored)->pts + kFrameTime / 2) / kFrameTime);
        if (!clip->unpack(**stored, blocks)) continue;
        REQUIRE(number < frames.size());
        CHECK(blocks == frames[number]);
        ++right[number / kKeyDistance];
      }
      return right;
    };
    constexpr int kAll = static_cast<int>(kKeyDistance);
    CHECK(seconds_of(path) == std::array{kAll, 20, kAll, kAll});
    const auto report = media::recover_recording({.recording = path, .output = scratch / "rest.mkv"});
    CHECK(report.frames == 3 * kAll + 20);
    CHECK(seconds_of(scratch / "rest.mkv") == std::array{kAll, 20, kAll, kAll});
    CHECK(check_file(scratch / "rest.mkv").damaged == 0);
    std::filesystem::remove(scratch / "rest.mkv");
  }
}

TEST_CASE("whichever byte is wrong, frames are correct or reported, and reading goes on to the end") {
  const Scratch scratch;
  const std::string path = scratch / "show.mkv";
  const TextureDesc desc = blocks_desc(TextureFormat::bc1, 130, 60);
  const auto frames = changing_frames(desc, 2 * kKeyDistance);
  record_compact(path, desc, frames);
  const std::string file = read_file(path);
  std::mt19937 random(11);
  int damaged_files = 0, shown_in_part = 0;
  for (int round = 0; round < 150; ++round) {
    std::string broken = file;
    // After the headers, which this case does not test.
    broken[400 + random() % (file.size() - 400)] ^= static_cast<char>(1 + random() % 255);
    write_file(path, broken);
    std::unique_ptr<media::ClipReader> clip;
    try {
      clip = media::open_clip(path);
    } catch (const Error&) {
      continue;
    }
    int damaged = 0;
    BlockBytes blocks(texture_layout(desc).total_bytes);
    for (size_t i = 0; i < 3 * frames.size(); ++i) {
      const auto stored = clip->next_stored();
      damaged += !stored;
      if (!stored) continue;
      if (!*stored) break;
      const auto unpacked = clip->unpack(**stored, blocks);
      CHECK(unpacked.has_value() == (*stored)->damage.empty());
      damaged += !unpacked;
      shown_in_part += !unpacked;
      // The wrong byte may be in a time stamp: then the blocks are those of another time.
      if (unpacked) CHECK(std::ranges::find(frames, blocks) != frames.end());
    }
    damaged_files += damaged > 0;
  }
  CHECK(damaged_files > 75);
  CHECK(shown_in_part > 75);
}

TEST_CASE("info reports on coded recordings without decoding them") {
  const Scratch scratch;
  const std::string path = scratch / "show.mkv";
  const TextureDesc desc = blocks_desc(TextureFormat::bc1, 640, 360);
  const BlockBytes still = some_blocks(desc, 1);
  record_compact(path, desc, std::vector<BlockBytes>(100, still));
  const auto clip = media::open_clip(path);
  const auto details = media::clip_details(*clip);
  CHECK(!details.packing);
  CHECK(details.counted_frames == 100);
  CHECK(details.damage.empty());
  // Noise twice in 100 frames, and no change between.
  CHECK(details.stored_bits_per_pixel > 4 * 2 / 100.0);
  CHECK(details.stored_bits_per_pixel < 4 * 2 / 100.0 + 0.02);
}

TEST_CASE("a coded recording is a source like any other: the pictures of its blocks") {
  const Scratch scratch;
  const std::string path = scratch / "show.mkv";
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::bc3, TextureFormat::bc4, TextureFormat::bc5,
                                     TextureFormat::ycocg_dxt5, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(std::string(name(format)));
    const TextureDesc desc = blocks_desc(format);
    const auto frames = changing_frames(desc, kKeyDistance + 20);
    record_compact(path, desc, frames);
    const auto source = media::open_source({.input = path, .alpha = true, .start = 1100ms});
    CHECK(source->fps() == doctest::Approx(50));
    for (size_t i = kKeyDistance + 5; i < frames.size(); ++i) {
      const auto frame = source->next();
      REQUIRE(frame);
      DecodedImage expected, seen;
      decode_texture({desc, frames[i]}, expected, EndpointExpansion::ffmpeg);
      convert_to_channels(frame->view, expected.channels, seen);
      CHECK(seen.pixels == expected.pixels);
    }
    CHECK(!source->next());
    CHECK(source->damaged_frames() == 0);
  }
}
