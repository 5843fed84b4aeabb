// The OpenGL presenter off-screen: the position of the picture, its surroundings, and overlays.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "block_oracle.h"
#include "player/seek_bar.h"
#include "player/window.h"
#include "texcast/coding.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

using Rgb = std::array<int, 3>;
constexpr Rgb kBlack = {0, 0, 0};
constexpr Rgb kRed = {255, 0, 0};
constexpr uint16_t kRed565 = 0xF800;

Rgb pixel(const ShownPicture& picture, int x, int y) {
  const uint8_t* at = &picture.pixels[static_cast<size_t>((y * picture.width + x) * 3)];
  return {at[0], at[1], at[2]};
}

ShownPicture draw(Presenter& presenter, const std::vector<std::string>& lines = {},
                  OverlayPlace place = OverlayPlace::top_left) {
  const TextBlock text{lines, place};
  presenter.draw({.texts = {&text, 1}});
  auto picture = presenter.read_back();
  presenter.present();
  REQUIRE(picture);
  return *picture;
}

std::unique_ptr<Presenter> offscreen(int width, int height) {
  return make_presenter({.kind = PresenterKind::offscreen, .width = width, .height = height});
}

int count(const ShownPicture& picture, Rgb colour) {
  int found = 0;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) found += pixel(picture, x, y) == colour;
  return found;
}

void store_block(OwnedTexture& texture, size_t at, uint64_t block) {
  for (size_t i = 0; i < 8; ++i) texture.blocks[at + i] = static_cast<std::byte>(block >> (8 * i) & 0xFF);
}

// Black and opaque in the first 5 x 5 texels, white and transparent in the padding.
OwnedTexture dark_bc3_with_bright_padding() {
  OwnedTexture texture{{.format = TextureFormat::bc3, .width = 5, .height = 5}, {}};
  texture.blocks.resize(texture_layout(texture.desc).total_bytes);
  for (int b = 0; b < 4; ++b) {
    uint64_t alpha = 0xFF00, color = 0xFFFF;  // a0 = 0, a1 = 255; c0 = white, c1 = black
    for (int t = 0; t < 16; ++t)
      if (b % 2 * 4 + t % 4 < 5 && b / 2 * 4 + t / 4 < 5) {
        alpha |= uint64_t{1} << (16 + 3 * t);
        color |= uint64_t{1} << (32 + 2 * t);
      }
    store_block(texture, static_cast<size_t>(16 * b), alpha);
    store_block(texture, static_cast<size_t>(16 * b + 8), color);
  }
  return texture;
}

// Luma 0 and neutral chroma at scale 4; the padding has luma 255.
OwnedTexture dark_dxt5_with_bright_padding(TextureFormat format) {
  OwnedTexture texture{{.format = format, .width = 5, .height = 5}, {}};
  texture.blocks.resize(texture_layout(texture.desc).total_bytes);
  for (int b = 0; b < 4; ++b) {
    uint64_t luma = 0x00FF;
    for (int t = 0; t < 16; ++t)
      if (b % 2 * 4 + t % 4 < 5 && b / 2 * 4 + t / 4 < 5) luma |= uint64_t{1} << (16 + 3 * t);
    store_block(texture, static_cast<size_t>(16 * b), luma);
    // Index 2 everywhere: red (2 x 123 + 140) / 3, green (2 x 125 + 134) / 3, blue 24.
    const uint64_t c0 = 15 << 11 | 31 << 5 | 3, c1 = 17 << 11 | 33 << 5 | 3;
    store_block(texture, static_cast<size_t>(16 * b + 8), 0xAAAAAAAA00000000 | c1 << 16 | c0);
    // Opaque where luma is 0, and transparent in the padding: the inverse of luma.
    if (format == TextureFormat::ycocg_dxt5_alpha)
      store_block(texture, static_cast<size_t>(4 * 16 + 8 * b), (luma & ~uint64_t{0xFFFF}) | 0xFF00);
  }
  return texture;
}

// EAC blocks in the middle of the range, whose table 0 times 15 reaches beyond both ends.
OwnedTexture dark_eac_with_bright_padding(TextureFormat format) {
  OwnedTexture texture{{.format = format, .width = 5, .height = 5}, {}};
  const PlaneLayout plane = texture_layout(texture.desc).planes[0];
  texture.blocks.resize(plane.bytes);
  const auto halves = static_cast<size_t>(plane.block_bytes / 8);
  for (int b = 0; b < 4; ++b) {
    uint64_t indices = 0;
    for (int t = 0; t < 16; ++t) {
      const bool inside = b % 2 * 4 + t / 4 < 5 && b / 2 * 4 + t % 4 < 5;
      indices = indices << 3 | (inside ? 3 : 7);
    }
    std::array<std::byte, 8> block = {plane_coding(format, 0).is_signed ? std::byte{0} : std::byte{128},
                                      std::byte{0xF0}};
    for (size_t i = 0; i < 6; ++i) block[2 + i] = static_cast<std::byte>(indices >> (40 - 8 * i) & 0xFF);
    for (size_t half = 0; half < halves; ++half)
      std::ranges::copy(block,
                        texture.blocks.begin() + static_cast<ptrdiff_t>(8 * (static_cast<size_t>(b) * halves + half)));
  }
  return texture;
}

