// The reports of `verify` and `info` on intact files, and on files that were damaged on purpose.
#include "media/clip_check.h"

#include <array>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "media/clip_details.h"
#include "media/color_names.h"
#include "media/recorder.h"
#include "media_test.h"
#include "stills_by_hand.h"

using namespace texcast;
using namespace texcast::test;

namespace {

constexpr TextureDesc kClip{.format = TextureFormat::bc1, .width = 128, .height = 64};
constexpr size_t kPlainBytes = 4096;  // of a frame

void record_clip(const std::string& path, const TextureDesc& desc, int frames, bool snappy = false, int chunks = 0) {
  const auto recorder = media::make_recorder(
      {.path = path, .texture = desc, .fps = 50, .snappy = snappy, .chunks = chunks, .if_exists = IfExists::overwrite});
  for (int i = 0; i < frames; ++i) {
    auto blocks = some_blocks(desc, static_cast<unsigned>(i));
    if (desc.format == TextureFormat::ycocg_dxt5)  // legal scales
      for (size_t at = 8; at < blocks.size(); at += 16)
        for (const size_t end : {at, at + 2})
          store_le16(blocks, end, static_cast<uint16_t>(load_le16(blocks, end) & ~31));
    recorder->write({desc, blocks}, i * nanoseconds(20'000'000));
  }
}

// The position of frame `number` in a .mov whose frames are stored uncompressed, one after the other. It is found by
// its bytes.
size_t place_of(const std::string& file, int number) {
  const auto blocks = some_blocks(kClip, static_cast<unsigned>(number));
  const size_t at = file.find(std::string(reinterpret_cast<const char*>(blocks.data()), blocks.size()));
  REQUIRE(at != std::string::npos);
  return at - 4;
}

}  // namespace

TEST_CASE("intact files are reported as intact") {
  const Scratch scratch;
  TextureDesc desc = kClip;
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_dxt5})
    for (const char* name : {"a.mov", "a.mkv"}) {
      desc.format = format;
      record_clip(scratch / name, desc, 5, true, 4);
      const auto found = check_file(scratch / name);
      CHECK(found.frames == 5);
      CHECK(found.damaged == 0);
    }
}

TEST_CASE("each damaged frame is reported with its number, its time and the reason; the other frames are checked too") {
  const Scratch scratch;
  record_clip(scratch / "a.mov", kClip, 8);
  std::string file = read_file(scratch / "a.mov");
  file[place_of(file, 1) + 3] = static_cast<char>(0xBB);  // claims Snappy for uncompressed bytes
  file[place_of(file, 3)] = 1;                            // a single byte of body
  file[place_of(file, 6) + 3] = static_cast<char>(0xAE);  // claims BC3
  write_file(scratch / "a.mov", file);
  const auto found = check_file(scratch / "a.mov");
  CHECK(found.frames == 8);
  REQUIRE(found.damaged == 3);
  REQUIRE(found.damage.size() == 3);
  const std::array<int64_t, 3> numbers = {1, 3, 6};
  // Snappy data begins with its uncompressed length: here the first byte of the blocks.
  CHECK(some_blocks(kClip, 1)[0] == std::byte{37});
  const std::array words = {"37 bytes of blocks, but 4096", "claims 4097 bytes", "holds BC3 where BC1"};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(found.damage[i].first == numbers[i]);
    CHECK(found.damage[i].pts == numbers[i] * nanoseconds(20'000'000));
    CHECK_MESSAGE(found.damage[i].reason.find(words[i]) != std::string::npos, found.damage[i].reason);
    CHECK(found.damage[i].reason.find("a.mov") == std::string::npos);
  }
}

TEST_CASE("frames past the end of the file are reported") {
  const Scratch scratch;
  record_clip(scratch / "a.mov", kClip, 10);
  // With the index in front, as other programs write it; then only half of the frames.
  output_of("ffmpeg -v error -y -i " + quoted(scratch / "a.mov") + " -c copy -movflags +faststart " +
            quoted(scratch / "front.mov"));
  std::string file = read_file(scratch / "front.mov");
  write_file(scratch / "front.mov", file.substr(0, place_of(file, 4) + 100));
  const auto found = check_file(scratch / "front.mov");
  CHECK(found.frames == 10);
  CHECK(found.damaged == 6);
  REQUIRE(found.damage.size() == 2);
  CHECK(found.damage[0].first == 4);
  CHECK(found.damage[1].first == 5);
  CHECK(found.damage[1].count == 5);
  const auto clip = media::open_clip(scratch / "front.mov");
  const auto details = media::clip_details(*clip);
  REQUIRE(details.damage.size() == 2);
  CHECK_MESSAGE(details.damage[1].find("6 of its 10 frames") != std::string::npos, details.damage[1]);

  record_clip(scratch / "a.mkv", kClip, 10);
  file = read_file(scratch / "a.mkv");
  write_file(scratch / "a.mkv", file.substr(0, place_of(file, 4) + 100));
  const auto cut = check_file(scratch / "a.mkv");
  CHECK(cut.frames == 5);
  CHECK(cut.damaged == 1);
}

