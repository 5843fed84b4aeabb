// Lossy streams: encoder and decoder agree, they need fewer bytes than lossless ones, and the quality of static areas
// ramps up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "capture_bound.h"
#include "compact/contexts.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "oracle.h"
#include "ref/decode.h"
#include "ref/ycocg_planes.h"
#include "source_texels.h"
#include "texcast/image.h"
#include "textures.h"
#include "tiny.h"

using namespace texcast;
using namespace textures;

namespace {

class LossyStream {
 public:
  explicit LossyStream(const TextureDesc& desc, double crf, int refinements = 0, int threads = 0,
                       const compact::SearchEffort& effort = {})
      : workers_(threads),
        encoder_(desc, {.most_slice_bytes = 1024, .lossy = true, .effort = effort}, workers_),
        writer_(encoder_.grid(), 1400),
        decoder_(desc, workers_),
        target_(compact::rd_parameters(crf)),
        shown_(encoder_.grid().texture_bytes()),
        before_(shown_.size()) {
    if (refinements > 0) target_ = compact::with_refinements(target_, refinements);
  }
  // Codes and decodes a frame, and returns its bytes.
  size_t pass(const Texture& texture, const std::function<double()>& seconds_left = {},
              const FrameView* picture = nullptr, std::span<const uint8_t> intra = {},
              std::span<const uint8_t> wrong = {}) {
    payloads_ = copied(writer_.write(encoder_.encode({.texture = texture,
                                                      .intra = intra,
                                                      .wrong = wrong,
                                                      .seconds_left = seconds_left,
                                                      .target = target_,
                                                      .picture = picture})));
    before_.swap(shown_);
    const auto all = views(payloads_);
    const auto counts = decoder_.decode(all, is_first_ ? nullptr : before_.data(), shown_);
    is_first_ = false;
    CHECK(counts.wrong == 0);
    CHECK(counts.damaged == 0);
    CHECK(counts.disagreed == 0);
    return bytes_of(payloads_);
  }
  compact::FrameEncoder& encoder() { return encoder_; }
  const Texture& shown() const { return shown_; }
  const Payloads& payloads() const { return payloads_; }

 private:
  Workers workers_;
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder decoder_;
  compact::RdParameters target_;
  Texture shown_, before_;
  bool is_first_ = true;
  Payloads payloads_;
};

std::vector<Texture> panned(const TextureDesc& desc) {
  std::vector<Texture> frames;
  for (int i = 0; i < 5; ++i) frames.push_back(photograph(desc, 3 * i, 5 * i));
  return frames;
}
size_t lossless_bytes_of(const TextureDesc& desc, const std::vector<Texture>& frames) {
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {}, workers);
  size_t bytes = 0;
  for (const Texture& frame : frames)
    for (const auto& slice : encoder.encode({.texture = frame})) bytes += slice.bytes.size();
  return bytes;
}

const TextureFormat kFormats[] = {TextureFormat::bc1,           TextureFormat::bc4,
                                  TextureFormat::bc5,           TextureFormat::ycocg_bc4_420,
                                  TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444};

}  // namespace

TEST_CASE("the quality of a static picture ramps up in half of each frame's time") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 512, .height = 256, .color = {}};
  LossyStream stream(desc, 23, 4);
  const Texture texture = photograph(desc, 0, 0);
  const auto tiles = stream.encoder().grid().tiles();
  double left = 1e6;
  const auto clock = [&] { return left -= 1; };
  stream.pass(texture);
  stream.pass(texture, clock);
  CHECK(stream.encoder().counts().inter == tiles);
  const double taken = 1e6 - left;
  int frames = 0;
  for (; stream.encoder().is_waiting() && frames < 100; ++frames) {
    left = taken;
    stream.pass(texture, clock);
    CHECK(stream.encoder().counts().inter <= tiles * 5 / 8);
    CHECK(stream.encoder().counts().late == 0);
  }
  CHECK(frames >= 5);  // for three more steps
  CHECK(frames < 20);
}

