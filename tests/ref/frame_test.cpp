// Whole frames: layouts, edges, chroma siting.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "capture_bound.h"
#include "ref/encode.h"
#include "texcast/decoder.h"

using namespace texcast;

namespace {

struct Picture {
  FrameFormat format;
  std::vector<std::byte> bytes;
  FrameView view() const { return {format, {{{bytes.data(), 4 * format.width}, {}, {}}}}; }
};

// A soft picture, which subsampled chroma can represent.
Picture soft(int width, int height) {
  Picture p{{PixelFormat::rgba, width, height, {ColorMatrix::bt709, ColorRange::full}}, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double u = x / 24.0, v = y / 19.0;
      for (const double value : {128 + 80 * std::sin(u), 128 + 80 * std::cos(v), 128 + 60 * std::sin(u + v), 255.0})
        p.bytes.push_back(static_cast<std::byte>(static_cast<int>(value)));
    }
  return p;
}

// The minimum PSNR of a soft picture, in dB.
double least_psnr(TextureFormat format) {
  if (format == TextureFormat::bc1 || format == TextureFormat::bc3) return 33;
  if (format == TextureFormat::etc1 || format == TextureFormat::etc2 || format == TextureFormat::etc2_alpha) return 39;
  return 41;
}

double psnr(const Picture& picture, TextureFormat format, Method method) {
  const TextureDesc desc{format, picture.format.width, picture.format.height, {}};
  std::vector<std::byte> blocks(texture_layout(desc).total_bytes);
  ref::encode(picture.view(), format, method, blocks);
  DecodedImage source, decoded;
  convert_to_channels(picture.view(), channel_count(format), source, plane_coding(format, 0).sample_type);
  decode_texture({desc, blocks}, decoded);
  PsnrMeter meter;
  meter.add(source, decoded);
  return meter.psnr_db();
}

}  // namespace

TEST_CASE("layouts: planes follow one another, sizes rounded up") {
  const TextureLayout bc1 = texture_layout(TextureFormat::bc1, 1920, 1080);
  CHECK(bc1.total_bytes == 1920 * 1080 / 2);
  const TextureLayout small = texture_layout(TextureFormat::ycocg_bc4_420, 5, 9);
  CHECK(small.planes[0].blocks_x == 2);
  CHECK(small.planes[0].blocks_y == 3);
  CHECK(small.planes[1].width == 3);
  CHECK(small.planes[1].height == 5);
  CHECK(small.planes[1].blocks_y == 2);
  CHECK(small.planes[2].offset == 6 * 8 + 2 * 8);
  CHECK(small.total_bytes == 10 * 8);
  CHECK(texture_layout(TextureFormat::ycocg_bc4_420, 1920, 1080).total_bytes == 1920 * 1080 / 4 * 3);
  CHECK(texture_layout(TextureFormat::ycocg_bc4_444, 64, 64).total_bytes == 64 * 64 / 2 * 3);
}

TEST_CASE("a soft picture survives every format at every odd size") {
  for (const auto& [width, height] : {std::pair{1, 1}, {4, 4}, {7, 5}, {127, 95}, {65, 130}})
    for (const TextureFormat format : encoded_formats())
      for (const Method method : {Method::range, Method::refine}) {
        if (!has_method(format, method)) continue;
        CAPTURE(name(format));
        CAPTURE_BOUND(width);
        CHECK(psnr(soft(width, height), format, method) > least_psnr(format));
      }
}

TEST_CASE("subsampled chroma of soft colours costs little, as encoder and decoder agree on its siting") {
  // A shift of chroma by half a texel would cost more than 3 dB here.
  const Picture picture = soft(256, 192);
  const double full = psnr(picture, TextureFormat::ycocg_bc4_444, Method::refine);
  CHECK(psnr(picture, TextureFormat::ycocg_bc4_422, Method::refine) > full - 2);
  CHECK(psnr(picture, TextureFormat::ycocg_bc4_420, Method::refine) > full - 3);
}

TEST_CASE("PSNR by its definition") {
  DecodedImage a{2, 1, {0, 0, 0, 0, 0, 0}}, b{2, 1, {0, 0, 0, 0, 0, 6}};
  PsnrMeter meter;
  meter.add(a, b);
  CHECK(meter.psnr_db() == doctest::Approx(10 * std::log10(255.0 * 255 / 6)));
  DecodedImage c{1, 1, {1, 2, 3, 9}, 4}, d{1, 1, {1, 2, 3, 7}, 4};  // alpha is separate
  PsnrMeter alpha;
  alpha.add(c, d);
  CHECK(std::isinf(alpha.psnr_db()));
  CHECK(alpha.alpha_psnr_db() == doctest::Approx(10 * std::log10(255.0 * 255 / 4)));
  PsnrMeter same;
  same.add(a, a);
  CHECK(std::isinf(same.psnr_db()));
}
