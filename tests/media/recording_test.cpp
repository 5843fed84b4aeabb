// ClipReader reads what the recorder writes: the same blocks, times, sizes and colours, in every format and container.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "media/clip_reader.h"
#include "media/recorder.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr nanoseconds kPeriod{16'666'667};

TextureDesc desc_of(TextureFormat format, int width = 126, int height = 94) {
  return {.format = format,
          .width = width,
          .height = height,
          .color = {.matrix = ColorMatrix::bt709, .range = ColorRange::full, .primaries = 1, .transfer = 1}};
}

void record(const std::string& path, const TextureDesc& desc, unsigned frames, bool snappy = true) {
  const auto recorder = media::make_recorder(
      {.path = path, .texture = desc, .fps = 60, .snappy = snappy, .if_exists = IfExists::overwrite});
  for (unsigned i = 0; i < frames; ++i) recorder->write({desc, some_blocks(desc, i)}, i * kPeriod);
  const auto report = recorder->finish();
  CHECK(report.frames == frames);
  CHECK(report.bytes == static_cast<int64_t>(std::filesystem::file_size(path)));
}

// A Matroska file whose index has only every n-th frame, as other programs write it: the other entries become Void
// elements.
std::string with_few_cues(std::string file, int keep_every) {
  constexpr char kCuePoint = '\xBB', kVoid = '\xEC', kCrc = '\xBF';
  const size_t cues = file.rfind("\x1C\x53\xBB\x6B");
  REQUIRE(cues != std::string::npos);
  const auto size_bytes = static_cast<size_t>(__builtin_clz(static_cast<unsigned char>(file[cues + 4])) - 24 + 1);
  size_t at = cues + 4 + size_bytes;
  if (file[at] == kCrc) at += 6;  // which nobody checks
  int count = 0;
  for (; at + 1 < file.size() && file[at] == kCuePoint; ++count) {
    if (count % keep_every != 0) file[at] = kVoid;
    at += 2 + (static_cast<unsigned char>(file[at + 1]) & 0x7F);
  }
  REQUIRE(count == 90);
  return file;
}

bool same(Bytes a, const std::vector<std::byte>& b) { return std::vector<std::byte>(a.begin(), a.end()) == b; }

}  // namespace

TEST_CASE("every texture format is read back from .mov and .mkv, block for block, or is refused") {
  const Scratch scratch;
  for (const TextureFormat format : encoded_formats())
    for (const char* extension : {".mov", ".mkv"})
      for (const bool snappy : {true, false}) {
        CAPTURE(name(format));
        CAPTURE(std::string(extension));
        const std::string path = scratch / (std::string("clip") + extension);
        const TextureDesc desc = desc_of(format, 126, 94);
        if (format_row(format).track.kind == TrackKind::none) {
          const Error error = error_of([&] { record(path, desc, 7, snappy); });
          CHECK(error.kind() == ErrorKind::usage);
          CHECK_MESSAGE(says(error, "cannot be stored in " + std::string(extension)), std::string(error.what()));
          continue;
        }
        record(path, desc, 7, snappy);
        CHECK(media::is_clip(path));
        const auto clip = media::open_clip(path);
        CHECK(clip->info().texture == desc);
        CHECK(clip->info().fps == doctest::Approx(60).epsilon(0.001));
        CHECK(clip->info().container == (extension == std::string(".mov") ? "mov" : "matroska"));
        REQUIRE(clip->info().duration.has_value());
        CHECK(std::abs((*clip->info().duration - 7 * kPeriod).count()) < 2'000'000);
        for (unsigned i = 0; i < 7; ++i) {
          const auto frame = clip->next();
          REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
          REQUIRE(frame->has_value());
          CHECK(same((*frame)->texture.blocks, some_blocks(desc, i)));
          CHECK(std::abs(((*frame)->pts - i * kPeriod).count()) < 1'000'000);  // Matroska counts milliseconds
        }
        const auto end = clip->next();
        REQUIRE(end.has_value());
        CHECK(!end->has_value());
      }
}

// FFmpeg's names for them; nullptr if Matroska cannot store them.
struct PlainFormat {
  TextureFormat format;
  const char *mov, *mkv;
};
constexpr PlainFormat kPlainFormats[] = {{TextureFormat::uyvy, "2vuy,uyvy422", "UYVY,uyvy422"},
                                         {TextureFormat::yuyv, "yuvs,yuyv422", "YUY2,yuyv422"},
                                         {TextureFormat::rgba8, "RGBA,rgba", "RGBA,rgba"},
                                         {TextureFormat::rgb8, "raw ,rgb24", nullptr},
                                         {TextureFormat::bgr8, "24BG,bgr24", nullptr}};

