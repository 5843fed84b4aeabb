#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <span>
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

constexpr size_t kMaxBlockBytes = 16;
constexpr int kZstdLevel = 1;  // level 3 takes twice the time for 4 to 8 % less

// The fields of the header besides sizes and offsets.
struct Ktx2Meaning {
  const Format& format;
  const Coding& coding;  // of the image
  uint32_t vk_format;
  uint8_t primaries;
  uint8_t transfer;
};

// An sRGB format if the values are R'G'B' in sRGB. A texture unit must not apply that curve to luma and chroma, and a
// format that has an sRGB twin must not claim the curve without having it: such files say it by key.
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
    store_le<1>(out, at + 3,
                sample.channel | (linear ? ktx2::kSampleLinear : 0u) | (sample.is_signed ? ktx2::kSampleSigned : 0u) |
                    (sample.is_float ? ktx2::kSampleFloat : 0u));
    store_le32(out, at + 8, sample.lower);
    store_le32(out, at + 12, sample.upper);
    at += ktx2::kSampleBytes;
  }
}

// Pairs in the order of their keys, each after its size and padded with zeros to a multiple of 4.
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
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1);  // all that the reader can check
  }

  std::span<const Bytes> file_of(std::span<const StillImage> images, const StillShape& shape) override {
    const TextureDesc& desc = images.front().front().desc;
    ENSURE(can_hold(StillKind::ktx2, desc.format));
    levels_.resize(std::max(levels_.size(), images.front().size()));
    const std::span levels = std::span(levels_).first(images.front().size());
    size_t plain = 0, packed = 0;
    bool all_packed = true;
    for (size_t i = 0; i < levels.size(); ++i) {
      levels[i].plain = level_of_images(images, i, levels[i].layers);
      all_packed = compress(levels[i]) && all_packed;
      plain += levels[i].plain.size();
      packed += levels[i].packed.size();
    }
    // All levels share one scheme.
    is_packed_ = all_packed && packed < plain;
    const size_t faces = shape.is_cube ? 6 : 1;
    // 0: not an array. The planes of one picture are layers.
    const int planes = ktx2::layer_layout(desc).layers;
    const size_t layers = shape.is_array ? images.size() / faces : planes > 1 ? static_cast<size_t>(planes) : 0;
    write_start(desc, levels, static_cast<uint32_t>(layers), static_cast<uint32_t>(faces));
    return pieces_;
  }

 private:
  struct Level {
    Bytes plain;                    // as the file's layers
    Bytes packed;                   // the same, compressed by Zstandard
    std::vector<std::byte> layers;  // if the planes are not laid out as the file requires
    std::vector<std::byte> zstd;
  };

  // A level of all images, one after the other.
  static Bytes level_of_images(std::span<const StillImage> images, size_t level, std::vector<std::byte>& joined) {
    const auto checked = [&](const StillImage& image) -> const TextureView& {
      ENSURE(image.size() == images.front().size());
      const TextureView& view = image[level];
      ENSURE(view.blocks.size() == texture_layout(view.desc).total_bytes);
      ENSURE(view.desc == level_of(images.front().front().desc, static_cast<int>(level)));
      return view;
    };
    if (images.size() == 1) return layers_of(checked(images.front()), joined);
    joined.clear();
    for (const StillImage& image : images) {
      const TextureView& view = checked(image);
      ENSURE(plane_count(view.desc.format) == 1);
      joined.insert(joined.end(), view.blocks.begin(), view.blocks.end());
    }
    return joined;
  }

  static Bytes layers_of(const TextureView& texture, std::vector<std::byte>& layers) {
    const ktx2::LayerLayout layout = ktx2::layer_layout(texture.desc);
    if (layout.is_verbatim) return texture.blocks;
    layers.resize(layout.total_bytes);
    ktx2::planes_to_layers(texture, layers);
    return layers;
  }

  bool compress(Level& level) {
    if (!compressor_) return false;
    level.zstd.resize(ZSTD_compressBound(level.plain.size()));
    const size_t bytes =
        ZSTD_compress2(compressor_.get(), level.zstd.data(), level.zstd.size(), level.plain.data(), level.plain.size());
    if (ZSTD_isError(bytes) != 0) return false;
    level.packed = Bytes(level.zstd).first(bytes);
    return true;
  }

  // Writes the header and the index, and after them the levels, the smallest first.
  void write_start(const TextureDesc& desc, std::span<const Level> levels, uint32_t layers, uint32_t faces) {
    const Ktx2Meaning meaning = meaning_of(desc);
    start_.assign(ktx2::kFirstLevel + levels.size() * ktx2::kLevelEntryBytes, std::byte{0});
    const size_t dfd = start_.size();
    append_descriptor(meaning, start_);
    const size_t keys = start_.size();
    append_keys(desc, meaning, fps_, start_);
    const size_t keys_end = start_.size();
    // Uncompressed blocks are aligned to a multiple of their size, compressed ones are not aligned.
    const auto alignment = is_packed_ ? 1 : std::lcm(static_cast<size_t>(meaning.coding.block_bytes), size_t{4});
    const auto aligned = [&](size_t at) { return (at + alignment - 1) / alignment * alignment; };
    start_.resize(aligned(keys_end));

    const MutableBytes out(start_);
    std::ranges::copy(as_bytes_of(ktx2::kIdentifier), out.begin());
    store_le32(out, ktx2::kVkFormat, meaning.vk_format);
    store_le32(out, ktx2::kTypeSize, 1);
    store_le32(out, ktx2::kWidth, static_cast<uint32_t>(desc.width));
    store_le32(out, ktx2::kHeight, static_cast<uint32_t>(desc.height));
    store_le32(out, ktx2::kLayers, layers);
    store_le32(out, ktx2::kFaces, faces);
    store_le32(out, ktx2::kLevels, static_cast<uint32_t>(levels.size()));
    store_le32(out, ktx2::kScheme, is_packed_ ? ktx2::kZstd : ktx2::kPlain);
    store_le32(out, ktx2::kDfdOffset, static_cast<uint32_t>(dfd));
    store_le32(out, ktx2::kDfdBytes, static_cast<uint32_t>(keys - dfd));
    store_le32(out, ktx2::kKeysOffset, static_cast<uint32_t>(keys));
    store_le32(out, ktx2::kKeysBytes, static_cast<uint32_t>(keys_end - keys));
    pieces_.assign({Bytes(start_)});
    size_t at = start_.size();
    for (size_t i = levels.size(); i-- > 0;) {
      const Bytes stored = is_packed_ ? levels[i].packed : levels[i].plain;
      pieces_.push_back(Bytes(kZeros).first(aligned(at) - at));
      pieces_.push_back(stored);
      const size_t entry = ktx2::kFirstLevel + i * ktx2::kLevelEntryBytes;
      at = aligned(at);
      store_le64(out, entry, at);
      store_le64(out, entry + 8, stored.size());
      store_le64(out, entry + 16, levels[i].plain.size());
      at += stored.size();
    }
  }

  static constexpr std::array<std::byte, 4 * kMaxBlockBytes> kZeros{};  // between levels

  double fps_;
  ktx2::ZstdCompressor compressor_;
  bool is_packed_ = false;
  std::vector<std::byte> start_;  // everything before the levels
  std::vector<Level> levels_;
  std::vector<Bytes> pieces_;
};

}  // namespace

std::unique_ptr<StillWriter> make_ktx2_writer(const StillOptions& options) {
  return std::make_unique<Ktx2Writer>(options);
}

}  // namespace texcast::container