TEST_CASE("lossy: decoders have the encoder's reconstruction, which is close to the picture") {
  for (const TextureFormat format : kFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 190, .height = 101};
    const auto frames = panned(desc);
    LossyStream stream(desc, 30);
    size_t bytes = 0;
    for (const Texture& frame : frames) {
      bytes += stream.pass(frame);
      CHECK(psnr_between(desc, frame, stream.shown()) > 30);
    }
    CHECK(bytes * 10 < lossless_bytes_of(desc, frames) * 8);
  }
}

TEST_CASE("lossy: the encoder approximates the picture, if there is one, and not the texture") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 75};
    const Texture texture = photograph(desc, 20, 30);
    // A little brighter than the blocks.
    DecodedImage picture, shown;
    ref::decode({desc, texture}, EndpointExpansion::replicate, picture);
    for (uint8_t& sample : picture.pixels) sample = static_cast<uint8_t>(std::min(sample + 12, 255));
    const FrameView view = view_of(picture);
    LossyStream stream(desc, 14);
    stream.pass(texture, {}, &view);
    ref::decode({desc, stream.shown()}, EndpointExpansion::replicate, shown);
    PsnrMeter meter;
    meter.add(picture, shown);
    CHECK(meter.psnr_db() > (format == TextureFormat::bc1 ? 29 : 34));  // the original blocks: 27
  }
}

TEST_CASE("lossy: source texels are those of the picture, subsampled by least squares") {
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const compact::TileGrid grid({.format = format, .width = 101, .height = 43});
    std::mt19937 random(5);
    std::vector<uint8_t> rgb(size_t{101} * 43 * 3);
    for (uint8_t& sample : rgb) sample = static_cast<uint8_t>(random());
    rgb[0] = 255;
    rgb[2] = 0;  // the largest Co is clamped
    FrameView view{.format = {.pixel_format = PixelFormat::rgb24, .width = 101, .height = 43, .color = kFullRange}};
    view.planes[0] = {reinterpret_cast<const std::byte*>(rgb.data()), 3 * 101};
    const auto sample = [&](int x, int y, int c) {
      return int{rgb[(static_cast<size_t>(std::min(y, 42)) * 101 + std::min(x, 100)) * 3 + c]};
    };
    compact::SourcePicture picture(101, 43);
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile)
      picture.draw(view, grid.blocks(grid.component(0), {.tile = tile}));
    // The exact filter of a subsampled axis, which has infinitely many weights.
    const auto weight = [](int pixel, bool halved) {
      if (!halved) return pixel == 0 ? 1.0 : 0.0;
      const int from = pixel > 0 ? pixel : 1 - pixel;  // distance from the centre: 1, 2 …
      return from % 2 == 0 ? 0.0 : 2.0 / 3 * std::pow(-1.0 / 3, (from - 1) / 2);
    };
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      compact::SourceTexels texels;
      texels.read(grid, {.tile = tile}, picture);
      for (int i = 0; i < 3; ++i) {
        const compact::Component& component = grid.component(i);
        const compact::BlockRect rect = grid.blocks(component, {.tile = tile});
        const bool across = component.across > 1, down = component.down > 1;
        for (int y = rect.y0; y < rect.y1; ++y)
          for (int x = rect.x0; x < rect.x1; ++x) {
            compact::Texels out;
            texels.channel(i, x, y, out);
            for (int t = 0; t < 16; ++t) {
              const int px = (x * 4 + t % 4) * component.across, py = (y * 4 + t / 4) * component.down;
              double sum[3] = {};
              for (int dy = down ? -12 : 0; dy <= (down ? 13 : 0); ++dy)
                for (int dx = across ? -12 : 0; dx <= (across ? 13 : 0); ++dx)
                  for (int c = 0; c < 3; ++c)
                    sum[c] +=
                        weight(dx, across) * weight(dy, down) * sample(std::max(px + dx, 0), std::max(py + dy, 0), c);
              const double co = (sum[0] - sum[2]) / 2 + 128, cg = (2 * sum[1] - sum[0] - sum[2]) / 4 + 128;
              const double expected = i == 0 ? (sum[0] + 2 * sum[1] + sum[2]) / 4 : i == 1 ? co : cg;
              // The error of the truncated filter.
              const double more = 0.5 + (across ? 6 : 0) + (down ? 6 : 0);
              REQUIRE(std::abs(out.at[0][t] - std::clamp(expected, 0.0, 255.0)) <= more);
              if (!across) REQUIRE(std::abs(out.at[0][t] - std::clamp(expected, 0.0, 255.0)) <= 0.5);
            }
          }
      }
    }
  }
}

