#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "find_coding.h"
#include "ktx2_color.h"
#include "ktx2_layers.h"
#include "ktx2_parts.h"
#include "still_kinds.h"

namespace texcast::container {
namespace {

constexpr int kZstdLevel = 1;  // level 3 takes twice the time for 4 to 8 % less

// What the header says besides sizes and places.
struct Ktx2Meaning {
  const Format& format;
  const Coding& coding;  // of the image
  uint32_t vk_format;
  uint8_t primaries;
  uint8_t transfer;
};

// An sRGB format where the values are R'G'B' in sRGB. Luma and chroma must not go through a texture unit's curve, and
// a format that has an sRGB twin must not claim the curve without being it: those files say it by key.
Ktx2Meaning meaning_of(const TextureDesc& desc) {
  const Coding& coding = plane_coding(desc.format, 0);
  Ktx2Meaning meaning{.format = format_row(desc.format),
                      .coding = coding,
                      .vk_format = coding.vk.unorm,
                      .primaries = ktx2::dfd_primaries(desc.color.primaries),
                      .transfer = ktx2::dfd_transfer(desc.color.transfer)};
  if (meaning.transfer != ktx2::kTransferSrgb || coding.vk.srgb == 0) return meaning;
  if (meaning.format.is_plain)
    meaning.vk_format = coding.vk.srgb;
  else
    meaning.transfer = ktx2::kUnspecified;
  return meaning;
}

void append_descriptor(const Ktx2Meaning& meaning, std::vector<std::byte>& file) {
  const Coding& coding = meaning.coding;
  const size_t bytes = ktx2::kSamples + ktx2::kSampleBytes * coding.dfd_samples.size();
  const size_t begin = file.size();
  file.resize(begin + bytes);
  const MutableBytes out = MutableBytes(file).subspan(begin);
  store_le32(out, 0, static_cast<uint32_t>(bytes));
  store_le16(out, ktx2::kBlockVersion, ktx2::kDfdVersion);
  store_le16(out, ktx2::kBlockBytes, static_cast<uint16_t>(bytes - ktx2::kBlockKind));
  store_le<1>(out, ktx2::kModel, coding.dfd_model);
  store_le<1>(out, ktx2::kPrimaries, meaning.primaries);
  store_le<1>(out, ktx2::kTransfer, meaning.transfer);
  const int last_column = coding.block_width - 1, last_row = coding.block_height - 1;
  store_le16(out, ktx2::kBlockSides, static_cast<uint16_t>(last_column | last_row << 8));
  store_le<1>(out, ktx2::kPlaneBytes, static_cast<uint64_t>(coding.block_bytes));
  size_t at = ktx2::kSamples;
  for (const DfdSample& sample : coding.dfd_samples) {
    const bool linear = sample.is_alpha && meaning.transfer == ktx2::kTransferSrgb;
    store_le16(out, at, sample.bit_offset);
    store_le<1>(out, at + 2, sample.bit_length - 1u);
    store_le<1>(out, at + 3, sample.channel | (linear ? ktx2::kSampleLinear : 0u));
    store_le32(out, at + 8, sample.lower);
    store_le32(out, at + 12, sample.upper);
    at += ktx2::kSampleBytes;
  }
}

// Pairs in the order of their keys, each with its size before it and zeros up to a multiple of 4 behind.
void append_keys(const TextureDesc& desc, const Ktx2Meaning& meaning, double fps, std::vector<std::byte>& file) {
  std::vector<std::pair<std::string_view, std::string>> keys = {{"KTXorientation", "rd"}};
  if (!meaning.coding.swizzle.empty()) keys.emplace_back("KTXswizzle", std::string(meaning.coding.swizzle));
  keys.emplace_back("KTXwriter", "texcast " TEXCAST_VERSION);
  if (ktx2::color_from_dfd(meaning.primaries, meaning.transfer) != desc.color)
    keys.emplace_back(ktx2::kColorKey, ktx2::color_text(desc.color));
  if (!meaning.format.is_plain) keys.emplace_back(ktx2::kFormatKey, std::string(name(desc.format)));
  if (fps > 0) keys.emplace_back(ktx2::kRateKey, fmt::format("{}", fps));
  for (const auto& [key, value] : keys) {
    const size_t begin = file.size();
    const size_t bytes = key.size() + 1 + value.size() + 1;
    file.resize(begin + 4 + (bytes + 3) / 4 * 4);
    const MutableBytes out = MutableBytes(file).subspan(begin);
    store_le32(out, 0, static_cast<uint32_t>(bytes));
    std::ranges::copy(as_bytes_of(key), out.begin() + 4);
    std::ranges::copy(as_bytes_of(value), out.begin() + 4 + static_cast<ptrdiff_t>(key.size() + 1));
  }
}

class Ktx2Writer final : public StillWriter {
 public:
  explicit Ktx2Writer(const StillOptions& options) : fps_(options.fps) {
    if (!options.zstd) return;
    compressor_.reset(ZSTD_createCCtx());
    if (!compressor_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1);  // as much as the reader can ask for
  }

