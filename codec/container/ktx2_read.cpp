#include <fmt/core.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/misuse.h"
#include "find_coding.h"
#include "ktx2_color.h"
#include "ktx2_layers.h"
#include "ktx2_parts.h"
#include "still_kinds.h"

namespace texcast::container {
namespace {

struct Ktx2Keys {
  std::optional<std::string_view> format;
  std::optional<std::string_view> color;
  std::optional<std::string_view> orientation;
  std::optional<std::string_view> rate;
};

struct Ktx2Parsed {
  TextureDesc desc;  // of the part
  const Coding* coding = nullptr;
  uint32_t scheme = ktx2::kPlain;
  StillCounts counts{};
  size_t entry = ktx2::kFirstLevel;  // of the part's level in the index
  uint64_t level_bytes = 0;          // uncompressed, of all layers and faces
  uint64_t image = 0;                // the part's number in its level; faces count before layers
  double fps = 0;
};

std::optional<Bytes> part_of(Bytes file, uint64_t offset, uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return std::nullopt;
  return file.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Result<Ktx2Keys> read_keys(Bytes data) {
  Ktx2Keys keys;
  ByteReader reader(data);
  while (reader.remaining() > 0) {
    const auto bytes = reader.take_le<4>();
    const auto pair = bytes ? reader.take(static_cast<size_t>(*bytes)) : std::nullopt;
    if (!pair) return Failure{"its key/value data are truncated"};
    if (!reader.take(std::min(reader.remaining(), (4 - *bytes % 4) % 4)))
      return Failure{"its key/value data are truncated"};
    const std::string_view text = text_of(*pair);
    const size_t key_end = text.find('\0');
    if (key_end == std::string_view::npos) return Failure{"one of its keys is not terminated"};
    const std::string_view key = text.substr(0, key_end);
    const std::string_view value = text.substr(key_end + 1, text.find('\0', key_end + 1) - (key_end + 1));
    if (key == ktx2::kFormatKey) keys.format = value;
    if (key == ktx2::kColorKey) keys.color = value;
    if (key == "KTXorientation") keys.orientation = value;
    if (key == ktx2::kRateKey) keys.rate = value;
  }
  return keys;
}

std::string scheme_name(uint32_t scheme) {
  if (scheme == ktx2::kBasisLz) return "BasisLZ";
  if (scheme == ktx2::kZlib) return "zlib";
  return fmt::format("scheme {}", scheme);
}

// The format, from the VkFormat and the key that refines it.
Result<TextureFormat> format_of(const Coding& coding, const Ktx2Keys& keys) {
  if (keys.format) {
    const auto format = texture_format_from_name(*keys.format);
    if (!format) return Failure{fmt::format("its texcast.format is '{}', which is unknown", *keys.format)};
    if (&plane_coding(*format, 0) != &coding)
      return Failure{fmt::format("its texcast.format {} does not match its VkFormat {}", *keys.format, coding.name)};
    return *format;
  }
  const Format* plain = plain_format_of(coding);
  if (plain == nullptr) return Failure{fmt::format("it holds {}; supported are {}", coding.name, list_codings())};
  return plain->id;
}

// Colours: from the key unless it contradicts the descriptor (another program may have edited that), else from the
// descriptor.
Result<ColorSpec> color_of(Bytes descriptor, const Coding& coding, const Ktx2Keys& keys) {
  if (descriptor.size() < ktx2::kSamples || load_le32(descriptor, ktx2::kBlockKind) != 0)
    return Failure{"its data format descriptor is not a basic one"};
  if (load_le<1>(descriptor, ktx2::kModel) != coding.dfd_model)
    return Failure{fmt::format("its data format descriptor has colour model {}, which does not match its VkFormat {}",
                               load_le<1>(descriptor, ktx2::kModel), coding.name)};
  const auto primaries = static_cast<uint8_t>(load_le<1>(descriptor, ktx2::kPrimaries));
  const auto transfer = static_cast<uint8_t>(load_le<1>(descriptor, ktx2::kTransfer));
  const ColorSpec described = ktx2::color_from_dfd(primaries, transfer);
  const auto exact = keys.color ? ktx2::color_from_text(*keys.color) : std::nullopt;
  if (!exact || ktx2::dfd_primaries(exact->primaries) != primaries) return described;
  if (transfer != ktx2::kUnspecified && ktx2::dfd_transfer(exact->transfer) != transfer) return described;
  return *exact;
}

double rate_of(std::string_view text) {
  double fps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fps);
  return error == std::errc() && fps >= kMinStillFps && fps <= kMaxStillFps ? fps : 0;
}

// The header's fields. They are bounded here, so that later computations cannot overflow.
struct Ktx2Header {
  int width = 0, height = 0, levels = 1, faces = 1;
  uint32_t layers = 1;
  const Coding* coding = nullptr;
  uint32_t scheme = ktx2::kPlain;
};

Result<Ktx2Header> parse_header(Bytes file) {
  if (file.size() < ktx2::kFirstLevel + ktx2::kLevelEntryBytes)
    return Failure{fmt::format("the file has {} bytes, less than a KTX2 header (104)", file.size())};
  if (!looks_like_ktx2(file)) return Failure{"it does not start as KTX2 files do"};
  const auto field = [&](size_t offset) { return load_le32(file, offset); };
  const uint32_t width = field(ktx2::kWidth), height = field(ktx2::kHeight);
  const uint32_t faces = field(ktx2::kFaces);
  if (faces != 1 && faces != 6) return Failure{fmt::format("it has {} faces; a cube map has 6", faces)};
  if (field(ktx2::kDepth) != 0) return Failure{"it holds a volume instead of one image"};
  if (width < 1 || height < 1 || width > kMaxFrameSize || height > kMaxFrameSize)
    return Failure{
        fmt::format("its size is {}x{}; supported are 1x1 to {}x{}", width, height, kMaxFrameSize, kMaxFrameSize)};
  const Coding* coding = coding_of_vk(field(ktx2::kVkFormat));
  if (coding == nullptr)
    return Failure{fmt::format("it holds VkFormat {}{}; supported are {}", field(ktx2::kVkFormat),
                               field(ktx2::kVkFormat) == 0 ? ", as Basis Universal does" : "", list_codings())};
  const uint32_t scheme = field(ktx2::kScheme);
  if (scheme != ktx2::kPlain && scheme != ktx2::kZstd)
    return Failure{fmt::format("it is compressed by {}; only Zstandard and none are supported", scheme_name(scheme))};
  Ktx2Header header{.width = static_cast<int>(width),
                    .height = static_cast<int>(height),
                    .faces = static_cast<int>(faces),
                    .layers = std::max(field(ktx2::kLayers), 1u),
                    .coding = coding,
                    .scheme = scheme};
  header.levels = static_cast<int>(
      std::clamp(field(ktx2::kLevels), 1u, static_cast<uint32_t>(most_levels(header.width, header.height))));
  return header;
}

// Parses everything but the blocks.
Result<Ktx2Parsed> parse_ktx2(Bytes file, const StillPart& part) {
  const auto header = parse_header(file);
  if (!header) return header.error();
  const auto field = [&](size_t offset) { return load_le32(file, offset); };
  const Coding& coding = *header->coding;
  const auto faces = static_cast<uint32_t>(header->faces);
  const uint32_t layers = header->layers;

  const auto descriptor = part_of(file, field(ktx2::kDfdOffset), field(ktx2::kDfdBytes));
  const auto key_data = part_of(file, field(ktx2::kKeysOffset), field(ktx2::kKeysBytes));
  if (!descriptor || !key_data) return Failure{"its descriptors lie past its end"};
  const auto keys = read_keys(*key_data);
  if (!keys) return keys.error();
  if (keys->orientation && *keys->orientation != "rd")
    return Failure{fmt::format("its orientation is '{}'; only 'rd' (right, down) is supported", *keys->orientation)};
  const auto format = format_of(coding, *keys);
  if (!format) return format.error();
  const auto color = color_of(*descriptor, coding, *keys);
  if (!color) return color.error();

  const TextureDesc whole{*format, header->width, header->height, *color};
  Ktx2Parsed parsed{.desc = whole, .coding = header->coding, .scheme = header->scheme};
  if (keys->rate) parsed.fps = rate_of(*keys->rate);
  const int planes = plane_count(*format);
  if (planes > 1 && (layers != static_cast<uint32_t>(planes) || faces != 1))
    return Failure{
        fmt::format("it has {} layers, but {} has {} planes", uint64_t{layers} * faces, name(*format), planes)};
  parsed.counts.levels = header->levels;
  parsed.counts.layers = planes > 1 ? 1 : static_cast<int>(std::min<uint32_t>(layers, INT32_MAX));
  parsed.counts.faces = header->faces;
  if (const auto there = check_part(part, parsed.counts); !there) return there.error();
  parsed.desc = level_of(whole, part.level);
  parsed.entry += static_cast<size_t>(part.level) * ktx2::kLevelEntryBytes;
  if (file.size() < parsed.entry + ktx2::kLevelEntryBytes) return Failure{"its level index is truncated"};
  parsed.image = static_cast<uint64_t>(part.layer) * faces + static_cast<uint64_t>(part.face);
  const uint64_t image_bytes = ktx2::layer_layout(parsed.desc).layer_bytes * uint64_t{faces};  // below 2^33
  if (layers > UINT64_MAX / image_bytes) return Failure{fmt::format("its {} layers exceed the address range", layers)};
  parsed.level_bytes = image_bytes * layers;
  return parsed;
}

// The uncompressed bytes of the level that are needed: to the end of the part's image, or of all planes.
uint64_t wanted_bytes(const Ktx2Parsed& parsed) {
  const ktx2::LayerLayout layout = ktx2::layer_layout(parsed.desc);
  return parsed.image * layout.layer_bytes + layout.total_bytes;
}

// Checks that a Zstandard frame can hold the level: by its content size, or if it has none, by its length, which must
// suffice for the wanted bytes.
Result<void> check_zstd(Bytes frame, uint64_t level_bytes, uint64_t wanted_bytes) {
  constexpr uint64_t kBestRatio = 32'768;  // a block of 4 bytes holds 128 KiB at most
  const unsigned long long claimed = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return Failure{"its blocks are not a Zstandard frame"};
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != level_bytes)
    return Failure{fmt::format("its blocks decompress to {} bytes, but its size needs {}", claimed, level_bytes)};
  if (wanted_bytes / kBestRatio > frame.size())
    return Failure{fmt::format("its {} bytes of Zstandard cannot hold {}", frame.size(), wanted_bytes)};
  return {};
}

// The stored bytes of the part's level: at the place that the index gives, of the required length.
Result<Bytes> stored_level(Bytes file, const Ktx2Parsed& parsed) {
  const uint64_t stored = load_le<8>(file, parsed.entry + 8), plain = load_le<8>(file, parsed.entry + 16);
  if (plain != parsed.level_bytes)
    return Failure{fmt::format("its blocks take {} bytes, but its size needs {}", plain, parsed.level_bytes)};
  if (parsed.scheme == ktx2::kPlain && stored != plain)
    return Failure{fmt::format("its blocks are stored in {} bytes but take {}", stored, plain)};
  const auto level = part_of(file, load_le<8>(file, parsed.entry), stored);
  if (!level) return Failure{fmt::format("it is truncated: the file ends at byte {}", file.size())};
  if (parsed.scheme == ktx2::kZstd)
    if (const auto checked = check_zstd(*level, plain, wanted_bytes(parsed)); !checked) return checked.error();
  return *level;
}

// Frames without a content size choose their own window. The limit is the size of the level, 8 MiB at least.
int window_log(uint64_t level_bytes) { return std::clamp(static_cast<int>(std::bit_width(level_bytes)), 23, 27); }

// The checksum comes last, and covers all images before it.
const char* error_text(size_t zstd_result) {
  if (ZSTD_getErrorCode(zstd_result) == ZSTD_error_checksum_wrong)
    return "the checksum is wrong, so any image of its level may be damaged";
  return ZSTD_getErrorName(zstd_result);
}

// The images of a level that is one Zstandard frame, in order.
class ZstdImages {
 public:
  // `context` and `level` are borrowed. `level_bytes`: the decompressed size of the frame.
  ZstdImages(ZSTD_DCtx* context, Bytes level, uint64_t level_bytes)
      : context_(context), level_bytes_(level_bytes), from_{level.data(), level.size(), 0} {
    ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, window_log(level_bytes));
  }

