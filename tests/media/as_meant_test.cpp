// Pictures as they are meant to be seen: upright, deinterlaced, with their pixel aspect ratio; and incomplete inputs.
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "capture_bound.h"
#include "media/clip_reader.h"
#include "media/frame_source.h"
#include "media/picture_writer.h"
#include "media/recorder.h"
#include "media/recovery.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

constexpr int kCardWidth = 64, kCardHeight = 48;
const std::string kTestCard = "-f lavfi -i testsrc=size=64x48:rate=10:duration=1 ";
const std::string kH264 = " -c:v libx264 -qp 1 -pix_fmt yuv444p -bf 0 -g 4 -colorspace smpte170m ";

std::string make_medium(const Scratch& scratch, const std::string& name, const std::string& arguments) {
  output_of("ffmpeg -v error -y " + arguments + " " + quoted(scratch / name));
  return scratch / name;
}

DecodedImage first_picture(const media::SourceSettings& settings) {
  const auto source = media::open_source(settings);
  const auto frame = source->next();
  REQUIRE(frame);
  DecodedImage image;
  convert_to_rgb(frame->view, image);
  return image;
}

// The first picture of the test card by ffmpeg, changed by the filters.
DecodedImage card_shown(const std::string& filters, int width, int height) {
  return image_of(
      output_of("ffmpeg -v error " + kTestCard + "-vf " + filters + ",format=rgb24 -frames:v 1 -f rawvideo -"), width,
      height);
}

void set_matrix(const std::string& path, std::array<int, 4> m) {
  std::string file = read_file(path);
  const size_t matrix = file.find("tkhd") + 4 + 40;
  const std::array<int, 9> all = {m[0], m[1], 0, m[2], m[3], 0, 0, 0, 0x4000};
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t b = 0; b < 4; ++b)
      file[matrix + 4 * i + b] = static_cast<char>(static_cast<uint32_t>(all[i]) << 16 >> (24 - 8 * b));
  write_file(path, file);
}

// ffmpeg's filters that store a picture so that the orientation of that EXIF number shows it upright.
constexpr std::array<const char*, 8> kStored = {"null",
                                                "hflip",
                                                "hflip,vflip",
                                                "vflip",
                                                "transpose=cclock_flip",
                                                "transpose=cclock",
                                                "transpose=clock_flip",
                                                "transpose=clock"};
constexpr std::array<std::array<int, 4>, 8> kMatrices = {{{1, 0, 0, 1},
                                                          {-1, 0, 0, 1},
                                                          {-1, 0, 0, -1},
                                                          {1, 0, 0, -1},
                                                          {0, 1, 1, 0},
                                                          {0, 1, -1, 0},
                                                          {0, -1, -1, 0},
                                                          {0, -1, 1, 0}}};

int64_t frames_of(media::FrameSource& source) {
  int64_t frames = 0;
  while (source.next()) ++frames;
  return frames;
}

}  // namespace

TEST_CASE("all eight display matrices give upright pictures, and --rotate overrides them") {
  const Scratch scratch;
  const DecodedImage wanted = card_shown("null", kCardWidth, kCardHeight);
  for (size_t i = 0; i < 8; ++i) {
    CAPTURE(i + 1);
    const std::string path = make_medium(scratch, "turned.mp4", kTestCard + "-vf " + kStored[i] + kH264);
    set_matrix(path, kMatrices[i]);
    const DecodedImage shown = first_picture({.input = path});
    REQUIRE(shown.width == kCardWidth);
    REQUIRE(shown.height == kCardHeight);
    CHECK(psnr_db(shown, wanted) > 38);
  }
  const std::string plain = make_medium(scratch, "plain.mp4", kTestCard + kH264);
  const DecodedImage quarter = first_picture({.input = plain, .picture = {.rotate = 90}});
  REQUIRE(quarter.width == kCardHeight);
  CHECK(psnr_db(quarter, card_shown("transpose=clock", kCardHeight, kCardWidth)) > 38);
  set_matrix(plain, kMatrices[2]);
  CHECK(psnr_db(first_picture({.input = plain, .picture = {.rotate = 0}}), wanted) > 38);
}

TEST_CASE("the EXIF orientation of a photograph") {
  const Scratch scratch;
  const DecodedImage wanted = card_shown("null", kCardWidth, kCardHeight);
  for (size_t i = 0; i < 8; ++i) {
    CAPTURE(i + 1);
    const std::string path =
        make_medium(scratch, "photo.jpg", kTestCard + "-vf " + kStored[i] + " -frames:v 1 -q:v 1 -pix_fmt yuvj444p");
    std::string file = read_file(path);
    std::string exif(
        "\xFF\xE1\x00\x22"
        "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0?\0\0\0\0\0\0",
        36);
    exif[29] = static_cast<char>(i + 1);
    write_file(path, file.insert(2, exif));
    const DecodedImage shown = first_picture({.input = path});
    REQUIRE(shown.width == kCardWidth);
    CHECK(psnr_db(shown, wanted) > 30);
  }
}

