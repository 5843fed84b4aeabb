// Encoders that compare each frame with the previous one: the same blocks as without comparison, and the list of
// changed tiles.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "check.h"
#include "encoders.h"
#include "format_families.h"
#include "patience.h"
#include "starting_encoder.h"
#include "texcast/encoder.h"
#include "texcast/error.h"
#include "texcast/tiles.h"
#include "tile_cover.h"
#include "tile_frames.h"
#include "tuner/tune.h"

using namespace texcast;

namespace {

std::string device_under_test() { return std::to_string(check::device().info().index); }

// How frames reach the device: in host memory if the device shares it, or by uploads and downloads.
enum class Memory { as_it_is, own };

std::unique_ptr<Encoder> make_device_encoder(const EncoderSettings& settings, Memory memory) {
  DeviceInfo info = check::device().info();
  if (memory == Memory::own) info.shares_host_memory = false;
  const OclDevices opened = open_ocl_devices(settings, {info});
  auto encoders = make_ocl_encoders(settings, opened,
                                    {tuner::choose(opened.devices.front(), stage_settings(settings), TuneMode::off)});
  return std::move(encoders.front());
}

FrameFormat source_of(PixelFormat pixels, check::Size size) {
  return {
      pixels, size.width, size.height, {ColorMatrix::bt709, is_rgb(pixels) ? ColorRange::full : ColorRange::limited}};
}

// A sequence of pictures in which something changes, or nothing.
class Changing {
 public:
  // If not `all`, at least one tile of each frame is unchanged.
  Changing(const FrameFormat& format, unsigned seed, bool all = true)
      : random_(seed), all_(all), frame_(check::make_frame(format, check::Pattern::random, seed)) {}
  struct Step {
    check::Frame frame;
    std::vector<uint8_t> changed;
  };
  Step next() {
    std::vector<uint8_t> changed(check::tiles_of(frame_.format), first_ ? 1 : 0);
    // Of 16 frames 4 are unchanged, 6 have few changes, 4 many, and 2 are entirely different.
    const unsigned kind = random_() % 16;
    const unsigned of_100 = kind < 4 ? 0 : kind < 10 ? 8 : kind < 14 ? 50 : 100;
    const auto& format = frame_.format;
    for (int y = 0; y < format.height && !first_; y += 32)
      for (int x = 0; x < format.width; x += 64)
        if (random_() % 100 < of_100 && (all_ || x > 0)) {  // one bit: several flips could cancel out
          const int across = std::min(64, format.width - x), down = std::min(32, format.height - y);
          check::change_texel(frame_, x + static_cast<int>(random_() % static_cast<unsigned>(across)),
                              y + static_cast<int>(random_() % static_cast<unsigned>(down)), random_, changed);
        }
    first_ = false;
    return {frame_, changed};
  }
  unsigned random() { return static_cast<unsigned>(random_()); }

 private:
  std::mt19937 random_;
  bool all_;
  check::Frame frame_;
  bool first_ = true;
};

bool same_blocks(Bytes a, Bytes b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0; }
std::vector<uint8_t> copy_of(std::span<const uint8_t> changed) { return {changed.begin(), changed.end()}; }

// Submits from the encoder's pool, whose frames are overwritten as soon as nobody has a share in them, or from
// elsewhere.
void submit(Encoder& encoder, const check::Frame& frame, bool from_pool, std::span<const uint8_t> known = {}) {
  const auto pool = encoder.frame_pool();
  FrameLease lease = from_pool ? pool->lend() : FrameLease();
  if (lease) std::memcpy(lease.data(), frame.bytes.data(), frame.bytes.size());
  FrameView view = lease ? lease.view() : frame.view();
  const std::vector<uint8_t> gone_after(known.begin(), known.end());
  view.changed = gone_after;
  encoder.submit(view, {});
}

// The blocks of an encoder that does not compare. They depend on the picture only, so that each is encoded once for all
// ways to drive the encoder that compares.
class PlainBlocks {
 public:
  explicit PlainBlocks(const EncoderSettings& settings) : encoder_(check::make_built_encoder(settings)) {}
  const std::vector<std::byte>& of(const check::Frame& frame) {
    const auto [entry, is_new] = known_.try_emplace(
        std::string(reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()), std::vector<std::byte>());
    if (is_new) {
      encoder_->submit(frame.view(), {});
      const EncodedFrame encoded = encoder_->next();
      CHECK(encoded.changed.empty());
      entry->second.assign(encoded.texture.blocks.begin(), encoded.texture.blocks.end());
    }
    return entry->second;
  }

