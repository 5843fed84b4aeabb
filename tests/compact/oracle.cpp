#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compact/tables.h"  // trained_text()
#include "oracle_component.h"
#include "oracle_sample.h"
#include "oracle_symbols.h"
#include "oracle_transform.h"

namespace oracle {

using std::vector;

const vector<vector<Frequencies>>& tables() {
  static const auto made = [] {
    vector<vector<Frequencies>> sets;
    const auto add = [&](const auto& texts, size_t of) {
      sets.emplace_back();
      for (const std::string_view row : texts[of])
        sets.back().push_back(row.empty() ? Frequencies{} : frequencies_of(row.data()));
    };
    const auto add_all = [&](const char* kind) {
      const auto& texts = texcast::compact::trained_text(kind);
      for (size_t i = 0; i < texts.size(); ++i) add(texts, i);
    };
    add_all("lossless");
    add(texcast::compact::trained_text("lossless"), kChroma);  // for kChroma444
    for (const std::string kind : {"film", "screen", "fine_film"}) {
      const auto &color = texcast::compact::trained_text(kind + "_color"),
                 &others = texcast::compact::trained_text(kind);
      for (const size_t of : {kColor, kScaledChroma}) add(color, of);
      for (const size_t of : {0, 1}) add(others, of);
      add(color, 2);
      add(others, 2);
    }
    for (const char* const kind : {"bc7", "bc6h", "astc", "etc", "transform_fine", "transform", "transform_coarse"})
      add_all(kind);
    return sets;
  }();
  return made;
}

namespace {

uint32_t joined(uint32_t check, uint32_t value) { return (check ^ value) * 0x9E3779B1u + 1u; }

// A number of 7 bits a byte.
unsigned number(Bytes bytes, size_t& at) {
  unsigned value = 0;
  for (int i = 0; i < 3; ++i) {
    demand(at < bytes.size(), "a history ends within a number");
    const auto byte = std::to_integer<unsigned>(bytes[at++]);
    value += (byte & 127) << (7 * i);
    if (byte < 128) return value;
  }
  demand(false, "a number has more than three bytes");
  return 0;
}

// The changes of three frames, each of which may be unknown.
void check_history(Bytes bytes, unsigned tiles) {
  size_t at = 0;
  for (int frame = 0; frame < 3; ++frame) {
    const unsigned ranges = number(bytes, at);
    unsigned end = 0;
    for (unsigned i = 1; i < ranges; ++i) {
      const unsigned gap = number(bytes, at), count = number(bytes, at);
      demand(count > 0 && gap <= tiles - end && count <= tiles - end - gap, "a range is outside the picture");
      end += gap + count;
    }
  }
  demand(at == bytes.size(), "bytes follow a history");
}

unsigned little(Bytes bytes, size_t at, int count) {
  demand(at + count <= bytes.size(), "a payload ends within a record");
  unsigned value = 0;
  for (int i = 0; i < count; ++i) value |= std::to_integer<unsigned>(bytes[at + i]) << 8 * i;
  return value;
}

}  // namespace

std::array<int, 16> frequencies_of(const char* row) {
  // 2^(-j / 8)
  static const double eighths[8] = {1.0,
                                    0.91700404320467123174,
                                    0.84089641525371454303,
                                    0.77110541270397041180,
                                    0.70710678118654752440,
                                    0.64841977732550483296,
                                    0.59460355750136053336,
                                    0.54525386633262882960};
  double weights[16], sum = 0;
  for (int s = 0; s < 16; ++s) {
    const int steps = row[s] - '!';
    weights[s] = eighths[steps % 8] / (1 << steps / 8);
    sum += weights[s];
  }
  std::array<int, 16> frequencies{};
  int total = 0;
  for (int s = 0; s < 16; ++s)
    total += frequencies[s] = std::max(1, static_cast<int>(std::floor(weights[s] / sum * 4096 + 0.5)));
  while (total != 4096) {
    int& largest = *std::max_element(frequencies.begin(), frequencies.end());
    const int given = total > 4096 ? std::min(total - 4096, largest / 2) : total - 4096;
    largest -= given;
    total -= given;
  }
  return frequencies;
}

Decoder::Decoder(const texcast::TextureDesc& texture)
    : across_(static_cast<unsigned>((texture.width + 63) / 64)),
      down_(static_cast<unsigned>((texture.height + 31) / 32)) {
  const std::string format(texcast::name(texture.format));
  const auto layout = texcast::texture_layout(texture);
  const auto add = [&](int plane, bool is_channel, bool always_four, int tables, size_t offset, size_t stride,
                       int across = 1, int down = 1) {
    components_.push_back({.is_channel = is_channel,
                           .always_four = always_four,
                           .tables = tables,
                           .blocks_x = ((texture.width + across - 1) / across + 3) / 4,
                           .blocks_y = ((texture.height + down - 1) / down + 3) / 4,
                           .across = across,
                           .down = down,
                           .offset = layout.planes[plane].offset + offset,
                           .stride = stride});
  };
  const auto add_opaque = [&](int tables, size_t offset, size_t stride) {
    add(0, false, false, tables, offset, stride);
    components_.back().is_opaque = true;
  };
  if (format == "bc4" || format == "bc4-signed") {
    add(0, true, false, kLuma, 0, 8);
  } else if (format == "bc3") {
    add(0, true, false, kAlpha, 0, 16);
    add(0, false, true, kColor, 8, 16);
  } else if (format == "bc7" || format == "astc-4x4" || format.rfind("bc6h", 0) == 0) {
    const int low = format == "bc7" ? kBc7 : format == "astc-4x4" ? kAstc : kBc6h;
    add_opaque(low, 0, 16);
    add_opaque(low + 1, 8, 16);
  } else if (format == "etc2-alpha") {
    add_opaque(kEtc, 8, 16);
    add_opaque(kEac, 0, 16);
  } else if (format == "etc1" || format == "etc2" || format == "etc2-a1") {
    add_opaque(kEtc, 0, 8);
  } else if (format.rfind("eac-rg11", 0) == 0) {
    for (const size_t offset : {0, 8}) add_opaque(kEac, offset, 16);
  } else if (format.rfind("eac-r11", 0) == 0) {
    add_opaque(kEac, 0, 8);
  } else if (format == "bc5" || format == "bc5-signed") {
    add(0, true, false, kLuma, 0, 16);
    add(0, true, false, kLuma, 8, 16);
  } else if (format == "ycocg-dxt5" || format == "ycocg-dxt5-alpha") {
    add(0, true, false, kLuma, 0, 16);
    add(0, false, true, kScaledChroma, 8, 16);
    if (format == "ycocg-dxt5-alpha") add(1, true, false, kAlpha, 0, 8);
  } else if (format.rfind("ycocg-bc4", 0) == 0) {
    const int across = format == "ycocg-bc4-444" ? 1 : 2, down = format == "ycocg-bc4" ? 2 : 1;
    add(0, true, false, kLuma, 0, 8);
    for (const int plane : {1, 2}) add(plane, true, false, across == 1 ? kChroma444 : kChroma, 0, 8, across, down);
  } else {
    add(0, false, false, kColor, 0, 8);  // bc1, also of Y'CbCr
  }
}

uint64_t Decoder::load(const vector<std::byte>& texture, const Component& component, int x, int y) {
  const size_t at = component.offset + (static_cast<size_t>(y) * component.blocks_x + x) * component.stride;
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::to_integer<uint64_t>(texture.at(at + i)) << 8 * i;
  return value;
}

std::array<int, 4> Decoder::blocks_of(const Component& component, const Slice& slice) const {
  const int columns = 16 / component.across, rows = 8 / component.down;
  const int x = static_cast<int>(slice.tile % across_) * columns;
  const int height = rows / static_cast<int>(slice.sub_slices);
  const int y = static_cast<int>(slice.tile / across_) * rows + static_cast<int>(slice.sub_slice) * height;
  return {std::min(x, component.blocks_x), std::min(x + columns, component.blocks_x), std::min(y, component.blocks_y),
          std::min(y + height, component.blocks_y)};
}

uint32_t Decoder::check_of(const Slice& slice, const vector<std::byte>& texture) const {
  uint64_t hash = slice.tile + 1;
  for (unsigned i = 0; i < slice.tiles; ++i)
    for (const Component& component : components_) {
      const auto rect = blocks_of(component, {slice.tile + i, slice.sub_slices, slice.sub_slice, slice.coding, {}});
      for (int y = rect[2]; y < rect[3]; ++y)
        for (int x = rect[0]; x < rect[1]; ++x) {
          hash ^= load(texture, component, x, y);
          hash = (hash >> 32 | hash << 32) * 0x9E3779B97F4A7C15u;
        }
    }
  return static_cast<uint32_t>(hash >> 32);
}

Payload Decoder::parse(Bytes bytes) const {
  Payload payload;
  unsigned next = little(bytes, 0, 3);
  demand(next < tiles(), "the first tile lies outside the picture");
  uint32_t h = joined(0, next);
  size_t at = 7;
  const Slice* last = nullptr;
  int most_sub_slices = 8;
  for (const Component& component : components_) most_sub_slices = std::min(most_sub_slices, 8 / component.down);
  payload.slices.reserve(bytes.size());
  while (at < bytes.size()) {
    const unsigned head = little(bytes, at, 3);
    at += 3;
    h = joined(h, head);
    const unsigned length = head & 2047, coding = head >> 11 & 7, part = head >> 14 & 15;
    unsigned skips = head >> 18;
    if (skips == 63) {
      const unsigned more = little(bytes, at, 2);
      at += 2;
      h = joined(h, more);
      skips += more;
    }
    unsigned tile_count = 1;
    if (part == 15) {
      demand(coding == 3 || coding == 4, "a slice of several tiles of another coding");
      const unsigned more = little(bytes, at, 1);
      at += 1;
      h = joined(h, more);
      demand(more > 0, "a slice of several tiles has one");
      tile_count += more;
    }
    demand(at + length <= bytes.size(), "a slice is longer than its payload");
    const Bytes slice = bytes.subspan(at, length);
    at += length;
    if (coding == 6) {
      uint32_t check = h;
      for (size_t i = 0; i + 2 < length; ++i) check = joined(check, std::to_integer<uint32_t>(slice[i]));
      demand(length >= 2 && little(slice, length - 2, 2) == check >> 16, "a history's check fails");
    }
    if (coding >= 3 && coding <= 6)
      for (const std::byte byte : slice) h = joined(h, std::to_integer<uint32_t>(byte));
    if (coding == 6) {
      demand(skips == 0 && part == 0, "a history belongs to a tile");
      check_history(slice.first(length - 2), tiles());
      continue;
    }
    static const unsigned sub_slices_of[] = {1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8};
    const unsigned sub_slices = part == 15 ? 1 : sub_slices_of[part],
                   sub_slice = part == 15 ? 0 : part - (sub_slices - 1);
    if (coding != 7 && skips == 0 && sub_slices > 1 && last != nullptr && last->sub_slices == sub_slices &&
        sub_slice > last->sub_slice) {
      next = last->tile;
    }
    demand(next + skips <= tiles(), "more tiles are skipped than there are");
    for (unsigned i = 0; i < skips; ++i) payload.skipped.push_back(next++);
    last = nullptr;
    if (coding == 7) {
      demand(length == 0 && part == 0, "a record without a slice has one");
      continue;
    }
    demand(next < tiles(), "a slice lies outside the picture");
    demand(static_cast<int>(sub_slices) <= most_sub_slices, "more sub-slices than rows");
    demand(next % across_ + tile_count <= across_, "a slice goes beyond its row of tiles");
    payload.slices.push_back({next, sub_slices, sub_slice, coding, slice, tile_count});
    next += tile_count;
    last = tile_count == 1 ? &payload.slices.back() : nullptr;
  }
  payload.expected_units = little(bytes, 3, 4) ^ h;
  return payload;
}

Samples Decoder::samples_of(const vector<std::byte>& texture) const {
  Samples samples;
  if (!can_transform({})) return samples;
  for (size_t c = 0; c < 3; ++c)
    samples[c].resize(static_cast<size_t>(components_[c].blocks_x) * static_cast<size_t>(components_[c].blocks_y) * 16);
  for (unsigned tile = 0; tile < tiles(); ++tile) set_samples_of_blocks({tile, 1, 0, 0, {}}, texture, samples);
  return samples;
}

void Decoder::set_samples_of_blocks(const Slice& slice, const vector<std::byte>& texture, Samples& samples) const {
  for (unsigned i = 0; i < slice.tiles; ++i)
    for (size_t c = 0; c < 3; ++c) {
      const Component& component = components_[c];
      const auto rect = blocks_of(component, {slice.tile + i, slice.sub_slices, slice.sub_slice, slice.coding, {}});
      for (int v = 4 * rect[2]; v < 4 * rect[3]; ++v)
        for (int u = 4 * rect[0]; u < 4 * rect[1]; ++u)
          samples[c].at(static_cast<size_t>(v * 4 * component.blocks_x + u)) =
              nearest_texel(load(texture, component, u / 4, v / 4), v % 4 * 4 + u % 4);
    }
}

void Decoder::decode_slice(const Slice& slice, const vector<std::byte>* reference, vector<std::byte>& texture,
                           const Samples* reference_samples, Samples* samples) {
  has_samples_ = false;
  samples_ = samples != nullptr ? *samples : samples_of(texture);
  if (reference != nullptr)
    reference_samples_ = reference_samples != nullptr ? *reference_samples : samples_of(*reference);
  decode_sub_blocks(slice, reference, texture);
  if (!has_samples_ && can_transform({})) set_samples_of_blocks(slice, texture, samples_);
  if (samples != nullptr) *samples = samples_;
}

void Decoder::decode_sub_blocks(const Slice& slice, const vector<std::byte>* reference, vector<std::byte>& texture) {
  referenced_.clear();
  ++seen_.codings.at(slice.coding);
  ++seen_.sub_slices[slice.sub_slices];
  if (slice.coding == 2) {
    size_t at = 0;
    for (const Component& component : components_) {
      const auto rect = blocks_of(component, slice);
      for (int y = rect[2]; y < rect[3]; ++y)
        for (int x = rect[0]; x < rect[1]; ++x, at += 8) {
          demand(at + 8 <= slice.bytes.size(), "a raw slice is too short");
          std::copy_n(slice.bytes.begin() + static_cast<std::ptrdiff_t>(at), 8,
                      texture.begin() +
                          static_cast<std::ptrdiff_t>(
                              component.offset + (static_cast<size_t>(y) * component.blocks_x + x) * component.stride));
        }
    }
    demand(at == slice.bytes.size(), "a raw slice is too long");
    return;
  }
  demand(slice.coding < 3 || !components_[0].is_opaque, "a lossy slice of opaque sub-blocks");
  if (slice.coding == 5) {
    Symbols symbols(slice.bytes, true);
    read_sample_slice(symbols, slice, texture);
    return symbols.end();
  }
  const bool intra = slice.coding == 1 || slice.coding == 4;
  demand(intra || reference != nullptr, "an inter slice without a reference frame");
  Symbols symbols(slice.bytes, slice.coding >= 3);
  read_slice(symbols, slice, intra ? nullptr : reference, texture);
  symbols.end();
}

void Decoder::make_up_slice(const Slice& slice, const vector<std::byte>* reference, vector<std::byte>& texture,
                            RandomSymbols& random) {
  samples_ = samples_of(texture);
  if (reference != nullptr) reference_samples_ = samples_of(*reference);
  Symbols symbols(random);
  read_slice(symbols, slice, reference, texture);
}

void Decoder::read_slice(Symbols& symbols, const Slice& slice, const vector<std::byte>* reference,
                         vector<std::byte>& texture) {
  Head head;
  head.lossy = slice.coding >= 3;
  int quantiser = 0;
  if (head.lossy) {
    // All table sets have the same tables for these bits.
    const int set = components_[0].tables + kLossySets;
    if (reference != nullptr) quantiser = symbols.next(set, kBitsAt + 3, 0xFFF);
    head.content = symbols.next(set, kBitsAt + 1, can_transform(slice) && symbols.may_be_transform() ? 15 : 7) & 3;
    if (head.content == 3) return read_transform_slice(symbols, slice, quantiser, reference, texture);
    static const int least_ranges[] = {0, 8, 11, 16, 22, 31, 44, 62, 88, 124, 176, 248};
    demand(quantiser <= 11, "there is no such quantiser");
    head.least_range = least_ranges[quantiser];
  }
  for (unsigned i = 0; i < slice.tiles; ++i) {
    Head of_tile = head;
    read_tile(symbols, {slice.tile + i, slice.sub_slices, slice.sub_slice, slice.coding, {}}, reference, texture,
              of_tile);
  }
}

bool Decoder::can_transform(const Slice& slice) const {
  return components_.size() == 3 && components_[2].is_channel && components_[2].tables != kAlpha &&
         slice.sub_slices <= 2;
}

void Decoder::read_transform_slice(Symbols& symbols, const Slice& slice, int quantiser,
                                   const vector<std::byte>* reference, vector<std::byte>& texture) {
  demand(can_transform(slice), "a transform slice of this format or part");
  const int set = components_[0].tables + kLossySets;
  if (reference != nullptr) {
    quantiser = 4 * quantiser + (symbols.next(set, kBitsAt + 1, 15) & 3);
  } else {
    quantiser = symbols.next(set, kBitsAt + 3);
    quantiser += 16 * (symbols.next(set, kBitsAt + 1, 7) & 3);
  }
  demand(quantiser <= 51, "there is no such quantiser of transform slices");
  ++seen_.transform_slices;
  has_samples_ = true;
  for (unsigned i = 0; i < slice.tiles; ++i) {
    const Slice only{slice.tile + i, slice.sub_slices, slice.sub_slice, slice.coding, {}};
    TransformInput input{.components = {},
                         .rects = {},
                         .reference = reference,
                         .reference_samples = reference_samples_,
                         .tiles_across = across_,
                         .quantiser = quantiser};
    for (size_t c = 0; c < 3; ++c) {
      input.components[c] = &components_[c];
      input.rects[c] = blocks_of(components_[c], only);
    }
    read_transform_tile(input, symbols, texture, samples_, referenced_, seen_);
  }
}

void Decoder::read_sample_slice(Symbols& symbols, const Slice& slice, vector<std::byte>& texture) {
  demand(can_transform({}), "a sample slice of this format");
  has_samples_ = true;
  SampleInput input{};
  for (size_t c = 0; c < 3; ++c) {
    input.components[c] = &components_[c];
    input.rects[c] = blocks_of(components_[c], slice);
  }
  oracle::read_sample_slice(input, symbols, texture, samples_, seen_);
}

void Decoder::read_tile(Symbols& symbols, const Slice& slice, const vector<std::byte>* reference,
                        vector<std::byte>& texture, Head& head) {
  if (reference != nullptr) read_partitions(symbols, slice, head);
  for (const Component& component : components_)
    read_component({component, components_[0], blocks_of(component, slice), reference, across_}, symbols, head, texture,
                   referenced_, seen_);
}

void Decoder::read_partitions(Symbols& symbols, const Slice& slice, Head& head) {
  const auto first = blocks_of(components_[0], slice);
  const int across = (first[1] - first[0] + 3) / 4, down = (first[3] - first[2] + 3) / 4;
  head.across = across;
  const std::array<int, 2> zero{0, 0};
  const int set = components_[0].tables + head.first_set();
  for (int y = 0; y < down; ++y)
    for (int x = 0; x < across; ++x) {
      const size_t over = static_cast<size_t>(y - 1) * across + x;
      const auto left = x > 0 ? head.vectors.back() : zero;
      const auto above = y > 0 ? head.vectors[over] : zero;
      int context = (left == zero ? 1 : 0) + (above == zero ? 2 : 0);
      if (head.lossy)
        context += kPartitionAt + 4 * ((x > 0 && head.copied.back() ? 1 : 0) + (y > 0 && head.copied[over] ? 1 : 0));
      const int symbol = symbols.next(set, head.lossy ? context : kVectorAt + context, head.lossy ? 255 : 15);
      demand(symbol <= (head.lossy ? 7 : 3), "there is no such vector");
      const int from = symbol % 4;
      head.copied.push_back(symbol >= 4);
      ++seen_.vectors[from];
      auto own = from == 0 ? zero : from == 1 ? left : from == 2 ? above : symbols.motion_vector(set, false);
      if (from == 3 && head.lossy)
        for (const int axis : {0, 1}) own[axis] += x > 0 ? left[axis] : above[axis];
      head.vectors.push_back(own);
      seen_.long_distances += std::abs(own[0]) > 64 || std::abs(own[1]) > 32 ? 1 : 0;
    }
}

void Decoder::decode(const vector<vector<std::byte>>& payloads, bool is_first, vector<std::byte>& texture) {
  const vector<std::byte> reference = texture;
  if (is_first) of_frame_ = samples_of(vector<std::byte>(texture.size()));
  const Samples reference_samples = of_frame_;
  vector<unsigned> eighths_coded(tiles(), 0);
  unsigned next = 0;  // tiles come in order
  for (const auto& bytes : payloads) {
    const Payload payload = parse(bytes);
    for (const unsigned tile : payload.skipped) {
      demand(eighths_coded[tile] == 0 && !is_first, "a tile is coded and skipped");
      eighths_coded[tile] = 255;
    }
    uint32_t u = 0;
    for (const Slice& slice : payload.slices) {
      demand(slice.tile >= next, "tiles are not in order");
      next = slice.tile;
      const unsigned eighths = 8 / slice.sub_slices;
      const unsigned mask = ((1u << eighths) - 1) << eighths * slice.sub_slice;
      for (unsigned tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) {
        demand((eighths_coded[tile] & mask) == 0, "a tile is coded twice");
        eighths_coded[tile] |= mask;
      }
      decode_slice(slice, is_first ? nullptr : &reference, texture, &reference_samples, &of_frame_);
      u = joined(u, check_of(slice, texture));
    }
    demand(u == payload.expected_units, "a check is wrong");
  }
  for (unsigned tile = 0; tile < tiles(); ++tile)
    for (unsigned eighth = 0; eighth < 8; ++eighth) {
      if (eighths_coded[tile] >> eighth & 1) continue;
      for (const Component& component : components_) {
        const int rows = 8 / component.down;
        const int y = static_cast<int>(tile / across_) * rows + static_cast<int>(eighth) * rows / 8;
        demand(y >= component.blocks_y, "a tile is missing");
      }
    }
}

}  // namespace oracle