// T blocks of ETC2, with white alone and black between two others; alpha is 0 in the padding, if there is alpha.
OwnedTexture dark_etc_with_bright_padding(TextureFormat format) {
  OwnedTexture texture{{.format = format, .width = 5, .height = 5}, {}};
  texture.blocks.resize(texture_layout(texture.desc).total_bytes);
  const bool has_alpha = format == TextureFormat::etc2_alpha;
  for (int b = 0; b < 4; ++b) {
    uint64_t alpha = 0x80F0, color = 0xFBFF0002;
    uint64_t upper_bits = 0;
    for (int t = 0; t < 16; ++t) {  // column by column
      const bool inside = b % 2 * 4 + t / 4 < 5 && b / 2 * 4 + t % 4 < 5;
      alpha = alpha << 3 | (inside ? 7 : 3);
      if (inside) upper_bits |= uint64_t{1} << t;
    }
    color = color << 32 | upper_bits << 16;
    const auto at = static_cast<size_t>((has_alpha ? 16 : 8) * b);
    if (has_alpha) store_block(texture, at, __builtin_bswap64(alpha));
    store_block(texture, has_alpha ? at + 8 : at, __builtin_bswap64(color));
  }
  return texture;
}

// The first `inside` x `inside` texels have one value, the rest of the last blocks another: 5 texels of 8. Mode 5: 7
// bits from black to white in each channel, alpha 255; indices of two bits, 3 for white.
OwnedTexture dark_bc7_with_bright_padding() {
  OwnedTexture texture{{.format = TextureFormat::bc7, .width = 5, .height = 5}, {}};
  texture.blocks.resize(4 * 16);
  for (int block = 0; block < 4; ++block) {
    uint64_t indices = 3;  // the last two bits of alpha
    for (int t = 1; t < 16; ++t) {
      const bool inside = block % 2 * 4 + t % 4 < 5 && block / 2 * 4 + t / 4 < 5;
      if (!inside) indices |= uint64_t{3} << (2 * t + 1);
    }
    const uint64_t white = uint64_t{127} << 15 | uint64_t{127} << 29 | uint64_t{127} << 43;
    store_block(texture, static_cast<size_t>(16 * block), 1 << 5 | white | uint64_t{0x3FFF} << 50);
    store_block(texture, static_cast<size_t>(16 * block + 8), indices);
  }
  return texture;
}

// ASTC of luminance 0 to 255, with a weight per texel: two bits for 4 x 4, otherwise one.
OwnedTexture dark_astc_with_bright_padding(TextureFormat format) {
  const int side = plane_coding(format, 0).block_width, bits = side == 4 ? 2 : 1;
  const uint64_t mode = side == 4 ? 0x42 : side == 5 ? 0xE1 : side == 6 ? 0x104 : 0x544;  // Data Format 1.3, 23.10
  OwnedTexture texture{{.format = format, .width = side + 1, .height = side + 1}, {}};
  texture.blocks.resize(texture_layout(texture.desc).total_bytes);
  for (int block = 0; block < 4; ++block) {
    std::array<uint64_t, 2> words = {mode | uint64_t{255} << 25, 0};  // end points 0 and 255 from bit 17 on
    for (int t = 0; t < side * side; ++t) {
      const int x = block % 2 * side + t % side, y = block / 2 * side + t / side;
      if (x <= side && y <= side) continue;
      for (int bit = 0; bit < bits; ++bit) {
        const int at = 127 - bits * t - bit;
        words[static_cast<size_t>(at / 64)] |= uint64_t{1} << at % 64;
      }
    }
    store_block(texture, static_cast<size_t>(16 * block), words[0]);
    store_block(texture, static_cast<size_t>(16 * block + 8), words[1]);
  }
  return texture;
}