TEST_CASE("interlaced frames are deinterlaced to one frame each; progressive frames between them keep their bytes") {
  const Scratch scratch;
  const std::string fields =
      make_medium(scratch, "fields.mp4",
                  "-f lavfi -i testsrc2=size=64x48:rate=50:duration=0.4 -vf interlace=scan=bff " + kH264 +
                      " -flags +ildct+ilme -x264-params bff=1");
  const std::string wanted = output_of("ffmpeg -v error -i " + quoted(fields) +
                                       " -vf bwdif=send_frame:auto:interlaced -pix_fmt yuv444p -f rawvideo -");
  const std::string combed = output_of("ffmpeg -v error -i " + quoted(fields) + " -pix_fmt yuv444p -f rawvideo -");
  REQUIRE(wanted.size() == combed.size());
  const auto planes_of = [](const media::SourceSettings& settings) {
    const auto source = media::open_source(settings);
    std::string all;
    while (const auto frame = source->next()) all += packed_planes(frame->view);
    return all;
  };
  CHECK((planes_of({.input = fields}) == wanted));
  CHECK((planes_of({.input = fields, .picture = {.deinterlace = media::Deinterlace::off}}) == combed));
  const std::string plain = make_medium(scratch, "plain.mp4", kTestCard + kH264);
  const std::string whole = output_of("ffmpeg -v error -i " + quoted(plain) + " -pix_fmt yuv444p -f rawvideo -");
  CHECK((planes_of({.input = plain}) == whole));
  CHECK((planes_of({.input = plain, .picture = {.deinterlace = media::Deinterlace::on}}) != whole));
}

TEST_CASE("the pixel aspect ratio comes from the file or from --aspect, and a quarter turn inverts it") {
  const Scratch scratch;
  for (const std::string name : {"wide.mp4", "wide.mkv"}) {
    const std::string path = make_medium(scratch, name, kTestCard + "-vf setsar=16/11" + kH264);
    CHECK(media::open_source({.input = path})->format().aspect == PixelAspect{16, 11});
    CHECK(media::open_source({.input = path, .picture = {.rotate = 90}})->format().aspect == PixelAspect{11, 16});
    CHECK(media::open_source({.input = path, .picture = {.aspect = PixelAspect{4, 3}}})->format().aspect ==
          PixelAspect{});
    // The aspect ratio of the displayed picture: 48 x 64 as 3:1 has pixels of 4:1.
    CHECK(
        media::open_source({.input = path, .picture = {.rotate = 270, .aspect = PixelAspect{3, 1}}})->format().aspect ==
        PixelAspect{4, 1});
    CHECK(error_of([&] {
            media::open_source({.input = path, .picture = {.aspect = PixelAspect{1, 16}}});
          }).kind() == ErrorKind::usage);
  }
  const std::string silly = make_medium(scratch, "silly.mkv", kTestCard + "-vf setsar=99/1" + kH264);
  CHECK(media::open_source({.input = silly})->format().aspect == PixelAspect{});
}

TEST_CASE("recordings store the pixel aspect ratio for ffprobe and for us, recovered ones too") {
  const Scratch scratch;
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 72, .height = 56, .aspect = {64, 45}};
  const auto blocks = some_blocks(desc, 1);
  for (const std::string name : {"a.mov", "a.mkv"}) {
    CAPTURE(name);
    const std::string path = scratch / name;
    const auto recorder = media::make_recorder({.path = path, .texture = desc});
    recorder->write({desc, blocks}, 0ns);
    recorder->write({desc, blocks}, 20ms);
    // As a killed program leaves it, before the index is written.
    const std::string torn = scratch / ("torn-" + name);
    write_file(torn, read_file(path));
    if (name == "a.mov") write_file(torn + ".journal", read_file(path + ".journal"));
    recorder->finish();
    CHECK(media::open_clip(path)->info().texture.aspect == PixelAspect{64, 45});
    CHECK(output_of("ffprobe -v error -show_entries stream=sample_aspect_ratio -of csv=p=0 " + quoted(path)) ==
          "64:45\n");
    if (name == "a.mov") {
      media::recover_recording({.recording = torn, .output = {}});
      CHECK(media::open_clip(torn)->info().texture.aspect == PixelAspect{64, 45});
    }
  }
}

TEST_CASE("the display matrix of another program's recording") {
  const Scratch scratch;
  const std::string path = make_medium(scratch, "hap.mov", kTestCard + "-vf setsar=2 -c:v hap");
  set_matrix(path, kMatrices[5]);
  const auto clip = media::open_clip(path);
  CHECK(clip->info().texture.orientation == Orientation::turned_90);
  CHECK(clip->info().texture.aspect == PixelAspect{2, 1});
}

