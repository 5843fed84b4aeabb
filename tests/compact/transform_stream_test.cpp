// Streams with transform coding: bytes and quality, films that stand still, joined slices, losses and repairs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "capture_bound.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "compact/payload.h"
#include "ref/decode.h"
#include "textures.h"
#include "tiny.h"

using namespace texcast;
using namespace textures;

namespace {

constexpr TextureDesc kShot{.format = TextureFormat::ycocg_bc4_420, .width = 250, .height = 120};
constexpr size_t kShotPayload = 700;

bool nothing_lost(size_t /*payload*/) { return false; }

// An encoder, a receiver that gets everything, and one that may lose payloads and requests tiles.
class Stream {
 public:
  explicit Stream(double crf, bool transform = true, int refinements = 0,
                  const compact::IntraRefreshSettings& refresh = {}, const TextureDesc& desc = kShot,
                  const compact::SearchEffort& effort = compact::search_effort(Quality::fast))
      : desc_(desc),
        encoder_(desc,
                 {.most_slice_bytes = compact::slice_room(kShotPayload),
                  .lossy = true,
                  .effort = effort,
                  .transform = transform},
                 workers_),
        writer_(encoder_.grid(), kShotPayload),
        complete_(desc, workers_),
        lossy_(desc, workers_),
        refresh_(encoder_.grid(), refresh),
        target_(compact::rd_parameters(crf)),
        truth_(encoder_.grid().texture_bytes()),
        truth_before_(truth_.size()),
        shown_(truth_.size()),
        shown_before_(truth_.size()) {
    if (refinements > 0) target_ = compact::with_refinements(target_, refinements);
  }

  // Codes a frame, and returns its bytes. `is_lost(n)`: payload n does not reach the second receiver.
  template <typename IsLost>
  size_t pass(const Texture& texture, const IsLost& is_lost) {
    writer_.begin(frames_ == 0 ? nullptr : &refresh_.history());
    const auto slices = encoder_.encode({.texture = texture,
                                         .intra = refresh_.next(),
                                         .wrong = refresh_.repaired(),
                                         .refreshed = refresh_.refreshed(),
                                         .target = target_});
    joined_ = std::ranges::count_if(slices, [](const compact::CodedSlice& s) { return s.slice.tiles > 1; });
    Payloads payloads = copied(writer_.add(slices));
    for (const auto& payload : copied(writer_.end())) payloads.push_back(payload);
    refresh_.coded(slices);
    std::vector<Bytes> come;
    for (size_t i = 0; i < payloads.size(); ++i)
      if (!is_lost(i)) come.emplace_back(payloads[i]);
    truth_before_.swap(truth_);
    const auto all = complete_.decode(views(payloads), frames_ == 0 ? nullptr : truth_before_.data(), truth_);
    CHECK(all.wrong + all.damaged + all.disagreed == 0);
    CHECK(all.transform >= encoder_.counts().transform);  // the decoder counts sub-slices
    if (come.empty()) {
      ++missing_;
    } else {
      shown_before_.swap(shown_);
      counts_ = lossy_.decode(come, is_shown_ ? shown_before_.data() : nullptr, shown_, std::exchange(missing_, 0));
      is_shown_ = true;
      CHECK(counts_.damaged + counts_.disagreed == 0);
    }
    ++frames_;
    return bytes_of(payloads);
  }
  size_t pass(const Texture& texture) { return pass(texture, nothing_lost); }
  // The second receiver requests the tiles that it lacks. False: it lacks none.
  bool request() {
    std::vector<compact::TileRange> wrong;
    for (uint32_t tile = 0; tile < encoder_.grid().tiles(); ++tile)
      if (lossy_.right()[tile] == 0) wrong.push_back({tile, 1});
    if (!wrong.empty()) refresh_.request(frames_ - 1, wrong, false);
    return !wrong.empty();
  }
  // The tiles that the second receiver takes for right in the latest frame, and which are not.
  int lies() const {
    if (missing_ > 0) return 0;  // it has the previous frame
    const auto differs = differing(encoder_.grid(), shown_, truth_);
    int count = 0;
    for (uint32_t tile = 0; tile < differs.size(); ++tile) count += lossy_.right()[tile] != 0 && differs[tile] != 0;
    return count;
  }
  bool is_complete() const { return missing_ == 0 && shown_ == truth_; }
  double psnr(const Texture& texture) const { return psnr_between(desc_, texture, truth_); }
  compact::EncodedCounts counts() const { return encoder_.counts(); }
  bool is_waiting() const { return encoder_.is_waiting(); }
  uint32_t tiles() const { return encoder_.grid().tiles(); }
  auto joined() const { return joined_; }  // slices of several tiles