 private:
  std::unique_ptr<Encoder> encoder_;
  std::map<std::string, std::vector<std::byte>> known_;
};

// Encodes many frames with `encoder`, and compares its blocks with those of `plain`.
void check_changes(Encoder& encoder, PlainBlocks& plain, const FrameFormat& source, unsigned seed, int frames) {
  Changing picture(source, seed);
  std::deque<std::pair<std::vector<uint8_t>, std::vector<std::byte>>> expected;
  const auto take = [&] {
    const auto& [changed, blocks] = expected.front();
    const unsigned way = picture.random() % 3;
    if (way > 0) {  // polls
      size_t before = 0;
      while (before < blocks.size()) {
        const size_t ready = encoder.ready_bytes();
        REQUIRE(ready >= before);
        if (ready > before) {
          const EncodedFrame begun = encoder.peek();
          REQUIRE(begun.texture.blocks.size() == blocks.size());
          CHECK(std::memcmp(begun.texture.blocks.data(), blocks.data(), ready) == 0);
          CHECK(copy_of(begun.changed) == changed);
        }
        before = ready;
        std::this_thread::yield();
      }
      while (!encoder.ready()) std::this_thread::yield();
    }
    const EncodedFrame encoded = encoder.next();
    CHECK(same_blocks(encoded.texture.blocks, blocks));
    CHECK(copy_of(encoded.changed) == changed);
    expected.pop_front();
  };
  for (int i = 0; i < frames; ++i) {
    const Changing::Step step = picture.next();
    if (encoder.in_flight() == encoder.capacity()) take();
    if (picture.random() % 4 == 0)
      while (encoder.in_flight() > 0) take();
    const bool known = picture.random() % 4 == 0;
    submit(encoder, step.frame, picture.random() % 3 > 0, known ? step.changed : std::vector<uint8_t>());
    expected.emplace_back(step.changed, plain.of(step.frame));
  }
  while (encoder.in_flight() > 0) take();
}

EncoderSettings compared(EncoderSettings settings) {
  settings.compare = true;
  return settings;
}

}  // namespace

TEST_CASE("frames that are compared have the blocks of an encoder that does not compare, and list the changed tiles") {
  if (check::spared("comparing encoders of every format")) return;
  const bool tiny = check::tiny_only();
  const auto textures = test::one_format_a_family();
  const int pairs = std::max(kPixelFormatCount, static_cast<int>(textures.size()));
  for (int i = 0; i < pairs; ++i) {
    if (tiny && i % 4 != 1) continue;
    // Ten by ten tiles where the device is fast: more than the maximum number of rectangles.
    const check::Size size = tiny ? check::Size{67, 35} : i % 3 == 0 ? check::Size{601, 301} : check::Size{333, 77};
    const FrameFormat source = source_of(static_cast<PixelFormat>(i % kPixelFormatCount), size);
    const TextureFormat texture = textures[static_cast<size_t>(i) % textures.size()];
    CAPTURE(name(source.pixel_format));
    CAPTURE(name(texture));
    const EncoderSettings settings{.source = source, .texture = texture, .device = device_under_test()};
    PlainBlocks plain(settings);
    for (const Memory memory : {Memory::as_it_is, Memory::own})
      for (const int bands : {1, 4}) {
        if (tiny && bands > 1) continue;
        CAPTURE(memory == Memory::own);
        CAPTURE(bands);
        EncoderSettings with = compared(settings);
        with.bands = bands;
        with.frames_in_flight = i % 4 == 3 ? 1 : 4;
        with.queues = i % 2 == 0 ? QueueLayout::per_direction : QueueLayout::per_frame;
        const auto encoder = make_device_encoder(with, memory);
        check_changes(*encoder, plain, source, static_cast<unsigned>(i), tiny ? 6 : 20);
      }
  }
}

