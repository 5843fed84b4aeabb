// Writes the seeds of the fuzz targets to the folder TEXCAST_SEEDS (tests/fuzz/corpus). Needed after a change of syntax
// or tables, those of transform slices also after each training: test_compact -ns -tc='seeds*'
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "compact/key_frame_encoder.h"
#include "sample_slice_encoder.h"
#include "slice_decoder.h"
#include "textures.h"
#include "transform_slices.h"

using namespace texcast;
using namespace textures;

namespace {

void save(const std::filesystem::path& path, const Texture& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("seeds for the fuzz targets" * doctest::skip()) {
  const char* folder = std::getenv("TEXCAST_SEEDS");
  REQUIRE(folder != nullptr);
  Workers workers(0);
  const auto all = cut_formats();
  for (size_t i = 0; i < all.size(); ++i) {
    const TextureDesc desc{.format = all[i], .width = 70, .height = 36};
    compact::FrameEncoder encoder(desc, {.most_slice_bytes = 384}, workers);
    compact::PayloadWriter writer(encoder.grid(), 420);
    compact::IntraRefresh plan(encoder.grid(), {});
    const auto byte = [](size_t value) { return static_cast<std::byte>(value & 0xFF); };
    Texture stream{byte(i), byte(desc.width - 1u), byte(desc.height - 1u), byte(6)};
    const std::string format_name(name(all[i]));
    int frame = 0;
    for (const Texture& texture : {Texture(encoder.grid().texture_bytes()), photograph(desc, 20, 20),
                                   photograph(desc, 21, 25), photograph(desc, 21, 25)}) {
      const auto slices = encoder.encode({.texture = texture});
      for (const auto& slice : slices) {
        if (frame < 1 || frame > 2 || slice.coding != compact::Coding::inter || slice.slice.tile != 0) continue;
        Texture one{byte(i), stream[1], stream[2], byte(slice.slice.sub_slices - 1u + slice.slice.sub_slice),
                    byte(slice.slice.tile)};
        one.insert(one.end(), slice.bytes.begin(), slice.bytes.end());
        save(std::filesystem::path(folder) / "fuzz_compact_unit" / (format_name + "_" + std::to_string(frame)), one);
        break;
      }
      for (const Bytes payload : writer.write(slices, frame > 0 ? &plan.history() : nullptr)) {
        stream.push_back(byte(payload.size()));
        stream.push_back(byte(payload.size() >> 8));
        stream.insert(stream.end(), payload.begin(), payload.end());
      }
      stream.insert(stream.end(), 2, byte(0xFF));
      plan.next();
      plan.coded(slices);
      ++frame;
    }
    save(std::filesystem::path(folder) / "fuzz_compact" / format_name, stream);
  }
}

// Random slices with every mode, and with levels and vectors that encoders never write.
TEST_CASE("seeds of transform slices for the fuzz targets" * doctest::skip()) {
  const char* folder = std::getenv("TEXCAST_SEEDS");
  REQUIRE(folder != nullptr);
  const std::filesystem::path corpus(folder);
  std::mt19937 random(1);
  const auto byte = [](size_t value) { return static_cast<std::byte>(value & 0xFF); };
  const auto all = cut_formats();
  for (size_t i = 0; i < all.size(); ++i) {
    const TextureDesc desc{.format = all[i], .width = 70, .height = 36};
    const compact::TileGrid grid(desc);
    if (!grid.can_transform()) continue;
    const std::string format_name(name(all[i]));
    const auto save_slice = [&](const char* what, int part, const compact::Slice& slice,
                                const transform_slices::Wishes& wishes) {
      const auto bytes = transform_slices::random_slice(grid, slice, wishes, random);
      Texture one{byte(i), byte(desc.width - 1u), byte(desc.height - 1u),
                  byte(static_cast<size_t>(part | (wishes.intra ? 16 : 0) | 32)), byte(slice.tile)};
      one.insert(one.end(), bytes.begin(), bytes.end());
      save(corpus / "fuzz_compact_unit" / (format_name + "_transform_" + what), one);
    };
    using enum transform_slices::Levels;
    save_slice("intra", 0, {.tile = 0}, {.intra = true, .quantiser = 12});
    save_slice("inter", 0, {.tile = 0}, {.quantiser = 20, .furthest = 40});
    save_slice("half", 2, {.tile = 0, .sub_slices = 2, .sub_slice = 1}, {.quantiser = 30, .levels = many});
    save_slice("row", 15, {.tile = 0, .tiles = 2}, {.quantiser = 51, .furthest = 16383});
    save_slice("extreme", 0, {.tile = 1}, {.quantiser = 51, .levels = extreme});

    // Sample slices of blocks that are fitted to their samples, and of others.
    const Texture photo = photograph(desc, 20, 20);
    compact::SamplePlanes of_photo(grid);
    for (uint32_t tile = 0; tile < grid.tiles(); ++tile) of_photo.decode(grid, {.tile = tile}, photo.data());
    compact::SampleSliceEncoder of_samples(grid);
    for (const int part : {0, 2}) {
      const compact::Slice slice{.tile = 0,
                                 .sub_slices = static_cast<uint8_t>(part == 0 ? 1 : 2),
                                 .sub_slice = static_cast<uint8_t>(part == 0 ? 0 : 1)};
      Texture memory(8000);
      const size_t used = of_samples.encode(slice, photo.data(), of_photo.all(), part == 2, memory);
      REQUIRE(used > 0);
      Texture one{byte(i), byte(desc.width - 1u), byte(desc.height - 1u), byte(static_cast<size_t>(part | 64)),
                  byte(0)};
      one.insert(one.end(), memory.end() - static_cast<std::ptrdiff_t>(used), memory.end());
      save(corpus / "fuzz_compact_unit" / (format_name + (part == 0 ? "_samples" : "_samples_literal")), one);
    }

    // Frames whose tiles are transform slices.
    Workers workers(0);
    compact::PayloadWriter writer(grid, 4000);
    Texture stream{byte(i), byte(desc.width - 1u), byte(desc.height - 1u), byte(2)};
    Texture reference(grid.texture_bytes()), texture = reference;
    compact::SamplePlanes reference_samples(grid), samples(grid);
    for (int frame = 0; frame < 3; ++frame) {
      std::vector<std::vector<std::byte>> kept;
      std::vector<compact::CodedSlice> slices;
      kept.reserve(grid.tiles());
      for (uint32_t tile = 0; tile < grid.tiles(); ++tile) {
        const compact::Slice slice{.tile = tile};
        const bool intra = frame == 0;
        kept.push_back(transform_slices::random_slice(grid, slice, {.intra = intra, .quantiser = 20}, random));
        REQUIRE(compact::decode_slice(grid, slice, kept.back(), true, intra ? nullptr : reference.data(),
                                      texture.data(), nullptr, {&reference_samples, &samples}));
        slices.push_back({slice, intra ? compact::Coding::lossy_intra : compact::Coding::lossy_inter,
                          compact::slice_check(grid, slice, texture.data()), kept.back()});
      }
      for (const Bytes payload : writer.write(slices)) {
        stream.push_back(byte(payload.size()));
        stream.push_back(byte(payload.size() >> 8));
        stream.insert(stream.end(), payload.begin(), payload.end());
      }
      stream.insert(stream.end(), 2, byte(0xFF));
      reference = texture;
      reference_samples = samples;
    }
    // A key frame of the last one.
    compact::KeyFrameEncoder key_frame(desc, compact::kMostSliceBytes, workers);
    for (const Bytes payload : writer.write(key_frame.encode(reference, reference_samples.all()))) {
      stream.push_back(byte(payload.size()));
      stream.push_back(byte(payload.size() >> 8));
      stream.insert(stream.end(), payload.begin(), payload.end());
    }
    stream.insert(stream.end(), 2, byte(0xFF));
    save(corpus / "fuzz_compact" / (format_name + "_transform"), stream);
  }
}
