// Files through the public headers only: writing and reading back, damage, threads, and every forbidden call.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check_error.h"
#include "command_output.h"
#include "temporary_folder.h"
#include "texcast/file_check.h"
#include "texcast/file_reader.h"
#include "texcast/file_recovery.h"
#include "texcast/file_writer.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;
using texcast::test::TemporaryFolder;

namespace {

using Blocks = std::vector<std::byte>;

constexpr TextureDesc kDesc{.format = TextureFormat::bc1, .width = 126, .height = 94};
constexpr nanoseconds kPeriod = 20ms;

Blocks noise(const TextureDesc& desc, unsigned seed) {
  std::mt19937 random(seed);
  Blocks blocks(texture_layout(desc).total_bytes);
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = i % 128 < 64 ? std::byte(random()) : blocks[i - 64];
  return blocks;
}

FileWriterSettings settings_of(const std::string& path, const TextureDesc& desc = kDesc) {
  return {.path = path, .texture = desc, .fps = 50, .if_exists = IfExists::overwrite};
}

void write_file(const std::string& path, unsigned frames, const TextureDesc& desc = kDesc) {
  FileWriter file(settings_of(path, desc));
  for (unsigned i = 0; i < frames; ++i) file.write({desc, noise(desc, i)}, 7s + i * kPeriod);
  const FileReport report = file.finish();
  CHECK(report.frames == frames);
}

bool same(std::span<const std::byte> a, const Blocks& b) { return std::ranges::equal(a, b); }

// Damages frame `number` of a Hap .mov whose packets follow each other, each as long as ffprobe says.
void damage_frame(const std::string& path, int number) {
  const std::string offsets =
      output_of("ffprobe -v error -show_entries packet=pos -of csv=p=0 '" + path + "' | tr -d ,");
  size_t line = 0;
  for (int i = 0; i < number; ++i) line = offsets.find('\n', line) + 1;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(std::stoll(offsets.substr(line)) + 3);
  file.put('\x7F');  // a section type that Hap does not have
}

}  // namespace

TEST_CASE("coded recordings are written and read like all others, and several threads unpack them in any order") {
  const TemporaryFolder folder;
  const std::string path = folder.path / "a.mkv";
  {
    FileWriterSettings settings = settings_of(path);
    settings.coding = FileCoding::compact;
    FileWriter file(settings);
    for (unsigned i = 0; i < 12; ++i) file.write({kDesc, noise(kDesc, i / 3)}, i * kPeriod);
    CHECK(file.finish().frames == 12);
    settings.crf = 52;
    check_error(ErrorKind::misuse, "0 to 51", [&] { FileWriter wrong(settings); });
    settings.crf.reset();
    settings.transform = TransformCoding::on;
    check_error(ErrorKind::misuse, "transform coding needs a crf", [&] { FileWriter wrong(settings); });
    settings.crf = 23;
    settings.texture.format = TextureFormat::bc1;
    check_error(ErrorKind::usage, "choose ycocg-bc4", [&] { FileWriter wrong(settings); });
    settings.crf.reset();
    settings.transform = TransformCoding::automatic;
    settings.texture = kDesc;
    settings.coding = FileCoding(7);
    check_error(ErrorKind::misuse, "no such coding", [&] { FileWriter wrong(settings); });
    settings.coding = FileCoding::compact;
    settings.path = folder.path / "a.mov";
    check_error(ErrorKind::usage, "recorded to .mkv", [&] { FileWriter wrong(settings); });
  }
  std::vector<StoredFrame> frames;
  FileReader reader(path);
  CHECK(reader.info().coding == FileCoding::compact);
  while (auto stored = reader.read_stored()) frames.push_back(*stored);
  REQUIRE(frames.size() == 12);
  std::atomic<size_t> next = 0, right = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      Blocks blocks(texture_layout(kDesc).total_bytes);
      for (size_t i = next++; i < frames.size(); i = next++) {
        const size_t number = i * 5 % frames.size();
        reader.unpack(frames[number], blocks);
        right += same(blocks, noise(kDesc, static_cast<unsigned>(number / 3)));
      }
    });
  threads.clear();
  CHECK(right == frames.size());
}