// Interpolation in the decoder gives a better approximation from these than from the means of pixels.
TEST_CASE("lossy: subsampled chroma approximates that of the picture best") {
  const compact::TileGrid grid({.format = TextureFormat::ycocg_bc4_420, .width = 64, .height = 32});
  std::mt19937 random(3);
  std::vector<uint8_t> rgb(size_t{64} * 32 * 3);
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(96 + random() % 64);
  FrameView view{.format = {.pixel_format = PixelFormat::rgb24, .width = 64, .height = 32, .color = kFullRange}};
  view.planes[0] = {reinterpret_cast<const std::byte*>(rgb.data()), 3 * 64};
  compact::SourcePicture picture(64, 32);
  picture.draw(view, {0, 0, 16, 8});
  compact::SourceTexels texels;
  texels.read(grid, {}, picture);
  const auto co = [&](int x, int y) { return (picture.pixel(x, y)[0] - picture.pixel(x, y)[2]) / 2.0 + 128; };
  std::vector<double> chroma(size_t{32} * 16), means(chroma.size());
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 32; ++x) {
      compact::Texels out;
      texels.channel(1, x / 4, y / 4, out);
      const auto at = static_cast<size_t>(y * 32 + x);
      chroma[at] = out.at[0][y % 4 * 4 + x % 4];
      means[at] = (co(2 * x, 2 * y) + co(2 * x + 1, 2 * y) + co(2 * x, 2 * y + 1) + co(2 * x + 1, 2 * y + 1)) / 4;
    }
  const auto error = [&](const std::vector<double>& of) {
    const auto at = [&](int x, int y) {
      return of[static_cast<size_t>(std::clamp(y, 0, 15) * 32 + std::clamp(x, 0, 31))];
    };
    double sum = 0;
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 64; ++x) {
        const int ox = x / 2, oy = y / 2, sx = x % 2 == 0 ? ox - 1 : ox + 1, sy = y % 2 == 0 ? oy - 1 : oy + 1;
        const double value = (9 * at(ox, oy) + 3 * at(sx, oy) + 3 * at(ox, sy) + at(sx, sy)) / 16;
        sum += (value - co(x, y)) * (value - co(x, y));
      }
    return sum;
  };
  CHECK(error(chroma) < 0.97 * error(means));
  // Changing any texel by one step does not improve it.
  for (const size_t i : {size_t{5 * 32 + 9}, size_t{8 * 32 + 16}, size_t{12 * 32 + 21}})
    for (const int step : {-3, 3}) {
      auto other = chroma;
      other[i] += step;
      CHECK(error(other) > error(chroma));
    }
}

// Static areas are known from previous frames, but not from one without a picture.
TEST_CASE("lossy: a picture that comes only with a later frame also counts for unchanged tiles") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 190, .height = 101};
    const Texture frame = photograph(desc, 0, 0);
    DecodedImage image;
    ref::decode({desc, frame}, EndpointExpansion::replicate, image);
    const FrameView picture = view_of(image);
    LossyStream stream(desc, 20);
    stream.pass(frame);
    const double without = psnr_between(desc, frame, stream.shown());
    stream.pass(frame, {}, &picture, std::vector<uint8_t>(stream.encoder().grid().tiles(), 1));
    CHECK(psnr_between(desc, frame, stream.shown()) > without - 2);
  }
}

