// .dds, .ktx2 and .astc files: single ones and numbered sequences, in every format.
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "capture_bound.h"
#include "media/clip_reader.h"
#include "media/files.h"
#include "media/recorder.h"
#include "media_test.h"
#include "stills_by_hand.h"

using namespace texcast;
using namespace texcast::test;

namespace {

const TextureDesc kStillDesc{.format = TextureFormat::bc1, .width = 62, .height = 45};

std::string chars(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void record(const std::string& path, unsigned frames, const TextureDesc& desc = kStillDesc, bool zstd = true) {
  const auto recorder =
      media::make_recorder({.path = path, .texture = desc, .zstd = zstd, .if_exists = IfExists::overwrite});
  for (unsigned i = 0; i < frames; ++i) recorder->write({desc, some_blocks(desc, i)}, i * nanoseconds(16'666'667));
  CHECK(recorder->finish().frames == frames);
}

// Bytes that this process has read so far with read() and its relatives; nullopt if the kernel does not count them.
std::optional<int64_t> bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string word;
  for (int64_t bytes = 0; counts >> word >> bytes;)
    if (word == "rchar:") return bytes;
  return std::nullopt;
}

}  // namespace

TEST_CASE("a large file is read as far as its header describes it, and not at all if that is refused") {
  const Scratch scratch;
  const auto read_of = [&](const FileBytes& beginning, const std::function<void(const std::string&)>& use) {
    const std::string path = scratch / "large.dds";
    write_file(path, chars(beginning));
    std::filesystem::resize_file(path, uintmax_t{512} << 20);  // a hole, which takes no space on the disk
    const auto before = bytes_read();
    use(path);
    return before ? *bytes_read() - *before : 0;
  };
  if (!bytes_read()) MESSAGE("SKIP: /proc/self/io does not count what is read");
  FileBytes wide = dds_by_hand(1, 0, 0, 1);
  store_le32(wide, 16, 65536);
  CHECK(read_of(wide, [](const std::string& path) {
          const Error error = error_of([&] { media::open_clip(path); });
          CHECK(error.kind() == ErrorKind::input);
          CHECK_MESSAGE(says(error, "its size is 65536x8"), error.what());
        }) < 1 << 20);
  CHECK(read_of(dds_by_hand(1, 0, 0, 1), [](const std::string& path) {
          const auto frame = media::open_clip(path)->next();
          REQUIRE((frame.has_value() && frame->has_value()));
        }) < 1 << 20);
}

TEST_CASE("every format is read back from .dds and .ktx2, with its size and colours") {
  const Scratch scratch;
  for (const TextureFormat format : shown_formats())
    for (const char* file : {"one.dds", "one.ktx2", "plain.ktx2"}) {
      if (is_ycbcr(format) && file != std::string("one.dds")) continue;  // KTX2 does not have them
      CAPTURE(name(format));
      CAPTURE(std::string(file));
      TextureDesc desc{.format = format, .width = 70, .height = 45};
      desc.color = {.matrix = ColorMatrix::bt2020, .range = ColorRange::full, .primaries = 9, .transfer = 16};
      record(scratch / file, 1, desc, file != std::string("plain.ktx2"));
      CHECK(media::is_clip(scratch / file));
      const auto clip = media::open_clip(scratch / file);
      CHECK(clip->info().texture == desc);
      CHECK(clip->info().container == std::string(file).substr(std::string(file).find('.') + 1));
      CHECK(clip->info().frame_count == 1);
      CHECK(clip->info().file_bytes == static_cast<int64_t>(std::filesystem::file_size(scratch / file)));
      const auto frame = clip->next();
      REQUIRE_MESSAGE(frame.has_value(), (frame ? "" : frame.error().message));
      REQUIRE(frame->has_value());
      CHECK((chars((*frame)->texture.blocks) == chars(some_blocks(desc, 0))));
    }
}