TEST_CASE("library: lossy files have transform coding, unless it is off or the format cannot have it") {
  const TemporaryFolder folder;
  const auto version_of = [&](TextureFormat format, TransformCoding transform) {
    const TextureDesc desc{.format = format, .width = 128, .height = 64};
    const std::string path = folder.path / "lossy.mkv";
    FileWriter file({.path = path,
                     .texture = desc,
                     .coding = FileCoding::compact,
                     .crf = 30,
                     .transform = transform,
                     .if_exists = IfExists::overwrite});
    for (unsigned i = 0; i < 3; ++i) file.write({desc, noise(desc, i)}, i * kPeriod);
    file.finish();
    FileReader reader(path);
    int frames = 0;
    while (reader.next()) ++frames;
    CHECK(frames == 3);
    return reader.info().coding_version;
  };
  CHECK(version_of(TextureFormat::ycocg_bc4_420, TransformCoding::automatic) == 4);
  CHECK(version_of(TextureFormat::ycocg_bc4_444, TransformCoding::on) == 4);
  CHECK(version_of(TextureFormat::ycocg_bc4_420, TransformCoding::off) == 2);
  CHECK(version_of(TextureFormat::bc1, TransformCoding::automatic) == 2);
}

TEST_CASE("library: every format is read back from every container that has it, bit for bit and in time") {
  const TemporaryFolder folder;
  for (const TextureFormat format : shown_formats())
    for (const std::string name : {"a.mov", "a.mkv", "a%03d.dds", "a%03d.ktx2"}) {
      const TextureDesc desc{.format = format, .width = 128, .height = 96};
      CAPTURE(texcast::name(format));
      CAPTURE(name);
      const std::string path = folder / name;
      try {
        write_file(path, 3, desc);
      } catch (const Error& error) {  // the container does not have the format, as the error says
        CHECK(error.kind() == ErrorKind::usage);
        const bool is_hap = format_row(format).track.kind == TrackKind::hap;
        CHECK_FALSE((is_hap || name.ends_with(".dds")));
        continue;
      }
      CHECK(is_texture_file(path));
      FileReader file(path);
      CHECK(file.info().texture.format == format);
      CHECK(file.info().texture.width == 128);
      CHECK(file.info().fps == doctest::Approx(50).epsilon(0.001));
      for (unsigned i = 0; i < 3; ++i) {
        const auto frame = file.next();
        REQUIRE(frame.has_value());
        CHECK(same(frame->texture.blocks, noise(desc, i)));
        CHECK(frame->pts == i * kPeriod);
        CHECK(frame->number == i);
        CHECK(frame->stored_bytes > 0);
      }
      CHECK_FALSE(file.next().has_value());
      std::filesystem::remove(path);
    }
}

TEST_CASE("library: FFmpeg reads what a FileWriter writes") {
  const TemporaryFolder folder;
  write_file(folder / "a.mov", 5);
  const std::string probe = output_of(
      "ffprobe -v error -count_frames -show_entries stream=codec_name,codec_tag_string,width,height,nb_read_frames "
      "-of compact=p=0 '" +
      (folder / "a.mov") + "'");
  CHECK(probe == "codec_name=hap|codec_tag_string=Hap1|width=126|height=94|nb_read_frames=5\n");
}

