// The shaders of every format, as text: players compile them (tests/player, tests/web).
#include "player/shaders.h"

#include <doctest/doctest.h>

#include <string>

using namespace texcast;
using namespace texcast::player;

TEST_CASE("each format has shaders in both languages, which differ only in their heads and in the order of B G R") {
  for (const TextureFormat format : shown_formats()) {
    for (const bool is_exact : {true, false}) {
      const std::string core = picture_shader(format, is_exact, Glsl::core_330);
      const std::string es = picture_shader(format, is_exact, Glsl::es_300);
      CHECK(core.starts_with("#version 330 core\n"));
      CHECK(es.starts_with("#version 300 es\nprecision highp float;\n"));
      CHECK((core.find("#define SCALED\n") == std::string::npos) == is_exact);
      CHECK((es.find("#define ORDER bgr\n") != std::string::npos) == (format == TextureFormat::bgr8));
      CHECK(core.find("#define ORDER bgr\n") == std::string::npos);
      const auto body = [](const std::string& text) { return text.substr(text.find("uniform sampler2D plane0")); };
      if (format != TextureFormat::bgr8) CHECK(body(core) == body(es));
    }
  }
}

TEST_CASE("the shader for one texel per pixel filters textures without padding whose values are the picture's") {
  const auto filters = [](TextureFormat format, int width, int height) {
    return exact_shader_filters(format, texture_layout({.format = format, .width = width, .height = height}));
  };
  using enum TextureFormat;
  for (const TextureFormat format : {bc1, etc2, bc4, bc6h, ycocg_bc4_420, ycocg_bc4_444, bc1_ycbcr}) {
    CHECK(filters(format, 1920, 1080));
    CHECK_FALSE(filters(format, 1920, 1081));
    CHECK_FALSE(filters(format, 1918, 1080));
  }
  for (const TextureFormat format : {bc3, bc7, ycocg_dxt5, uyvy}) CHECK_FALSE(filters(format, 1920, 1080));
  for (const TextureFormat format : shown_formats()) {  // the rule holds for the text of the shaders
    if (!filters(format, 4096, 4096)) continue;
    const std::string text = picture_shader(format, false, Glsl::es_300);
    for (const char* define : {"#define SCALED_YCOCG\n", "#define ALPHA\n", "#define PAIR("}) {
      CAPTURE(define);
      CHECK(text.find(define) == std::string::npos);
    }
  }
}

TEST_CASE("values of uniforms are those of the colours") {
  CHECK(color_values({.format = TextureFormat::bc1, .width = 4, .height = 4}).empty());
  const auto ycbcr = color_values(
      {.format = TextureFormat::uyvy, .width = 4, .height = 4, .color = {ColorMatrix::bt709, ColorRange::limited}});
  REQUIRE(ycbcr.size() == 2);
  CHECK(ycbcr[0].name == "to_rgb");
  // BT.709, limited range: R = 1.1644 Y' + 1.7927 Cr; G has -0.2132 Cb and -0.5329 Cr; B has 2.1124 Cb.
  CHECK(ycbcr[0].numbers[0] == doctest::Approx(1.1644).epsilon(0.001));
  CHECK(ycbcr[0].numbers[4] == doctest::Approx(-0.2132).epsilon(0.002));
  CHECK(ycbcr[0].numbers[5] == doctest::Approx(2.1124).epsilon(0.001));
  CHECK(ycbcr[0].numbers[6] == doctest::Approx(1.7927).epsilon(0.001));
  CHECK(ycbcr[1].numbers[0] == doctest::Approx(16.0 / 255));
  const auto light = color_values(
      {.format = TextureFormat::bc6h, .width = 4, .height = 4, .color = usual_color(TextureFormat::bc6h)}, 1);
  REQUIRE(light.size() == 3);
  CHECK(light[0].numbers[0] == 2);
}
