// Writing pictures: lossless if the format is, and close if it is not. The ffmpeg program reads them back.
#include "media/picture_writer.h"

#include <cstring>

#include "media/frame_source.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;

namespace {

DecodedImage kodim() {
  DecodedImage image;
  convert_to_rgb(media::open_source({.input = kData + "/kodim05_127x95.png"})->next()->view, image);
  return image;
}

void write(const std::string& path, const DecodedImage& image, int pictures) {
  const auto writer =
      media::make_picture_writer({.path = path, .width = image.width, .height = image.height, .fps = 30});
  for (int i = 0; i < pictures; ++i) writer->write(image, i * nanoseconds(33'333'333));
  writer->finish();
}

std::string decoded(const std::string& path, const std::string& options = "") {
  return output_of("ffmpeg -v error " + options + " -i " + quoted(path) +
                   " -f rawvideo -pix_fmt rgb24 -sws_flags bicubic+accurate_rnd+full_chroma_int+full_chroma_inp -");
}

}  // namespace

TEST_CASE("PNG, BMP, PPM and raw RGB are lossless") {
  const Scratch scratch;
  const DecodedImage image = kodim();
  const std::string pixels(image.pixels.begin(), image.pixels.end());
  for (const char* name : {"x.png", "x.bmp", "x.ppm"}) {
    CAPTURE(std::string(name));
    write(scratch / name, image, 1);
    CHECK((decoded(scratch / name) == pixels));
  }
  for (const char* name : {"x.rgb", "x.raw"}) {
    write(scratch / name, image, 2);
    CHECK((read_file(scratch / name) == pixels + pixels));
  }
}

TEST_CASE("alpha and gray are lossless in PNG and raw video, and dropped if the format cannot store them") {
  const Scratch scratch;
  const DecodedImage image = kodim();
  for (const int channels : {1, 4}) {
    DecodedImage picture{image.width, image.height, {}, channels};
    for (size_t i = 0; i < image.pixels.size(); i += 3)
      for (int c = 0; c < channels; ++c)
        picture.pixels.push_back(c < 3 ? image.pixels[i + static_cast<size_t>(c)] : static_cast<uint8_t>(i % 251));
    const std::string pixels(picture.pixels.begin(), picture.pixels.end());
    const std::string format = channels == 1 ? "gray" : "rgba";
    for (const char* name : {"x.png", "x.raw", "x.rgb", "x.y4m"}) {
      const auto writer = media::make_picture_writer({.path = scratch / name,
                                                      .width = image.width,
                                                      .height = image.height,
                                                      .fps = 30,
                                                      .channels = channels,
                                                      .if_exists = IfExists::overwrite});
      writer->write(picture, nanoseconds(0));
      writer->finish();
    }
    CHECK(output_of("ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 " + quoted(scratch / "x.png")) ==
          format + "\n");
    CHECK(output_of("ffmpeg -v error -i " + quoted(scratch / "x.png") + " -f rawvideo -pix_fmt " + format + " -") ==
          pixels);
    CHECK(read_file(scratch / "x.raw") == pixels);
    CHECK(read_file(scratch / "x.rgb").size() == image.pixels.size());
    if (channels == 4) CHECK(read_file(scratch / "x.rgb") == std::string(image.pixels.begin(), image.pixels.end()));
    CHECK(read_file(scratch / "x.y4m").substr(0, 100).find("C444") != std::string::npos);
  }
}

// Rows that are not a multiple of swscale's vectors, of which it copies only a quarter.
TEST_CASE("half floats are lossless in files of floats, to the end of every row") {
  const Scratch scratch;
  DecodedImage image;
  for (const int width : {127, 32, 1}) {
    image.resize(width, 5, 3, SampleType::half);
    const size_t texels = image.pixels.size() / 6;
    std::vector<float> planes(3 * texels);  // green, blue, red
    for (size_t i = 0; i < texels; ++i)
      for (size_t c = 0; c < 3; ++c) {
        const auto bits = static_cast<uint16_t>(((7 * i + 1000 * c) % 0x7C00) | (i % 2) << 15);
        std::memcpy(&image.pixels[6 * i + 2 * c], &bits, sizeof bits);
        planes[(c + 2) % 3 * texels + i] = static_cast<float>(half_to_double(bits));
      }
    const std::string want(reinterpret_cast<const char*>(planes.data()), sizeof(float) * planes.size());
    for (const char* name : {"x.exr", "x.pfm", "x.raw"}) {
      CAPTURE(std::string(name));
      CAPTURE(width);
      const auto writer = media::make_picture_writer({.path = scratch / name,
                                                      .width = width,
                                                      .height = 5,
                                                      .samples = SampleType::half,
                                                      .if_exists = IfExists::overwrite});
      writer->write(image, {});
      writer->finish();
      const bool is_raw = std::string(name) == "x.raw";
      CHECK(((is_raw ? read_file(scratch / name)
                     : output_of("ffmpeg -v error -i " + quoted(scratch / name) +
                                 " -f rawvideo -pix_fmt gbrpf32le -")) == want));
    }
  }
}