TEST_CASE("library: seeking by time and by number") {
  const TemporaryFolder folder;
  write_file(folder / "a.mov", 10);
  FileReader file(folder / "a.mov");
  const auto number_after = [&](auto seek) {
    seek();
    const auto frame = file.next();
    return frame ? frame->number : -1;
  };
  CHECK(number_after([&] { file.seek(5 * kPeriod); }) == 5);
  CHECK(number_after([&] { file.seek(6 * kPeriod - 1ms); }) == 5);
  CHECK(number_after([&] { file.seek(-1h); }) == 0);
  CHECK(number_after([&] { file.seek(nanoseconds::max()); }) == 9);
  CHECK(number_after([&] { file.seek(nanoseconds::min()); }) == 0);
  CHECK(number_after([&] { file.seek_to_frame(3); }) == 3);
  CHECK(number_after([&] { file.seek_to_frame(-3); }) == 0);
  CHECK(number_after([&] { file.seek_to_frame(std::numeric_limits<int64_t>::max()); }) == 9);
  CHECK(number_after([&] { file.seek_to_frame(std::numeric_limits<int64_t>::min()); }) == 0);
}

TEST_CASE("library: a damaged frame is named, and reading goes on after it") {
  const TemporaryFolder folder;
  write_file(folder / "a.mov", 6);
  damage_frame(folder / "a.mov", 2);
  FileReader file(folder / "a.mov");
  for (unsigned i = 0; i < 6; ++i) {
    if (i == 2) {
      check_error(ErrorKind::corrupt, "frame 2", [&] { file.next(); });
      continue;
    }
    const auto frame = file.next();
    REQUIRE(frame.has_value());
    CHECK(same(frame->texture.blocks, noise(kDesc, i)));
  }
  const FileCheck check = check_file(folder / "a.mov");
  CHECK(check.frames == 6);
  CHECK(check.damaged == 1);
  REQUIRE(check.damage.size() == 1);
  CHECK(check.damage[0].first == 2);
  CHECK(check_file(folder / "a.mov", [](int64_t frames) { return frames < 2; }).stopped);
}

TEST_CASE("library: one reader, two threads that unpack") {
  const TemporaryFolder folder;
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 512, .height = 512};
  constexpr size_t kFrames = 2;  // one for each thread, over and over
  constexpr int kTimes = 100;
  write_file(folder / "a.mov", kFrames, desc);
  FileReader file(folder / "a.mov");
  std::vector<StoredFrame> stored;
  while (auto frame = file.read_stored()) stored.push_back(*std::move(frame));
  REQUIRE(stored.size() == kFrames);
  std::latch both(2);
  std::atomic<int> right = 0;
  const auto unpack = [&](size_t i) {
    const Blocks wanted = noise(desc, static_cast<unsigned>(i));
    Blocks blocks(wanted.size());
    both.arrive_and_wait();
    for (int time = 0; time < kTimes; ++time) {
      file.unpack(stored[i], blocks);
      right += blocks == wanted;
    }
  };
  std::thread other(unpack, 1);
  unpack(0);
  other.join();
  CHECK(right == 2 * kTimes);
}

TEST_CASE("library: an unfinished recording says so, and is recovered") {
  const TemporaryFolder folder;
  const std::string live = folder / "live.mov", torn = folder / "torn.mov";
  FileWriter file(settings_of(live));
  for (unsigned i = 0; i < 4; ++i) file.write({kDesc, noise(kDesc, i)}, i * kPeriod);
  for (const std::string end : {"", ".journal"}) std::filesystem::copy_file(live + end, torn + end);
  check_error(ErrorKind::input, "not closed", [&] { FileReader reader(torn); });
  const RecoveryReport report = recover_file({.recording = torn});
  CHECK(report.frames == 4);
  FileReader reader(torn);
  for (unsigned i = 0; i < 4; ++i) CHECK(same(reader.next().value().texture.blocks, noise(kDesc, i)));
  check_error(ErrorKind::usage, "", [&] { recover_file({.recording = live}); });
  CHECK(file.finish().frames == 4);
}

