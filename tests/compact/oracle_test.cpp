// An encoder's lossless streams, decoded by the oracle.
#include "oracle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "capture_bound.h"
#include "compact/frame_encoder.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

struct Step {
  const char* what;
  Texture texture;
};

std::vector<Step> film(const TextureDesc& desc) {
  Texture partly_noise = photograph(desc, 30, 10);
  const Texture other = noise(desc, 3);
  std::copy_n(other.begin(), partly_noise.size() / 16 * 8, partly_noise.begin());
  return {{"photograph", photograph(desc, 0, 0)},
          {"moved by 1, 2", photograph(desc, 1, 2)},
          {"scrolled by 4", photograph(desc, 1, 6)},
          {"scrolled by 5", photograph(desc, 1, 11)},
          {"moved far", photograph(desc, 33, -29)},
          {"another place", photograph(desc, 90, 60)},
          {"partly noise", partly_noise},
          {"unchanged", partly_noise},
          {"constant", Texture(partly_noise.size(), std::byte{0x5A})}};
}

// Encodes and decodes frame by frame. Returns the oracle's message about the first wrong frame.
std::string problem_of(const TextureDesc& desc, size_t most_slice_bytes, size_t payload_bytes,
                       oracle::Decoder::Seen* seen = nullptr) {
  Workers workers(0);
  compact::FrameEncoder encoder(desc, {.most_slice_bytes = most_slice_bytes}, workers);
  compact::PayloadWriter writer(encoder.grid(), payload_bytes);
  oracle::Decoder decoder(desc);
  Texture decoded(encoder.grid().texture_bytes());
  bool is_first = true;
  for (const Step& step : film(desc)) {
    // One frame in the middle is intra.
    const std::vector<uint8_t> intra(encoder.grid().tiles(), 1);
    const bool is_intra = std::string(step.what) == "another place";
    const auto payloads = copied(writer.write(encoder.encode(
        {.texture = step.texture, .intra = is_intra ? std::span<const uint8_t>(intra) : std::span<const uint8_t>()})));
    try {
      decoder.decode(payloads, is_first, decoded);
    } catch (const oracle::Damage& damage) {
      return std::string(step.what) + ": " + damage.what;
    }
    if (decoded != step.texture) return std::string(step.what) + ": other blocks";
    is_first = false;
  }
  if (seen != nullptr) *seen = decoder.seen();
  return "";
}

}  // namespace

TEST_CASE("a decoder written from the document alone gives the encoder's blocks, in every format") {
  for (const TextureFormat format : cut_formats()) {
    CAPTURE(name(format));
    CHECK(problem_of({.format = format, .width = 190, .height = 101}, 1024, 1400) == "");
    CHECK(problem_of({.format = format, .width = 70, .height = 37}, 384, 420) == "");
  }
}

// Syntax that never occurs is not tested. (Recent end points number 0 are nearly always the left neighbour's.)
TEST_CASE("the streams of these tests have every kind and coding, and nearly every mode") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::bc4}) {
    CAPTURE(name(format));
    oracle::Decoder::Seen seen;
    CHECK(problem_of({.format = format, .width = 190, .height = 101}, 384, 420, &seen) == "");
    const auto all = [](const auto& counts) { return std::ranges::all_of(counts, [](int n) { return n > 0; }); };
    CHECK(all(seen.kinds));
    CHECK(all(seen.vectors));
    CHECK(all(std::span(seen.codings).first(3)));
    CHECK(seen.sub_slices[2] > 0);
    CHECK(seen.long_distances > 0);
    seen.end_points[7] = seen.end_points[11] = 1;  // 11: lossy slices only
    CHECK(all(seen.end_points));
    if (format == TextureFormat::bc1) CHECK(all(std::span(seen.indices).first(10)));
  }
}

TEST_CASE("a decoder written from the document alone: sizes from one pixel to just over a tile") {
  for (const auto& [width, height] :
       {std::pair(1, 1), {4, 4}, {5, 9}, {17, 33}, {63, 31}, {65, 33}, {64, 32}, {129, 5}})
    for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_422,
                                       TextureFormat::ycocg_dxt5_alpha}) {
      CAPTURE(name(format));
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      CHECK(problem_of({.format = format, .width = width, .height = height}, 1024, 1400) == "");
    }
}
