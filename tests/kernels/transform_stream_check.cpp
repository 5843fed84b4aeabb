// Lossy streams with transform coding by a device, compared with those of the CPU, frame after frame.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "check.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/opencl_lossy_backend.h"
#include "compact/payload.h"
#include "compact/rate_control.h"
#include "lossy_streams.h"
#include "textures.h"

using namespace texcast;
using namespace texcast::compact;
using namespace textures;

namespace {

using Fault = FaultyBackend::Fault;

constexpr TextureFormat kPlaneFormats[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                           TextureFormat::ycocg_bc4_444};

FrameEncoderSettings settings_of(size_t most_slice_bytes = 1024, int batches = 8) {
  return {.most_slice_bytes = most_slice_bytes,
          .lossy = true,
          .effort = search_effort(Quality::fast),
          .transform = true,
          .batches = batches};
}

// A tile of film, one of text, and one that has some of both, in turns.
Texture text_beside_film(const TileGrid& grid, int moved) {
  const Texture text = letters(grid.texture(), 3 * moved);
  Texture texture = photograph(grid.texture(), 3 * moved, 2 * moved);
  for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    size_t sub_block = 0;
    grid.for_each_sub_block({.tile = tile}, [&](size_t at) {
      const bool is_text = tile % 3 == 1 || (tile % 3 == 2 && sub_block++ / 3 % 2 == 0);
      if (is_text)
        std::copy_n(text.begin() + static_cast<ptrdiff_t>(at), 8, texture.begin() + static_cast<ptrdiff_t>(at));
    });
  }
  return texture;
}

void check_frames(LossyStreams& streams, int first, int end, const RdParameters& target, const FrameView* picture) {
  for (int i = first; i < end; ++i) {
    CAPTURE(i);
    // Each picture is sent twice, so that quality ramps up.
    const Texture texture = i == 5 ? noise(streams.grid().texture(), 4) : text_beside_film(streams.grid(), i / 2);
    CHECK(streams.same({.texture = texture, .target = target, .picture = picture}));
  }
}

}  // namespace

TEST_CASE("transform streams by the device: film, text, and both in a tile") {
  if (check::tiny_only()) return;
  const bool few = check::spared("transform streams of 4:2:2 and 4:4:4");
  for (const TextureFormat format : kPlaneFormats) {
    if (few && format != TextureFormat::ycocg_bc4_420) continue;
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 190, .height = 101};
    const check::Frame frame = check::make_frame(check::rgba({desc.width, desc.height}), check::Pattern::real, 1);
    const FrameView view = frame.view();
    for (const FrameView* const picture : {static_cast<const FrameView*>(nullptr), &view}) {
      CAPTURE(picture != nullptr);
      LossyStreams streams(desc, settings_of());
      check_frames(streams, 0, 10, with_refinements(rd_parameters(24), 2), picture);
      const AttemptCounts& counts = streams.attempts();
      for (const uint32_t attempts : counts.attempts) CHECK(attempts > 0);
      for (const uint32_t kept : counts.kept_of_both) CHECK(kept > 0);
      CHECK(counts.inter > 0);
    }
  }
}

TEST_CASE("transform streams by the device: every size") {
  const bool few = check::spared("transform streams of most sizes");
  for (const auto& [width, height] : {std::pair(20, 12), {1, 1}, {5, 9}, {17, 33}, {63, 31}, {65, 20}, {130, 5}}) {
    if ((check::tiny_only() || few) && width != 20) continue;
    CAPTURE(width);
    const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = width, .height = height};
    LossyStreams streams(desc, settings_of());
    for (int i = 0; i < 3; ++i)
      CHECK(streams.same({.texture = photograph(desc, 3 * i, 5 * i), .target = rd_parameters(18 + 4 * i)}));
    // A single block has no neighbour by which it would be known as film.
    if (width > 4) CHECK(streams.attempts().attempts[static_cast<size_t>(CodingAttempt::transform)] > 0);
  }
}

TEST_CASE("transform streams by the device: damage, intra refresh, and slices that have no room") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 101};
  for (const bool has_symbols : {true, false}) {
    CAPTURE(has_symbols);
    LossyStreams streams(desc, settings_of(384, 2), 0, has_symbols ? Fault::none : Fault::no_symbols);
    const RdParameters target = rd_parameters(12);
    check_frames(streams, 0, 7, target, nullptr);
    CHECK(streams.sub_slices());
    CHECK(streams.attempts().without_bytes > 0);
    std::vector<uint8_t> intra(streams.grid().tiles()), wrong(streams.grid().tiles());
    intra[2] = wrong[1] = wrong[5] = 1;
    for (int i = 0; i < 2; ++i)
      CHECK(streams.same({.texture = text_beside_film(streams.grid(), 10 + i),
                          .intra = intra,
                          .wrong = wrong,
                          .refreshed = static_cast<uint32_t>(4 * i),
                          .target = rd_parameters(26)}));
    CHECK(streams.same({.texture = text_beside_film(streams.grid(), 12), .target = target}));
  }
}

TEST_CASE("transform streams by the device: rate control with trials, of a picture") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 141};
  const check::Frame frame = check::make_frame(check::rgba({desc.width, desc.height}), check::Pattern::real, 1);
  const FrameView view = frame.view();
  for (const FrameView* const picture : {static_cast<const FrameView*>(nullptr), &view}) {
    CAPTURE(picture != nullptr);
    LossyStreams streams(desc, settings_of());
    streams.keep_to({.bits_per_s = 500e3, .fps = 30});
    check_frames(streams, 0, 10, rd_parameters(24), picture);
    CHECK(streams.attempts().attempts[static_cast<size_t>(CodingAttempt::transform)] > 0);
  }
}

TEST_CASE("a device takes over within a transform stream, with a self-check") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 190, .height = 101};
  LossyStreams streams(desc, settings_of(), nullptr);
  const RdParameters target = with_refinements(rd_parameters(22), 1);
  check_frames(streams, 0, 3, target, nullptr);
  int batches = 0;
  streams.use_backend({.slices = 2 * streams.grid().tiles()}, Fault::none, 0, [&] { ++batches; });
  check_frames(streams, 3, 9, target, nullptr);
  CHECK(batches > 0);
  CHECK_FALSE(streams.is_checking());
  batches = 0;
  streams.forget();
  check_frames(streams, 9, 12, target, nullptr);
  CHECK(batches > 0);
}

TEST_CASE("a backend with wrong transform slices is dropped by the self-check") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 140, .height = 70};
  for (const Fault fault :
       {Fault::none, Fault::other_choices, Fault::other_macroblocks, Fault::other_contents, Fault::other_samples}) {
    CAPTURE(static_cast<int>(fault));
    LossyStreams streams(desc, settings_of(), nullptr);
    int batches = 0;
    streams.use_backend({.slices = 1000}, fault, 3, [&] { ++batches; });
    check_frames(streams, 0, 5, rd_parameters(24), nullptr);
    const bool is_dropped = batches < 5;
    CHECK(is_dropped == (fault != Fault::none));
  }
}

// The next frame is coded without a reference, and the CPU decodes all tiles of it for its motion compensation.
TEST_CASE("a transform stream goes on if its device fails") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 140, .height = 70};
  Workers workers(0);
  FrameEncoder encoder(desc, settings_of(384), workers);
  encoder.use_backend(std::make_unique<FaultyBackend>(
      make_opencl_lossy_backend(check::device().info(), encoder.grid(), nullptr, true), Fault::at_wait, 3));
  check_goes_on(encoder, desc, workers, 7);
  CHECK(encoder.counts().transform > 0);
}