TEST_CASE("lossy: the largest crf needs the fewest bits, also for noise") {
  for (const TextureFormat format : kFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 190, .height = 101};
    size_t before = SIZE_MAX;
    for (const double crf : {36.0, 42.0, 48.0, 51.0}) {
      if (test::tiny_only() && crf > 36 && crf < 51) continue;
      CAPTURE_BOUND(crf);
      LossyStream stream(desc, crf);
      size_t bytes = 0;
      for (uint32_t i = 0; i < 3; ++i) bytes += stream.pass(noise(desc, i));
      CHECK(bytes <= before);
      before = bytes;
    }
  }
}

TEST_CASE("lossy: a smaller crf gives better quality in more bytes") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 101};
  const auto frames = panned(desc);
  double better = 100;
  size_t more = SIZE_MAX;
  for (const double crf : {0., 10., 20., 30., 40., 51.}) {
    CAPTURE(crf);
    LossyStream stream(desc, crf);
    size_t bytes = 0;
    for (const Texture& frame : frames) bytes += stream.pass(frame);
    const double psnr = psnr_between(desc, frames.back(), stream.shown());
    CHECK(psnr < better);
    CHECK(bytes < more);
    if (crf == 0) CHECK(psnr > 46);
    better = psnr;
    more = bytes;
  }
  CHECK(more < 4000);
}

TEST_CASE("lossy: refitted end points reduce the distortion much, in a few more bytes") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 101};
  // Smoother than the blocks, so that these are not the best approximation.
  const auto frames = panned(desc);
  std::vector<DecodedImage> pictures(frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    ref::decode({desc, frames[i]}, EndpointExpansion::replicate, pictures[i]);
    const std::vector<uint8_t> sharp(pictures[i].pixels.begin(), pictures[i].pixels.end());
    const size_t row = size_t{3} * static_cast<size_t>(desc.width);
    for (size_t at = 0; at + row + 3 < sharp.size(); ++at)
      pictures[i].pixels[at] =
          static_cast<uint8_t>((sharp[at] + sharp[at + 3] + sharp[at + row] + sharp[at + row + 3]) / 4);
  }
  const int refits[3] = {0, 1, 8};
  double bytes[3]{}, psnr[3]{};
  for (int i = 0; i < 3; ++i) {
    LossyStream stream(desc, 17, 0, 0, {.refits = refits[i]});
    PsnrMeter meter;
    for (size_t frame = 0; frame < frames.size(); ++frame) {
      const FrameView view = view_of(pictures[frame]);
      bytes[i] += static_cast<double>(stream.pass(frames[frame], {}, &view));
      DecodedImage shown;
      ref::decode({desc, stream.shown()}, EndpointExpansion::replicate, shown);
      meter.add(pictures[frame], shown);
    }
    psnr[i] = meter.psnr_db();
  }
  for (const int i : {1, 2}) {
    CAPTURE(refits[i]);
    CHECK(psnr[i] > psnr[0] + 0.3);
    CHECK(bytes[i] < 1.03 * bytes[0]);
  }
}

TEST_CASE("lossy: the quality of static tiles ramps up for a few frames, then they are skipped") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_444, .width = 190, .height = 101};
  const Texture frame = photograph(desc, 7, 9);
  LossyStream stream(desc, 32, 4);
  double before = 0;
  for (int i = 0; i < 5; ++i) {
    CAPTURE_BOUND(i);
    stream.pass(photograph(desc, 7, 9));
    const double psnr = psnr_between(desc, frame, stream.shown());
    CHECK(psnr > before + 1);
    CHECK(stream.encoder().is_waiting() == (i < 4));
    before = psnr;
  }
  CHECK(before > 46);
  const Texture at_last = stream.shown();
  for (int i = 0; i < 3; ++i) stream.pass(frame);
  CHECK(stream.encoder().counts().skipped == stream.encoder().grid().tiles());
  CHECK(stream.shown() == at_last);
}