 private:
  const TextureDesc desc_;
  Workers workers_{0};
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder complete_, lossy_;
  compact::IntraRefresh refresh_;
  compact::RdParameters target_;
  Texture truth_, truth_before_, shown_, shown_before_;
  compact::DecodedCounts counts_;
  uint64_t frames_ = 0, missing_ = 0;
  bool is_shown_ = false;
  std::ptrdiff_t joined_ = 0;
};

// A slow pan over a soft picture.
Texture film(int frame, const TextureDesc& desc = kShot) { return soft_photograph(desc, 160 + 3 * frame, 60 + frame); }

}  // namespace

TEST_CASE(
    "transform: a film needs fewer bytes than block coding at the same quality, in each format that can have it") {
  for (const TextureFormat format :
       {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422, TextureFormat::ycocg_bc4_444}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 250, .height = 120};
    Stream with(29, true, 0, {}, desc), without(29, false, 0, {}, desc);
    size_t bytes_with = 0, bytes_without = 0, transform = 0;
    double psnr_with = 0, psnr_without = 0;
    const int frames = test::tiny_only() ? 3 : 8;
    for (int i = 0; i < frames; ++i) {
      bytes_with += with.pass(film(i, desc));
      bytes_without += without.pass(film(i, desc));
      psnr_with += with.psnr(film(i, desc)) / frames;
      psnr_without += without.psnr(film(i, desc)) / frames;
      transform += with.counts().transform;
      CHECK(without.counts().transform == 0);
    }
    MESSAGE(bytes_with << " bytes, " << psnr_with << " dB; without " << bytes_without << ", " << psnr_without);
    CHECK(bytes_with * 10 < bytes_without * 9);
    CHECK(psnr_with > psnr_without - 0.5);
    CHECK(transform * 2 > static_cast<size_t>(frames) * with.tiles());
  }
}

TEST_CASE("transform: slices of several tiles have one quantiser, and every tile of them is right") {
  Stream stream(35);
  std::ptrdiff_t joined = 0;
  for (int i = 0; i < 5; ++i) {
    stream.pass(film(i));
    joined += stream.joined();
    CHECK(stream.is_complete());
  }
  CHECK(joined > 5);
}

TEST_CASE("transform: a film that stands still for a few frames is not refined, and later not beyond crf 14") {
  constexpr int kStill = 10;  // frames
  Stream stream(26, true, 4), coarse(26), fine(14);
  for (int i = 0; i < 3; ++i)
    for (Stream* one : {&stream, &coarse, &fine}) one->pass(film(i));
  REQUIRE(stream.counts().transform == stream.tiles());
  for (int i = 0; i < kStill; ++i) {
    CAPTURE_BOUND(i);
    stream.pass(film(2));
    CHECK(stream.counts().skipped == stream.tiles());
    CHECK(stream.is_waiting());  // frames that repeat the picture are wanted
  }
  CHECK(stream.psnr(film(2)) < coarse.psnr(film(2)) + 0.1);
  int refinements = 0;
  while (stream.is_waiting() && refinements < 10) {
    stream.pass(film(2));
    ++refinements;
  }
  CHECK(refinements == 2);  // a quarter of lambda each
  CHECK(stream.psnr(film(2)) > coarse.psnr(film(2)) + 1);
  CHECK(stream.psnr(film(2)) < fine.psnr(film(2)) + 1);
  stream.pass(film(2));
  CHECK(stream.counts().skipped == stream.tiles());
  // A film that moves again waits anew.
  stream.pass(film(3));
  stream.pass(film(3));
  CHECK(stream.counts().skipped == stream.tiles());
}

TEST_CASE("transform: tiles of screens are refined at once") {
  Stream stream(26, true, 4);
  const Texture screen = letters(kShot, 0);
  stream.pass(screen);
  CHECK(stream.counts().transform * 4 < stream.tiles());
  stream.pass(screen);
  CHECK(stream.counts().inter * 2 > stream.tiles());
}

TEST_CASE("transform: with any loss no wrong tile is taken for right, and requests repair all") {
  std::mt19937 random(5);
  size_t lost = 0;
  for (int trial = 0; trial < 6; trial += test::tiny_only() ? 3 : 1) {
    CAPTURE_BOUND(trial);
    Stream stream(30);
    stream.pass(film(0));
    REQUIRE(stream.counts().transform > 0);
    const unsigned of_100 = 10 + static_cast<unsigned>(trial) * 10;
    for (int i = 1; i < 25; ++i) {
      stream.pass(film(i), [&](size_t) { return random() % 100 < of_100 && ++lost > 0; });
      CHECK(stream.lies() == 0);
      if (random() % 2 == 0) stream.request();
    }
    int frames = 0;
    for (stream.pass(film(25)); stream.request() && frames < 300; ++frames) {
      stream.pass(film(25));
      CHECK(stream.lies() == 0);
    }
    CHECK(stream.is_complete());
  }
  CHECK(lost > (test::tiny_only() ? 10 : 50));
}