  std::array<Bytes, 2> file_of(const TextureView& texture) override {
    ENSURE(texture.blocks.size() == texture_layout(texture.desc).total_bytes);
    ENSURE(can_hold(StillKind::ktx2, texture.desc.format));
    const Bytes level = level_of(texture);
    const Bytes packed = compressed(level);
    const bool is_packed = packed.size() < level.size();
    write_start(texture.desc, level.size(), is_packed ? packed.size() : level.size(), is_packed);
    return {Bytes(start_), is_packed ? packed : level};
  }

 private:
  Bytes level_of(const TextureView& texture) {
    const ktx2::LayerLayout layout = ktx2::layer_layout(texture.desc);
    if (layout.is_verbatim) return texture.blocks;
    layers_.resize(layout.total_bytes);
    ktx2::planes_to_layers(texture, layers_);
    return layers_;
  }

  Bytes compressed(Bytes level) {
    if (!compressor_) return level;
    packed_.resize(ZSTD_compressBound(level.size()));
    const size_t bytes = ZSTD_compress2(compressor_.get(), packed_.data(), packed_.size(), level.data(), level.size());
    return ZSTD_isError(bytes) != 0 ? level : Bytes(packed_).first(bytes);
  }

  void write_start(const TextureDesc& desc, size_t level_bytes, size_t stored_bytes, bool is_packed) {
    const Ktx2Meaning meaning = meaning_of(desc);
    start_.assign(ktx2::kFirstLevel + ktx2::kLevelEntryBytes, std::byte{0});
    const size_t dfd = start_.size();
    append_descriptor(meaning, start_);
    const size_t keys = start_.size();
    append_keys(desc, meaning, fps_, start_);
    const size_t keys_end = start_.size();
    // Blocks lie at a multiple of their size, compressed ones anywhere.
    const auto alignment = is_packed ? 1 : std::lcm(static_cast<size_t>(meaning.coding.block_bytes), size_t{4});
    start_.resize((keys_end + alignment - 1) / alignment * alignment);

    const MutableBytes out(start_);
    const int layers = ktx2::layer_layout(desc).layers;
    std::ranges::copy(as_bytes_of(ktx2::kIdentifier), out.begin());
    store_le32(out, ktx2::kVkFormat, meaning.vk_format);
    store_le32(out, ktx2::kTypeSize, 1);
    store_le32(out, ktx2::kWidth, static_cast<uint32_t>(desc.width));
    store_le32(out, ktx2::kHeight, static_cast<uint32_t>(desc.height));
    store_le32(out, ktx2::kLayers, layers > 1 ? static_cast<uint32_t>(layers) : 0);  // 0: not an array
    store_le32(out, ktx2::kFaces, 1);
    store_le32(out, ktx2::kLevels, 1);
    store_le32(out, ktx2::kScheme, is_packed ? ktx2::kZstd : ktx2::kPlain);
    store_le32(out, ktx2::kDfdOffset, static_cast<uint32_t>(dfd));
    store_le32(out, ktx2::kDfdBytes, static_cast<uint32_t>(keys - dfd));
    store_le32(out, ktx2::kKeysOffset, static_cast<uint32_t>(keys));
    store_le32(out, ktx2::kKeysBytes, static_cast<uint32_t>(keys_end - keys));
    store_le64(out, ktx2::kFirstLevel, start_.size());
    store_le64(out, ktx2::kFirstLevel + 8, stored_bytes);
    store_le64(out, ktx2::kFirstLevel + 16, level_bytes);
  }

  double fps_;
  ktx2::ZstdCompressor compressor_;
  std::vector<std::byte> start_;   // everything before the level
  std::vector<std::byte> layers_;  // where the planes do not lie as the file wants them
  std::vector<std::byte> packed_;
};

}  // namespace

std::unique_ptr<StillWriter> make_ktx2_writer(const StillOptions& options) {
  return std::make_unique<Ktx2Writer>(options);
}

}  // namespace texcast::container