TEST_CASE("lossy: tiles without time are deferred to the next frame") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 190, .height = 101};
  LossyStream stream(desc, 20);
  stream.pass(photograph(desc, 0, 0));
  const Texture first = stream.shown();
  stream.pass(photograph(desc, 40, 0), [] { return 0.0; });
  CHECK(stream.shown() == first);
  CHECK(stream.encoder().is_waiting());
  stream.pass(photograph(desc, 40, 0));
  CHECK(psnr_between(desc, photograph(desc, 40, 0), stream.shown()) > 36);
}

TEST_CASE("lossy: deferred refinements follow later; nothing is pending after them, or if a change is reverted") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 190, .height = 101};
  const Texture frame = photograph(desc, 7, 9);
  const auto never = [] { return false; };
  LossyStream stream(desc, 32, 1);
  stream.pass(frame);
  for (int i = 0; i < 7; ++i) stream.pass(frame, never);
  CHECK(stream.encoder().is_waiting());
  const double before = psnr_between(desc, frame, stream.shown());
  stream.pass(frame);
  CHECK(psnr_between(desc, frame, stream.shown()) > before + 1);
  CHECK(!stream.encoder().is_waiting());
  stream.pass(photograph(desc, 40, 0), never);
  CHECK(stream.encoder().is_waiting());
  stream.pass(frame);
  CHECK(stream.encoder().counts().skipped == stream.encoder().grid().tiles());
  CHECK(!stream.encoder().is_waiting());
}

TEST_CASE("lossy: with too little time for all tiles, none is deferred forever") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 640, .height = 320};  // 100 tiles
  LossyStream stream(desc, 30);
  stream.pass(photograph(desc, 0, 0));
  std::vector<int> coded(stream.encoder().grid().tiles());
  Texture before = stream.shown();
  const int frames = test::tiny_only() ? 16 : 40;
  for (int i = 1; i < frames; ++i) {
    int left = 29;
    stream.pass(photograph(desc, 31 * i, 17 * i), [&] { return left-- > 0 ? 1e9 : 0.0; });
    const auto differs = differing(stream.encoder().grid(), before, stream.shown());
    for (size_t tile = 0; tile < coded.size(); ++tile) coded[tile] += differs[tile];
    before = stream.shown();
  }
  CHECK(std::ranges::min(coded) >= frames / 8);
}

// The clock advances with each reading, so that tiles take the same time with any effort.
TEST_CASE("lossy: when time gets short the effort is reduced before tiles are deferred") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 640, .height = 320};  // 100 tiles
  const auto frame_bytes = [&](double seconds) {
    LossyStream stream(desc, 25);
    std::vector<size_t> bytes;
    for (int i = 0; i < 4; ++i) {
      double left = seconds;
      bytes.push_back(stream.pass(photograph(desc, 31 * i, 17 * i), [&] { return left -= 1; }));
      CHECK(stream.encoder().counts().late == 0);
    }
    return bytes;
  };
  const auto calm = frame_bytes(10'000), hurried = frame_bytes(153);  // a frame takes 152
  for (size_t i = 1; i < calm.size(); ++i) CHECK(hurried[i] < 0.9 * static_cast<double>(calm[i]));
  CHECK(hurried[0] < calm[0]);
}