  // Decompresses the next image into `image`. There are none after a Failure.
  Result<void> next(MutableBytes image) {
    ZSTD_outBuffer to{image.data(), image.size(), 0};
    while (left_ != 0) {
      const size_t from_before = from_.pos, to_before = to.pos;
      left_ = ZSTD_decompressStream(context_, &to, &from_);
      if (ZSTD_isError(left_) != 0) return Failure{fmt::format("damaged Zstandard: {}", error_text(left_))};
      if (from_.pos == from_before && to.pos == to_before) break;  // `to` is full, or `from_` is at its end
    }
    unpacked_ += to.pos;
    if (to.pos < to.size)
      return Failure{fmt::format("its blocks decompress to {} bytes, but its size needs {}", unpacked_, level_bytes_)};
    if (left_ != 0 && unpacked_ == level_bytes_) return Failure{"its Zstandard frame is longer than its blocks"};
    return {};
  }

 private:
  ZSTD_DCtx* const context_;
  const uint64_t level_bytes_;
  ZSTD_inBuffer from_;
  size_t left_ = 1;
  uint64_t unpacked_ = 0;
};

// Decompresses the part into `out`, which the images before it in the level are decompressed into first.
Result<void> unpack_zstd(Bytes level, const Ktx2Parsed& parsed, MutableBytes out) {
  thread_local const ktx2::ZstdDecompressor context(ZSTD_createDCtx());  // 160 kB that every frame needs
  if (!context) return Failure{"no memory for Zstandard"};
  ZstdImages images(context.get(), level, parsed.level_bytes);
  for (uint64_t image = 0; image <= parsed.image; ++image)
    if (const auto done = images.next(out); !done) return done.error();
  return {};
}