TEST_CASE("uncompressed formats are read back from .mov and .mkv, and FFmpeg finds the same bytes there") {
  const Scratch scratch;
  for (const PlainFormat& plain : kPlainFormats)
    for (const char* tag : {plain.mov, plain.mkv}) {
      if (tag == nullptr) continue;
      const std::string path = scratch / (tag == plain.mov ? "clip.mov" : "clip.mkv");
      CAPTURE(std::string(tag));
      TextureDesc desc = desc_of(plain.format, plain.format == TextureFormat::rgb8 ? 62 : 63, 9);
      desc.color = usual_color(plain.format);
      record(path, desc, 3);
      if (is_ycbcr(plain.format))
        desc.color.primaries = desc.color.transfer = 1;  // otherwise MOV could not store the matrix
      const auto clip = media::open_clip(path);
      CHECK(clip->info().texture == desc);
      std::string bytes;
      for (unsigned i = 0; i < 3; ++i) {
        const auto frame = clip->next();
        REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
        REQUIRE(frame->has_value());
        CHECK(same((*frame)->texture.blocks, some_blocks(desc, i)));
        for (const std::byte byte : (*frame)->texture.blocks) bytes += static_cast<char>(byte);
      }
      CHECK(output_of("ffprobe -v error -show_entries stream=codec_tag_string,pix_fmt -of csv=p=0 " + quoted(path)) ==
            std::string(tag) + "\n");
      CHECK(output_of("ffmpeg -v error -i " + quoted(path) + " -map 0:v -c copy -f rawvideo -") == bytes);
    }
}

TEST_CASE("a .mov with padded rows of RGB is ordinary video, not a damaged texture") {
  const Scratch scratch;
  output_of("ffmpeg -v error -f lavfi -i testsrc=s=63x20:r=5:d=0.2 -c:v rawvideo -pix_fmt rgb24 " +
            quoted(scratch / "odd.mov"));
  CHECK(!media::is_clip(scratch / "odd.mov"));
}

TEST_CASE("unusual sizes and colours are kept") {
  const Scratch scratch;
  for (const char* name : {"clip.mov", "clip.mkv"})
    for (const auto matrix : {ColorMatrix::bt601, ColorMatrix::bt2020})
      for (const int side : {1, 5, 2050}) {
        TextureDesc desc = desc_of(TextureFormat::bc1, side, 3);
        desc.color = {.matrix = matrix, .range = ColorRange::full, .primaries = 9, .transfer = 16};
        record(scratch / name, desc, 1);
        CHECK(media::open_clip(scratch / name)->info().texture == desc);
      }
}

