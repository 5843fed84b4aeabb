// Recordings that were killed, truncated, or hit a full disk: their content, and their recovery.
#include "media/recovery.h"

#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>

#include "container/hap_frame.h"
#include "media/clip_reader.h"
#include "media/muxed_output.h"
#include "media/recorder.h"
#include "media/texture_codecs.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr int64_t kPeriodNs = 16'683'333;  // 60000/1001 per second

TextureDesc some_desc() {
  return {.format = TextureFormat::bc1,
          .width = 126,
          .height = 94,
          .color = {.matrix = ColorMatrix::bt2020, .range = ColorRange::full, .primaries = 9, .transfer = 16}};
}

std::vector<std::byte> hap_frame(unsigned seed) {
  const TextureDesc desc = some_desc();
  std::vector<std::byte> buffer;
  const Bytes frame =
      container::write_hap_frame(container::hap_images(desc), some_blocks(desc, seed), {.snappy = true}, buffer);
  return {frame.begin(), frame.end()};
}

void write_frame(media::MuxedOutput& output, unsigned i) {
  const auto frame = hap_frame(i);
  output.write({.track = 0, .bytes = frame, .pts = i * kPeriodNs, .duration = kPeriodNs});
}

std::unique_ptr<media::MuxedOutput> begin_recording(const std::string& path) {
  const bool is_mov = path.ends_with(".mov");
  auto output = std::make_unique<media::MuxedOutput>(path, is_mov ? "mov" : "matroska");
  const TextureDesc desc = some_desc();
  const auto codec = media::codec_of(desc.format);
  output->add_video({.codec = codec.codec,
                     .tag = codec.tag,
                     .width = desc.width,
                     .height = desc.height,
                     .color = desc.color,
                     .fps = 60000 / 1001.0});
  output->begin();
  return output;
}

// Ten frames, not closed. All of a .mov is written, but of Matroska only what is older than a quarter of a second.
constexpr int kFrames = 10;
void die_while_recording(const std::string& path, bool with_marks = false) {
  const auto output = begin_recording(path);
  for (unsigned i = 0; i < kFrames; ++i) {
    if (i == 5 && path.ends_with(".mkv")) std::this_thread::sleep_for(260ms);
    if (with_marks && i % 2 == 1) output->mark_concealed(i, 100 + i);
    write_frame(*output, i);
  }
}

// The frames of a file, by the seed of their blocks; -1 for an unknown one.
struct Seen {
  int seed;
  nanoseconds pts;
};
std::vector<Seen> frames_of(const std::string& path) {
  std::vector<Seen> seen;
  const auto clip = media::open_clip(path);
  CHECK(clip->info().texture == some_desc());
  for (;;) {
    const auto frame = clip->next();
    REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
    if (!*frame) return seen;
    seen.push_back({-1, (*frame)->pts});
    for (unsigned i = 0; i < 10; ++i) {
      const auto blocks = some_blocks(some_desc(), i);
      if (std::equal(blocks.begin(), blocks.end(), (*frame)->texture.blocks.begin(), (*frame)->texture.blocks.end()))
        seen.back().seed = static_cast<int>(i);
    }
  }
}

std::string journal_of(const std::string& path) { return path + ".journal"; }

}  // namespace