// The images of a level in order, however it is stored.
class LevelImages {
 public:
  LevelImages(const Ktx2Parsed& parsed, Bytes stored)
      : desc_(parsed.desc), layout_(ktx2::layer_layout(desc_)), rest_(stored) {
    if (parsed.scheme != ktx2::kZstd) return;
    context_.reset(ZSTD_createDCtx());  // not that of unpack_zstd(), which the callback may call
    if (!context_) throw std::bad_alloc();
    zstd_.emplace(context_.get(), stored, parsed.level_bytes);
  }

  // There must be one more. It is valid until the next call.
  Result<TextureView> next() {
    const auto layers = next_layers();
    if (!layers) return layers.error();
    if (layout_.is_verbatim) return TextureView{desc_, *layers};
    blocks_.resize(texture_layout(desc_).total_bytes);
    ktx2::layers_to_planes(desc_, *layers, blocks_);
    return TextureView{desc_, blocks_};
  }

 private:
  Result<Bytes> next_layers() {
    if (!zstd_) {
      const Bytes layers = rest_.first(layout_.total_bytes);
      rest_ = rest_.subspan(layout_.total_bytes);
      return layers;
    }
    layers_.resize(layout_.total_bytes);
    if (const auto done = zstd_->next(layers_); !done) return done.error();
    return Bytes(layers_);
  }