TEST_CASE("lossy: static tiles that are repaired regain their quality") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 190, .height = 101};
  const Texture frame = photograph(desc, 7, 9);
  LossyStream stream(desc, 32, 3);
  for (int i = 0; i < 4; ++i) stream.pass(frame);
  CHECK(!stream.encoder().is_waiting());
  const double before = psnr_between(desc, frame, stream.shown());
  const std::vector<uint8_t> intra(stream.encoder().grid().tiles(), 1);
  stream.pass(frame, {}, nullptr, intra, intra);
  CHECK(psnr_between(desc, frame, stream.shown()) < before - 1);
  for (int i = 0; i < 3; ++i) stream.pass(frame);
  CHECK(psnr_between(desc, frame, stream.shown()) > before - 0.5);
}

TEST_CASE("lossy: static tiles that are refreshed keep their quality, and changed ones get that of the frame") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 101};
  const Texture frame = photograph(desc, 7, 9), other = photograph(desc, 70, 40);
  LossyStream stream(desc, 32, 3), fresh(desc, 32, 3);
  for (int i = 0; i < 4; ++i) stream.pass(frame);
  CHECK(!stream.encoder().is_waiting());
  const double before = psnr_between(desc, frame, stream.shown());
  const std::vector<uint8_t> intra(stream.encoder().grid().tiles(), 1);
  for (int i = 0; i < 3; ++i) {
    stream.pass(frame, {}, nullptr, intra);
    CHECK(stream.encoder().counts().intra == stream.encoder().grid().tiles());
    CHECK(psnr_between(desc, frame, stream.shown()) > before - 0.3);
    CHECK(!stream.encoder().is_waiting());
  }
  stream.pass(other, {}, nullptr, intra);
  fresh.pass(other);
  CHECK(psnr_between(desc, other, stream.shown()) < psnr_between(desc, other, fresh.shown()) + 0.5);
  CHECK(stream.encoder().is_waiting());
}

TEST_CASE(
    "lossy: short slices are joined; a lost slice of several tiles leaves all of them wrong until they are intra") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 700, .height = 200};
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {.lossy = true}, workers);
  compact::PayloadWriter writer(encoder.grid(), 400);
  compact::FrameDecoder decoder(desc, workers);
  const compact::RdParameters target = compact::rd_parameters(34);
  std::vector<std::byte> before(encoder.grid().texture_bytes()), after(before.size());
  const auto decode = [&](const std::vector<Bytes>& payloads, bool is_first) {
    before.swap(after);
    return decoder.decode(payloads, is_first ? nullptr : before.data(), after);
  };
  const auto copy_of = [](std::span<const Bytes> payloads) {
    return std::vector<Bytes>(payloads.begin(), payloads.end());
  };
  decode(copy_of(writer.write(encoder.encode({.texture = photograph(desc, 0, 0), .target = target}))), true);

  const auto slices = encoder.encode({.texture = photograph(desc, 3, 1), .target = target});
  uint32_t coded = 0, in_joined = 0;
  for (const auto& slice : slices) {
    coded += slice.slice.tiles;
    if (slice.slice.tiles > 1) in_joined += slice.slice.tiles;
    CHECK(slice.slice.tile % encoder.grid().across() + slice.slice.tiles <=
          static_cast<uint32_t>(encoder.grid().across()));
  }
  CHECK(coded == encoder.counts().inter);
  CHECK(coded == encoder.grid().tiles());
  CHECK(in_joined > coded / 2);
  auto payloads = copy_of(writer.write(slices));
  REQUIRE(payloads.size() > 3);
  std::vector<uint32_t> lost;
  compact::parse_payload(
      encoder.grid(), payloads[1], [](uint32_t, uint32_t) {},
      [&](const compact::ParsedSlice& slice) {
        for (uint32_t tile = slice.slice.tile; tile < slice.slice.tile + slice.slice.tiles; ++tile)
          lost.push_back(tile);
      });
  REQUIRE(lost.size() > 1);
  payloads[1] = {};
  CHECK(decode(payloads, false).concealed == lost.size());
  for (const uint32_t tile : lost) CHECK(decoder.right()[tile] == 0);
  CHECK(std::ranges::count(decoder.right(), 1) == static_cast<int>(encoder.grid().tiles() - lost.size()));

  std::vector<uint8_t> intra(encoder.grid().tiles());
  for (const uint32_t tile : lost) intra[tile] = 1;
  const auto repaired = copy_of(writer.write(
      encoder.encode({.texture = photograph(desc, 3, 1), .intra = intra, .wrong = intra, .target = target})));
  const auto counts = decode(repaired, false);
  CHECK(counts.repaired == lost.size());
  CHECK(counts.wrong == 0);
  CHECK(counts.disagreed == 0);
}