OwnedTexture dark_with_bright_padding(TextureFormat format) {
  if (is_astc(plane_coding(format, 0).id)) return dark_astc_with_bright_padding(format);
  if (format == TextureFormat::bc7) return dark_bc7_with_bright_padding();
  if (format == TextureFormat::bc3) return dark_bc3_with_bright_padding();
  if (format == TextureFormat::ycocg_dxt5 || format == TextureFormat::ycocg_dxt5_alpha)
    return dark_dxt5_with_bright_padding(format);
  if (plane_coding(format, 0).sample_type == SampleType::unorm16) return dark_eac_with_bright_padding(format);
  if (plane_coding(format, 0).name.starts_with("ETC2")) return dark_etc_with_bright_padding(format);
  OwnedTexture texture{{.format = format, .width = 5, .height = 5}, {}};
  const TextureLayout layout = texture_layout(texture.desc);
  texture.blocks.resize(layout.total_bytes);
  for (int p = 0; p < layout.plane_count; ++p) {
    const PlaneLayout& plane = layout.planes[static_cast<size_t>(p)];
    for (int by = 0; by < plane.blocks_y; ++by) {
      for (int bx = 0; bx < plane.blocks_x; ++bx) {
        const bool is_signed = plane_coding(format, static_cast<size_t>(p)).is_signed;
        uint64_t block = format == TextureFormat::bc1 ? 0x0000FFFF  // white, black
                         : is_signed                  ? 0x817F      // 127, -127
                         : p == 0                     ? 0x00FF
                                                      : 0x80FF;  // 255, 0 or neutral 128
        const int index_at = format == TextureFormat::bc1 ? 32 : 16, index_bits = format == TextureFormat::bc1 ? 2 : 3;
        for (int t = 0; t < 16; ++t) {
          const bool inside = bx * 4 + t % 4 < plane.width && by * 4 + t / 4 < plane.height;
          if (inside)
            block |= uint64_t{1} << (index_at + index_bits * t);  // index 1: the second value, dark or neutral
        }
        // A block of 16 bytes has two of them.
        const auto halves = static_cast<size_t>(plane.block_bytes / 8);
        const size_t at = plane.offset + static_cast<size_t>(by * plane.blocks_x + bx) * halves * 8;
        for (size_t half = 0; half < halves; ++half) store_block(texture, at + 8 * half, block);
      }
    }
  }
  return texture;
}

}  // namespace

TEST_CASE("off-screen: the surface has the first picture's size unless one was requested") {
  const auto presenter = make_presenter({.kind = PresenterKind::offscreen});
  CHECK(presenter->width() == 1280);
  presenter->upload(flat_bc1(97, 33, kRed565).view());
  CHECK(presenter->width() == 97);
  CHECK(presenter->height() == 33);
  presenter->upload(flat_bc1(640, 480, kRed565).view());
  CHECK(presenter->width() == 97);
  CHECK_FALSE(presenter->poll());
  CHECK(presenter->renderer().find("OpenGL") != std::string::npos);
}

TEST_CASE("aspect is kept: bars are black, the picture fills exactly its rectangle") {
  const auto presenter = offscreen(300, 200);
  draw(*presenter);  // the slate, which is not black: the bars must be painted
  presenter->upload(flat_bc1(64, 64, kRed565).view());
  ShownPicture shown = draw(*presenter);
  for (const int y : {0, 100, 199}) {
    CHECK(pixel(shown, 49, y) == kBlack);
    CHECK(pixel(shown, 50, y) == kRed);
    CHECK(pixel(shown, 249, y) == kRed);
    CHECK(pixel(shown, 250, y) == kBlack);
  }
  CHECK(count(shown, kRed) == 200 * 200);

  presenter->resize(100, 301);  // the bars move above and below
  presenter->clear_picture();
  draw(*presenter);
  presenter->upload(flat_bc1(64, 64, kRed565).view());
  shown = draw(*presenter);
  CHECK(count(shown, kRed) == 100 * 100);
  CHECK(count(shown, kBlack) == 100 * 201);
  CHECK(pixel(shown, 0, 99) == kBlack);
  CHECK(pixel(shown, 0, 100) == kRed);
}

TEST_CASE("the top row of the texture is the top row of the screen, scaled and unscaled") {
  OwnedTexture texture = flat_bc1(8, 8, kRed565);
  std::fill_n(texture.blocks.begin(), 8, std::byte{0});  // the block at the top left: black
  for (const int side : {8, 32}) {
    const auto presenter = offscreen(side, side);
    presenter->upload(texture.view());
    const ShownPicture shown = draw(*presenter);
    CHECK(pixel(shown, 0, 0) == kBlack);
    CHECK(pixel(shown, side - 1, 0) == kRed);
    CHECK(pixel(shown, 0, side - 1) == kRed);
  }
}

// Red, with a black block at the top left.
static OwnedTexture marked_texture() {
  OwnedTexture texture = flat_bc1(8, 8, kRed565);
  std::fill_n(texture.blocks.begin(), 8, std::byte{0});
  return texture;
}