  const TextureDesc desc_;
  const ktx2::LayerLayout layout_;
  Bytes rest_;  // remaining images of an uncompressed level
  ktx2::ZstdDecompressor context_;
  std::optional<ZstdImages> zstd_;
  std::vector<std::byte> layers_, blocks_;
};

// `last`: the last image of a level. Returns false if the callback asked to stop.
bool each_image_of_level(Bytes file, const StillPart& last, const TakeImage& take) {
  const auto faces = static_cast<uint64_t>(last.face) + 1;
  const uint64_t count = (static_cast<uint64_t>(last.layer) + 1) * faces;
  const auto part_of_image = [&](uint64_t image) {
    return StillPart{
        .level = last.level, .layer = static_cast<int>(image / faces), .face = static_cast<int>(image % faces)};
  };
  const auto fail = [&](uint64_t image, const Failure& failure) {
    return take(part_of_image(image), with_lost(failure, count - 1 - image));
  };
  const auto parsed = parse_ktx2(file, last);
  if (!parsed) return fail(0, parsed.error());
  const auto stored = stored_level(file, *parsed);
  if (!stored) return fail(0, stored.error());
  LevelImages images(*parsed, *stored);
  for (uint64_t image = 0; image < count; ++image) {
    const auto texture = images.next();
    if (!texture) return fail(image, texture.error());
    if (!take(part_of_image(image), texture)) return false;
  }
  return true;
}

