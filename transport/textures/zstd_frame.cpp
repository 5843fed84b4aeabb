// The names are those of RFC 8878.
#include "zstd_frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace texcast::stream {
namespace {

constexpr uint32_t kMagic = 0xFD2FB528;
constexpr size_t kLargestBlock = size_t{1} << 17;
constexpr int kMostHuffmanBits = 11;
constexpr int kMostWeights = 256;
constexpr int kMostAccuracy = 9;

int highest_bit(uint32_t value) { return std::bit_width(value) - 1; }

// Bits from the first byte on, lowest first. Bits beyond the end are 0, and ok() is false then.
class ForwardBits {
 public:
  explicit ForwardBits(Bytes bytes) : bytes_(bytes) {}
  uint32_t peek(int count) const {
    uint32_t value = 0;
    for (int i = 0; i < count; ++i) {
      const size_t at = at_ + static_cast<size_t>(i);
      if (at / 8 < bytes_.size()) value |= (std::to_integer<uint32_t>(bytes_[at / 8]) >> at % 8 & 1) << i;
    }
    return value;
  }
  void skip(int count) { at_ += static_cast<size_t>(count); }
  uint32_t take(int count) {
    const uint32_t value = peek(count);
    skip(count);
    return value;
  }
  bool ok() const { return at_ <= 8 * bytes_.size(); }
  size_t bytes() const { return (at_ + 7) / 8; }  // begun

 private:
  Bytes bytes_;
  size_t at_ = 0;
};

// Bits from the end of the last byte on: its highest set bit marks the end. Bits before the first byte are 0, and
// left() is negative then.
class BackwardBits {
 public:
  explicit BackwardBits(Bytes bytes) : bytes_(bytes) {
    if (bytes.empty() || bytes.back() == std::byte{0}) return;
    left_ = 8 * static_cast<int64_t>(bytes.size() - 1) + highest_bit(std::to_integer<uint32_t>(bytes.back()));
  }
  int64_t left() const { return left_; }  // -1 at first: there is no mark
  uint32_t peek(int count) const {
    uint64_t value = 0;
    const int64_t begin = left_ - count;  // the lowest of the bits
    const int64_t first = begin >> 3;
    for (int64_t byte = first; byte <= first + 4; ++byte)
      if (byte >= 0 && byte < static_cast<int64_t>(bytes_.size()))
        value |= std::to_integer<uint64_t>(bytes_[static_cast<size_t>(byte)]) << 8 * (byte - first);
    return static_cast<uint32_t>(value >> (begin - 8 * first)) & static_cast<uint32_t>((uint64_t{1} << count) - 1);
  }
  void skip(int count) { left_ -= count; }
  uint32_t take(int count) {
    const uint32_t value = peek(count);
    skip(count);
    return value;
  }

 private:
  Bytes bytes_;
  int64_t left_ = -1;
};

struct FseTable {
  struct Entry {
    uint8_t symbol = 0, bits = 0;
    uint16_t base = 0;  // of the next state
  };
  int accuracy = -1;  // -1: there is no table
  std::array<Entry, 1 << kMostAccuracy> entries{};

  const Entry& operator[](uint32_t state) const { return entries[state]; }
  void update(uint32_t& state, BackwardBits& bits) const {
    const Entry& entry = entries[state];
    state = entry.base + bits.take(entry.bits);
  }
  void always(uint8_t symbol) {
    accuracy = 0;
    entries[0] = {.symbol = symbol};
  }
};

// `counts`: of the table's states, -1: less than one. Their sum is the size of the table.
bool build(std::span<const int16_t> counts, int accuracy, FseTable& table) {
  const uint32_t size = 1u << accuracy;
  std::array<uint16_t, kMostWeights> next{};
  uint32_t high = size;
  for (size_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] >= 0) {
      next[symbol] = static_cast<uint16_t>(counts[symbol]);
      continue;
    }
    if (high == 0) return false;
    table.entries[--high].symbol = static_cast<uint8_t>(symbol);
    next[symbol] = 1;
  }
  const uint32_t step = (size >> 1) + (size >> 3) + 3;
  uint32_t at = 0;
  for (size_t symbol = 0; symbol < counts.size(); ++symbol)
    for (int i = 0; i < counts[symbol]; ++i) {
      table.entries[at].symbol = static_cast<uint8_t>(symbol);
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  if (at != 0) return false;
  table.accuracy = accuracy;
  for (uint32_t state = 0; state < size; ++state) {
    FseTable::Entry& entry = table.entries[state];
    const uint32_t number = next[entry.symbol]++;
    entry.bits = static_cast<uint8_t>(accuracy - highest_bit(number));
    entry.base = static_cast<uint16_t>((number << entry.bits) - size);
  }
  return true;
}