TEST_CASE("turned pictures: the corner is where their orientation puts it, scaled and unscaled") {
  // The corner in which the block at the top left is displayed: right, below.
  constexpr std::array<std::array<bool, 2>, 8> kCorner = {{{false, false},
                                                           {true, false},
                                                           {true, true},
                                                           {false, true},
                                                           {false, false},
                                                           {true, false},
                                                           {true, true},
                                                           {false, true}}};
  OwnedTexture texture = marked_texture();
  for (const int side : {8, 32}) {
    const auto presenter = offscreen(side, side);
    for (size_t i = 0; i < 8; ++i) {
      CAPTURE(i + 1);
      texture.desc.orientation = static_cast<Orientation>(i + 1);
      presenter->upload(texture.view());
      const ShownPicture shown = draw(*presenter);
      for (const bool right : {false, true})
        for (const bool below : {false, true})
          CHECK((pixel(shown, right ? side - 1 : 0, below ? side - 1 : 0) == kBlack) ==
                (kCorner[i] == std::array{right, below}));
    }
  }
}

TEST_CASE("pixels that are not square: surface and rectangle have the displayed picture's shape") {
  OwnedTexture texture = flat_bc1(72, 56, kRed565);
  texture.desc.aspect = {64, 45};
  const auto natural = make_presenter({.kind = PresenterKind::offscreen});
  natural->upload(texture.view());
  CHECK(natural->width() == 102);
  CHECK(natural->height() == 56);
  CHECK(count(draw(*natural), kRed) == 102 * 56);

  texture.desc.orientation = Orientation::turned_90;
  const auto presenter = offscreen(200, 204);
  presenter->upload(texture.view());
  CHECK(count(draw(*presenter), kRed) == 112 * 204);  // 56 x 102.4, fitted in

  // Overridden: 2:1 upright in a square is half of it.
  const auto overridden = make_presenter(
      {.kind = PresenterKind::offscreen, .width = 100, .height = 100, .rotate = 0, .aspect = PixelAspect{2, 1}});
  overridden->upload(texture.view());
  CHECK(count(draw(*overridden), kRed) == 100 * 50);
}

TEST_CASE("padding of the last blocks never bleeds into a scaled picture") {
  for (const TextureFormat format : encoded_formats()) {
    CAPTURE(name(format));
    const auto presenter = offscreen(83, 83);
    presenter->upload(dark_with_bright_padding(format).view());
    const ShownPicture shown = draw(*presenter);
    CHECK(*std::max_element(shown.pixels.begin(), shown.pixels.end()) == 0);
  }
}

TEST_CASE("scaled pictures are smooth: linear between texel centres") {
  // The left half is black, the right half white, 4 texels each, enlarged 16 times: a ramp one texel wide in the
  // middle.
  OwnedTexture texture = flat_bc1(8, 4, 0xFFFF);
  std::fill_n(texture.blocks.begin(), 8, std::byte{0});
  const auto presenter = offscreen(128, 64);
  presenter->upload(texture.view());
  const ShownPicture shown = draw(*presenter);
  for (int x = 0; x < 128; ++x) {
    const double want = std::clamp(((x + 0.5) / 16 - 3.5) * 255, 0.0, 255.0);
    CHECK(std::abs(pixel(shown, x, 30)[1] - want) <= 2);
  }
}

TEST_CASE("pairs of pixels, scaled: smooth across them, and the padding of an odd width is never visible") {
  // Of 7 pixels of gray the first 4 are black and the rest white. The eighth, outside the picture, is black again.
  OwnedTexture texture{{.format = TextureFormat::uyvy, .width = 7, .height = 2}, {}};
  texture.desc.color = usual_color(TextureFormat::uyvy);
  for (int x = 0; x < 16; ++x)
    for (const int byte : {128, x % 8 >= 4 && x % 8 < 7 ? 235 : 16}) texture.blocks.push_back(std::byte(byte));
  const auto presenter = offscreen(112, 32);
  presenter->upload(texture.view());
  const ShownPicture shown = draw(*presenter);
  for (int x = 0; x < 112; ++x) {
    CAPTURE(x);
    const double want = std::clamp(((x + 0.5) / 16 - 3.5) * 255, 0.0, 255.0);
    for (size_t c = 0; c < 3; ++c) CHECK(std::abs(pixel(shown, x, 15)[c] - want) <= 1.5);
  }
}