TEST_CASE("library: files that are not recordings, names that exist, formats that a container does not have") {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.mov") << "no video";
  check_error(ErrorKind::input, "text.mov", [&] { FileReader file(folder / "text.mov"); });
  check_error(ErrorKind::input, "gone.mov", [&] { FileReader file(folder / "gone.mov"); });
  check_error(ErrorKind::input, "gone.mov", [&] { check_file(folder / "gone.mov"); });
  check_error(ErrorKind::input, "gone.mov", [&] { recover_file({.recording = folder / "gone.mov"}); });
  CHECK_FALSE(is_texture_file(folder / "text.mov"));
  CHECK_FALSE(is_texture_file(folder / "gone.mov"));
  CHECK_FALSE(is_texture_file(""));
  write_file(folder / "a.mov", 1);
  CHECK_THROWS_AS(FileWriter({.path = folder / "a.mov", .texture = kDesc}), NameTaken);
  FileWriter numbered({.path = folder / "a.mov", .texture = kDesc, .if_exists = IfExists::number});
  numbered.write({kDesc, noise(kDesc, 0)}, 0s);
  CHECK(numbered.finish().files == std::vector<std::string>{folder / "a-2.mov"});
  CHECK(FileWriter(settings_of(folder / "empty.mov")).finish().files.empty());
  CHECK_FALSE(std::filesystem::exists(folder / "empty.mov"));
  check_error(ErrorKind::usage, "a.avi", [&] { FileWriter file(settings_of(folder / "a.avi")); });
  TextureDesc turned = kDesc;
  turned.orientation = Orientation::turned_90;
  check_error(ErrorKind::usage, "upright", [&] { FileWriter file(settings_of(folder / "b.mov", turned)); });
}

TEST_CASE("library: a full file is closed and plays; writing more is misuse") {
  const TemporaryFolder folder;
  for (const std::string name : {"a.mov", "a.mkv", "a%d.dds"}) {
    CAPTURE(name);
    FileWriterSettings settings = settings_of(folder / name);
    settings.most_bytes = 1;
    FileWriter file(settings);
    const Blocks blocks = noise(kDesc, 0);
    file.write({kDesc, blocks}, 0s);
    CHECK_THROWS_AS(file.write({kDesc, blocks}, kPeriod), RecordingFull);
    check_error(ErrorKind::misuse, "closed", [&] { file.write({kDesc, blocks}, 2 * kPeriod); });
    CHECK(file.finish().frames == 1);
    CHECK(same(FileReader(folder / name).next().value().texture.blocks, blocks));
  }
  FileWriter still(settings_of(folder / "one.dds"));
  still.write({kDesc, noise(kDesc, 0)}, 0s);
  check_error(ErrorKind::usage, "one image", [&] { still.write({kDesc, noise(kDesc, 1)}, kPeriod); });
  check_error(ErrorKind::misuse, "closed", [&] { still.write({kDesc, noise(kDesc, 1)}, kPeriod); });
  CHECK(still.finish().frames == 1);
}

