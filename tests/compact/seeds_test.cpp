// Writes the seeds of the fuzz targets to the folder TEXCAST_SEEDS (tests/fuzz/corpus). Needed after a change of syntax
// or tables: test_compact -ns -tc='seeds*'
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "textures.h"

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