// One red block, opaque in the left half and transparent in the right, where its colour is green.
TEST_CASE("alpha: blended over tiles of 16 pixels; the colour of transparent texels is never visible") {
  OwnedTexture texture{{.format = TextureFormat::bc3, .width = 4, .height = 4}, {}};
  texture.blocks.resize(16);
  uint64_t alpha = 0x00FF, color = uint64_t{0x07E0} << 16 | kRed565;
  for (int t = 0; t < 16; ++t)
    if (t % 4 >= 2) {
      alpha |= uint64_t{1} << (16 + 3 * t);
      color |= uint64_t{1} << (32 + 2 * t);
    }
  store_block(texture, 0, alpha);
  store_block(texture, 8, color);
  const auto presenter = offscreen(64, 64);
  presenter->upload(texture.view());
  const ShownPicture shown = draw(*presenter);
  CHECK(pixel(shown, 0, 0) == kRed);
  CHECK(pixel(shown, 40, 0) == Rgb{237, 237, 237});
  CHECK(pixel(shown, 63, 15) == Rgb{222, 222, 222});
  CHECK(pixel(shown, 63, 16) == Rgb{237, 237, 237});
  for (int x = 0; x < 64; ++x) {
    const Rgb p = pixel(shown, x, 8);  // between the halves red over gray: no green beyond the tiles' own
    CHECK(p[1] == p[2]);
  }
}

TEST_CASE("format and size may change from frame to frame") {
  const auto presenter = offscreen(64, 64);
  for (int round = 0; round < 2; ++round) {
    for (const TextureFormat format : shown_formats()) {
      if (!presenter->takes(plane_coding(format, 0).id)) {
        MESSAGE("SKIP: ", name(format), ": this OpenGL does not have the format");
        continue;
      }
      for (const int side : {64, 31}) {
        const OwnedTexture texture = random_texture(format, side, side, 5);
        presenter->upload(texture.view());
        presenter->resize(side, side);
        CHECK(compare(draw(*presenter), decode_picture(texture)).largest <=
              tolerance(format, presenter->renderer()).largest);
      }
    }
  }
}

TEST_CASE("more uploads than texture sets: the last one is always shown") {
  const auto presenter = offscreen(16, 16);
  for (const int colour : {0xF800, 0x07E0, 0x001F, 0xF800, 0xFFFF, 0x001F, 0x07E0}) {
    presenter->upload(flat_bc1(16, 16, static_cast<uint16_t>(colour)).view());
    const Rgb want = {colour & 0xF800 ? 255 : 0, colour & 0x07E0 ? 255 : 0, colour & 0x001F ? 255 : 0};
    CHECK(count(draw(*presenter), want) == 256);
  }
}

TEST_CASE("a picture uploaded in parts is the same, whichever plane a part ends in") {
  for (const TextureFormat format :
       {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_dxt5_alpha}) {
    const OwnedTexture before = random_texture(format, 61, 35, 1), texture = random_texture(format, 61, 35, 2);
    const auto whole = offscreen(61, 35), parts = offscreen(61, 35);
    whole->upload(texture.view());
    parts->upload(before.view());
    const auto shown_before = draw(*parts).pixels;
    auto coming = texture;
    std::fill(coming.blocks.begin(), coming.blocks.end(), std::byte{0x5A});
    const size_t all = coming.blocks.size();
    for (size_t ready = 0; ready < all; ready += 100) {
      std::copy_n(texture.blocks.begin(), ready, coming.blocks.begin());
      parts->upload_ahead(coming.view(), ready);
    }
    CHECK(draw(*parts).pixels == shown_before);  // nothing of it is visible yet
    // The uploaded parts stay: upload() adds the rest.
    std::copy(texture.blocks.begin(), texture.blocks.end(), coming.blocks.begin());
    std::fill_n(coming.blocks.begin(), 64, std::byte{0x5A});
    parts->upload(coming.view());
    CHECK(draw(*parts).pixels == draw(*whole).pixels);
    // Dropped parts leave no trace.
    parts->upload_ahead(before.view(), all / 2);
    parts->drop_ahead();
    parts->upload(texture.view());
    CHECK(draw(*parts).pixels == draw(*whole).pixels);
    parts->upload_ahead(before.view(), all / 2);
    parts->clear_picture();
    parts->upload(texture.view());
    CHECK(draw(*parts).pixels == draw(*whole).pixels);
  }
}

