// Frames in the encoder's own pool are read in place, with the same bytes as if they were copied.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "check.h"
#include "texcast/encoder.h"

using namespace texcast;

namespace {

std::string selector() { return std::to_string(check::device().info().index); }

void fill(const FrameLease& lease, const check::Frame& frame) {
  for (int p = 0; p < plane_count(frame.format.pixel_format); ++p) {
    const FrameView from = frame.view(), to = lease.view();
    const auto i = static_cast<size_t>(p);
    for (int y = 0; y < plane_rows(frame.format, p); ++y)
      std::memcpy(lease.plane(p) + y * to.planes[i].stride_bytes, from.planes[i].data + y * from.planes[i].stride_bytes,
                  static_cast<size_t>(plane_row_bytes(frame.format, p)));
  }
}

check::Frame frame_number(const EncoderSettings& settings, int number) {
  return check::make_frame(settings.source, check::Pattern::random, static_cast<uint32_t>(number));
}

bool same(const EncodedFrame& encoded, const std::vector<std::byte>& want) {
  return encoded.texture.blocks.size() == want.size() &&
         std::memcmp(encoded.texture.blocks.data(), want.data(), want.size()) == 0;
}

bool was_copied(const Encoder& encoder) { return encoder.last_stage_times().stage_in > nanoseconds(0); }

// Two of three frames are in the pool, the third elsewhere.
void check_mixture(const EncoderSettings& settings) {
  const auto encoder = check::make_built_encoder(settings);
  const auto pool = encoder->frame_pool();
  REQUIRE(pool);
  CHECK(pool->format() == settings.source);
  int taken = 0;
  const auto take = [&] {
    CHECK(same(encoder->next(), check::reference_blocks(frame_number(settings, taken), settings)));
    CHECK(was_copied(*encoder) == (taken % 3 == 2));
    ++taken;
  };
  for (int i = 0; i < 8; ++i) {
    if (encoder->in_flight() == encoder->capacity()) take();
    const auto frame = frame_number(settings, i);
    if (i % 3 == 2) {
      encoder->submit(frame.view(), {});
      continue;
    }
    const FrameLease lease = pool->lend();
    REQUIRE(lease);
    CHECK(lease.shares() == 1);
    fill(lease, frame);
    encoder->submit(lease.view(), {});
    CHECK(lease.shares() == 2);
  }
  while (encoder->in_flight() > 0) take();
  CHECK(taken == 8);
  CHECK(pool->lent() == 0);  // nothing is kept longer than its frame
  CHECK(pool->frames() <= static_cast<size_t>(encoder->capacity()) + 1);
}

}  // namespace

TEST_CASE("frames of the pool give the reference's bytes, in every source format and at odd sizes") {
  if (check::spared("pools of every source format")) return;
  const int width = check::tiny_only() ? 9 : 131, height = check::tiny_only() ? 5 : 37;
  const bool few = check::tiny_only();
  for (int i = 0; i < kPixelFormatCount; ++i) {
    if (few && i % 4 != 1) continue;
    CAPTURE(i);
    check_mixture({.source = {static_cast<PixelFormat>(i), width, height, {}}, .device = selector()});
  }
}

TEST_CASE("a frame submitted twice is read twice, also while it is still being read") {
  const EncoderSettings settings{.source = {PixelFormat::nv12, 16, 12, {}}, .device = selector()};
  const auto encoder = check::make_built_encoder(settings);
  const auto frame = frame_number(settings, 1);
  const auto want = check::reference_blocks(frame, settings);
  FrameLease lease = encoder->frame_pool()->lend();
  fill(lease, frame);
  for (int i = 0; i < 7; ++i) {
    if (encoder->in_flight() == encoder->capacity()) CHECK(same(encoder->next(), want));
    encoder->submit(lease.view(), {});
  }
  CHECK(lease.shares() == 1 + encoder->in_flight());
  while (encoder->in_flight() > 0) CHECK(same(encoder->next(), want));
  CHECK(lease.shares() == 1);
}

TEST_CASE("a caller that keeps all frames of the pool gets no more, and other frames are still encoded") {
  const EncoderSettings settings{.source = {PixelFormat::gray, 8, 8, {}}, .device = selector()};
  const auto encoder = check::make_built_encoder(settings);
  const auto pool = encoder->frame_pool();
  std::deque<FrameLease> kept;
  while (FrameLease lease = pool->lend()) kept.push_back(std::move(lease));
  CHECK(kept.size() == pool->most_frames());
  CHECK(kept.size() == 64);
  for (int i = 0; i < 4; ++i) {
    const auto frame = frame_number(settings, i);
    encoder->submit(frame.view(), {});
    CHECK(same(encoder->next(), check::reference_blocks(frame, settings)));
  }
  kept.pop_front();
  CHECK(pool->lend());
}

TEST_CASE("views that only resemble the pool's frames are copied") {
  const EncoderSettings settings{.source = {PixelFormat::nv12, 64, 32, {}}, .device = selector()};
  const auto encoder = check::make_built_encoder(settings);
  const auto frame = frame_number(settings, 5);
  FrameLease lease = encoder->frame_pool()->lend();
  fill(lease, frame);
  FrameView other = lease.view();
  std::vector<std::byte> chroma(64 * 16);
  std::copy_n(lease.plane(1), chroma.size(), chroma.data());
  other.planes[1] = {chroma.data(), 64};
  encoder->submit(other, {});
  CHECK(lease.shares() == 1);
  CHECK(same(encoder->next(), check::reference_blocks(frame, settings)));
}

TEST_CASE("a picture upside down: negative strides are copied row by row") {
  if (check::spared("pictures upside down")) return;
  const EncoderSettings settings{.source = {PixelFormat::bgra, 13, 9, {ColorMatrix::bt709, ColorRange::full}},
                                 .device = selector()};
  const auto encoder = check::make_built_encoder(settings);
  const auto frame = frame_number(settings, 3);
  const int stride = 13 * 4 + 3;
  std::vector<std::byte> flipped(static_cast<size_t>(9 * stride));
  for (int y = 0; y < 9; ++y)
    std::copy_n(frame.view().planes[0].data + y * frame.placed.stride[0], 13 * 4, flipped.data() + (8 - y) * stride);
  encoder->submit({settings.source, {{{flipped.data() + 8 * stride, -stride}, {}, {}}}}, {});
  CHECK(same(encoder->next(), check::reference_blocks(frame, settings)));
}

TEST_CASE("the pool and its frames outlive the encoder") {
  FrameLease lease;
  {
    const auto encoder =
        check::make_built_encoder({.source = {PixelFormat::yuv420p, 33, 17, {}}, .device = selector()});
    lease = encoder->frame_pool()->lend();
    encoder->submit(lease.view(), {});
  }
  CHECK(lease.shares() == 1);
  std::memset(lease.data(), 1, place_frame({PixelFormat::yuv420p, 33, 17, {}}).padded_bytes);
}