TEST_CASE("library: a call that a reader forbids is an error, and the reader works afterwards") {
  const TemporaryFolder folder;
  for (const std::string name : {"a.mov", "a%d.dds", "a%d.ktx2"}) {
    CAPTURE(name);
    write_file(folder / name, 2);
    const TextureDesc small{.format = TextureFormat::bc1, .width = 8, .height = 8};
    write_file(folder / ("small-" + name), 1, small);
    FileReader file(folder / name), other(folder / ("small-" + name)), moved(folder / name);
    const FileReader taken = std::move(moved);
    const StoredFrame stored = file.read_stored().value(), foreign = other.read_stored().value();
    const StoredFrame of_twin = FileReader(folder / name).read_stored().value();
    Blocks right(texture_layout(kDesc).total_bytes), shorter(right.size() - 1), longer(right.size() + 1);
    check_forbidden({
        {"path", [] { FileReader(""); }},
        {"path", [&] { FileReader((folder / name) + std::string("\0.mov", 5)); }},
        {"path", [] { check_file(""); }},
        {"bytes", [&] { file.unpack(stored, shorter); }},
        {"bytes", [&] { file.unpack(stored, longer); }},
        {"bytes", [&] { file.unpack(stored, {}); }},
        {"null",
         [&] {
           file.unpack(stored, {static_cast<std::byte*>(nullptr), right.size()});
         }},
        {"another reader", [&] { file.unpack({}, right); }},
        {"another reader", [&] { file.unpack(foreign, right); }},
        {"another reader", [&] { file.unpack(of_twin, right); }},
        {"moved from", [&] { moved.next(); }},
        {"moved from", [&] { moved.read_stored(); }},
        {"moved from", [&] { moved.unpack(stored, right); }},
        {"moved from", [&] { moved.seek(0s); }},
        {"moved from", [&] { moved.seek_to_frame(0); }},
        {"moved from", [&] { moved.info(); }},
    });
    file.unpack(stored, right);
    CHECK(right == noise(kDesc, 0));
    CHECK(same(file.next().value().texture.blocks, noise(kDesc, 1)));
  }
}

TEST_CASE("library: a call that a writer forbids is an error, and the writer works afterwards") {
  const TemporaryFolder folder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [&](auto change) {
    FileWriterSettings settings = settings_of(folder / "never.mov");
    change(settings);
    FileWriter file(settings);
  };
  const auto made = [&](auto change) { return [&with, change] { with(change); }; };
  using S = FileWriterSettings;
  check_forbidden({
      {"path", made([](S& s) { s.path.clear(); })},
      {"path", made([](S& s) { s.path.push_back('\0'); })},
      {"format", made([](S& s) { s.texture.format = static_cast<TextureFormat>(99); })},
      {"format", made([](S& s) { s.texture.format = TextureFormat{}; })},
      {"sides", made([](S& s) { s.texture.width = 0; })},
      {"sides", made([](S& s) { s.texture.height = -1; })},
      {"sides", made([](S& s) { s.texture.width = 16385; })},
      {"sides", made([](S& s) { s.texture.height = std::numeric_limits<int>::max(); })},
      {"matrix", made([](S& s) { s.texture.color.matrix = static_cast<ColorMatrix>(9); })},
      {"range", made([](S& s) { s.texture.color.range = static_cast<ColorRange>(9); })},
      {"pixels", made([](S& s) {
         s.texture.aspect = {0, 0};
       })},
      {"pixels", made([](S& s) {
         s.texture.aspect = {-1, 1};
       })},
      {"orientation", made([](S& s) { s.texture.orientation = static_cast<Orientation>(0); })},
      {"orientation", made([](S& s) { s.texture.orientation = static_cast<Orientation>(9); })},
      {"fps", made([](S& s) { s.fps = 0; })},
      {"fps", made([](S& s) { s.fps = -1; })},
      {"fps", made([&](S& s) { s.fps = nan; })},
      {"fps", made([](S& s) { s.fps = std::numeric_limits<double>::infinity(); })},
      {"fps", made([](S& s) { s.fps = 1e-9; })},
      {"chunks", made([](S& s) { s.chunks = -1; })},
      {"chunks", made([](S& s) { s.chunks = 65; })},
      {"split", made([](S& s) { s.split.bytes = -1; })},
      {"split", made([](S& s) { s.split.duration = -1s; })},
      {"most_bytes", made([](S& s) { s.most_bytes = -1; })},
      {"IfExists", made([](S& s) { s.if_exists = static_cast<IfExists>(7); })},
      {"path", [] { recover_file({}); }},
      {"path", [] { recover_file({.recording = "a.mov", .output = std::string(1, '\0')}); }},
      {"IfExists", [] { recover_file({.recording = "a.mov", .if_exists = static_cast<IfExists>(7)}); }},
  });
  CHECK(std::filesystem::is_empty(folder.path));

  for (const std::string name : {"a.mov", "a.mkv", "a%d.dds", "a%d.ktx2"}) {
    CAPTURE(name);
    FileWriter file(settings_of(folder / name)), moved(settings_of(folder / ("moved-" + name)));
    FileWriter taken = std::move(moved);
    const Blocks right = noise(kDesc, 0), longer(right.size() + 1);
    const auto write = [&](const TextureDesc& desc, std::span<const std::byte> blocks, nanoseconds pts = 2 * kPeriod) {
      return [&file, desc, blocks, pts] { file.write({desc, blocks}, pts); };
    };
    TextureDesc wider = kDesc, lower = kDesc, other = kDesc, none = kDesc;
    wider.width += 4;
    lower.height -= 4;
    other.format = TextureFormat::bc4;
    none.format = static_cast<TextureFormat>(99);
    const auto check_all = [&] {
      check_forbidden({
          {"settings", write(wider, noise(wider, 0))},
          {"settings", write(lower, noise(lower, 0))},
          {"settings", write(other, right)},
          {"settings", write(none, right)},
          {"bytes", write(kDesc, longer)},
          {"bytes", write(kDesc, std::span(right).first(right.size() - 1))},
          {"bytes", write(kDesc, {})},
          {"null", write(kDesc, {static_cast<const std::byte*>(nullptr), right.size()})},
          {"blocks", [&] { file.mark_concealed(1'000'000); }},
          {"moved from",
           [&] {
             moved.write({kDesc, right}, 0s);
           }},
          {"moved from", [&] { moved.mark_concealed(1); }},
          {"moved from", [&] { moved.finish(); }},
      });
    };
    check_all();  // before the first frame, and between frames
    file.mark_concealed(1);
    file.write({kDesc, right}, kPeriod);
    check_all();
    check_forbidden({
        {"increase", write(kDesc, right, kPeriod)},
        {"increase", write(kDesc, right, 0s)},
        {"increase", write(kDesc, right, nanoseconds::min())},
        {"half an hour", write(kDesc, right, nanoseconds::max())},
        {"half an hour", write(kDesc, right, kPeriod + kMaxFrameGap)},
    });
    file.write({kDesc, right}, 2 * kPeriod);
    CHECK(file.finish().frames == 2);
    CHECK(file.finish().frames == 2);
    check_forbidden({{"finished", write(kDesc, right, 3 * kPeriod)}, {"finished", [&] { file.mark_concealed(1); }}});
    FileReader reader(folder / name);
    for (int i = 0; i < 2; ++i) CHECK(same(reader.next().value().texture.blocks, right));
  }
}

