// Checks every row of the table of formats against the assumptions of the rest of texcast, so that a missing field is
// found here and not by whoever uses the format.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "capture_bound.h"
#include "texcast/format.h"
#include "texcast/quality.h"

using namespace texcast;

namespace {

constexpr std::array<char, 4> kNoCode{};

std::span<const FormatPlane> planes_of(const Format& row) {
  return std::span(row.planes).first(static_cast<size_t>(row.plane_count));
}

template <typename Each>
void for_each_row(Each each) {
  for (const Format& row : formats()) {
    CAPTURE(row.name);
    each(row);
  }
}

template <typename Each>
void for_each_coding(Each each) {
  for (const Coding& coding : codings()) {
    CAPTURE(coding.name);
    each(coding);
  }
}

const Format* format_with(CodingId coding, TrackKind kind) {
  const auto found = std::ranges::find_if(formats(), [&](const Format& row) {
    return row.is_plain && row.plane_count == 1 && row.planes[0].coding == coding && row.track.kind == kind;
  });
  return found == formats().end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("every number of a texture format, from 1 on, has one row, found by number and by name") {
  std::set<int> numbers;
  for_each_row([&](const Format& row) {
    CHECK(numbers.insert(static_cast<int>(row.id)).second);
    CHECK(&format_row(row.id) == &row);
    CHECK(name(row.id) == row.name);
    CHECK(texture_format_from_name(row.name) == row.id);
  });
  CHECK(*numbers.begin() == 1);
  CHECK(*numbers.rbegin() == static_cast<int>(numbers.size()));
  CHECK(!texture_format_from_name("no such format"));
}

TEST_CASE("formats are encoded or received, and the encoded ones come first") {
  CHECK(encoded_formats().size() + received_formats().size() == formats().size());
  for (size_t i = 0; i < formats().size(); ++i) {
    CAPTURE(formats()[i].name);
    CHECK(shown_formats()[i] == formats()[i].id);
    CHECK(formats()[i].is_encoded() == (i < encoded_formats().size()));
  }
}

TEST_CASE("every format has a FourCC of its own on the wire") {
  std::set<std::array<char, 4>> codes;
  for_each_row([&](const Format& row) {
    CHECK(row.wire != kNoCode);
    CHECK(codes.insert(row.wire).second);
    for (const auto& alias : row.wire_aliases) {
      CHECK(alias != kNoCode);
      CHECK(codes.insert(alias).second);
    }
  });
}

TEST_CASE("every coding has its place, a size, channels, and formats of OpenCL's and OpenGL's memory") {
  std::set<std::string_view> names;
  for_each_coding([&](const Coding& c) {
    CHECK(&coding(c.id) == &c);
    CHECK(names.insert(c.name).second);
    CHECK((c.block_width >= 1 && c.block_width <= 12 && c.block_height >= 1 && c.block_height <= 12));
    CHECK((c.block_bytes >= 1 && c.block_bytes <= 16));
    CHECK((c.channels >= 1 && c.channels <= 4));
    CHECK(c.gl.internal_format != 0);
    CHECK((c.gl.pixel_format != 0) == !c.is_compressed);
    // A block that is not compressed is one OpenGL texel.
    if (!c.is_compressed) CHECK(c.block_height == 1);
    if (c.is_pair()) {
      auto order = c.pair_order;
      std::ranges::sort(order);
      CHECK(order == std::array<uint8_t, 4>{0, 1, 2, 3});
    }
    CHECK(std::ranges::any_of(formats(), [&](const Format& row) { return row.planes[0].coding == c.id; }));
  });
}

TEST_CASE("DDS distinguishes every coding, and neither DDS nor KTX2 describes two codings alike") {
  std::map<uint32_t, std::string_view> vk, dxgi, fourccs;
  const auto claim = [](auto& numbers, uint32_t number, std::string_view name) {
    CAPTURE(number);
    CHECK(numbers.emplace(number, name).second);
  };
  const auto claim_all = [&](auto& numbers, const FormatNumbers& f, std::string_view name) {
    if (f.unorm == 0) return;
    CHECK((f.first <= f.unorm && f.unorm <= f.last));
    CHECK(f.has(f.unorm));
    for (uint32_t number = f.first; number <= f.last; ++number) claim(numbers, number, name);
    if (f.srgb != 0 && (f.srgb < f.first || f.srgb > f.last)) claim(numbers, f.srgb, name);
  };
  for_each_coding([&](const Coding& c) {
    claim_all(vk, c.vk, c.name);
    claim_all(dxgi, c.dxgi, c.name);
    for (const uint32_t code : c.dds_fourccs)
      if (code != 0) claim(fourccs, code, c.name);
    CHECK((c.dds_fourccs[0] != 0 || c.masks.bits != 0 || c.dxgi.unorm != 0));
    if (c.masks.bits != 0) CHECK(c.masks.bits == 8u * static_cast<uint32_t>(c.block_bytes));
    CHECK(!c.vk.has(0));
    CHECK(!c.dxgi.has(0));
  });
}

TEST_CASE("KTX2 descriptors describe each sample, bit by bit") {
  for_each_coding([](const Coding& c) {
    CHECK((c.vk.unorm != 0) == (c.dfd_model != 0));
    CHECK((c.vk.unorm != 0) == !c.dfd_samples.empty());
    if (c.vk.unorm == 0) return;
    int at = 0;
    for (const DfdSample& sample : c.dfd_samples) {
      if (c.id == CodingId::etc2_a1 && sample.is_alpha) {  // the same bits again
        CHECK(sample.bit_offset == 0);
        continue;
      }
      CHECK(sample.bit_offset == at);
      at += sample.bit_length;
    }
    CHECK(at == 8 * c.block_bytes);
  });
}

TEST_CASE("planes: one to three, the first at full size, together those of the colour model") {
  for_each_row([](const Format& row) {
    REQUIRE((row.plane_count >= 1 && row.plane_count <= 3));
    for (const FormatPlane& plane : planes_of(row)) CHECK((plane.across >= 1 && plane.down >= 1));
    CHECK((row.planes[0].across == 1 && row.planes[0].down == 1));
    CHECK((row.model == ColorModel::ycocg_planes) == (row.plane_count == 3));
    CHECK((row.model == ColorModel::scaled_ycocg_alpha) == (row.plane_count == 2));
    CHECK((channel_count(row.model) >= 1 && channel_count(row.model) <= 4));
    if (row.is_encoded() && channel_count(row.model) == 4) CHECK(reads_alpha(row.model));
  });
}

TEST_CASE("layouts cover pictures of every size with whole blocks of any size, and have no gaps between planes") {
  for_each_row([](const Format& row) {
    for (const auto& [width, height] :
         {std::array{1, 1}, std::array{3, 5}, std::array{13, 25}, std::array{1920, 1080}, std::array{16384, 16384}}) {
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      const TextureLayout layout = texture_layout(row.id, width, height);
      REQUIRE(layout.plane_count == row.plane_count);
      size_t at = 0;
      for (size_t p = 0; p < static_cast<size_t>(row.plane_count); ++p) {
        const PlaneLayout& plane = layout.planes[p];
        const Coding& blocks = plane_coding(row.id, p);
        CHECK(plane.offset == at);
        CHECK((plane.width - 1) * row.planes[p].across < width);
        CHECK(plane.width * row.planes[p].across >= width);
        CHECK(plane.height * row.planes[p].down >= height);
        CHECK((plane.blocks_x - 1) * blocks.block_width < plane.width);
        CHECK(plane.blocks_x * blocks.block_width >= plane.width);
        CHECK((plane.blocks_y - 1) * blocks.block_height < plane.height);
        CHECK(plane.blocks_y * blocks.block_height >= plane.height);
        CHECK(plane.bytes == static_cast<size_t>(plane.blocks_x) * static_cast<size_t>(plane.blocks_y) *
                                 static_cast<size_t>(blocks.block_bytes));
        at += plane.bytes;
      }
      CHECK(layout.total_bytes == at);
    }
    // At a size that is a multiple of all block sizes, nominal and actual bits are the same.
    const double bits = 8.0 * static_cast<double>(texture_layout(row.id, 960, 960).total_bytes) / (960 * 960);
    CHECK(bits_per_pixel(row.id) == doctest::Approx(bits));
  });
}

TEST_CASE("qualities begin with fast, none is skipped, and methods are named once") {
  for_each_row([](const Format& row) {
    CHECK(row.by_quality.size() <= kQualities.size());
    std::set<Method> methods;
    for (const auto& list : {row.by_quality, row.more_methods})
      for (const Method method : list) {
        CHECK(methods.insert(method).second);
        CHECK(has_method(row.id, method));
      }
    for (const Method method : row.black_methods) CHECK(methods.count(method) == 1);
    for (size_t q = 0; q < kQualities.size(); ++q) {
      REQUIRE(has_quality(row.id, kQualities[q]) == (q < row.by_quality.size()));
      if (has_quality(row.id, kQualities[q])) CHECK(method_for(row.id, kQualities[q]) == row.by_quality[q]);
    }
  });
}

TEST_CASE("tracks: Hap for formats that Hap has, raw video for pixels, otherwise a track for each plane") {
  std::set<std::array<char, 4>> tags;
  for_each_row([&](const Format& row) {
    const Track& track = row.track;
    const bool is_own = track.kind == TrackKind::hap || track.kind == TrackKind::raw;
    CHECK((track.tag != kNoCode) == is_own);
    CHECK(!track.name.empty() == is_own);
    if (is_own) CHECK(tags.insert(track.tag).second);
    CHECK(!track.pixels.empty() == (track.kind == TrackKind::raw));
    switch (track.kind) {
      case TrackKind::none: break;
      case TrackKind::hap:
        CHECK(row.plane_count <= 2);
        for (const FormatPlane& plane : planes_of(row)) CHECK(coding(plane.coding).hap_texture != 0);
        CHECK(track.matroska_tag == track.tag);
        break;
      case TrackKind::raw:
        CHECK(row.plane_count == 1);
        CHECK(!is_compressed(row.id));
        CHECK(!row.is_encoded());
        break;
      case TrackKind::planes:
        for (const FormatPlane& plane : planes_of(row)) CHECK(format_with(plane.coding, TrackKind::hap) != nullptr);
        break;
    }
  });
}

TEST_CASE("a file that names only a coding has one format") {
  std::map<CodingId, std::string_view> plain;
  for_each_row([&](const Format& row) {
    if (row.is_plain) CHECK(plain.emplace(row.planes[0].coding, row.name).second);
    if (row.is_plain) CHECK(row.dds_gimp == 0);
  });
}

TEST_CASE("FourCCs are printed in the order of their bytes in a file") {
  CHECK(printable_fourcc(fourcc('D', 'X', 'T', '1')) == "DXT1");
  CHECK(printable_fourcc(0x01545844) == "DXT?");
}

TEST_CASE("the family of a coding is the one of OpenGL's registry that its enumerant is in") {
  struct Enumerants {
    uint32_t first, last;
    std::string_view family;
  };
  constexpr Enumerants kFamilies[] = {{0x83F0, 0x83F3, "s3tc"},
                                      {0x8DBB, 0x8DBE, "rgtc"},
                                      {0x8E8C, 0x8E8F, "bptc"},
                                      {0x9270, 0x9279, "etc2"},
                                      {0x93B0, 0x93BD, "astc"}};
  for (const Coding& row : codings()) {
    CAPTURE(row.name);
    std::string_view family;
    for (const Enumerants& each : kFamilies)
      if (row.gl.internal_format >= each.first && row.gl.internal_format <= each.last) family = each.family;
    CHECK(row.gl.family == family);
    CHECK(row.gl.family.empty() != row.is_compressed);
  }
  using Families = std::vector<std::string_view>;
  CHECK(texture_families(TextureFormat::bc1) == Families{"s3tc"});
  CHECK(texture_families(TextureFormat::ycocg_dxt5_alpha) == Families{"s3tc", "rgtc"});
  CHECK(texture_families(TextureFormat::ycocg_bc4_420) == Families{"rgtc"});
  CHECK(texture_families(TextureFormat::rgba8).empty());
}