TEST_CASE("a size that the file cannot hold is refused before memory is allocated") {
  const Scratch scratch;
  record_clip(scratch / "a.mov", kClip, 3);
  std::string file = read_file(scratch / "a.mov");
  const size_t entry = file.find("Hap1");  // of the sample description: width and height follow 28 bytes later
  REQUIRE(entry != std::string::npos);
  for (const auto& [width, height, says_what] :
       {std::tuple(0x4000, 0x4000, "more than its"), {0x7FFF, 0x40, "has frames of the invalid size 32767x64"}}) {
    std::string absurd = file;
    for (const auto& [at, side] : {std::pair(entry + 28, width), {entry + 30, height}}) {
      absurd[at] = static_cast<char>(side >> 8);
      absurd[at + 1] = static_cast<char>(side & 0xFF);
    }
    write_file(scratch / "absurd.mov", absurd);
    const Error error = error_of([&] { media::open_clip(scratch / "absurd.mov"); });
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK_MESSAGE(says(error, says_what), error.what());
  }
}

TEST_CASE("illegal blocks are reported as damage") {
  const Scratch scratch;
  TextureDesc desc = kClip;
  desc.format = TextureFormat::ycocg_dxt5;
  auto blocks = std::vector<std::byte>(texture_layout(desc).total_bytes);
  store_le16(blocks, 16 * 40 + 8, 2);  // a scale of 3 at one end
  {
    const auto recorder = media::make_recorder({.path = scratch / "y.mov", .texture = desc});
    recorder->write({desc, blocks}, nanoseconds(0));
  }
  const auto found = check_file(scratch / "y.mov");
  REQUIRE(found.damage.size() == 1);
  CHECK_MESSAGE(found.damage[0].reason.find("column 8, row 1") != std::string::npos, found.damage[0].reason);
}

// Void-extent blocks (Khronos Data Format 1.3, section 23.23), with half floats if bit 9 is set; and zeros, which are
// reserved.
TEST_CASE("ASTC blocks of the HDR profile are noted, reserved ones are damage, each with its frame") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::astc_5x5, .width = 20, .height = 10};
  const auto recorder = media::make_recorder({.path = scratch / "f%d.ktx2", .texture = desc, .fps = 50});
  for (int i = 0; i < 4; ++i) {
    std::vector<std::byte> blocks(texture_layout(desc).total_bytes, std::byte{0xFF});
    for (size_t at = 0; at < blocks.size(); at += 16) {
      const bool is_last = at == 16 * 7;
      store_le16(blocks, at, static_cast<uint16_t>(is_last && (i == 1 || i == 2) ? 0xFFFC : 0xFDFC));
    }
    if (i == 2) std::fill_n(blocks.begin() + 16 * 2, 16, std::byte{0});
    recorder->write({desc, blocks}, i * nanoseconds(20'000'000));
  }
  recorder->finish();
  const auto found = check_file(scratch / "f%d.ktx2");
  CHECK(found.frames == 4);
  CHECK(found.damaged == 1);
  REQUIRE(found.damage.size() == 1);
  CHECK(found.damage[0].first == 2);
  CHECK(found.damage[0].reason == "1 of 8 blocks are not valid ASTC, the first in column 2, row 0");
  CHECK(found.unshown == 2);
  REQUIRE(found.notes.size() == 2);
  CHECK(found.notes[0].first == 1);
  CHECK(found.notes[0].pts == nanoseconds(20'000'000));
  CHECK(found.notes[0].reason == "1 of 8 blocks are HDR and displayed as magenta, the first in column 3, row 1");
  const auto details = media::clip_details(*media::open_clip(scratch / "f2.ktx2"));
  CHECK(details.damage == std::vector{found.damage[0].reason});
  CHECK(details.notes == std::vector{found.notes[1].reason});
}