TEST_CASE("the CPU encoder compares frames too") {
  for (const TextureFormat texture :
       {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_dxt5_alpha})
    for (const PixelFormat pixels : {PixelFormat::nv12, PixelFormat::bgra}) {
      const EncoderSettings settings{
          .source = source_of(pixels, {201, 77}), .texture = texture, .device = "cpu-reference"};
      PlainBlocks plain(settings);
      const auto encoder = check::make_built_encoder(compared(settings));
      check_changes(*encoder, plain, settings.source, 3, check::tiny_only() ? 6 : 50);
    }
}

TEST_CASE("the progress callback says when to look for a frame that is compared") {
  if (check::compares_nothing()) return;
  const EncoderSettings settings =
      compared({.source = source_of(PixelFormat::nv12, check::tiny_only() ? check::Size{67, 35} : check::Size{333, 77}),
                .device = device_under_test(),
                .frames_in_flight = 3});
  for (const Memory memory : {Memory::as_it_is, Memory::own}) {
    std::mutex mutex;
    std::condition_variable changed;
    int told = 0, known = 0;
    const auto encoder = make_device_encoder(settings, memory);
    encoder->on_progress([&] {
      {
        const std::lock_guard lock(mutex);
        ++told;
      }
      changed.notify_all();
    });
    const size_t all = texture_layout(encoder->texture_desc()).total_bytes;
    Changing picture(settings.source, 4);
    for (int i = 0; i < (check::tiny_only() ? 4 : 40); ++i) {
      const check::Frame frame = picture.next().frame;
      submit(*encoder, frame, true);
      if (encoder->in_flight() < encoder->capacity() && i % 2 == 0) continue;
      for (;;) {  // looks once after each callback
        {
          const std::lock_guard lock(mutex);
          known = told;
        }
        if (i % 3 == 0 ? encoder->ready_bytes() == all : encoder->ready()) break;
        std::unique_lock lock(mutex);
        REQUIRE(changed.wait_for(lock, test::kPatience, [&] { return told != known; }));
      }
      encoder->next();
    }
    encoder->on_progress({});
  }
}

TEST_CASE("a still picture: no block is encoded, copied or downloaded again") {
  if (check::compares_nothing()) return;
  const FrameFormat source =
      source_of(PixelFormat::rgba, check::tiny_only() ? check::Size{67, 35} : check::Size{333, 77});
  const auto frame = check::make_frame(source, check::Pattern::random, 1);
  const EncoderSettings settings = compared({.source = source, .device = device_under_test(), .frames_in_flight = 2});
  for (const bool reference : {false, true})
    for (const Memory memory : {Memory::as_it_is, Memory::own}) {
      const auto encoder = reference ? make_reference_encoder(settings) : make_device_encoder(settings, memory);
      const auto encode = [&](const check::Frame& of) {
        encoder->submit(of.view(), {});
        return encoder->next();
      };
      const int slots = settings.frames_in_flight + 1;
      for (int i = 0; i < slots + 1; ++i) encode(frame);
      for (int i = 0; i < 2 * slots; ++i) {
        const EncodedFrame encoded = encode(frame);
        const StageTimes times = encoder->last_stage_times();
        CHECK(std::count(encoded.changed.begin(), encoded.changed.end(), 0) ==
              static_cast<std::ptrdiff_t>(encoded.changed.size()));
        if (i > 0) CHECK(times.downloaded_bytes == 0);
        // Overwritten bytes stay as they are, in every slot.
        auto* const first = const_cast<std::byte*>(encoded.texture.blocks.data());
        if (i >= slots) CHECK(*first == std::byte{0x5C});
        *first = std::byte{0x5C};
      }
      // A changed tile is complete again, and only it was downloaded.
      auto other = frame;
      std::mt19937 random(1);
      std::vector<uint8_t> changed(check::tiles_of(source), 0);
      check::change_texel(other, 0, 0, random, changed);
      const EncodedFrame encoded = encode(other);
      CHECK(copy_of(encoded.changed) == changed);
      CHECK(same_blocks(encoded.texture.blocks, check::reference_blocks(other, settings)));
      if (!reference && memory == Memory::own) {
        const TextureLayout layout = texture_layout(encoded.texture.desc);
        const int across = std::min(16, layout.planes[0].blocks_x), down = std::min(8, layout.planes[0].blocks_y);
        CHECK(encoder->last_stage_times().downloaded_bytes == static_cast<size_t>(8 * across * down));
      }
      if (reference) break;
    }
}

