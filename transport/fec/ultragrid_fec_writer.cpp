#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "ldgm.h"
#include "transport/ultragrid_fec_block.h"

namespace texcast::transport {

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
  else if (added_ == 0)  // all at once is the quicker way
    reed_solomon_->encode(data_, parity_, symbol_bytes_);
  else
    add_symbols(data_.size());
  return block_bytes_;
}

// To the parity: data symbols up to `count`.
void UltraGridFecWriter::add_symbols(size_t count) {
  if (added_ == 0 && count > 0) std::fill_n(parity_.front(), parity_.size() * symbol_bytes_, std::byte{0});
  for (; added_ < count; ++added_)
    reed_solomon_->add(static_cast<int>(added_), Bytes(data_[added_], symbol_bytes_), parity_);
}

}  // namespace texcast::transport