TEST_CASE("a recording that was killed says what to do, and is complete up to what was written") {
  const Scratch scratch;
  for (const char* name : {"show.mov", "show.mkv"}) {
    CAPTURE(std::string(name));
    const std::string path = scratch / name;
    die_while_recording(path);
    CHECK(media::recording_state(path) == media::RecordingState::cut_off);
    if (path.ends_with(".mov")) {
      const Error error = error_of([&] { media::open_clip(path); });
      CHECK(error.kind() == ErrorKind::input);
      CHECK_MESSAGE(says(error, "it was not closed: texcast recover " + path), std::string(error.what()));
    }
    const auto report = media::recover_recording({.recording = path, .output = ""});
    const int saved = path.ends_with(".mov") ? kFrames : 6;
    CHECK(report.frames >= saved);
    if (path.ends_with(".mov")) CHECK(report.damaged == 0);
    CHECK(report.bytes == static_cast<int64_t>(std::filesystem::file_size(path)));
    CHECK(!std::filesystem::exists(journal_of(path)));
    CHECK(media::recording_state(path) == media::RecordingState::complete);
    const auto seen = frames_of(path);
    REQUIRE(static_cast<int>(seen.size()) == report.frames);
    const int64_t tick = path.ends_with(".mov") ? 1'000 : 1'000'000;  // Matroska counts milliseconds
    for (int i = 0; i < report.frames; ++i) {
      CHECK(seen[i].seed == i);
      CHECK(std::abs((seen[i].pts - nanoseconds(i * kPeriodNs)).count()) < tick);
    }
    // ffprobe finds the frames, rate, duration and colours of a closed recording.
    const std::string probe = output_of(
        "ffprobe -v error -count_packets -show_entries "
        "stream=codec_tag_string,nb_read_packets,r_frame_rate,color_space,color_primaries,color_transfer -of "
        "default=nw=1 " +
        quoted(path));
    std::vector<std::string> lines = {"nb_read_packets=" + std::to_string(report.frames), "color_space=bt2020nc",
                                      "color_primaries=bt2020", "color_transfer=smpte2084"};
    if (path.ends_with(".mov")) lines.emplace_back("r_frame_rate=60000/1001");
    for (const std::string& line : lines) CHECK_MESSAGE(probe.find(line) != std::string::npos, probe);
    output_of("ffmpeg -v error -xerror -i " + quoted(path) + " -f null -");
  }
}

TEST_CASE("recovered and closed recordings of the same frames are the same file") {
  const Scratch scratch;
  die_while_recording(scratch / "cut.mov");
  media::recover_recording({.recording = scratch / "cut.mov", .output = ""});
  const auto output = begin_recording(scratch / "whole.mov");
  for (unsigned i = 0; i < kFrames; ++i) write_frame(*output, i);
  output->finish();
  CHECK(read_file(scratch / "cut.mov") == read_file(scratch / "whole.mov"));
}

TEST_CASE("a killed recording of an uncompressed format is recovered in its format") {
  const Scratch scratch;
  TextureDesc desc{.format = TextureFormat::uyvy, .width = 62, .height = 9, .color = usual_color(TextureFormat::uyvy)};
  desc.color.primaries = desc.color.transfer = 1;
  const media::TextureCodec codec = media::codec_of(desc.format);
  const std::string path = scratch / "cut.mov";
  {
    media::MuxedOutput output(path, "mov");
    output.add_video({.codec = codec.codec,
                      .tag = codec.tag,
                      .pixels = codec.pixels,
                      .width = desc.width,
                      .height = desc.height,
                      .color = desc.color,
                      .fps = 25});
    output.begin();
    for (unsigned i = 0; i < 3; ++i)
      output.write({.track = 0, .bytes = some_blocks(desc, i), .pts = i * 40'000'000, .duration = 40'000'000});
  }
  CHECK(media::recover_recording({.recording = path, .output = ""}).frames == 3);
  const auto clip = media::open_clip(path);
  CHECK(clip->info().texture == desc);
  for (unsigned i = 0; i < 3; ++i) {
    const auto frame = clip->next();
    REQUIRE((frame.has_value() && frame->has_value()));
    CHECK(std::ranges::equal((*frame)->texture.blocks, some_blocks(desc, i)));
  }
  CHECK(output_of("ffprobe -v error -show_entries stream=pix_fmt,color_space -of csv=p=0 " + quoted(path)) ==
        "uyvy422,bt709\n");
}