TEST_CASE("a frame's memory is kept until the next frame, as it is compared with it") {
  if (check::compares_nothing()) return;
  const EncoderSettings settings =
      compared({.source = source_of(PixelFormat::nv12, {64, 32}), .device = device_under_test()});
  const auto encoder = check::make_built_encoder(settings);
  const auto pool = encoder->frame_pool();
  const auto frame = check::make_frame(settings.source, check::Pattern::random, 1);
  encoder->warm_up();
  CHECK(pool->lent() == 0);
  for (int i = 0; i < 5; ++i) {
    submit(*encoder, frame, true);
    CHECK(encoder->next().changed[0] == (i == 0 ? 1 : 0));
    CHECK(pool->lent() <= 1);
  }
}

TEST_CASE("on request, pictures are kept with their blocks until the next ones") {
  const EncoderSettings base{.source = source_of(PixelFormat::rgba, {70, 36}), .device = device_under_test()};
  for (const bool compare : {false, true}) {
    if (compare && check::compares_nothing()) continue;
    EncoderSettings settings = compare ? compared(base) : base;
    for (const bool keep : {false, true}) {
      settings.keep_pictures = keep;
      EncoderSettings reference = settings;
      reference.device = "cpu-reference";
      std::vector<std::unique_ptr<Encoder>> encoders;
      encoders.push_back(make_device_encoder(settings, Memory::as_it_is));
      encoders.push_back(make_device_encoder(settings, Memory::own));
      encoders.push_back(check::make_built_encoder(reference));
      for (const auto& encoder : encoders) {
        std::vector<check::Frame> frames;
        for (unsigned i = 0; i < 6; ++i)
          frames.push_back(check::make_frame(settings.source, check::Pattern::random, i));
        for (unsigned i = 0; i < 6; ++i) {
          // Pool frames and copied frames in turns; a second one is in flight already.
          if (i == 0) submit(*encoder, frames[0], true);
          if (i + 1 < 6) submit(*encoder, frames[i + 1], i % 2 == 0);
          const TextureView texture = encoder->next().texture;
          CHECK((texture.picture != nullptr) == keep);
          if (!keep) continue;
          CHECK(texture.picture->format == settings.source);
          const FrameView before = frames[i].view();
          bool same = true;
          for (int y = 0; y < 36; ++y)
            same = same && std::memcmp(texture.picture->planes[0].data + y * texture.picture->planes[0].stride_bytes,
                                       before.planes[0].data + y * before.planes[0].stride_bytes, 70 * 4) == 0;
          CHECK(same);
        }
      }
    }
  }
}

TEST_CASE("the frame that warms an encoder up is not part of the stream") {
  if (check::compares_nothing()) return;
  const EncoderSettings settings =
      compared({.source = source_of(PixelFormat::gray, {65, 32}), .device = device_under_test()});
  for (const Memory memory : {Memory::as_it_is, Memory::own}) {
    const auto encoder = make_device_encoder(settings, memory);
    encoder->warm_up();
    auto black = check::make_frame(settings.source, check::Pattern::random, 1);
    std::fill(black.bytes.begin(), black.bytes.end(), std::byte{0});
    for (int i = 0; i < 8; ++i) {
      encoder->submit(black.view(), {});
      const EncodedFrame encoded = encoder->next();
      CHECK(copy_of(encoded.changed) == std::vector<uint8_t>(2, i == 0 ? 1 : 0));
      CHECK(same_blocks(encoded.texture.blocks, check::reference_blocks(black, settings)));
    }
  }
}