TEST_CASE("library: time stamps may begin anywhere") {
  const TemporaryFolder folder;
  for (const nanoseconds begin : {nanoseconds::min(), nanoseconds::max() - kPeriod}) {
    FileWriter file(settings_of(folder / "a.mov"));
    for (int i = 0; i < 2; ++i) file.write({kDesc, noise(kDesc, 0)}, begin + i * kPeriod);
    file.finish();
    FileReader reader(folder / "a.mov");
    CHECK(reader.next().value().pts == 0s);
    CHECK(reader.next().value().pts == kPeriod);
  }
}

TEST_CASE("library: a recording is continued in another file") {
  const TemporaryFolder folder;
  FileWriterSettings settings = settings_of(folder / "a.mov");
  settings.split.duration = 2 * kPeriod;
  FileWriter file(settings);
  for (unsigned i = 0; i < 5; ++i) file.write({kDesc, noise(kDesc, i)}, i * kPeriod);
  const FileReport report = file.finish();
  CHECK(report.files == std::vector<std::string>{folder / "a.mov", folder / "a-2.mov", folder / "a-3.mov"});
  int64_t bytes = 0;
  for (const std::string& path : report.files) bytes += static_cast<int64_t>(std::filesystem::file_size(path));
  CHECK(report.bytes == bytes);
}