TEST_CASE("transform: a receiver without requests has all tiles after a cycle of periodic refresh, during motion") {
  Stream stream(30, true, 0, {.refresh_frames = 12});
  stream.pass(film(0));
  stream.pass(film(1), [](size_t) { return true; });
  stream.pass(film(2), [](size_t i) { return i % 2 == 0; });
  REQUIRE_FALSE(stream.is_complete());
  for (int i = 3; i < 3 + 2 * 12; ++i) {
    stream.pass(film(i));
    CHECK(stream.lies() == 0);
  }
  CHECK(stream.is_complete());
}

TEST_CASE("transform: with too little time tiles are deferred, none of them forever") {
  Workers workers(0);
  compact::FrameEncoder encoder(kShot, {.lossy = true, .transform = true}, workers);
  encoder.encode({.texture = film(0), .target = compact::rd_parameters(30)});
  std::vector<int> coded(encoder.grid().tiles());
  for (int i = 1; i < 30; ++i) {
    int calls = 0;  // the clock: the time is over after some calls
    const auto seconds_left = [&] { return ++calls > 60 ? 0.0 : 0.01; };
    for (const auto& slice :
         encoder.encode({.texture = film(i), .seconds_left = seconds_left, .target = compact::rd_parameters(30)}))
      for (uint32_t tile = 0; tile < slice.slice.tiles; ++tile) ++coded[slice.slice.tile + tile];
  }
  CHECK(std::ranges::min(coded) > 0);
}

// The clock advances with each reading, so that tiles take the same time with any effort.
TEST_CASE("transform: when time gets short macroblocks are searched with less effort before tiles are deferred") {
  constexpr TextureDesc kLarge{.format = TextureFormat::ycocg_bc4_420, .width = 640, .height = 320};  // 100 tiles
  const auto psnr_with = [&](double seconds) {
    Workers workers(0);
    compact::FrameEncoder encoder(kLarge, {.lossy = true, .transform = true}, workers);
    compact::PayloadWriter writer(encoder.grid(), kShotPayload);
    compact::FrameDecoder decoder(kLarge, workers);
    Texture before(encoder.grid().texture_bytes()), shown(before.size());
    for (int i = 0; i < 3; ++i) {
      double left = seconds;
      const Texture texture = soft_photograph(kLarge, 40 + 31 * i, 17 * i);
      const auto payloads = copied(writer.write(encoder.encode(
          {.texture = texture, .seconds_left = [&] { return left -= 1; }, .target = compact::rd_parameters(25)})));
      CHECK(encoder.counts().late == 0);
      CHECK(encoder.counts().transform > 50);
      before.swap(shown);
      CHECK(decoder.decode(views(payloads), i > 0 ? before.data() : nullptr, shown).wrong == 0);
    }
    return psnr_between(kLarge, soft_photograph(kLarge, 40 + 31 * 2, 17 * 2), shown);
  };
  const double calm = psnr_with(10'000), hurried = psnr_with(153);  // a frame takes 152
  MESSAGE(calm << " dB with enough time, " << hurried << " without");
  CHECK(hurried < calm);
}

// A picture in 4:2:0 (full range, BT.709) that a texture shows.
struct YuvPicture {
  YuvPicture(const TextureDesc& desc, const Texture& texture) : width(desc.width), height(desc.height) {
    DecodedImage image;
    ref::decode({desc, texture}, EndpointExpansion::replicate, image);
    const auto component = [&](int x, int y, double red, double green, double blue, double offset) {
      const uint8_t* const rgb = &image.pixels[static_cast<size_t>(y * width + x) * 3];
      return static_cast<std::byte>(
          std::clamp(std::lround(offset + red * rgb[0] + green * rgb[1] + blue * rgb[2]), 0L, 255L));
    };
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) luma.push_back(component(x, y, 0.2126, 0.7152, 0.0722, 0));
    for (int y = 0; y < height; y += 2)
      for (int x = 0; x < width; x += 2) {
        u.push_back(component(x, y, -0.1146, -0.3854, 0.5, 128));
        v.push_back(component(x, y, 0.5, -0.4542, -0.0458, 128));
      }
  }
  FrameView view() const {
    return {{PixelFormat::yuv420p, width, height, {ColorMatrix::bt709, ColorRange::full}},
            {{{luma.data(), width}, {u.data(), width / 2}, {v.data(), width / 2}}}};
  }
  int width, height;
  std::vector<std::byte> luma, u, v;
};