TEST_CASE("overlay: white text on a dark panel at the top left, the picture unchanged elsewhere") {
  const auto presenter = offscreen(640, 360);
  presenter->upload(flat_bc1(640, 360, 0xFFFF).view());
  const ShownPicture plain = draw(*presenter);
  CHECK(count(plain, {255, 255, 255}) == 640 * 360);
  const ShownPicture with_text = draw(*presenter, {"source  rtp://:5004", "shown   60 fps"});
  int changed = 0, dark = 0;
  for (int y = 0; y < 360; ++y) {
    for (int x = 0; x < 640; ++x) {
      if (pixel(with_text, x, y) == pixel(plain, x, y)) continue;
      ++changed;
      CHECK(x < 320);
      CHECK(y < 120);
      if (pixel(with_text, x, y)[0] < 40) ++dark;  // so that text is readable over white terminals
    }
  }
  CHECK(changed > 5000);
  CHECK(dark > changed * 2 / 3);
  const ShownPicture again = draw(*presenter, {"source  rtp://:5004", "shown   61 fps"});
  CHECK(again.pixels != with_text.pixels);
  CHECK(draw(*presenter).pixels == plain.pixels);
}

TEST_CASE("overlay: a dimmed picture is darker everywhere, the text over it as bright as ever") {
  const auto presenter = offscreen(160, 90);
  presenter->upload(flat_bc1(160, 90, 0xFFFF).view());
  const std::vector<std::string> words = {"no signal"};
  const TextBlock block{words, OverlayPlace::centre};
  presenter->draw({.texts = {&block, 1}, .dim = true});
  const auto shown = presenter->read_back();
  presenter->present();
  REQUIRE(shown);
  CHECK(pixel(*shown, 0, 0)[0] == doctest::Approx(255 * 0.4).epsilon(0.02));
  CHECK(pixel(*shown, 159, 89) == pixel(*shown, 0, 0));
  int brightest = 0;
  for (int x = 0; x < 160; ++x)
    for (int y = 30; y < 60; ++y) brightest = std::max<int>(brightest, pixel(*shown, x, y)[0]);
  CHECK(brightest > 240);
}

// Columns and rows of a white picture that an overlay darkens: the first and the last.
std::array<int, 4> darkened(const ShownPicture& shown) {
  std::array<int, 4> box = {shown.width, -1, shown.height, -1};
  for (int y = 0; y < shown.height; ++y)
    for (int x = 0; x < shown.width; ++x) {
      if (pixel(shown, x, y)[0] > 240) continue;
      box = {std::min(box[0], x), std::max(box[1], x), std::min(box[2], y), std::max(box[3], y)};
    }
  return box;
}

TEST_CASE("overlay: panels do not overlap: the middle one moves right, or is shown alone; the right one moves below") {
  const auto presenter = offscreen(640, 360);
  presenter->upload(flat_bc1(640, 360, 0xFFFF).view());
  const std::vector<std::string> small = {"name", "name"}, wide(12, std::string(40, 'x')),
                                 all(22, std::string(90, 'x'));
  const auto area_of = [&](const std::vector<TextBlock>& blocks) {
    presenter->draw({.texts = blocks});
    const auto shown = presenter->read_back();
    presenter->present();
    int dark = 0;
    for (int y = 0; y < 360; ++y)
      for (int x = 0; x < 640; ++x) dark += pixel(*shown, x, y)[0] <= 90;  // one panel: 32; where two overlap: below 10
    int twice = 0;
    for (int y = 0; y < 360; ++y)
      for (int x = 0; x < 640; ++x) twice += pixel(*shown, x, y)[0] < 20;
    CHECK(twice == 0);
    return std::pair(dark, darkened(*shown));
  };
  const auto [small_area, small_box] = area_of({{small, OverlayPlace::top_left}});
  const auto [wide_area, wide_box] = area_of({{wide, OverlayPlace::centre}});
  const auto [all_area, all_box] = area_of({{all, OverlayPlace::centre}});
  CHECK(area_of({{small, OverlayPlace::top_left}, {wide, OverlayPlace::centre}}).first == small_area + wide_area);
  // As high as the middle one, which has to move.
  const std::vector<std::string> tall(12, "name");
  const auto [tall_area, tall_box] = area_of({{tall, OverlayPlace::top_left}});
  const auto [both_area, both_box] = area_of({{tall, OverlayPlace::top_left}, {wide, OverlayPlace::centre}});
  CHECK(both_area == tall_area + wide_area);
  CHECK(area_of({{small, OverlayPlace::top_left}, {all, OverlayPlace::centre}}).first == all_area);  // no space
  const std::vector<std::string> band(8, std::string(90, 'x'));
  const auto [band_area, band_box] = area_of({{band, OverlayPlace::top_left}});
  const auto [below_area, below_box] = area_of({{band, OverlayPlace::top_left}, {small, OverlayPlace::top_right}});
  CHECK(below_area == band_area + small_area);
  CHECK(below_box[3] > band_box[3]);
}

