#include "transport/ultragrid_fec_block.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "ldgm.h"

namespace texcast::transport {
namespace {

uint64_t bytes_of(std::span<const ByteRange> ranges) {
  uint64_t sum = 0;
  for (const ByteRange& r : ranges) sum += r.end - r.begin;
  return sum;
}

// Adds [begin, end) of the block to the known ranges of the frame, which is [0, frame_bytes).
void add_clipped(std::vector<ByteRange>& ranges, uint64_t begin, uint64_t end, uint64_t frame_bytes) {
  begin = std::max<uint64_t>(begin, kFecInnerBytes) - kFecInnerBytes;
  end = std::min(std::max<uint64_t>(end, kFecInnerBytes) - kFecInnerBytes, frame_bytes);
  if (begin < end) ranges.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
}

void merge(std::vector<ByteRange>& ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  size_t kept = 0;
  for (const ByteRange& r : ranges) {
    if (kept > 0 && r.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, r.end);
    else
      ranges[kept++] = r;
  }
  ranges.resize(kept);
}

}  // namespace

size_t fec_symbol_bytes(const FecShape& shape, size_t frame_bytes) {
  const auto k = static_cast<size_t>(shape.k);
  const size_t unit = shape.scheme == FecScheme::ldgm ? 4 : 1;
  return (kFecInnerBytes + frame_bytes + unit * k - 1) / (unit * k) * unit;
}

UltraGridFecWriter::UltraGridFecWriter(const FecShape& shape) : shape_(shape) {
  if (shape.scheme == FecScheme::reed_solomon) {
    reed_solomon_ = std::make_unique<ReedSolomon>(ReedSolomon::Matrix::zfec, shape.k, shape.m);
  } else {
    ENSURE(shape.scheme == FecScheme::ldgm);
    ldgm_ = Ldgm::create({.k = shape.k, .m = shape.m, .c = shape.c, .seed = shape.seed});
    ENSURE(ldgm_ != nullptr);
  }
}

UltraGridFecWriter::~UltraGridFecWriter() = default;

void UltraGridFecWriter::begin(Bytes frame, const VideoHeader& header) {
  ENSURE(!frame.empty());
  frame_ = frame;
  copied_ = added_ = 0;
  symbol_bytes_ = fec_symbol_bytes(shape_, frame.size());
  const size_t data_bytes = symbol_bytes_ * static_cast<size_t>(shape_.k);
  block_bytes_ = data_bytes + symbol_bytes_ * static_cast<size_t>(shape_.m);
  ENSURE(block_bytes_ <= INT32_MAX);
  if (block_.size() < block_bytes_) block_.resize(block_bytes_);
  data_.resize(static_cast<size_t>(shape_.k));
  parity_.resize(static_cast<size_t>(shape_.m));
  for (size_t i = 0; i < data_.size(); ++i) data_[i] = block_.data() + i * symbol_bytes_;
  for (size_t i = 0; i < parity_.size(); ++i) parity_[i] = block_.data() + data_bytes + i * symbol_bytes_;

  VideoHeader inner = header;
  inner.substream = 0;
  inner.buffer_id = 0;
  inner.offset = 0;
  inner.length = static_cast<uint32_t>(frame.size());
  store_le32(block_, 0, static_cast<uint32_t>(kVideoHeaderBytes + frame.size()));
  write_video_header(MutableBytes(block_).subspan(4), inner);
}

size_t UltraGridFecWriter::advance(size_t ready) {
  ENSURE(ready >= copied_ && ready <= frame_.size());
  std::memcpy(block_.data() + kFecInnerBytes + copied_, frame_.data() + copied_, ready - copied_);
  copied_ = ready;
  const size_t final_bytes = kFecInnerBytes + ready;
  if (ready < frame_.size()) {
    if (reed_solomon_) add_symbols(final_bytes / symbol_bytes_);
    return final_bytes;
  }
  std::fill(block_.data() + final_bytes, parity_.front(), std::byte{0});
  if (ldgm_)
    ldgm_->encode(MutableBytes(block_).first(block_bytes_), symbol_bytes_);
  else if (added_ == 0)  // all at once is faster
    reed_solomon_->encode(data_, parity_, symbol_bytes_);
  else
    add_symbols(data_.size());
  return block_bytes_;
}

// Adds data symbols up to `count` to the parity.
void UltraGridFecWriter::add_symbols(size_t count) {
  if (added_ == 0 && count > 0) std::fill_n(parity_.front(), parity_.size() * symbol_bytes_, std::byte{0});
  for (; added_ < count; ++added_)
    reed_solomon_->add(static_cast<int>(added_), Bytes(data_[added_], symbol_bytes_), parity_);
}

UltraGridFecReader::UltraGridFecReader() : ldgm_(std::make_unique<LdgmCache>()) {}
UltraGridFecReader::~UltraGridFecReader() = default;

FecBlockContent UltraGridFecReader::read(FecScheme scheme, const FecHeader& header, MutableBytes block,
                                         const ByteCoverage& coverage) {
  ENSURE(block.size() == header.block_length);
  if (!is_plausible(scheme, header)) return {};
  const size_t symbol_bytes = header.symbol_bytes();
  const size_t data_bytes = symbol_bytes * header.k;
  present_.assign(size_t{header.k} + header.m, 0);
  size_t present = 0;
  for (const ByteRange& r : coverage.intervals()) {
    const size_t first = (r.begin + symbol_bytes - 1) / symbol_bytes, end = r.end / symbol_bytes;
    for (size_t i = first; i < end; ++i, ++present) present_[i] = 1;
  }
  // First the ranges of the frame that have arrived, wherever it ends; then those including recovered symbols.
  FecBlockContent content;
  const auto arrived = [&](size_t frame_bytes) {
    usable_.clear();
    for (const ByteRange& r : coverage.intervals()) add_clipped(usable_, r.begin, r.end, frame_bytes);
    return bytes_of(usable_);
  };
  const auto read_header = [&](bool there) {
    if (!there) return;
    const uint32_t inner = load_le32(block, 0);
    if (inner <= kVideoHeaderBytes || inner > data_bytes - 4) return;
    content.header = parse_video_header(block.subspan(4));
    content.header->length = inner - static_cast<uint32_t>(kVideoHeaderBytes);
    content.header->offset = 0;
    content.header->substream = header.substream;
    content.header->buffer_id = header.buffer_id;
    content.frame = block.subspan(kFecInnerBytes, content.header->length);
  };

  const auto intervals = coverage.intervals();
  read_header(!intervals.empty() && intervals[0].begin == 0 && intervals[0].end >= kFecInnerBytes);
  const uint64_t before = arrived(content.header ? content.frame.size() : data_bytes - kFecInnerBytes);
  content.whole = content.header && before == content.frame.size();
  // Fewer than K equations cannot be solved. The check saves the cost of a matrix for a few forged bytes.
  if (!content.whole && present >= header.k) {
    const bool all = scheme == FecScheme::ldgm ? repair_ldgm(header, block) : repair_reed_solomon(header, block);
    const size_t in_front = (kFecInnerBytes + symbol_bytes - 1) / symbol_bytes;
    if (!content.header) read_header(std::ranges::all_of(std::span(present_).first(in_front), std::identity{}));
    content.whole = content.repaired = all && content.header;
    const size_t frame_bytes = content.header ? content.frame.size() : data_bytes - kFecInnerBytes;
    const uint64_t came = arrived(frame_bytes);
    for (size_t i = 0; i < header.k; ++i)
      if (present_[i]) add_clipped(usable_, i * symbol_bytes, (i + 1) * symbol_bytes, frame_bytes);
    merge(usable_);
    content.recovered_bytes = bytes_of(usable_) - came;
  }
  content.usable = usable_;
  return content;
}

bool UltraGridFecReader::repair_reed_solomon(const FecHeader& header, MutableBytes block) {
  const int k = header.k, m = header.m;
  if (!reed_solomon_ || reed_solomon_->k() != k || reed_solomon_->m() != m)
    reed_solomon_ = std::make_unique<ReedSolomon>(ReedSolomon::Matrix::zfec, k, m);
  symbols_.resize(present_.size());
  ReedSolomon::Present present;
  for (size_t i = 0; i < symbols_.size(); ++i) {
    symbols_[i] = block.data() + i * header.symbol_bytes();
    present[i] = present_[i] != 0;
  }
  if (!reed_solomon_->repair(symbols_, present, header.symbol_bytes())) return false;
  std::fill_n(present_.begin(), header.k, uint8_t{1});
  return true;
}

bool UltraGridFecReader::repair_ldgm(const FecHeader& header, MutableBytes block) {
  Ldgm* code = ldgm_->find({.k = header.k, .m = header.m, .c = header.c, .seed = header.seed});
  return code && code->repair(block, header.symbol_bytes(), present_);
}

}  // namespace texcast::transport