TEST_CASE("transform: a film that is read without red, green and blue for lack of time is read with them again") {
  constexpr TextureDesc kLarge{.format = TextureFormat::ycocg_bc4_420, .width = 640, .height = 320};  // 100 tiles
  constexpr int kMoving = 6;  // then the picture stands still, all tiles are requested, and there is time enough
  const auto psnr_with = [&](double seconds) {
    Workers workers(0);
    compact::FrameEncoder encoder(kLarge, {.lossy = true, .transform = true}, workers);
    compact::PayloadWriter writer(encoder.grid(), kShotPayload);
    compact::FrameDecoder decoder(kLarge, workers);
    Texture before(encoder.grid().texture_bytes()), shown(before.size());
    std::vector<double> psnr;
    const std::vector<uint8_t> all(encoder.grid().tiles(), 1);
    for (int i = 0; i <= kMoving; ++i) {
      double left = seconds;
      const int shift = std::min(i, kMoving - 1);
      const Texture texture = soft_photograph(kLarge, 40 + 9 * shift, 2 * shift);
      const YuvPicture picture(kLarge, texture);
      const FrameView view = picture.view();
      compact::FrameToEncode frame{.texture = texture, .target = compact::rd_parameters(25), .picture = &view};
      if (i < kMoving)
        frame.seconds_left = [&] { return left -= 1; };
      else
        frame.intra = all;
      const auto payloads = copied(writer.write(encoder.encode(frame)));
      before.swap(shown);
      CHECK(decoder.decode(views(payloads), i > 0 ? before.data() : nullptr, shown).wrong == 0);
      psnr.push_back(psnr_between(kLarge, texture, shown));
    }
    return psnr;
  };
  const auto calm = psnr_with(10'000), hurried = psnr_with(153);
  MESSAGE(calm[kMoving - 1] << ", " << calm.back() << " dB with enough time, " << hurried[kMoving - 1] << ", "
                            << hurried.back() << " without at first");
  CHECK(hurried[kMoving - 1] > calm[kMoving - 1] - 3);
  CHECK(hurried.back() > calm.back() - 0.3);
}

TEST_CASE("transform: each step of effort gives a stream that decodes, of about the usual bytes and quality") {
  constexpr TextureDesc kLarge{.format = TextureFormat::ycocg_bc4_420, .width = 640, .height = 320};
  struct Coded {
    size_t bytes = 0;
    double psnr = 0;
  };
  const auto code_with = [&](compact::MacroblockEffort effort, bool by_macroblocks) {
    compact::SearchEffort search = compact::search_effort(Quality::fast);
    search.macroblocks = effort;
    search.by_macroblocks = by_macroblocks;
    Stream stream(25, true, 0, {}, kLarge, search);
    Coded coded;
    for (int i = 0; i < 4; ++i) {
      const Texture texture = soft_photograph(kLarge, 40 + 3 * i, 17 * i);  // it moves by 3 and 17 pixels
      coded.bytes += stream.pass(texture);
      coded.psnr = stream.psnr(texture);
    }
    CHECK(stream.is_complete());
    return coded;
  };
  using enum compact::MacroblockEffort;
  const Coded as_usual = code_with(usual, false);
  for (const auto effort : {usual, quick, brief, little, rough, least})
    for (const bool by_macroblocks : {false, true}) {
      const Coded coded = code_with(effort, by_macroblocks);
      MESSAGE(int(effort) << " " << by_macroblocks << ": " << coded.bytes << " bytes, " << coded.psnr << " dB");
      CHECK(static_cast<double>(coded.bytes) < 1.5 * static_cast<double>(as_usual.bytes));
      CHECK(coded.psnr > as_usual.psnr - 1.5);
    }
}

TEST_CASE("transform: the number of threads does not change the bytes") {
  Workers none(0), some(3);
  const compact::FrameEncoderSettings settings{.lossy = true, .transform = true};
  compact::FrameEncoder alone(kShot, settings, none), shared(kShot, settings, some);
  for (int i = 0; i < 4; ++i) {
    const Texture texture = film(i);
    const compact::FrameToEncode frame{.texture = texture, .target = compact::rd_parameters(28)};
    const auto a = alone.encode(frame), b = shared.encode(frame);
    REQUIRE(a.size() == b.size());
    for (size_t k = 0; k < a.size(); ++k) {
      CHECK(a[k].slice == b[k].slice);
      CHECK(std::ranges::equal(a[k].bytes, b[k].bytes));
    }
  }
}