TEST_CASE("overlay: the seek bar is at the bottom, its knob at the position, text above the pointer") {
  const auto presenter = offscreen(640, 360);
  presenter->upload(flat_bc1(640, 360, 0xFFFF).view());
  const SeekBarLayout layout = seek_bar_layout({640, 360}, 4);
  const auto drawn = [&](const SeekBar& bar) {
    presenter->draw({.texts = {}, .seek_bar = &bar});
    auto picture = presenter->read_back();
    presenter->present();
    return *picture;
  };
  const SeekBar half{.played = 0.5, .position = "1:00", .duration = "2:00"};
  const ShownPicture plain = drawn(half);
  const auto box = darkened(plain);
  CHECK(box[0] >= layout.panel.x);
  CHECK(box[1] < layout.panel.x + layout.panel.width);
  CHECK(box[2] >= layout.panel.y);
  CHECK(box[3] < layout.panel.y + layout.panel.height);
  const int middle = layout.track.y + layout.track.height / 2;
  const auto at = [&](double part) { return pixel(plain, x_at(layout, part), middle); };
  CHECK(at(0.5) == Rgb{255, 255, 255});    // the knob
  CHECK(at(0.25)[2] > at(0.25)[0] + 100);  // played: blue
  CHECK(at(0.75)[2] == at(0.75)[0]);       // not played: grey
  int ink = 0;                             // the position's text
  for (int y = layout.panel.y; y < layout.panel.y + layout.panel.height; ++y)
    for (int x = layout.position_label.x; x < layout.position_label.x + layout.position_label.width; ++x)
      ink += pixel(plain, x, y)[0] > 200;
  CHECK(ink > 20);
  SeekBar pointed = half;
  pointed.pointed = 0.9;
  pointed.pointed_at = "1:48";
  CHECK(darkened(drawn(pointed))[2] < layout.panel.y);
}

namespace {

// Four colours: red and green above, the green half transparent; blue and white below. The hot spot is the blue texel.
std::shared_ptr<const CursorShape> four_colours() {
  return std::make_shared<CursorShape>(CursorShape{
      .width = 2, .height = 2, .hot_x = 0, .hot_y = 1, .texels = {0xFFFF0000, 0x80008000, 0xFF0000FF, 0xFFFFFFFF}});
}

ShownPicture with_cursor(Presenter& presenter, const Cursor& cursor) {
  presenter.draw({.texts = {}, .cursor = &cursor});
  auto picture = presenter.read_back();
  presenter.present();
  REQUIRE(picture);
  return *picture;
}

constexpr Rgb kBlue = {0, 0, 255}, kWhite = {255, 255, 255};

}  // namespace

TEST_CASE("pointer: its texels are pixels of the screen if the picture's are, blended by their alpha") {
  const auto presenter = offscreen(32, 16);
  presenter->upload(flat_bc1(32, 16, 0x001F).view());  // blue
  Cursor cursor{.visible = true, .x = 10, .y = 5, .shape = four_colours()};
  const ShownPicture shown = with_cursor(*presenter, cursor);
  CHECK(pixel(shown, 10, 4) == kRed);
  const Rgb half = pixel(shown, 11, 4);
  CHECK(half[0] == 0);
  CHECK(std::abs(half[1] - 128) <= 1);
  CHECK(std::abs(half[2] - 127) <= 1);
  CHECK(pixel(shown, 10, 5) == kBlue);
  CHECK(pixel(shown, 11, 5) == kWhite);
  CHECK(count(shown, kBlue) == 32 * 16 - 3);

  cursor.visible = false;
  CHECK(count(with_cursor(*presenter, cursor), kBlue) == 32 * 16);
  cursor = {.visible = true, .x = 31, .y = 0, .shape = four_colours()};  // red above the edge, white beyond it
  const ShownPicture corner = with_cursor(*presenter, cursor);
  CHECK(count(corner, kRed) == 0);
  CHECK(count(corner, kWhite) == 0);
  cursor.x = 1000;
  CHECK(count(with_cursor(*presenter, cursor), kBlue) == 32 * 16);
}