namespace {

std::string as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

TEST_CASE("every level, layer and face of cube maps and arrays is checked") {
  const Scratch scratch;
  const FileBytes cubes = dds_by_hand(2, 4, 0xFE00, 12), old_cube = dds_by_hand(0, 0, 0xFE00, 6),
                  array = ktx2_by_hand(3, 6, true);
  struct File {
    std::string name;
    const FileBytes& bytes;
    int images;
  };
  for (const File& file :
       {File{"cubes.dds", cubes, 24}, File{"old.dds", old_cube, 12}, File{"array.ktx2", array, 36}}) {
    CAPTURE(file.name);
    write_file(scratch / file.name, as_text(file.bytes));
    const auto found = check_file(scratch / file.name);
    CHECK(found.frames == 1);
    CHECK(found.images == file.images);
    CHECK(found.damaged == 0);
  }
}

TEST_CASE("the damaged image of a cube map or an array is named") {
  const Scratch scratch;
  const FileBytes cubes = dds_by_hand(2, 4, 0xFE00, 12);
  write_file(scratch / "cut.dds", as_text(Bytes(cubes).first(cubes.size() - 1)));
  const auto cut = check_file(scratch / "cut.dds");
  CHECK(cut.damaged == 1);
  REQUIRE(cut.damage.size() == 1);
  CHECK(cut.damage[0].reason == "level 1, layer 1, face 5: it is truncated: 479 of 480 bytes of its blocks are there");

  // The smaller level precedes the larger one, which is otherwise displayed.
  for (const size_t level : {0, 1}) {
    CAPTURE(level);
    FileBytes array = ktx2_by_hand(3, 6, true);
    const size_t at = load_le64(array, 80 + 24 * level), bytes = load_le64(array, 88 + 24 * level);
    array[at + bytes / 2] ^= std::byte{0xFF};
    write_file(scratch / "damaged.ktx2", as_text(array));
    const auto damaged = check_file(scratch / "damaged.ktx2");
    CHECK(damaged.frames == 1);
    CHECK(damaged.damaged == 1);
    REQUIRE(damaged.damage.size() == 1);
    const std::string& reason = damaged.damage[0].reason;
    CHECK_MESSAGE(reason.starts_with("level " + std::to_string(level) + ", layer "), reason);
    CHECK_MESSAGE(reason.find("damaged Zstandard") != std::string::npos, reason);
  }
}

// HDR blocks as above, in the smaller of two levels.
TEST_CASE("blocks that are not shown are noted with their level") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::astc_4x4, .width = 8, .height = 4};
  std::vector<std::byte> large(32, std::byte{0xFF}), small(16, std::byte{0xFF});
  for (const size_t at : {0, 16}) store_le16(large, at, 0xFDFC);
  store_le16(small, 0, 0xFFFC);
  const TextureView levels[] = {{desc, large}, {level_of(desc, 1), small}};
  write_file(scratch / "a.ktx2", as_text(pack_still(StillKind::ktx2, levels)));
  const auto found = check_file(scratch / "a.ktx2");
  CHECK(found.images == 2);
  CHECK(found.damaged == 0);
  CHECK(found.unshown == 1);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].reason.starts_with("level 1: 1 of 1 blocks are HDR"));
}

TEST_CASE("compression, frame rate and audio are reported") {
  const Scratch scratch;
  const auto details_of = [&](const std::string& name) {
    const auto clip = media::open_clip(scratch / name);
    return media::clip_details(*clip);
  };
  record_clip(scratch / "plain.mov", kClip, 3);
  auto details = details_of("plain.mov");
  REQUIRE(details.packing.has_value());
  CHECK(details.packing->most_chunks == 1);
  CHECK(details.packing->any_plain);
  CHECK_FALSE(details.packing->any_snappy);
  CHECK(details.stored_bits_per_pixel == doctest::Approx((kPlainBytes + 4) * 8 / (128.0 * 64)));
  CHECK_FALSE(details.has_variable_rate);
  CHECK(details.audio.empty());
  CHECK(details.damage.empty());

  record_clip(scratch / "chunks.mkv", kClip, 3, true, 4);
  details = details_of("chunks.mkv");
  REQUIRE(details.packing.has_value());
  CHECK(details.packing->fewest_chunks == 4);
  CHECK(details.packing->any_snappy);
  CHECK(details.counted_frames == 3);
  CHECK_FALSE(details.has_variable_rate);

  output_of("ffmpeg -v error -y -f lavfi -i testsrc2=size=64x64:rate=25 -f lavfi -i sine=sample_rate=32000 -t 0.5 " +
            std::string("-vf setpts=N*N/25/TB -vsync vfr -c:v hap -c:a pcm_s16le ") + quoted(scratch / "theirs.mov"));
  details = details_of("theirs.mov");
  CHECK(details.has_variable_rate);
  REQUIRE(details.audio.size() == 1);
  CHECK(details.audio[0].codec == "pcm_s16le");
  CHECK(details.audio[0].sample_rate == 32000);
  CHECK(details.audio[0].channels == 1);
}

TEST_CASE("colours have names") {
  using texcast::ColorSpec;
  CHECK(media::color_text({ColorMatrix::bt709, ColorRange::full, 1, 1}) == "BT.709, full range");
  CHECK(media::color_text({ColorMatrix::bt2020, ColorRange::full, 9, 16}) ==
        "BT.2020 primaries, PQ transfer, BT.2020 matrix, full range");
  CHECK(media::color_text({ColorMatrix::bt601, ColorRange::limited, 2, 2}) ==
        "BT.601 matrix, primaries and transfer unspecified, limited range");
  CHECK(media::primaries_name(99) == "primaries 99");
}