TEST_CASE("FFmpeg decodes the .dds files of formats that it knows as we do") {
  const Scratch scratch;
  for (const TextureFormat format :
       {TextureFormat::bc1, TextureFormat::bc3, TextureFormat::bc4, TextureFormat::ycocg_dxt5})
    for (const uint8_t transfer : {uint8_t{1}, uint8_t{13}}) {  // a FourCC; a DX10 header if sRGB needs it
      CAPTURE(name(format));
      CAPTURE(transfer);
      TextureDesc desc{.format = format, .width = 62, .height = 45};
      desc.color.transfer = transfer;
      const std::vector<std::byte> blocks = some_blocks(desc, 3);
      record(scratch / "one.dds", 1, desc);
      DecodedImage ours;
      const auto clip = media::open_clip(scratch / "one.dds");
      const auto frame = clip->next();
      REQUIRE((frame.has_value() && frame->has_value()));
      decode_texture((*frame)->texture, ours, EndpointExpansion::ffmpeg);
      const int channels = channel_count(format);
      const std::string theirs =
          output_of("ffmpeg -v error -i " + quoted(scratch / "one.dds") + " -f rawvideo -pix_fmt " +
                    (channels == 1   ? "gray"
                     : channels == 3 ? "rgb24"
                                     : "rgba") +
                    " -");
      CHECK(ours.pixels == image_of(theirs, 62, 45, 0, channels).pixels);
    }
}

// FFmpeg takes it for a normal map and computes blue from red and green.
TEST_CASE("FFmpeg decodes the first level of a .dds with levels; each level is read back, others are refused") {
  const Scratch scratch;
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::bc4, TextureFormat::ycocg_bc4_420})
    for (const char* file : {"levels.dds", "levels.ktx2"}) {
      CAPTURE(name(format));
      const TextureDesc desc{.format = format, .width = 62, .height = 45};
      std::vector<std::vector<std::byte>> blocks;
      std::vector<TextureView> smaller;
      for (int level = 0; level < 6; ++level)
        blocks.push_back(some_blocks(level_of(desc, level), static_cast<unsigned>(level)));
      for (int level = 1; level < 6; ++level)
        smaller.push_back({level_of(desc, level), blocks[static_cast<size_t>(level)]});
      const auto recorder =
          media::make_recorder({.path = scratch / file, .texture = desc, .if_exists = IfExists::overwrite});
      recorder->add_levels(smaller);
      recorder->write({desc, blocks[0]}, {});
      recorder->finish();
      for (int level = 0; level < 6; ++level) {
        const auto clip = media::open_clip(scratch / file, {.level = level});
        CHECK(clip->info().levels == 6);
        CHECK(clip->info().texture == level_of(desc, level));
        const auto frame = clip->next();
        REQUIRE((frame && *frame));
        CHECK((chars((*frame)->texture.blocks) == chars(blocks[static_cast<size_t>(level)])));
      }
      CHECK_THROWS_AS(media::open_clip(scratch / file, {.level = 6}), Error);
      if (file != std::string("levels.dds") || format != TextureFormat::bc1) continue;
      DecodedImage ours;
      decode_texture({desc, blocks[0]}, ours, EndpointExpansion::ffmpeg);
      const std::string theirs =
          output_of("ffmpeg -v error -i " + quoted(scratch / file) + " -f rawvideo -pix_fmt rgb24 -");
      CHECK((theirs == std::string(ours.pixels.begin(), ours.pixels.end())));
    }
  const auto movie = media::make_recorder({.path = scratch / "a.mov", .texture = kStillDesc});
  const TextureView level{level_of(kStillDesc, 1), {}};
  CHECK_THROWS_AS(movie->add_levels(std::span(&level, 1)), Error);
}

TEST_CASE("FFmpeg decodes red and green of a BC5 .dds file as we do") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::bc5, .width = 62, .height = 45};
  const std::vector<std::byte> blocks = some_blocks(desc, 0);
  record(scratch / "one.dds", 1, desc);
  DecodedImage ours;
  decode_texture({desc, blocks}, ours, EndpointExpansion::ffmpeg);
  const std::string theirs =
      output_of("ffmpeg -v error -i " + quoted(scratch / "one.dds") + " -f rawvideo -pix_fmt rgb24 -");
  REQUIRE(theirs.size() == 3 * 62 * 45);
  for (size_t i = 0; i < 62 * 45; ++i)
    for (size_t c = 0; c < 2; ++c) REQUIRE(static_cast<uint8_t>(theirs[3 * i + c]) == ours.pixels[2 * i + c]);
}