TEST_CASE("pointer: scaled with the picture, turned with it, and never over the bars") {
  const auto scaled = offscreen(64, 96);  // the picture has 64 x 32, from row 32 on
  scaled->upload(flat_bc1(32, 16, 0x001F).view());
  Cursor cursor{.visible = true, .x = 10, .y = 1, .shape = four_colours()};
  const ShownPicture twice = with_cursor(*scaled, cursor);
  CHECK(pixel(twice, 20, 32) == kRed);
  CHECK(pixel(twice, 23, 35) == kWhite);
  CHECK(pixel(twice, 20, 31) == kBlack);
  cursor.y = 0;  // its upper half is outside the picture
  const ShownPicture cut = with_cursor(*scaled, cursor);
  CHECK(pixel(cut, 20, 31) == kBlack);
  CHECK(count(cut, kRed) == 0);
  CHECK(pixel(cut, 23, 33) == kWhite);

  const auto turned = make_presenter({.kind = PresenterKind::offscreen, .width = 16, .height = 32, .rotate = 90});
  turned->upload(flat_bc1(32, 16, 0x001F).view());
  // Clockwise: x goes down, y to the left. Texel (10, 4) is displayed at x = 16 - 1 - 4, y = 10.
  cursor = {.visible = true, .x = 10, .y = 5, .shape = four_colours()};
  const ShownPicture clockwise = with_cursor(*turned, cursor);
  CHECK(pixel(clockwise, 11, 10) == kRed);
  CHECK(pixel(clockwise, 10, 11) == kWhite);
  CHECK(pixel(clockwise, 10, 10) == kBlue);
}

TEST_CASE("slate: dark with text in the middle, before the first picture and after clear_picture") {
  const auto presenter = offscreen(640, 360);
  const ShownPicture slate = draw(*presenter, {"waiting for rtp://:5004"}, OverlayPlace::centre);
  const Rgb background = pixel(slate, 0, 0);
  CHECK(background != kBlack);
  CHECK(*std::max_element(background.begin(), background.end()) < 60);
  CHECK(count(slate, {255, 255, 255}) > 50);
  int formats = 0;
  while (presenter->warm_up_more()) ++formats;
  CHECK(formats == 2);  // of which nothing is seen
  CHECK(presenter->read_back()->pixels == slate.pixels);
  presenter->upload(flat_bc1(640, 360, kRed565).view());
  CHECK(!presenter->warm_up_more());
  CHECK(count(draw(*presenter), kRed) == 640 * 360);
  presenter->clear_picture();
  CHECK(draw(*presenter, {"waiting for rtp://:5004"}, OverlayPlace::centre).pixels == slate.pixels);
}

TEST_CASE("mirrored: left and right, or top and bottom, are swapped as displayed") {
  const OwnedTexture texture = random_texture(TextureFormat::bc1, 64, 32, 5);
  const OraclePlane upright = decode_picture(texture);
  for (const bool turned : {false, true})
    for (const Mirror mirror : {Mirror::none, Mirror::horizontal, Mirror::vertical}) {
      CAPTURE(turned);
      CAPTURE(static_cast<int>(mirror));
      const auto presenter = make_presenter({.kind = PresenterKind::offscreen,
                                             .width = turned ? 32 : 64,
                                             .height = turned ? 64 : 32,
                                             .rotate = turned ? std::optional(90) : std::nullopt,
                                             .mirror = mirror});
      presenter->upload(texture.view());
      OraclePlane want = upright;
      if (turned) std::swap(want.width, want.height);
      for (int y = 0; y < want.height; ++y)
        for (int x = 0; x < want.width; ++x) {
          const int seen_x = mirror == Mirror::horizontal ? want.width - 1 - x : x;
          const int seen_y = mirror == Mirror::vertical ? want.height - 1 - y : y;
          // A quarter clockwise: x, y on the display is y, height - 1 - x in the texture.
          for (int channel = 0; channel < 3; ++channel)
            want.texels[static_cast<size_t>((y * want.width + x) * 3 + channel)] =
                turned ? upright.at(seen_y, upright.height - 1 - seen_x, channel) : upright.at(seen_x, seen_y, channel);
        }
      CHECK(compare(draw(*presenter), want).largest <= tolerance(TextureFormat::bc1, presenter->renderer()).largest);
    }
}

TEST_CASE("without a font there is no text, but the picture") {
  const auto presenter = make_presenter(
      {.kind = PresenterKind::offscreen, .width = 64, .height = 64, .font_file = "/nonexistent/font.ttf"});
  presenter->upload(flat_bc1(64, 64, kRed565).view());
  CHECK(count(draw(*presenter, {"words"}), kRed) == 64 * 64);
}

TEST_CASE("the largest possible width") {
  const auto presenter = offscreen(64, 64);
  presenter->upload(flat_bc1(kMaxFrameSize, 4, kRed565).view());
  CHECK(count(draw(*presenter), kRed) == 64);
}

TEST_CASE("kind none: takes everything, shows nothing") {
  const auto presenter = make_presenter({.kind = PresenterKind::none});
  presenter->upload(flat_bc1(64, 64, kRed565).view());
  presenter->draw({});
  CHECK_FALSE(presenter->read_back());
  presenter->present();
  CHECK_FALSE(presenter->poll());
  CHECK(presenter->width() == 0);
}

}  // namespace texcast::player