TEST_CASE("at the switch from the CPU to a device everything has changed") {
  if (check::compares_nothing()) return;
  const EncoderSettings settings = compared(
      {.source = source_of(PixelFormat::nv12, {201, 77}), .device = device_under_test(), .frames_in_flight = 2});
  std::atomic<bool> may = false;
  bool made = false;
  const OclDevices opened = open_ocl_devices(settings, {check::device().info()});
  const auto encoder = make_starting_encoder(
      settings, {.pool = opened.pool, .device_name = "device"},
      [&](const std::stop_token& stop) -> std::unique_ptr<Encoder> {
        while (!may && !stop.stop_requested()) std::this_thread::yield();
        if (std::exchange(made, true) || stop.stop_requested()) return nullptr;
        auto encoders = make_ocl_encoders(
            settings, opened, {tuner::choose(opened.devices.front(), stage_settings(settings), TuneMode::off)});
        return std::move(encoders.front());
      });
  Changing picture(settings.source, 8, false);
  std::deque<Changing::Step> under_way;
  int taken = 0, all = 0, since = 0;
  while (since < 20) {
    if (encoder->in_flight() == encoder->capacity()) {
      const EncodedFrame encoded = encoder->next();
      const Changing::Step step = std::move(under_way.front());
      under_way.pop_front();
      CHECK(same_blocks(encoded.texture.blocks, check::reference_blocks(step.frame, settings)));
      const auto changed = copy_of(encoded.changed);
      REQUIRE(changed.size() == step.changed.size());
      if (changed != step.changed) {
        ++all;  // only at the switch
        CHECK(changed == std::vector<uint8_t>(changed.size(), 1));
      }
      if (++taken == 10) may = true;
      if (all > 0) ++since;
    }
    Changing::Step step = picture.next();
    submit(*encoder, step.frame, true);
    under_way.push_back(std::move(step));
  }
  CHECK(all == 1);
}

TEST_CASE("a change that the capture reports is not searched for by comparison") {
  if (check::compares_nothing()) return;
  const EncoderSettings settings =
      compared({.source = source_of(PixelFormat::rgba, {130, 33}), .device = device_under_test()});
  const auto before = check::make_frame(settings.source, check::Pattern::random, 1),
             frame = check::make_frame(settings.source, check::Pattern::random, 2);
  for (const bool reference : {false, true})
    for (const Memory memory : {Memory::as_it_is, Memory::own}) {
      const auto encoder = reference ? make_reference_encoder(settings) : make_device_encoder(settings, memory);
      const auto encode = [&](const check::Frame& of, const std::vector<uint8_t>& known) {
        submit(*encoder, of, true, known);
        return encoder->next();
      };
      encode(before, {0, 0, 0, 0, 0, 0});  // it is the first frame
      // Everything differs, but only one tile is reported.
      const EncodedFrame encoded = encode(frame, {0, 1, 0, 0, 0, 0});
      CHECK(copy_of(encoded.changed) == std::vector<uint8_t>{0, 1, 0, 0, 0, 0});
      const auto was = check::reference_blocks(before, settings), is = check::reference_blocks(frame, settings);
      for (size_t y = 0; y < 9; ++y)
        for (size_t x = 0; x < 33; ++x) {
          const auto& want = x / 16 == 1 && y / 8 == 0 ? is : was;
          const size_t at = 8 * (33 * y + x);
          CHECK(std::memcmp(encoded.texture.blocks.data() + at, want.data() + at, 8) == 0);
        }
      CHECK_THROWS_AS(encode(frame, {0, 1, 0, 0, 0}), Error);
      CHECK(encoder->in_flight() == 0);
    }
}