// The end of `bytes` bytes at `offset`, or UINT64_MAX if it is greater than that.
uint64_t end_of(uint64_t offset, uint64_t bytes) { return bytes > UINT64_MAX - offset ? UINT64_MAX : offset + bytes; }

}  // namespace

bool looks_like_ktx2(Bytes start) { return text_of(start).starts_with(ktx2::kIdentifier); }

Result<StillInfo> inspect_ktx2(Bytes file, const StillPart& part) {
  const auto parsed = parse_ktx2(file, part);
  if (!parsed) return parsed.error();
  return StillInfo{
      .desc = parsed->desc,
      .coding = fmt::format("{}{}", parsed->coding->name, parsed->scheme == ktx2::kZstd ? ", Zstandard" : ""),
      .fourcc = {},
      .fps = parsed->fps,
      .levels = parsed->counts.levels,
      .layers = parsed->counts.layers,
      .faces = parsed->counts.faces};
}

Result<void> check_ktx2(Bytes file, const StillPart& part) {
  const auto parsed = parse_ktx2(file, part);
  if (!parsed) return parsed.error();
  const auto level = stored_level(file, *parsed);
  return level ? Result<void>() : level.error();
}

Result<void> read_ktx2(Bytes file, MutableBytes blocks, const StillPart& part) {
  const auto parsed = parse_ktx2(file, part);
  if (!parsed) return parsed.error();
  REQUIRE_USE(blocks.size() == texture_layout(parsed->desc).total_bytes,
              "the size of the blocks is not that of the image in the file");
  const auto level = stored_level(file, *parsed);
  if (!level) return level.error();
  const ktx2::LayerLayout layout = ktx2::layer_layout(parsed->desc);
  const bool is_packed = parsed->scheme == ktx2::kZstd;
  if (is_packed && layout.is_verbatim) return unpack_zstd(*level, *parsed, blocks);
  std::vector<std::byte> unpacked(is_packed ? layout.total_bytes : 0);
  if (is_packed)
    if (const auto done = unpack_zstd(*level, *parsed, unpacked); !done) return done.error();
  const Bytes layers =
      is_packed ? Bytes(unpacked)
                : level->subspan(static_cast<size_t>(parsed->image * layout.layer_bytes), layout.total_bytes);
  ktx2::layers_to_planes(parsed->desc, layers, blocks);
  return {};
}

void each_ktx2_image(Bytes file, const TakeImage& take) {
  const auto first = parse_ktx2(file, {});
  if (!first) {
    take({}, first.error());
    return;
  }
  const StillCounts& counts = first->counts;
  for (int level = 0; level < counts.levels; ++level)
    if (!each_image_of_level(file, {level, counts.layers - 1, counts.faces - 1}, take)) return;
}

Result<uint64_t> ktx2_bytes(Bytes head) {
  const auto header = parse_header(head);
  if (!header) return header.error();
  const size_t index_end = ktx2::kFirstLevel + static_cast<size_t>(header->levels) * ktx2::kLevelEntryBytes;
  uint64_t end = std::max<uint64_t>(index_end, head.size());
  const auto count_in = [&](uint64_t offset, uint64_t bytes) { end = std::max(end, end_of(offset, bytes)); };
  count_in(load_le32(head, ktx2::kDfdOffset), load_le32(head, ktx2::kDfdBytes));
  count_in(load_le32(head, ktx2::kKeysOffset), load_le32(head, ktx2::kKeysBytes));
  for (size_t entry = ktx2::kFirstLevel; entry < index_end && entry + ktx2::kLevelEntryBytes <= head.size();
       entry += ktx2::kLevelEntryBytes)
    count_in(load_le64(head, entry), load_le64(head, entry + 8));
  return end;
}

}  // namespace texcast::container