TEST_CASE("decoded pictures keep the pixel aspect ratio if the format can store it") {
  const Scratch scratch;
  const DecodedImage image{.width = 4, .height = 4, .pixels = std::vector<uint8_t>(48, 99)};
  for (const std::string name : {"a.png", "a.y4m", "a.mp4"}) {
    CAPTURE(name);
    const auto writer = media::make_picture_writer({.path = scratch / name, .width = 4, .height = 4, .aspect = {4, 3}});
    writer->write(image, 0ns);
    writer->finish();
    CHECK(output_of("ffprobe -v error -show_entries stream=sample_aspect_ratio -of csv=p=0 " +
                    quoted(scratch / name)) == "4:3\n");
  }
}

TEST_CASE("frames with another aspect ratio are fitted into the first one's, with black bars") {
  const Scratch scratch;
  const std::string wide =
      make_medium(scratch, "wide.ts", "-f lavfi -i color=white:size=64x32:rate=10:duration=0.4" + kH264);
  const std::string tall =
      make_medium(scratch, "tall.ts", "-f lavfi -i color=white:size=32x32:rate=10:duration=0.4" + kH264);
  write_file(scratch / "both.ts", read_file(wide) + read_file(tall));
  const auto source = media::open_source({.input = scratch / "both.ts"});
  std::vector<std::string> seen;  // left edge, left of the middle, middle: dark or light
  while (const auto frame = source->next()) {
    REQUIRE(frame->view.format == source->format());
    DecodedImage image;
    convert_to_rgb(frame->view, image);
    std::string row;
    for (const size_t x : {2, 13, 18, 32, 45, 50, 61}) row += image.pixels[(16 * 64 + x) * 3] > 128 ? '#' : '.';
    if (seen.empty() || seen.back() != row) seen.push_back(row);
  }
  CHECK(seen == std::vector<std::string>{"#######", "..###.."});
}

TEST_CASE("a truncated input says how many frames are missing") {
  const Scratch scratch;
  const std::string noise = "-f lavfi -i 'nullsrc=size=64x48:rate=10:duration=3,geq=random(1)*255:128:128' -g 5 -bf 0 ";
  for (const auto& [name, how] : {std::pair<std::string, std::string>{"a.mp4", "-c:v libx264 -movflags +faststart"},
                                  {"a.mkv", "-c:v libx264"},
                                  {"a.avi", "-c:v mpeg4"}}) {
    const std::string whole = make_medium(scratch, name, noise + how);
    const auto good = media::open_source({.input = whole});
    CHECK(frames_of(*good) == 30);
    CHECK(good->damaged_frames() == 0);
    for (const size_t percent : {25, 50, 90}) {
      CAPTURE_BOUND(name);
      CAPTURE(percent);
      const std::string bytes = read_file(whole);
      const std::string cut = scratch / ("cut-" + name);
      write_file(cut, bytes.substr(0, bytes.size() * percent / 100));
      const auto source = media::open_source({.input = cut});
      const int64_t frames = frames_of(*source);
      CHECK(frames > 0);
      CHECK(frames + source->damaged_frames() == 30);
      CHECK(!source->first_damage().empty());
    }
    // With --start from the middle on, earlier frames are not missing.
    const auto late = media::open_source({.input = whole, .start = 1500ms});
    CHECK(frames_of(*late) == 15);
    CHECK(late->damaged_frames() == 0);
  }
}

TEST_CASE("of two concatenated MP4 files FFmpeg reads the first, and the frames of the other are missing") {
  const Scratch scratch;
  const std::string one = make_medium(scratch, "one.mp4", kTestCard + kH264);
  write_file(scratch / "both.mp4", read_file(one) + read_file(one));
  const auto source = media::open_source({.input = scratch / "both.mp4"});
  CHECK(frames_of(*source) == 10);
  CHECK(source->damaged_frames() == 10);
}

TEST_CASE("damage inside frames is counted with any number of threads, also in half a photograph") {
  const Scratch scratch;
  const std::string path = make_medium(scratch, "a.mp4",
                                       "-f lavfi -i testsrc2=size=192x128:rate=10:duration=2 -g 1 -c:v libx264 "
                                       "-qp 10 -pix_fmt yuv420p -movflags +faststart");
  std::string file = read_file(path);
  const size_t middle = file.find("mdat") + (file.size() - file.find("mdat")) / 2;
  for (size_t i = 0; i < 40; ++i) file[middle + i] = static_cast<char>(i * 57 + 11);
  write_file(path, file);
  for (int round = 0; round < 5; ++round) {
    const auto source = media::open_source({.input = path});
    const int64_t frames = frames_of(*source);
    CHECK(frames + source->damaged_frames() == 20);
    CHECK(source->damaged_frames() >= 1);
    CHECK(source->damaged_frames() <= 2);
  }
  const std::string photo = make_medium(scratch, "photo.jpg", kTestCard + "-frames:v 1 -q:v 1");
  write_file(photo, read_file(photo).substr(0, read_file(photo).size() / 2));
  const auto source = media::open_source({.input = photo});
  CHECK(frames_of(*source) == 1);
  CHECK(source->damaged_frames() == 1);
}