TEST_CASE("frames whose bytes did not reach the disk are left out, the others keep their times and marks") {
  const Scratch scratch;
  const std::string path = scratch / "show.mov";
  die_while_recording(path, true);
  std::string bytes = read_file(path);
  const auto third = hap_frame(2);
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(third.data()), third.size()));
  REQUIRE(at != std::string::npos);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + 100), 50, '\0');
  bytes.resize(bytes.size() - 1);  // of the last frame
  write_file(path, bytes);

  const auto report = media::recover_recording({.recording = path, .output = scratch / "out.mov"});
  CHECK(report.output == scratch / "out.mov");
  CHECK(report.frames == 8);
  CHECK(report.damaged == 2);
  CHECK(read_file(path) == bytes);  // the original is unchanged
  const auto seen = frames_of(scratch / "out.mov");
  REQUIRE(seen.size() == 8);
  const int kept[] = {0, 1, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 8; ++i) {
    CHECK(seen[i].seed == kept[i]);
    CHECK(std::abs((seen[i].pts - nanoseconds(kept[i] * kPeriodNs)).count()) < 1'000);
  }
  const auto concealed = media::concealed_in(scratch / "out.mov");  // of frames 1, 3, 5, 7: 9 was cut off
  REQUIRE(concealed.has_value());
  CHECK(concealed->frames == 4);
  CHECK(concealed->blocks == 101 + 103 + 105 + 107);
}

