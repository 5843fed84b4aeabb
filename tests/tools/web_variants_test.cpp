// Which formats `send` offers to browsers beside the stream's own.
#include "send/web_variants.h"

#include <doctest/doctest.h>

#include <vector>

#include "cli/values.h"
#include "send/send_wire.h"

using namespace texcast;
using namespace texcast::cli;

TEST_CASE("a stream has a variant for each family of formats that some GPUs take alone, except its own") {
  using enum TextureFormat;
  using Formats = std::vector<TextureFormat>;
  CHECK(variant_formats({}, bc1) == Formats{etc2, astc_4x4});
  CHECK(variant_formats({}, ycocg_dxt5) == Formats{etc2, astc_4x4});
  CHECK(variant_formats({}, bc7) == Formats{bc1, etc2, astc_4x4});
  CHECK(variant_formats({}, ycocg_bc4_420) == Formats{bc1, etc2, astc_4x4});
  CHECK(variant_formats({}, etc2) == Formats{bc1, astc_4x4});
  CHECK(variant_formats({}, eac_r11) == Formats{bc1, astc_4x4});
  CHECK(variant_formats({}, astc_6x6) == Formats{bc1, etc2});
}

TEST_CASE("the variants that were asked for are offered once each, in their order, without the stream's own format") {
  using enum TextureFormat;
  using Formats = std::vector<TextureFormat>;
  CHECK(variant_formats(Formats{}, bc1).empty());
  CHECK(variant_formats(Formats{etc2, bc1, bc3, etc2}, bc1) == Formats{etc2, bc3});
}

TEST_CASE("a variant has no transform coding, and an option that asks for it does not end the stream") {
  SendOptions o;
  o.encoding.format = TextureFormat::ycocg_bc4_420;
  o.destinations = {"web://:8080"};
  o.lossy = {.crf = 23, .transform = TransformCoding::on};
  CHECK(has_transform(wire_settings(o).compact, o.encoding.format));
  for (const TextureFormat format : variant_formats(
           std::vector{TextureFormat::bc1, TextureFormat::etc2, TextureFormat::ycocg_bc4_444}, o.encoding.format)) {
    CAPTURE(name(format));
    const SendOptions variant = options_of_variant(o, format);
    stream::SendSettings settings;
    CHECK_NOTHROW(settings = wire_settings(variant));
    CHECK_FALSE(has_transform(settings.compact, format));
    CHECK(settings.compact.is_lossy() == stream::can_go_lossy(format));
  }
}

TEST_CASE("lists of formats for browsers are parsed") {
  using enum TextureFormat;
  using Formats = std::vector<TextureFormat>;
  CHECK(*parse_web_formats("none") == Formats{});
  CHECK(*parse_web_formats("etc2") == Formats{etc2});
  CHECK(*parse_web_formats("etc2,ASTC-4x4,bc1") == Formats{etc2, astc_4x4, bc1});
  for (const char* const bad : {"", ",", "etc2,", "etc2,,bc1", "none,bc1", "bc9", "rgba8"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_web_formats(bad));
  }
}