TEST_CASE("times are kept relative to the first, and made to rise if two are equal") {
  const Scratch scratch;
  const TextureDesc desc = desc_of(TextureFormat::bc1);
  const nanoseconds given[] = {5s, 5s + 10ms, 5s + 11ms, 5s + 11ms, 5s + 700ms};
  {
    const auto recorder = media::make_recorder({.path = scratch / "vfr.mov", .texture = desc, .fps = 60});
    for (const nanoseconds pts : given) recorder->write({desc, some_blocks(desc, 1)}, pts);
  }  // the destructor finishes the file
  const auto clip = media::open_clip(scratch / "vfr.mov");
  CHECK(clip->info().frame_count == 5);
  nanoseconds before = -1ns;
  for (const nanoseconds pts : given) {
    const auto frame = clip->next();
    REQUIRE((frame.has_value() && frame->has_value()));
    CHECK(std::abs(((*frame)->pts - (pts - 5s)).count()) < 20'000);  // about a tick of 1/90000 s
    CHECK((*frame)->pts > before);
    before = (*frame)->pts;
  }
}

TEST_CASE("seeking finds the last frame at or before the requested time") {
  const Scratch scratch;
  const TextureDesc desc = desc_of(TextureFormat::bc1, 32, 32);
  for (const char* name : {"clip.mov", "clip.mkv", "few_cues.mkv"}) {
    CAPTURE(std::string(name));
    record(scratch / (name == std::string("clip.mov") ? name : "clip.mkv"), desc, 90);
    if (name == std::string("few_cues.mkv"))
      write_file(scratch / name, with_few_cues(read_file(scratch / "clip.mkv"), 30));
    auto clip = media::open_clip(scratch / name);
    const auto frame_after_seek = [&](nanoseconds to) {
      clip = media::open_clip(scratch / name);  // again, as FFmpeg remembers earlier positions
      clip->seek(to);
      const auto frame = clip->next();
      REQUIRE((frame.has_value() && frame->has_value()));
      for (unsigned i = 0; i < 90; ++i)
        if (same((*frame)->texture.blocks, some_blocks(desc, i))) return static_cast<int>(i);
      return -1;
    };
    const auto pts_of = [&](unsigned i) {
      const double ms = static_cast<double>((i * kPeriod).count()) * 1e-6;
      return std::string(name).ends_with(".mkv") ? nanoseconds(std::llround(ms) * 1'000'000) : i * kPeriod + 10us;
    };
    for (const unsigned i : {0u, 1u, 44u, 45u, 89u, 3u}) {
      CHECK(frame_after_seek(pts_of(i)) == static_cast<int>(i));
      CHECK(frame_after_seek(pts_of(i) + 8ms) == static_cast<int>(i));
    }
    CHECK(frame_after_seek(pts_of(45) - 1ms) == 44);
    CHECK(frame_after_seek(1h) == 89);
    CHECK(frame_after_seek(0ns) == 0);
    const auto second = clip->next();  // reading continues from there, and no frame is lost that was read while seeking
    REQUIRE((second.has_value() && second->has_value()));
    CHECK(same((*second)->texture.blocks, some_blocks(desc, 1)));
  }
}

// Frames of the same duration of 10 ms, except one of a second: numbers do not correspond to times.
TEST_CASE("seeking by number finds that frame; outside the recording the first or last one") {
  const Scratch scratch;
  const TextureDesc desc = desc_of(TextureFormat::bc1, 32, 32);
  const auto pts_of = [](unsigned i) { return nanoseconds(i * 10ms) + (i > 10 ? 990ms : 0ms); };
  {
    const auto recorder = media::make_recorder({.path = scratch / "vfr.mov", .texture = desc, .fps = 100});
    for (unsigned i = 0; i < 40; ++i) recorder->write({desc, some_blocks(desc, i)}, pts_of(i));
  }
  record(scratch / "clip.mkv", desc, 40);
  for (const char* name : {"vfr.mov", "clip.mkv"}) {
    CAPTURE(std::string(name));
    const auto clip = media::open_clip(scratch / name);
    std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
    for (const int64_t number : {39, 0, 11, 10, 25, 1000, -5}) {
      CAPTURE(number);
      clip->seek_to_frame(number);
      for (const int64_t there : {std::clamp<int64_t>(number, 0, 39), std::clamp<int64_t>(number, 0, 39) + 1}) {
        const auto stored = clip->next_stored();
        REQUIRE(stored.has_value());
        REQUIRE(stored->has_value() == (there < 40));
        if (there == 40) break;
        CHECK((*stored)->number == there);
        REQUIRE(clip->unpack(**stored, blocks).has_value());
        CHECK(blocks == some_blocks(desc, static_cast<unsigned>(there)));
      }
    }
  }
  const auto clip = media::open_clip(scratch / "vfr.mov");
  clip->seek(pts_of(11) - 1ms);  // the long one
  const auto stored = clip->next_stored();
  REQUIRE((stored.has_value() && stored->has_value()));
  CHECK((*stored)->number == 10);
  CHECK(std::abs(((*stored)->duration - 1s).count()) < 20'000'000);
}

TEST_CASE("a damaged frame is named, and the next one is read") {
  const Scratch scratch;
  const TextureDesc desc = desc_of(TextureFormat::bc1, 64, 64);
  record(scratch / "clip.mov", desc, 3, false);
  std::string bytes = read_file(scratch / "clip.mov");
  const auto second = some_blocks(desc, 1);
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(second.data()), 64));
  REQUIRE(at != std::string::npos);
  bytes[at - 1] = '\x42';  // the type of its section
  write_file(scratch / "damaged.mov", bytes);
  const auto clip = media::open_clip(scratch / "damaged.mov");
  CHECK((clip->next().has_value()));
  const auto damaged = clip->next();
  REQUIRE(!damaged.has_value());
  CHECK(damaged.error().message.find("frame 1 is damaged: no texture in the frame") != std::string::npos);
  const auto third = clip->next();
  REQUIRE((third.has_value() && third->has_value()));
  CHECK(same((*third)->texture.blocks, some_blocks(desc, 2)));
}