// Section 4.1.1. Returns the bytes of the description.
std::optional<size_t> read_table(Bytes bytes, int most_accuracy, size_t most_symbols, FseTable& table) {
  ForwardBits bits(bytes);
  const int accuracy = static_cast<int>(bits.take(4)) + 5;
  if (accuracy > most_accuracy) return std::nullopt;
  std::array<int16_t, kMostWeights> counts{};
  int remaining = 1 << accuracy;
  size_t symbol = 0;
  while (remaining > 0) {
    if (symbol >= most_symbols || !bits.ok()) return std::nullopt;
    const int width = highest_bit(static_cast<uint32_t>(remaining + 1)) + 1;
    const uint32_t low_mask = (1u << (width - 1)) - 1;
    const uint32_t threshold = (1u << width) - 1 - static_cast<uint32_t>(remaining + 1);
    uint32_t value = bits.peek(width);
    if ((value & low_mask) < threshold) {
      value &= low_mask;
      bits.skip(width - 1);
    } else {
      if (value > low_mask) value -= threshold;
      bits.skip(width);
    }
    const int count = static_cast<int>(value) - 1;
    remaining -= count < 0 ? 1 : count;
    counts[symbol++] = static_cast<int16_t>(count);
    for (uint32_t zeros = count == 0 ? 3 : 0; zeros == 3;) {
      zeros = bits.take(2);
      symbol += zeros;
      if (symbol > most_symbols || !bits.ok()) return std::nullopt;
    }
  }
  if (remaining < 0 || !bits.ok() || !build(std::span(counts).first(symbol), accuracy, table)) return std::nullopt;
  return bits.bytes();
}

struct HuffmanTable {
  struct Entry {
    uint8_t symbol = 0, bits = 0;
  };
  int bits = 0;  // 0: there is no table
  std::array<Entry, 1 << kMostHuffmanBits> entries{};
};

// Section 4.2.1.2: two states in turn, until the bits are used up.
std::optional<size_t> read_weights(Bytes bytes, std::span<uint8_t> weights) {
  constexpr int kMostWeightAccuracy = 6;
  constexpr size_t kLargestWeight = kMostHuffmanBits + 1;
  FseTable table;
  const auto used = read_table(bytes, kMostWeightAccuracy, kLargestWeight + 1, table);
  if (!used) return std::nullopt;
  BackwardBits bits(bytes.subspan(*used));
  if (bits.left() < 2 * table.accuracy) return std::nullopt;
  std::array<uint32_t, 2> states{};
  for (uint32_t& state : states) state = bits.take(table.accuracy);
  size_t count = 0;
  for (size_t turn = 0;; turn ^= 1) {
    if (count + 2 > weights.size()) return std::nullopt;
    weights[count++] = table[states[turn]].symbol;
    table.update(states[turn], bits);
    if (bits.left() >= 0) continue;
    weights[count++] = table[states[turn ^ 1]].symbol;
    return count;
  }
}

// Section 4.2.1. Returns the bytes of the description.
std::optional<size_t> read_huffman(Bytes bytes, HuffmanTable& table) {
  if (bytes.empty()) return std::nullopt;
  const size_t head = std::to_integer<size_t>(bytes[0]);
  std::array<uint8_t, kMostWeights> weights{};
  size_t count = 0, used = 1;
  if (head < 128) {
    if (bytes.size() < 1 + head) return std::nullopt;
    const auto read = read_weights(bytes.subspan(1, head), std::span(weights).first(kMostWeights - 1));
    if (!read) return std::nullopt;
    count = *read;
    used += head;
  } else {
    count = head - 127;
    used += (count + 1) / 2;
    if (bytes.size() < used) return std::nullopt;
    for (size_t i = 0; i < count; ++i) {
      const auto pair = std::to_integer<uint8_t>(bytes[1 + i / 2]);
      weights[i] = i % 2 == 0 ? pair >> 4 : pair & 15;
    }
  }
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    if (weights[i] > kMostHuffmanBits) return std::nullopt;
    if (weights[i] > 0) sum += 1u << (weights[i] - 1);
  }
  if (sum == 0) return std::nullopt;
  const int most = highest_bit(sum) + 1;
  const uint32_t left = (1u << most) - sum;
  if (most > kMostHuffmanBits || !std::has_single_bit(left)) return std::nullopt;
  weights[count++] = static_cast<uint8_t>(highest_bit(left) + 1);
  table.bits = most;
  size_t at = 0;
  for (int weight = 1; weight <= most; ++weight)  // longest codes first
    for (size_t symbol = 0; symbol < count; ++symbol) {
      if (weights[symbol] != weight) continue;
      const size_t length = size_t{1} << (weight - 1);
      const HuffmanTable::Entry entry{static_cast<uint8_t>(symbol), static_cast<uint8_t>(most + 1 - weight)};
      std::fill_n(table.entries.begin() + static_cast<std::ptrdiff_t>(at), length, entry);
      at += length;
    }
  return used;
}