TEST_CASE("files that recover refuses and does not touch") {
  const Scratch scratch;
  const auto refused = [&](const std::string& path) {
    return error_of([&] { media::recover_recording({.recording = path, .output = ""}); });
  };
  CHECK(says(refused(scratch / "nothing.mov"), "no such file"));
  write_file(scratch / "show.mov", "moov");
  CHECK(says(refused(scratch / "show.mov"), "its journal '" + journal_of(scratch / "show.mov")));
  write_file(journal_of(scratch / "show.mov"), "no journal at all");
  CHECK(says(refused(scratch / "show.mov"), "it is not a journal"));
  write_file(scratch / "show.mp4", "");
  CHECK(refused(scratch / "show.mp4").kind() == ErrorKind::usage);
  {
    const auto output = begin_recording(scratch / "live.mov");
    write_frame(*output, 0);
    CHECK(says(refused(scratch / "live.mov"), "is still being recorded"));
    const Error opened = error_of([&] { media::open_clip(scratch / "live.mov"); });
    CHECK_MESSAGE(says(opened, "is still being recorded"), std::string(opened.what()));
    const Error second = error_of([&] { begin_recording(scratch / "live.mov"); });
    CHECK_MESSAGE(says(second, "it is being recorded already"), std::string(second.what()));
    output->finish();
  }
  const std::string whole = read_file(scratch / "live.mov");
  CHECK(media::recover_recording({.recording = scratch / "live.mov", .output = ""}).was_complete);
  CHECK(read_file(scratch / "live.mov") == whole);
  // Another file under the name of a truncated recording: nothing in it is what the journal describes.
  die_while_recording(scratch / "cut.mov");
  write_file(scratch / "cut.mov", std::string(100'000, 'x'));
  CHECK(refused(scratch / "cut.mov").kind() == ErrorKind::corrupt);
  CHECK(read_file(scratch / "cut.mov") == std::string(100'000, 'x'));
  CHECK(!std::filesystem::exists(scratch / "cut.recovered.mov"));
}

TEST_CASE("a recovery that is cancelled changes nothing") {
  const Scratch scratch;
  for (const std::string name : {"show.mov", "show.mkv"}) {
    die_while_recording(scratch / name);
    const std::string before = read_file(scratch / name), journal = read_file(journal_of(scratch / name));
    const std::atomic<bool> stop = true;
    const Error stopped =
        error_of([&] { media::recover_recording({.recording = scratch / name, .output = {}, .stop = &stop}); });
    CHECK(stopped.kind() == ErrorKind::failed);
    CHECK(read_file(scratch / name) == before);
    CHECK(read_file(journal_of(scratch / name)) == journal);
    CHECK(!std::filesystem::exists(scratch / ("show.recovered" + name.substr(4))));
    CHECK(media::recover_recording({.recording = scratch / name, .output = {}}).frames > 0);
  }
}

TEST_CASE("an intact recording is copied if an output is named, and is never its own output") {
  const Scratch scratch;
  for (const std::string from : {"whole.mov", "whole.mkv"}) {
    const std::string recording = scratch / from;
    {
      const auto output = begin_recording(recording);
      for (unsigned i = 0; i < 5; ++i) write_frame(*output, i);
      output->finish();
    }
    const std::string bytes = read_file(recording);
    for (const std::string to : {"copy.mov", "copy.mkv"}) {
      const auto report =
          media::recover_recording({.recording = recording, .output = scratch / to, .if_exists = IfExists::overwrite});
      CHECK(report.was_complete);
      CHECK(report.frames == 5);
      const auto seen = frames_of(scratch / to);
      REQUIRE(seen.size() == 5);
      for (size_t i = 0; i < 5; ++i) CHECK(seen[i].seed == static_cast<int>(i));
    }
    std::filesystem::create_symlink(recording, scratch / ("link-to-" + from));
    for (const std::string& itself : {recording, scratch / ("./" + from), scratch / ("link-to-" + from)}) {
      const Error error = error_of([&] { media::recover_recording({.recording = recording, .output = itself}); });
      CHECK(error.kind() == ErrorKind::usage);
      CHECK_MESSAGE(says(error, "is the recording itself"), std::string(error.what()));
    }
    CHECK(read_file(recording) == bytes);
  }
}

TEST_CASE("marks of concealed blocks stay with a recording that was closed") {
  const Scratch scratch;
  for (const char* name : {"show.mov", "show.mkv"}) {
    const std::string path = scratch / name;
    {
      const auto output = begin_recording(path);
      for (unsigned i = 0; i < 3; ++i) write_frame(*output, i);
      output->mark_concealed(2, 40);
      output->finish();
    }
    CHECK(media::recording_state(path) == media::RecordingState::complete);
    const auto concealed = media::concealed_in(path);
    REQUIRE(concealed.has_value());
    CHECK(concealed->frames == 1);
    CHECK(concealed->blocks == 40);
    write_file(path, read_file(path) + "x");  // another file now
    CHECK(!media::concealed_in(path).has_value());
  }
}

namespace {

// A small file system of its own, if we may create one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& at, const char* size) : at_(at) {
    std::filesystem::create_directory(at_);
    mounted_ = mount("none", at_.c_str(), "tmpfs", 0, size) == 0;
    if (!mounted_) MESSAGE("SKIP: a full disk: mounting a tmpfs needs root (" << std::strerror(errno) << ")");
  }
  ~SmallDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  explicit operator bool() const { return mounted_; }

 private:
  std::string at_;
  bool mounted_;
};

}  // namespace

TEST_CASE("a full disk ends a recording with an error and a file that plays") {
  const Scratch scratch;
  const SmallDisk disk(scratch / "disk", "size=4m");
  if (!disk) return;
  TextureDesc desc = some_desc();
  desc.width = desc.height = 512;  // 128 KiB per frame: about 31 of them
  for (const char* name : {"show.mov", "show.mkv"}) {
    CAPTURE(std::string(name));
    const std::string path = (scratch / "disk/") + name;
    int written = 0;
    const Error error = error_of([&] {
      const auto recorder = media::make_recorder({.path = path, .texture = desc, .fps = 60, .snappy = false});
      for (; written < 100; ++written)
        recorder->write({desc, some_blocks(desc, static_cast<unsigned>(written))}, written * 16'666'667ns);
    });
    CHECK(error.kind() == ErrorKind::failed);
    CHECK_MESSAGE(says(error, "No space left on device"), std::string(error.what()));
    CHECK_MESSAGE(says(error, "closed with " + std::to_string(written) + " frames"), std::string(error.what()));
    CHECK(written >= 20);
    CHECK(!std::filesystem::exists(journal_of(path)));
    const auto clip = media::open_clip(path);
    int good = 0;
    for (;; ++good) {
      const auto frame = clip->next();
      REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
      if (!*frame) break;
      const auto blocks = some_blocks(desc, static_cast<unsigned>(good));
      CHECK(std::equal(blocks.begin(), blocks.end(), (*frame)->texture.blocks.begin()));
    }
    CHECK(good == written);
    output_of("ffmpeg -v error -xerror -i " + quoted(path) + " -f null -");
    std::filesystem::remove(path);
  }
  // No room for a second copy: recover says so before it begins.
  const std::string path = (scratch / "disk") + "/cut.mov";
  die_while_recording(path);
  const Error error = error_of([&] { media::recover_recording({.recording = path, .output = ""}); });
  CHECK_MESSAGE(says(error, "make room, or give another disk"), std::string(error.what()));
  CHECK(media::recover_recording({.recording = path, .output = scratch / "out.mov"}).frames == kFrames);
}