TEST_CASE("y4m is 4:4:4, BT.709, limited, and has every picture") {
  const Scratch scratch;
  const DecodedImage image = kodim();
  write(scratch / "x.y4m", image, 3);
  const std::string file = read_file(scratch / "x.y4m");
  CHECK(file.starts_with("YUV4MPEG2 W127 H95 F30:1 "));
  CHECK(file.substr(0, 100).find("C444") != std::string::npos);
  CHECK(file.substr(0, 100).find("XCOLORRANGE=LIMITED") != std::string::npos);
  // y4m cannot store the matrix. Here it is an option; other readers assume it for HD material.
  const auto y = output_of("ffmpeg -v error -colorspace bt709 -i " + quoted(scratch / "x.y4m") +
                           " -vf scale=in_color_matrix=bt709:flags=accurate_rnd+full_chroma_int -f rawvideo -pix_fmt "
                           "rgb24 -");
  for (size_t i = 0; i < 3; ++i) CHECK(psnr_db(image_of(y, 127, 95, i), image) > 50);
}

TEST_CASE("JPEG and video are close, and their colours are labelled correctly") {
  const Scratch scratch;
  const DecodedImage image = kodim();
  write(scratch / "x.jpg", image, 1);
  CHECK(psnr_db(image_of(decoded(scratch / "x.jpg"), 127, 95), image) > 30);
  write(scratch / "x.mp4", image, 5);
  const std::string video = decoded(scratch / "x.mp4");
  CHECK(video.size() == 5 * image.pixels.size());
  CHECK(psnr_db(image_of(video, 127, 95, 4), image) > 28);
  const std::string probe = output_of(
      "ffprobe -v error -show_entries stream=avg_frame_rate,color_space,color_range -of "
      "compact " +
      quoted(scratch / "x.mp4"));
  CHECK_MESSAGE(probe.find("color_range=tv|color_space=bt709") != std::string::npos, probe);
  CHECK_MESSAGE(probe.find("avg_frame_rate=30/1") != std::string::npos, probe);
}

TEST_CASE("a numbered name is a sequence from 0; a single name takes a single picture") {
  const Scratch scratch;
  const DecodedImage image = kodim();
  write(scratch / "f%04d.png", image, 3);
  for (const char* name : {"f0000.png", "f0001.png", "f0002.png"}) CHECK(std::filesystem::exists(scratch / name));
  CHECK(!std::filesystem::exists(scratch / "f0003.png"));
  const Error error = error_of([&] { write(scratch / "one.png", image, 2); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK_MESSAGE(says(error, "%05d"), std::string(error.what()));
}

TEST_CASE("an error says why something cannot be written") {
  const Scratch scratch;
  const DecodedImage image = kodim();
  const Error unknown = error_of([&] { write(scratch / "x.nothing", image, 1); });
  CHECK(unknown.kind() == ErrorKind::usage);
  CHECK_MESSAGE(says(unknown, "has no picture format for that name"), std::string(unknown.what()));
  for (const char* name : {"no/folder/x.png", "no/folder/x.y4m", "no/folder/x.mp4"}) {
    const Error error = error_of([&] { write(scratch / name, image, 1); });
    CHECK(error.kind() == ErrorKind::failed);
    CHECK_MESSAGE(says(error, "No such file or directory"), std::string(error.what()));
  }
  for (const char* name : {"x.png", "x.y4m", "x.mp4", "x.rgb"}) {
    CAPTURE(std::string(name));
    std::filesystem::create_symlink("/dev/full", scratch / name);
    const Error error = error_of([&] { write(scratch / name, image, name == std::string("x.png") ? 1 : 20); });
    CHECK(error.kind() == ErrorKind::failed);
    CHECK_MESSAGE(says(error, "No space left on device"), std::string(error.what()));
  }
}
