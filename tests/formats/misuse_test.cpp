// Calls that the public headers of frames and formats forbid throw an error that can be caught.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "check_error.h"
#include "texcast/frame_pool.h"
#include "texcast/quality.h"

using namespace texcast;
using namespace texcast::test;

namespace {

constexpr int kHuge = std::numeric_limits<int>::max();

}  // namespace

TEST_CASE("misuse: numbers that are not a format, coding, quality, method or model") {
  for (const auto none : {static_cast<TextureFormat>(0), static_cast<TextureFormat>(99), TextureFormat{255}})
    check_forbidden({
        {"texture format", [=] { format_row(none); }},
        {"texture format", [=] { plane_coding(none, 0); }},
        {"texture format", [=] { is_planar_ycocg(none); }},
        {"texture format", [=] { is_ycbcr(none); }},
        {"texture format", [=] { is_compressed(none); }},
        {"texture format", [=] { is_encoded(none); }},
        {"texture format", [=] { usual_color(none); }},
        {"texture format", [=] { plane_count(none); }},
        {"texture format", [=] { channel_count(none); }},
        {"texture format", [=] { reads_alpha(none); }},
        {"texture format", [=] { texture_layout(none, 4, 4); }},
        {"texture format", [=] { bits_per_pixel(none); }},
        {"texture format", [=] { name(none); }},
        {"texture format", [=] { has_quality(none, Quality::fast); }},
        {"texture format", [=] { list_qualities(none); }},
        {"texture format", [=] { has_method(none, Method::range); }},
        {"texture format", [=] { list_methods(none); }},
        {"texture format", [=] { method_for(none, Quality::fast); }},
        {"texture format", [=] { has_option(none, Method::range, MethodOption::black); }},
        {"texture format", [=] { options_of(none, Method::range, {.allow_black = true}); }},
        {"texture format", [=] { why_not(none, Quality::fast, {}, {}); }},
    });
  check_forbidden({
      {"coding", [] { coding(static_cast<CodingId>(99)); }},
      {"quality", [] { name(static_cast<Quality>(4)); }},
      {"quality", [] { method_for(TextureFormat::bc1, static_cast<Quality>(4)); }},
      {"quality", [] { method_for(TextureFormat::uyvy, Quality::fast); }},
      {"quality", [] { why_not(TextureFormat::bc1, static_cast<Quality>(4), {}, {}); }},
      {"method", [] { name(static_cast<Method>(99)); }},
      {"method", [] { why_not(TextureFormat::bc1, Quality::fast, static_cast<Method>(99), {}); }},
      {"model", [] { channel_count(static_cast<ColorModel>(99)); }},
      {"planes", [] { plane_coding(TextureFormat::bc1, 1); }},
      {"mip level", [] { level_of({.width = 4, .height = 4}, 3); }},
      {"mip level", [] { level_of({.width = 4, .height = 4}, -1); }},
      {"planes", [] { plane_coding(TextureFormat::ycocg_bc4_420, 3); }},
  });
  CHECK_FALSE(has_quality(TextureFormat::bc1, static_cast<Quality>(99)));  // its header allows this
  CHECK_FALSE(has_method(TextureFormat::bc1, static_cast<Method>(99)));
}

TEST_CASE("misuse: sides of textures, frames and pictures") {
  for (const auto& [width, height] : {std::pair{0, 4}, {4, 0}, {-1, 4}, {16385, 4}, {4, 16385}, {kHuge, kHuge}}) {
    const FrameFormat frame{.pixel_format = PixelFormat::nv12, .width = width, .height = height, .color = {}};
    check_forbidden({
        {"sides", [=, w = width, h = height] { texture_layout(TextureFormat::bc1, w, h); }},
        {"sides", [=, w = width, h = height] { most_levels(w, h); }},
        {"sides", [=] { place_frame(frame); }},
        {"sides", [=] { plane_rows(frame, 0); }},
        {"sides", [=] { plane_row_bytes(frame, 0); }},
        {"sides", [=] { FramePool::create(frame, 1); }},
    });
  }
  CHECK(texture_layout(TextureFormat::bc1, 16384, 16384).total_bytes == size_t{128} << 20);
  check_forbidden({
      {"sides",
       [] {
         shown_size(0, 1, {1, 1});
       }},
      {"sides",
       [] {
         shown_size(1, -1, {1, 1});
       }},
      {"sides",
       [] {
         shown_size(1, 1, {1, 1}, Orientation::upright, 0);
       }},
      {"terms of a pixel aspect",
       [] {
         shown_size(1, 1, {0, 1});
       }},
      {"terms of a pixel aspect",
       [] {
         shown_size(1, 1, {1, 0});
       }},
      {"tolerance", [] { simplest_aspect(1, 0); }},
      {"tolerance", [] { simplest_aspect(1, std::numeric_limits<double>::quiet_NaN()); }},
      {"turned", [] { orientation_turned(45); }},
      {"orientation", [] { turn_of(static_cast<Orientation>(0)); }},
      {"orientation", [] { turn_of(static_cast<Orientation>(9)); }},
  });
}