TEST_CASE("FFmpeg finds the written bytes in .dds files of pixels") {
  const Scratch scratch;
  for (const auto& [format, theirs] : {std::pair{TextureFormat::uyvy, "uyvy422"},
                                       {TextureFormat::yuyv, "yuyv422"},
                                       {TextureFormat::rgba8, "rgba"},
                                       {TextureFormat::bgr8, "bgr24"}}) {
    CAPTURE_BOUND(name(format));
    const TextureDesc desc{.format = format, .width = 62, .height = 45, .color = usual_color(format)};
    record(scratch / "one.dds", 1, desc);
    CHECK(output_of("ffmpeg -v error -i " + quoted(scratch / "one.dds") + " -f rawvideo -pix_fmt " + theirs + " -") ==
          chars(some_blocks(desc, 0)));
    CHECK(output_of("ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 " + quoted(scratch / "one.dds")) ==
          std::string(theirs) + "\n");
  }
}

TEST_CASE("a format that a file cannot hold is refused with the name to record under") {
  const Scratch scratch;
  for (const auto& [file, format] : {std::pair{"a.mov", TextureFormat::bc1_ycbcr},
                                     {"a.mov", TextureFormat::rgb8},  // with an odd width its rows would be padded
                                     {"a.mkv", TextureFormat::bgr8},
                                     {"a.ktx2", TextureFormat::uyvy}}) {
    const Error error = error_of(
        [&, name = file, kind = format] { record(scratch / name, 1, {.format = kind, .width = 15, .height = 16}); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK_MESSAGE(says(error, "a-%05d.dds"), std::string(error.what()));
  }
}

TEST_CASE(".astc: ASTC is read back, single and as a sequence, in the usual colours") {
  const Scratch scratch;
  for (const TextureFormat format : {TextureFormat::astc_4x4, TextureFormat::astc_10x8, TextureFormat::astc_12x12}) {
    CAPTURE(name(format));
    TextureDesc desc{.format = format, .width = 70, .height = 45};
    desc.color.transfer = 13;  // which the file does not store
    record(scratch / "one.astc", 1, desc);
    const std::string file = read_file(scratch / "one.astc");
    CHECK((file.substr(16) == chars(some_blocks(desc, 0))));
    CHECK(media::is_clip(scratch / "one.astc"));
    desc.color = usual_color(format);
    const auto clip = media::open_clip(scratch / "one.astc");
    CHECK(clip->info().texture == desc);
    CHECK(clip->info().container == "astc");
    CHECK(clip->info().codec_name == plane_coding(format, 0).name);
    CHECK(clip->info().frame_count == 1);
    CHECK(clip->info().levels == 1);
    const auto frame = clip->next();
    REQUIRE((frame.has_value() && frame->has_value()));
    CHECK((chars((*frame)->texture.blocks) == chars(some_blocks(desc, 0))));
    CHECK_THROWS_AS(media::open_clip(scratch / "one.astc", {.level = 1}), Error);
    record(scratch / "f%03d.astc", 3, desc);
    const auto sequence = media::open_clip(scratch / "f%03d.astc");
    CHECK(sequence->info().frame_count == 3);
    CHECK(sequence->info().fps == 60);
    for (unsigned i = 0; i < 3; ++i)
      CHECK((chars(sequence->next()->value().texture.blocks) == chars(some_blocks(desc, i))));
  }
}

TEST_CASE(".astc: other formats and mip levels are refused, with the formats that hold them") {
  const Scratch scratch;
  const Error other = error_of([&] { record(scratch / "a.astc", 1); });
  CHECK(other.kind() == ErrorKind::usage);
  CHECK_MESSAGE(says(other, ".astc cannot hold bc1, only astc-4x4, astc-5x5, "), std::string(other.what()));
  CHECK_MESSAGE(says(other, "record it to .dds or .ktx2"), std::string(other.what()));
  const TextureDesc desc{.format = TextureFormat::astc_6x6, .width = 30, .height = 20};
  const auto recorder = media::make_recorder({.path = scratch / "b.astc", .texture = desc});
  const auto blocks = some_blocks(level_of(desc, 1), 0);
  const TextureView level{level_of(desc, 1), blocks};
  const Error levels = error_of([&] { recorder->add_levels(std::span(&level, 1)); });
  CHECK(levels.kind() == ErrorKind::usage);
  CHECK_MESSAGE(says(levels, "only .dds and .ktx2 can hold mip levels"), std::string(levels.what()));
}

TEST_CASE("two numbers of a pattern never give one name, and a name without a pattern gives none") {
  for (const char* pattern : {"%d.dds", "a%018d.ktx2", "100%%-%05d.dds", "%3d"})
    for (const int64_t number : {int64_t{0}, int64_t{9}, int64_t{10}, int64_t{99'999}, int64_t{123'456'789'012}})
      CHECK(media::numbered_name(pattern, number) != media::numbered_name(pattern, number + 1));
  CHECK(media::numbered_name("a%05d.dds", 7) == "a00007.dds");
  CHECK(media::numbered_name("100%%-%05d.dds", 123'456) == "100%-123456.dds");
  for (const char* name : {"a.dds", "100%.dds", "a%s.dds", "%d-%d.dds", "%05", "%"})
    CHECK_FALSE(media::numbered_name(name, 0).has_value());
  for (const char* pattern : {"%19d.dds", "%0999999999999999999999d.dds"})
    CHECK(error_of([&] { media::numbered_name(pattern, 0); }).kind() == ErrorKind::usage);
}

// DDS has no format for YCoCg-BC4: other programs see its luma.
TEST_CASE("FFmpeg decodes the .dds files of YCoCg-BC4 as the luma plane") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 62, .height = 45};
  std::vector<std::byte> blocks = some_blocks(desc, 3);
  const PlaneLayout luma = texture_layout(desc).planes[0];
  // Neutral chroma in the planes after it: then R = G = B = Y.
  for (size_t at = luma.bytes; at < blocks.size(); at += 8) {
    store_le32(MutableBytes(blocks), at, 0x8080);
    store_le32(MutableBytes(blocks), at + 4, 0);
  }
  media::make_recorder({.path = scratch / "one.dds", .texture = desc})->write({desc, blocks}, nanoseconds(0));
  DecodedImage ours;
  decode_texture({desc, blocks}, ours, EndpointExpansion::ffmpeg);
  const std::string theirs =
      output_of("ffmpeg -v error -i " + quoted(scratch / "one.dds") + " -f rawvideo -pix_fmt gray -");
  REQUIRE(theirs.size() == 62 * 45);
  int largest = 0;
  for (size_t i = 0; i < theirs.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<unsigned char>(theirs[i]) - ours.pixels[3 * i]));
  CHECK(largest <= 1);  // FFmpeg truncates between end points, we round
}

TEST_CASE("a second frame for a single image is refused, with what to do") {
  const Scratch scratch;
  const Error error = error_of([&] { record(scratch / "one.dds", 2); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK_MESSAGE(says(error, "%05d"), std::string(error.what()));
}

TEST_CASE("a sequence is written from 0, read in order, sought, and its damage is named") {
  const Scratch scratch;
  for (const std::string extension : {"dds", "ktx2"}) {
    CAPTURE(extension);
    const std::string pattern = scratch / ("f%05d." + extension);
    const auto name_of = [&](unsigned i) { return scratch / ("f0000" + std::to_string(i) + "." + extension); };
    record(pattern, 5);
    if (extension == "dds")
      for (unsigned i = 0; i < 5; ++i) CHECK((read_file(name_of(i)).substr(128) == chars(some_blocks(kStillDesc, i))));
    CHECK(media::is_clip(pattern));
    write_file(name_of(2), read_file(name_of(2)).substr(0, 500));
    const auto clip = media::open_clip(pattern);
    CHECK(clip->info().frame_count == 5);
    for (unsigned i = 0; i < 5; ++i) {
      const auto frame = clip->next();
      if (i == 2) {
        REQUIRE(!frame.has_value());
        CHECK_MESSAGE(
            frame.error().message.find("f00002." + extension + "' is damaged: it is truncated") != std::string::npos,
            frame.error().message);
        continue;
      }
      REQUIRE((frame.has_value() && frame->has_value()));
      CHECK((chars((*frame)->texture.blocks) == chars(some_blocks(kStillDesc, i))));
    }
    clip->seek(nanoseconds(50'000'000));
    CHECK(clip->next()->value().pts == nanoseconds(50'000'000));  // the fourth
  }
}

TEST_CASE("a sequence keeps its rate; without one it has 60 frames per second") {
  const Scratch scratch;
  for (const char* name : {"f%05d.dds", "f%05d.ktx2"}) {
    {
      const auto recorder = media::make_recorder({.path = scratch / name, .texture = kStillDesc, .fps = 30000. / 1001});
      for (unsigned i = 0; i < 3; ++i) recorder->write({kStillDesc, some_blocks(kStillDesc, i)}, nanoseconds(i));
    }
    const auto clip = media::open_clip(scratch / name);
    CHECK(clip->info().fps == doctest::Approx(30000. / 1001).epsilon(1e-7));
    CHECK(std::abs(clip->info().duration->count() - 100'100'000) < 100);
    clip->seek(nanoseconds(66'733'400));
    CHECK(std::abs(clip->next()->value().pts.count() - 66'733'333) < 100);
  }
  std::string file = read_file(scratch / "f00000.dds");
  write_file(scratch / "f00000.dds", file.replace(72, 4, std::string(4, '\0')));
  CHECK(media::open_clip(scratch / "f%05d.dds")->info().fps == 60);
}

TEST_CASE("an image of a sequence that differs from the first is named, and the next one is read") {
  const Scratch scratch;
  record(scratch / "f%05d.ktx2", 3);
  record(scratch / "f00001.ktx2", 1, {.format = TextureFormat::ycocg_dxt5, .width = 62, .height = 45});
  const auto clip = media::open_clip(scratch / "f%05d.ktx2");
  CHECK(clip->next().has_value());
  const auto other = clip->next();
  REQUIRE(!other.has_value());
  CHECK_MESSAGE(other.error().message.find("f00001.ktx2' is 62x45 ycocg-dxt5, but the previous files are 62x45 bc1") !=
                    std::string::npos,
                other.error().message);
  CHECK(clip->next().has_value());
}

TEST_CASE("files that cannot be read: missing, of another kind, truncated") {
  const Scratch scratch;
  for (const std::string extension : {".dds", ".ktx2", ".astc"}) {
    CAPTURE(extension);
    CHECK(error_of([&] { media::open_clip(scratch / ("none" + extension)); }).kind() == ErrorKind::input);
    write_file(scratch / ("text" + extension), "hello");
    const Error text = error_of([&] { media::open_clip(scratch / ("text" + extension)); });
    CHECK(text.kind() == ErrorKind::input);
    CHECK(!media::is_clip(scratch / ("text" + extension)));

    TextureDesc desc = kStillDesc;
    if (extension == ".astc") desc.format = TextureFormat::astc_4x4;
    record(scratch / ("one" + extension), 1, desc);
    write_file(scratch / ("cut" + extension), read_file(scratch / ("one" + extension)).substr(0, 300));
    const Error cut = error_of([&] { media::open_clip(scratch / ("cut" + extension)); });
    CHECK(cut.kind() == ErrorKind::corrupt);
    CHECK_MESSAGE(says(cut, extension == ".dds"    ? "truncated: 172 of"
                            : extension == ".astc" ? "truncated: 284 of 3072"
                                                   : "truncated: the file ends at byte 300"),
                  std::string(cut.what()));
  }
}