TEST_CASE("rows that a capture reports as unchanged are not uploaded again, to any buffer") {
  if (check::compares_nothing()) return;
  constexpr int kRows = 8;  // rows of tiles
  for (const PixelFormat pixels : {PixelFormat::bgra, PixelFormat::nv12, PixelFormat::yuv420p10}) {
    CAPTURE(name(pixels));
    const FrameFormat source = source_of(pixels, {70, 32 * kRows - 3});
    const FramePlacement placed = place_frame(source);
    const EncoderSettings settings = compared({.source = source, .device = device_under_test(), .frames_in_flight = 2});
    const auto encoder = make_device_encoder(settings, Memory::own);
    check::Frame frame = check::make_frame(source, check::Pattern::random, 1);
    std::mt19937 random(3);
    const auto uploaded = [&](std::initializer_list<int> rows, bool known = true) {
      std::vector<uint8_t> changed(check::tiles_of(source), 0);
      for (const int row : rows) check::change_texel(frame, 65, 32 * row, random, changed);
      submit(*encoder, frame, true, known ? changed : std::vector<uint8_t>());
      CHECK(same_blocks(encoder->next().texture.blocks, check::reference_blocks(frame, settings)));
      return encoder->last_stage_times().uploaded_bytes;
    };
    size_t row_bytes = 0;
    for (int p = 0; p < plane_count(pixels); ++p)
      row_bytes += static_cast<size_t>(placed.stride[static_cast<size_t>(p)]) *
                   static_cast<size_t>(plane_rows(source, p) < source.height ? 16 : 32);
    for (int slot = 0; slot < 3; ++slot) CHECK(uploaded({}) == placed.bytes);  // its buffer is still empty
    for (int slot = 0; slot < 3; ++slot) CHECK(uploaded({}) == 0);
    CHECK(uploaded({2}) == row_bytes);
    CHECK(uploaded({5, 6}) == 3 * row_bytes);  // including changes of the previous frame that the buffer lacks
    CHECK(uploaded({}) == 3 * row_bytes);
    CHECK(uploaded({}) == 2 * row_bytes);
    for (int slot = 0; slot < 3; ++slot) uploaded({});
    CHECK(uploaded({kRows - 1}) < row_bytes);  // the last row is lower, and ends with the picture
    for (int slot = 0; slot < 3; ++slot) uploaded({});
    CHECK(uploaded({0, 2, 4, 6}) == placed.bytes);  // many rows
    CHECK(uploaded({1}, false) == placed.bytes);    // changes are unknown
    CHECK(uploaded({}) == placed.bytes);
    CHECK(uploaded({}) == placed.bytes);
    CHECK(uploaded({}) == 0);
  }
}

TEST_CASE("several devices compare nothing, as they do not have each other's frames") {
  if (check::spared("frames dealt to several devices that compare nothing")) return;
  const EncoderSettings settings =
      compared({.source = source_of(PixelFormat::nv12, {65, 33}), .device = device_under_test() + ",cpu-reference"});
  const auto encoder = check::make_built_encoder(settings);
  const auto frame = check::make_frame(settings.source, check::Pattern::random, 1);
  for (int i = 0; i < 4; ++i) {
    encoder->submit(frame.view(), {});
    const EncodedFrame encoded = encoder->next();
    CHECK(encoded.changed.empty());
    CHECK(same_blocks(encoded.texture.blocks, check::reference_blocks(frame, settings)));
  }
}

TEST_CASE("few rectangles cover every changed tile once") {
  std::mt19937 random(2);
  std::vector<TileRectangle> rectangles;
  for (int round = 0; round < 3000; ++round) {
    const TileRaster grid{1 + static_cast<int>(random() % 20), 1 + static_cast<int>(random() % 20)};
    std::vector<uint8_t> changed(grid.count()), covered(grid.count(), 0);
    const auto of_100 = random() % 3 == 0 ? 2 : random() % 101;
    for (uint8_t& tile : changed) tile = random() % 100 < of_100 ? 1 : 0;
    cover_tiles(changed, grid, rectangles);
    REQUIRE(rectangles.size() <= kMostRectangles);
    for (const TileRectangle& r : rectangles) {
      REQUIRE(r.column >= 0);
      REQUIRE(r.row >= 0);
      REQUIRE(r.column + r.columns <= grid.columns);
      REQUIRE(r.row + r.rows <= grid.rows);
      for (int y = r.row; y < r.row + r.rows; ++y)
        for (int x = r.column; x < r.column + r.columns; ++x) ++covered[static_cast<size_t>(y * grid.columns + x)];
    }
    for (size_t t = 0; t < changed.size(); ++t) {
      CHECK(covered[t] >= changed[t]);
      CHECK(covered[t] <= 1);
    }
  }
  const auto cover = [&](const TileRaster& grid, std::vector<uint8_t> changed) {
    cover_tiles(changed, grid, rectangles);
    int tiles = 0;
    for (const TileRectangle& r : rectangles) tiles += r.columns * r.rows;
    return std::pair(rectangles.size(), tiles);
  };
  CHECK(cover({4, 3}, {0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0}) == std::pair(size_t{1}, 4));
  CHECK(cover({4, 3}, {1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}) == std::pair(size_t{3}, 3));
  CHECK(cover({4, 3}, std::vector<uint8_t>(12, 1)) == std::pair(size_t{1}, 12));
  CHECK(cover({4, 3}, std::vector<uint8_t>(12, 0)) == std::pair(size_t{0}, 0));
}