TEST_CASE("lossy: the number of threads does not change the bytes") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 330, .height = 201};
  LossyStream intra(desc, 24, 2, 0), shared(desc, 24, 2, 3);
  for (const Texture& frame : panned(desc)) {
    intra.pass(frame);
    shared.pass(frame);
    CHECK(intra.payloads() == shared.payloads());
  }
}

// As the letters of new text were elsewhere on the screen.
TEST_CASE("lossy: partitions that come from many places of the previous frame need few bytes") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 320, .height = 160};
  LossyStream stream(desc, 24);
  const Texture texture = noise(desc, 3);
  const size_t anew = stream.pass(texture);
  const size_t shuffled_bytes = stream.pass(shuffled(stream.encoder().grid(), texture, 1));
  CAPTURE(anew);
  CHECK(shuffled_bytes < anew / 5);
}

TEST_CASE("lossy: letters have direct levels, and their chroma copies the levels of luma") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_444, .width = 330, .height = 201};
  LossyStream stream(desc, 24);
  oracle::Decoder decoder(desc);
  Texture decoded(stream.shown().size());
  for (int frame = 0; frame < 3; ++frame) {
    stream.pass(letters(desc, 7 * frame));
    decoder.decode(stream.payloads(), frame == 0, decoded);
    CHECK(decoded == stream.shown());
  }
  const auto count = [&](compact::Indices mode) { return decoder.seen().indices[static_cast<size_t>(mode)]; };
  CHECK(count(compact::Indices::texels) > 100);
  CHECK(count(compact::Indices::luma) > 100);
  CHECK(count(compact::Indices::mirrored_luma) > 20);
}

TEST_CASE("lossy: intra tiles of screen content have better quality than changed ones") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_444, .width = 330, .height = 201};
  const Texture text = letters(desc, 0);
  LossyStream first(desc, 34), later(desc, 34);
  first.pass(text);
  later.pass(letters(desc, 1000));
  later.pass(text);
  CHECK(psnr_between(desc, text, first.shown()) > psnr_between(desc, text, later.shown()) + 1);
  // Film does not.
  LossyStream film(desc, 34), coarser(desc, 38), finer(desc, 30);
  const Texture picture = photograph(desc, 0, 0);
  for (LossyStream* stream : {&film, &coarser, &finer}) stream->pass(picture);
  const double psnr = psnr_between(desc, picture, film.shown());
  CHECK(psnr > psnr_between(desc, picture, coarser.shown()) + 1);
  CHECK(psnr < psnr_between(desc, picture, finer.shown()) - 1);
}

TEST_CASE("lossy: a decoder written only from the document gives the encoder's blocks") {
  for (const TextureFormat format : kFormats) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 150, .height = 75};
    LossyStream stream(desc, 14, 1);
    oracle::Decoder decoder(desc);
    Texture decoded(stream.shown().size());
    auto frames = panned(desc);
    frames.push_back(frames.back());
    frames.push_back(frames.back());
    for (size_t i = 0; i < frames.size(); ++i) {
      stream.pass(frames[i]);
      std::string problem;
      try {
        decoder.decode(stream.payloads(), i == 0, decoded);
      } catch (const oracle::Damage& damage) {
        problem = damage.what;
      }
      CHECK(problem == "");
      CHECK(decoded == stream.shown());
    }
  }
}