bool decode_huffman(const HuffmanTable& table, Bytes stream, MutableBytes out) {
  BackwardBits bits(stream);
  if (bits.left() < 0) return false;
  for (std::byte& byte : out) {
    const HuffmanTable::Entry entry = table.entries[bits.peek(table.bits)];
    byte = std::byte{entry.symbol};
    bits.skip(entry.bits);
    if (bits.left() < 0) return false;
  }
  return bits.left() == 0;
}

struct Code {
  uint32_t base = 0;
  uint8_t bits = 0;
};

template <size_t kCodes>
constexpr std::array<Code, kCodes> codes_from(uint32_t base, const std::array<uint8_t, kCodes>& bits) {
  std::array<Code, kCodes> codes{};
  for (size_t i = 0; i < kCodes; ++i) {
    codes[i] = {base, bits[i]};
    base += 1u << bits[i];
  }
  return codes;
}

constexpr auto kLiteralLengths = codes_from<36>(0, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  1,  1,
                                                    1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
constexpr auto kMatchLengths =
    codes_from<53>(3, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0, 0,
                       0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
// The RFC's base of the code for 64 literals: codes of 4 and 6 bits follow one another.
static_assert(kLiteralLengths[25].base == 64 && kLiteralLengths[35].base == 65536);
static_assert(kMatchLengths[43].base == 131 && kMatchLengths[52].base == 65539);

constexpr std::array<int16_t, 36> kLiteralLengthCounts{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                                       2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr std::array<int16_t, 53> kMatchLengthCounts{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
constexpr std::array<int16_t, 29> kOffsetCounts{1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                                1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

// The limits of a table of sequences, and the table for mode 0.
struct SequenceKind {
  int most_accuracy;
  size_t symbols;
  std::span<const int16_t> counts;
  int accuracy;
};
constexpr SequenceKind kLiteralLengthKind{9, 36, kLiteralLengthCounts, 6};
constexpr SequenceKind kOffsetKind{8, 32, kOffsetCounts, 5};
constexpr SequenceKind kMatchLengthKind{9, 53, kMatchLengthCounts, 6};

class FrameReader {
 public:
  explicit FrameReader(MutableBytes out) : out_(out) { literals_.resize(kLargestBlock); }

  bool read(Bytes frame) {
    ByteReader reader(frame);
    if (!read_header(reader)) return false;
    for (bool is_last = false; !is_last;) {
      const auto head = reader.take_le<3>();
      if (!head) return false;
      is_last = (*head & 1) != 0;
      if (!read_block(static_cast<unsigned>(*head >> 1 & 3), static_cast<size_t>(*head >> 3), reader)) return false;
    }
    return reader.take(has_checksum_ ? 4 : 0) && reader.remaining() == 0 && written_ == out_.size();
  }

 private:
  bool read_header(ByteReader& reader) {
    const auto magic = reader.take_le<4>();
    const auto descriptor = reader.take_le<1>();
    if (!magic || *magic != kMagic || !descriptor || (*descriptor & 0x0B) != 0) return false;
    const bool is_single = (*descriptor & 0x20) != 0;
    has_checksum_ = (*descriptor & 4) != 0;
    if (!is_single && !reader.take(1)) return false;  // the window, which is never larger than `out`
    switch (*descriptor >> 6) {
      case 0: {
        const auto size = is_single ? reader.take_le<1>() : std::optional<uint64_t>(out_.size());
        return size && *size == out_.size();
      }
      case 1: {
        const auto size = reader.take_le<2>();
        return size && *size + 256 == out_.size();
      }
      case 2: {
        const auto size = reader.take_le<4>();
        return size && *size == out_.size();
      }
      default: {
        const auto size = reader.take_le<8>();
        return size && *size == out_.size();
      }
    }
  }

  bool read_block(unsigned type, size_t size, ByteReader& reader) {
    if (size > kLargestBlock) return false;
    if (type == 1) {
      const auto value = reader.take(1);
      if (!value || size > out_.size() - written_) return false;
      std::ranges::fill(out_.subspan(written_, size), (*value)[0]);
      written_ += size;
      return true;
    }
    const auto content = reader.take(size);
    if (!content || type == 3) return false;
    return type == 0 ? append(*content) : read_compressed(*content);
  }

  bool append(Bytes bytes) {
    if (bytes.size() > out_.size() - written_) return false;
    std::ranges::copy(bytes, out_.begin() + static_cast<std::ptrdiff_t>(written_));
    written_ += bytes.size();
    return true;
  }

  bool read_compressed(Bytes block) {
    const auto used = read_literals(block);
    return used && read_sequences(block.subspan(*used));
  }

  // Section 3.1.1.3.1. Returns the bytes of the section.
  std::optional<size_t> read_literals(Bytes block) {
    if (block.empty()) return std::nullopt;
    const auto first = std::to_integer<unsigned>(block[0]);
    const unsigned type = first & 3, size_format = first >> 2 & 3;
    if (type <= 1) {
      const size_t head_bytes = size_format == 1 ? 2 : size_format == 3 ? 3 : 1;
      if (block.size() < head_bytes) return std::nullopt;
      uint32_t head = 0;
      for (size_t i = 0; i < head_bytes; ++i) head |= std::to_integer<uint32_t>(block[i]) << 8 * i;
      literal_count_ = head_bytes == 1 ? head >> 3 : head >> 4;
      const size_t stored = type == 0 ? literal_count_ : 1;
      if (literal_count_ > kLargestBlock || block.size() - head_bytes < stored) return std::nullopt;
      if (type == 0)
        std::ranges::copy(block.subspan(head_bytes, stored), literals_.begin());
      else
        std::fill_n(literals_.begin(), literal_count_, block[head_bytes]);
      return head_bytes + stored;
    }
    const size_t head_bytes = size_format <= 1 ? 3 : size_format + 2;
    const int size_bits = size_format <= 1 ? 10 : size_format == 2 ? 14 : 18;
    if (block.size() < head_bytes) return std::nullopt;
    ForwardBits head(block.first(head_bytes));
    head.skip(4);
    literal_count_ = head.take(size_bits);
    const size_t stored = head.take(size_bits);
    if (literal_count_ > kLargestBlock || block.size() - head_bytes < stored) return std::nullopt;
    Bytes content = block.subspan(head_bytes, stored);
    if (type == 2) {
      const auto used = read_huffman(content, huffman_);
      if (!used) return std::nullopt;
      content = content.subspan(*used);
    }
    if (huffman_.bits == 0) return std::nullopt;
    const MutableBytes to = MutableBytes(literals_).first(literal_count_);
    const bool is_read = size_format == 0 ? decode_huffman(huffman_, content, to) : read_four_streams(content, to);
    return is_read ? std::optional(head_bytes + stored) : std::nullopt;
  }

  bool read_four_streams(Bytes content, MutableBytes to) const {
    ByteReader reader(content);
    std::array<size_t, 3> sizes{};
    for (size_t& size : sizes) {
      const auto taken = reader.take_le<2>();
      if (!taken) return false;
      size = static_cast<size_t>(*taken);
    }
    const size_t each = (to.size() + 3) / 4;
    if (3 * each > to.size()) return false;
    for (size_t i = 0; i < 3; ++i) {
      const auto stream = reader.take(sizes[i]);
      if (!stream || !decode_huffman(huffman_, *stream, to.subspan(i * each, each))) return false;
    }
    return decode_huffman(huffman_, reader.rest(), to.subspan(3 * each));
  }

  // Section 3.1.1.3.2.
  bool read_sequences(Bytes section) {
    ByteReader reader(section);
    const auto first = reader.take_le<1>();
    if (!first) return false;
    uint64_t count = *first;
    if (count >= 128) {
      const auto more = count == 255 ? reader.take_le<2>() : reader.take_le<1>();
      if (!more) return false;
      count = count == 255 ? *more + 0x7F00 : ((count - 128) << 8) + *more;
    }
    const Bytes literals = Bytes(literals_).first(literal_count_);
    if (count == 0) return reader.remaining() == 0 && append(literals);
    const auto modes = reader.take_le<1>();
    if (!modes || (*modes & 3) != 0) return false;
    if (!read_kind(kLiteralLengthKind, *modes >> 6, reader, literal_lengths_) ||
        !read_kind(kOffsetKind, *modes >> 4 & 3, reader, offsets_) ||
        !read_kind(kMatchLengthKind, *modes >> 2 & 3, reader, match_lengths_))
      return false;
    return run_sequences(count, reader.rest(), literals);
  }

  static bool read_kind(const SequenceKind& kind, uint64_t mode, ByteReader& reader, FseTable& table) {
    if (mode == 0) return build(kind.counts, kind.accuracy, table);
    if (mode == 3) return table.accuracy >= 0;
    if (mode == 1) {
      const auto symbol = reader.take_le<1>();
      if (!symbol || *symbol >= kind.symbols) return false;
      table.always(static_cast<uint8_t>(*symbol));
      return true;
    }
    const auto used = read_table(reader.rest(), kind.most_accuracy, kind.symbols, table);
    return used && reader.take(*used);
  }

  bool run_sequences(uint64_t count, Bytes stream, Bytes literals) {
    BackwardBits bits(stream);
    if (bits.left() < 0) return false;
    uint32_t literal_state = bits.take(literal_lengths_.accuracy);
    uint32_t offset_state = bits.take(offsets_.accuracy);
    uint32_t match_state = bits.take(match_lengths_.accuracy);
    for (uint64_t i = 0; i < count; ++i) {
      const int offset_bits = offsets_[offset_state].symbol;
      const Code match_code = kMatchLengths[match_lengths_[match_state].symbol];
      const Code literal_code = kLiteralLengths[literal_lengths_[literal_state].symbol];
      const uint64_t offset_value = (uint64_t{1} << offset_bits) + bits.take(offset_bits);
      const size_t match = match_code.base + bits.take(match_code.bits);
      const size_t literal = literal_code.base + bits.take(literal_code.bits);
      if (bits.left() < 0 || literal > literals.size() || !append(literals.first(literal))) return false;
      literals = literals.subspan(literal);
      if (!copy(next_offset(offset_value, literal == 0), match)) return false;
      if (i + 1 == count) break;
      literal_lengths_.update(literal_state, bits);
      match_lengths_.update(match_state, bits);
      offsets_.update(offset_state, bits);
      if (bits.left() < 0) return false;
    }
    return bits.left() == 0 && append(literals);
  }

  // Section 3.1.1.5.
  uint64_t next_offset(uint64_t value, bool is_without_literals) {
    if (value > 3) {
      recent_ = {value - 3, recent_[0], recent_[1]};
      return recent_[0];
    }
    const size_t which = static_cast<size_t>(value - 1) + (is_without_literals ? 1 : 0);
    if (which == 0) return recent_[0];
    const uint64_t offset = which == 3 ? recent_[0] - 1 : recent_[which];
    if (which != 1) recent_[2] = recent_[1];
    recent_[1] = recent_[0];
    recent_[0] = offset;
    return offset;
  }

  // Byte by byte, as the copy may overlap its source.
  bool copy(uint64_t offset, size_t bytes) {
    if (offset == 0 || offset > written_ || bytes > out_.size() - written_) return false;
    for (size_t end = written_ + bytes; written_ < end; ++written_)
      out_[written_] = out_[written_ - static_cast<size_t>(offset)];
    return true;
  }

  MutableBytes out_;
  size_t written_ = 0;
  bool has_checksum_ = false;
  std::vector<std::byte> literals_;
  size_t literal_count_ = 0;
  HuffmanTable huffman_;
  FseTable literal_lengths_, offsets_, match_lengths_;
  std::array<uint64_t, 3> recent_{1, 4, 8};
};

}  // namespace

bool unpack_zstd(Bytes frame, MutableBytes out) { return std::make_unique<FrameReader>(out)->read(frame); }

}  // namespace texcast::stream