TEST_CASE("misuse: pixel formats and planes") {
  const auto none = static_cast<PixelFormat>(kPixelFormatCount);
  const FrameFormat frame{.pixel_format = none, .width = 4, .height = 4, .color = {}};
  const FrameFormat nv12{.pixel_format = PixelFormat::nv12, .width = 4, .height = 4, .color = {}};
  check_forbidden({
      {"pixel format", [=] { is_rgb(none); }},
      {"pixel format", [=] { plane_count(none); }},
      {"pixel format", [=] { name(none); }},
      {"pixel format", [=] { place_frame(frame); }},
      {"pixel format", [=] { plane_rows(frame, 0); }},
      {"pixel format", [=] { plane_row_bytes(frame, 0); }},
      {"pixel format", [=] { FramePool::create(frame, 1); }},
      {"plane", [=] { plane_rows(nv12, 2); }},
      {"plane", [=] { plane_row_bytes(nv12, -1); }},
  });
}

TEST_CASE("misuse: pools and leases, which survive it") {
  const FrameFormat format{.pixel_format = PixelFormat::nv12, .width = 64, .height = 4, .color = {}};
  const auto pool = FramePool::create(format, 2);
  FrameLease lease = pool->lend(), empty;
  const FrameView seen = lease.view();
  const FrameLease moved = std::move(lease);
  check_forbidden({
      {"4096", [=] { FramePool::create(format, kMostPooledFrames + 1); }},
      {"no memory", [=] { FramePool::create(format, 1, nullptr); }},
      {"matrix",
       [f = format]() mutable {
         f.color.matrix = static_cast<ColorMatrix>(7);
         FramePool::create(f, 1);
       }},
      {"range",
       [f = format]() mutable {
         f.color.range = static_cast<ColorRange>(7);
         FramePool::create(f, 1);
       }},
      {"pixels",
       [f = format]() mutable {
         f.aspect = {0, 1};
         FramePool::create(f, 1);
       }},
      {"empty", [&] { empty.plane(0); }},
      {"empty", [&] { empty.view(); }},
      {"empty", [&] { empty.shares(); }},
      {"empty", [&] { lease.view(); }},
      {"plane", [&] { moved.plane(2); }},
      {"plane", [&] { moved.plane(-1); }},
  });
  CHECK(moved.shares() == 1);
  { const FrameLease last = std::move(const_cast<FrameLease&>(moved)); }
  check_forbidden({{"share", [&] { pool->share(seen); }}});
  CHECK(pool->lent() == 0);
  CHECK(pool->lend());
}

TEST_CASE("misuse: pictures, which stay unchanged") {
  DecodedImage image;
  image.resize(4, 4, 3);
  DecodedImage torn = image, other = image;
  torn.pixels.pop_back();
  other.resize(4, 3, 4);
  check_forbidden({
      {"sides", [&] { image.resize(-1, 4, 3); }},
      {"sides", [&] { image.resize(kHuge, kHuge, 4); }},
      {"channels", [&] { image.resize(4, 4, 0); }},
      {"channels", [&] { image.resize(4, 4, 5); }},
      {"samples", [&] { image.resize(4, 4, 3, static_cast<SampleType>(9)); }},
      {"orientation", [&] { orient(image, static_cast<Orientation>(0)); }},
      {"bytes", [&] { orient(torn, Orientation::turned_90); }},
      {"differ", [&] { PsnrMeter().add(image, other); }},
      {"bytes", [&] { PsnrMeter().add(torn, torn); }},
      {"bytes", [&] { PsnrMeter().add(image, torn); }},
  });
  CHECK(image.width == 4);
  CHECK(image.pixels.size() == 48);
}