TEST_CASE("a truncated recording is an error or has damaged frames, and reading ends") {
  const Scratch scratch;
  const TextureDesc desc = desc_of(TextureFormat::bc1, 64, 64);
  record(scratch / "clip.mov", desc, 5, false);
  output_of("ffmpeg -v error -i " + quoted(scratch / "clip.mov") + " -c copy -movflags +faststart -y " +
            quoted(scratch / "front.mov"));
  record(scratch / "clip.mkv", desc, 5, false);
  for (const char* name : {"clip.mov", "front.mov", "clip.mkv"}) {
    const std::string whole = read_file(scratch / name);
    for (const double part : {0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
      CAPTURE(std::string(name));
      CAPTURE(part);
      const std::string path = scratch / ("cut" + std::string(name).substr(std::string(name).size() - 4));
      write_file(path, whole.substr(0, static_cast<size_t>(part * static_cast<double>(whole.size()))));
      try {
        const auto clip = media::open_clip(path);
        unsigned good = 0, calls = 0;
        for (; calls < 100; ++calls) {
          const auto frame = clip->next();
          if (frame && !frame->has_value()) break;
          if (frame && same((*frame)->texture.blocks, some_blocks(desc, good))) ++good;
        }
        CHECK(calls < 100);
        CHECK(good < 5);
        if (part > 0.85) CHECK(good >= 3);
      } catch (const Error& error) {
        CHECK((error.kind() == ErrorKind::input || error.kind() == ErrorKind::corrupt));
      }
    }
  }
}

TEST_CASE("files that are not texture recordings are refused, with what they are") {
  CHECK(!media::is_clip(kData + "/clip.mp4"));
  CHECK(!media::is_clip(kData + "/README.md"));
  CHECK(!media::is_clip(kData + "/nothing.mov"));
  const Error video = error_of([] { media::open_clip(kData + "/clip.mp4"); });
  CHECK(video.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(video, "holds h264"), std::string(video.what()));
  CHECK_MESSAGE(says(video, "Hap1, HapY"), std::string(video.what()));
  const Error missing = error_of([] { media::open_clip(kData + "/nothing.mov"); });
  CHECK(missing.kind() == ErrorKind::input);
  CHECK_MESSAGE(says(missing, "No such file"), std::string(missing.what()));
}

TEST_CASE("an error says with the system's reason why something cannot be written") {
  const Scratch scratch;
  const TextureDesc desc = desc_of(TextureFormat::bc1, 1024, 1024);
  const auto record_to = [&](const std::string& path) { record(path, desc, 3, false); };
  for (const char* name :
       {"no/such/folder/x.mov", "no/such/folder/x.mkv", "no/such/folder/x.dds", "no/such/folder/x.ktx2"}) {
    const Error error = error_of([&] { record_to(scratch / name); });
    CHECK(error.kind() == ErrorKind::failed);
    CHECK_MESSAGE(says(error, "No such file or directory"), std::string(error.what()));
  }
  for (const char* name : {"full.mov", "full.mkv", "full.dds", "full.ktx2"}) {
    CAPTURE(std::string(name));
    std::filesystem::create_symlink("/dev/full", scratch / name);
    const Error error = error_of([&] { record_to(scratch / name); });
    CHECK(error.kind() == ErrorKind::failed);
    CHECK_MESSAGE(says(error, "No space left on device"), std::string(error.what()));
  }
}

TEST_CASE("an extension that cannot hold the format names those that can") {
  const auto make = [](const char* path, TextureFormat format) {
    return error_of([&] { media::make_recorder({.path = path, .texture = desc_of(format)}); });
  };
  for (const char* path : {"x.mp4", "x", "x.ktx"}) {
    const Error error = make(path, TextureFormat::ycocg_bc4_420);
    CHECK(error.kind() == ErrorKind::usage);
    CHECK_MESSAGE(says(error, "ycocg-bc4 can be recorded to .mov, .mkv, .dds, .ktx2 or .astc"),
                  std::string(error.what()));
  }
}

TEST_CASE("other programs find the correct colours and range") {
  const Scratch scratch;
  TextureDesc desc = desc_of(TextureFormat::bc1, 32, 32);
  desc.color = {.matrix = ColorMatrix::bt2020, .range = ColorRange::full, .primaries = 9, .transfer = 16};
  for (const char* name : {"clip.mov", "clip.mkv"}) {
    record(scratch / name, desc, 2);
    const std::string probe = output_of(
        "ffprobe -v error -show_entries "
        "stream=color_range,color_space,color_primaries,color_transfer:format_tags=com.texcast.color_range -of "
        "default=nw=1 " +
        quoted(scratch / name));
    for (const char* line : {"color_space=bt2020nc", "color_primaries=bt2020", "color_transfer=smpte2084"})
      CHECK_MESSAGE(probe.find(line) != std::string::npos, probe);
    const bool is_mov = std::string(name).ends_with(".mov");
    CHECK_MESSAGE(probe.find(is_mov ? "com.texcast.color_range=full" : "color_range=pc") != std::string::npos, probe);
  }
}
