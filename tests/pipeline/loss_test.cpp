// From picture to picture through a network that loses packets: compares the frames shown with those sent, where holes
// are concealed from the previous frame. Prints the figures that docs/measuring.md quotes.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "../times.h"
#include "../transport/simulated_network.h"
#include "media/frame_source.h"
#include "texcast/decoder.h"
#include "texcast/encoder.h"
#include "transport/plain_packetizer.h"
#include "transport/receive_session.h"

using namespace texcast;
using namespace std::chrono_literals;
using transport::test::SimulatedNetwork;

namespace {

constexpr int kFrames = 40;
constexpr double kFps = 24;

struct Shown {
  double psnr_db = 0;         // over all frames shown, relative to the decoded blocks that were sent
  double zeroed_psnr_db = 0;  // likewise, if holes were left black
  uint64_t frames = 0;
  uint64_t concealed_frames = 0;
  uint64_t packets_lost = 0;
};

// The clip's frames as blocks, encoded once for all tests.
const std::vector<std::vector<std::byte>>& sent_frames(TextureDesc& desc) {
  static TextureDesc kept;
  static const std::vector<std::vector<std::byte>> frames = [] {
    const auto source = media::open_source({.input = TEXCAST_TEST_DATA "/clip.mp4"});
    const auto encoder = make_encoder({.source = source->format(), .quality = Quality::fast, .frames_in_flight = 1});
    kept = encoder->texture_desc();
    std::vector<std::vector<std::byte>> all;
    while (all.size() < kFrames) {
      const auto frame = source->next();
      REQUIRE(frame);
      encoder->submit(frame->view, frame->times);
      const auto blocks = encoder->next().texture.blocks;
      all.emplace_back(blocks.begin(), blocks.end());
    }
    return all;
  }();
  desc = kept;
  return frames;
}

Shown stream(double loss, uint32_t seed) {
  TextureDesc desc;
  const auto& frames = sent_frames(desc);
  transport::StreamDesc stream_desc;
  stream_desc.fourcc = transport::kFourCcDxt1;
  stream_desc.width = desc.width;
  stream_desc.height = desc.height;
  stream_desc.fps = kFps;
  transport::PlainPacketizer packetizer({.stream = stream_desc, .ssrc = 7});
  SimulatedNetwork network({.seed = seed, .loss = loss});
  transport::ReceiveSession session;

  PsnrMeter concealed_meter, zeroed_meter;
  DecodedImage sent, shown;
  Shown result;
  std::vector<std::vector<bool>> arrived;  // for each frame and group of 16 bytes
  const auto show = [&](SteadyTime now) {
    while (const auto frame = session.poll(now, wall_of(now))) {
      const auto& original = frames.at(static_cast<size_t>(frame->number));
      decode_texture({desc, original}, sent);
      decode_texture({desc, frame->bytes}, shown);
      concealed_meter.add(sent, shown);
      std::vector<std::byte> zeroed(original);
      for (size_t unit = 0; unit < arrived[frame->number].size(); ++unit)
        if (!arrived[frame->number][unit])
          std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(16 * unit),
                      std::min<size_t>(16, zeroed.size() - 16 * unit), std::byte{0});
      decode_texture({desc, zeroed}, shown);
      zeroed_meter.add(sent, shown);
      ++result.frames;
      result.concealed_frames += frame->concealed_bytes > 0;
    }
  };
  SteadyTime now{1s};
  for (size_t n = 0; n < frames.size(); ++n, now += std::chrono::nanoseconds(static_cast<int64_t>(1e9 / kFps))) {
    FrameTimes times;
    times.pts = std::chrono::nanoseconds(static_cast<int64_t>(1e9 / kFps * static_cast<double>(n)));
    arrived.emplace_back((frames[n].size() + 15) / 16, false);
    for (const auto& packet : packetizer.packetize(frames[n], times)) {
      const uint64_t lost_before = network.lost;
      network.send(transport::test::join(packet), now);
      if (network.lost != lost_before) continue;
      const auto first = static_cast<size_t>(packet.payload.data() - frames[n].data()) / 16;
      for (size_t unit = first; unit < first + (packet.payload.size() + 15) / 16; ++unit) arrived[n][unit] = true;
    }
    network.deliver(now + 40ms, [&](Bytes datagram, SteadyTime at) {
      session.on_datagram(datagram, at, wall_of(at));
      show(at);
    });
    show(now + 40ms);
  }
  show(now + 10s);
  result.psnr_db = concealed_meter.psnr_db();
  result.zeroed_psnr_db = zeroed_meter.psnr_db();
  result.packets_lost = network.lost;
  return result;
}

}  // namespace

TEST_CASE("without packet loss the blocks shown are the blocks sent") {
  const Shown shown = stream(0, 1);
  CHECK(shown.frames == kFrames);
  CHECK(shown.concealed_frames == 0);
  CHECK(std::isinf(shown.psnr_db));
}

TEST_CASE(
    "with packet loss every frame is shown, and holes concealed from the previous frame cost far less than black "
    "ones") {
  for (const double loss : {0.01, 0.05, 0.20}) {
    const Shown shown = stream(loss, 2);
    fmt::print(
        "{:>3.0f} % of packets lost: {} of {} frames with holes, {:.2f} dB against what was sent; {:.2f} dB with the "
        "holes left black\n",
        100 * loss, shown.concealed_frames, shown.frames, shown.psnr_db, shown.zeroed_psnr_db);
    CHECK(shown.frames == kFrames);
    CHECK(shown.packets_lost > 0);
    CHECK(shown.concealed_frames > 0);
    CHECK(shown.psnr_db > shown.zeroed_psnr_db + 6);
    // If the lost fraction of texels were all wrong by a sixth of the range, this would be about the PSNR.
    CHECK(shown.psnr_db > 15 - 10 * std::log10(loss));
  }
}
