// Calls that texcast/decoder.h and the reference encoder forbid throw an error that can be caught, and leave the
// picture unchanged.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "check_error.h"
#include "ref/encode.h"
#include "texcast/decoder.h"

using namespace texcast;
using namespace texcast::test;

namespace {}  // namespace

TEST_CASE("misuse: textures that cannot be decoded") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 8, .height = 8};
  TextureDesc none = desc, flat = desc, odd = desc;
  none.format = static_cast<TextureFormat>(99);
  flat.height = 0;
  odd.color.matrix = static_cast<ColorMatrix>(9);
  const std::vector<std::byte> blocks(32);
  const std::span<const std::byte> all(blocks);
  DecodedImage image;
  const auto decode = [&](const TextureDesc& of, std::span<const std::byte> from,
                          EndpointExpansion expansion = EndpointExpansion::replicate) {
    return [&image, of, from, expansion] { decode_texture({of, from}, image, expansion); };
  };
  decode_texture({desc, blocks}, image);
  check_forbidden({
      {"format", decode(none, all)},
      {"sides", decode(flat, all)},
      {"matrix", decode(odd, all)},
      {"bytes", decode(desc, all.first(31))},
      {"bytes", decode(desc, {})},
      {"null", decode(desc, {static_cast<const std::byte*>(nullptr), 32})},
      {"end points", decode(desc, all, static_cast<EndpointExpansion>(5))},
  });
  CHECK(image.width == 8);
  CHECK(image.pixels.size() == 8 * 8 * 3);
}

TEST_CASE("misuse: frames that cannot be converted or encoded") {
  const std::vector<std::byte> pixels(16 * 8 * 2);
  const FrameView right{{.pixel_format = PixelFormat::nv12, .width = 8, .height = 8, .color = {}},
                        {{{pixels.data(), 8}, {pixels.data() + 64, 8}}}};
  const auto changed = [&](auto change) {
    FrameView view = right;
    change(view);
    return view;
  };
  DecodedImage image;
  std::vector<std::byte> blocks(32);
  convert_to_channels(right, 4, image);
  const std::pair<const char*, FrameView> wrong[] = {
      {"pixel format", changed([](FrameView& v) { v.format.pixel_format = static_cast<PixelFormat>(99); })},
      {"sides", changed([](FrameView& v) { v.format.width = 0; })},
      {"sides", changed([](FrameView& v) { v.format.height = 20000; })},
      {"matrix", changed([](FrameView& v) { v.format.color.matrix = static_cast<ColorMatrix>(9); })},
      {"range", changed([](FrameView& v) { v.format.color.range = static_cast<ColorRange>(9); })},
      {"no memory", changed([](FrameView& v) { v.planes[0].data = nullptr; })},
      {"no memory", changed([](FrameView& v) { v.planes[1].data = nullptr; })},
      {"stride", changed([](FrameView& v) { v.planes[0].stride_bytes = 7; })},
      {"stride", changed([](FrameView& v) { v.planes[1].stride_bytes = 0; })},
      {"stride", changed([](FrameView& v) { v.planes[1].stride_bytes = -7; })},
  };
  for (const auto& [words, view] : wrong)
    check_forbidden({
        {words, [&, seen = view] { convert_to_rgb(seen, image); }},
        {words, [&, seen = view] { convert_to_channels(seen, 1, image); }},
        {words, [&, seen = view] { ref::encode(seen, TextureFormat::bc1, Method::range, blocks); }},
    });
  const auto encode = [&](TextureFormat format, Method method, size_t bytes) {
    return [&, format, method, bytes] { ref::encode(right, format, method, std::span(blocks).first(bytes)); };
  };
  check_forbidden({
      {"channels", [&] { convert_to_channels(right, 0, image); }},
      {"channels", [&] { convert_to_channels(right, 5, image); }},
      {"bytes", encode(TextureFormat::bc1, Method::range, 31)},
      {"no method", encode(TextureFormat::bc4, Method::lspiro2, 32)},
      {"format", encode(static_cast<TextureFormat>(99), Method::range, 32)},
      {"method", encode(TextureFormat::bc1, static_cast<Method>(99), 32)},
  });
  CHECK(image.channels == 4);
  CHECK(image.pixels.size() == 8 * 8 * 4);
}
