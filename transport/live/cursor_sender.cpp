#include "live/cursor_sender.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace texcast::stream {
namespace {

using transport::CursorShapePacket;

// After a move the position is repeated soon, because a lost packet would be visible.
constexpr std::array<nanoseconds, 2> kAgainAfter = {std::chrono::milliseconds(20), std::chrono::milliseconds(100)};
constexpr int kCompression = 3;

nanoseconds pause_after(int times_said) {
  return times_said <= static_cast<int>(kAgainAfter.size()) ? kAgainAfter[static_cast<size_t>(times_said) - 1]
                                                            : CursorSender::kAgain;
}

}  // namespace

std::vector<std::byte> packed(const CursorShape& shape) {
  const auto side_is_good = [](int side) { return side >= 1 && side <= CursorShapePacket::kMaxSide; };
  if (!side_is_good(shape.width) || !side_is_good(shape.height) || shape.hot_x < 0 || shape.hot_y < 0 ||
      shape.hot_x >= shape.width || shape.hot_y >= shape.height)
    return {};
  const size_t bytes = shape.texels.size() * sizeof(uint32_t);
  std::vector<std::byte> out(ZSTD_compressBound(bytes));
  const size_t got = ZSTD_compress(out.data(), out.size(), shape.texels.data(), bytes, kCompression);
  if (ZSTD_isError(got) != 0 || got > CursorShapePacket::kMaxParts * CursorShapePacket::kPartBytes) return {};
  out.resize(got);
  return out;
}

void CursorSender::show(const Cursor& cursor, WallTime captured) {
  const std::lock_guard lock(mutex_);
  if (cursor_ == cursor) return;
  cursor_ = cursor;
  captured_ = captured;
  ++moves_;
}

void CursorSender::repeat() {
  const std::lock_guard lock(mutex_);
  repeats_ = true;
}

std::optional<SteadyTime> CursorSender::next_deadline(SteadyTime now) const {
  const std::lock_guard lock(mutex_);
  if (!cursor_) return std::nullopt;
  if (moves_ != sent_moves_ || repeats_) return std::max(now, said_ + kLeastApart);
  return said_ + pause_after(times_said_);
}

std::span<const transport::OutgoingPacket> CursorSender::packets(SteadyTime now, WallTime wall) {
  packets_.clear();
  memory_.reset();
  const auto due = next_deadline(now);
  if (!due || now < *due) return packets_;
  transport::CursorPacket position{.ssrc = ssrc_};
  bool shape_too = false;
  {
    const std::lock_guard lock(mutex_);
    times_said_ = moves_ == sent_moves_ ? times_said_ + 1 : 1;
    sent_moves_ = moves_;
    position.visible = cursor_->visible;
    position.x = cursor_->x;
    position.y = cursor_->y;
    position.captured = captured_;
    const bool another = cursor_->shape != shape_;
    if (another) shape_ = cursor_->shape;
    // An unchanged shape is repeated only while nothing moves.
    shape_too = std::exchange(repeats_, false) || another || times_said_ > 1;
    if (another) {
      packed_ = shape_ ? packed(*shape_) : std::vector<std::byte>{};
      shape_number_ = static_cast<uint16_t>(shape_number_ == UINT16_MAX ? 1 : shape_number_ + 1);
    }
  }
  said_ = now;
  position.shape = packed_.empty() ? uint16_t{0} : shape_number_;
  position.number = number_++;
  std::array<std::byte, transport::kCursorBytes> head{};
  put(Bytes(head).first(transport::write_cursor(head, position)), {}, wall);
  if (!shape_too || packed_.empty()) return packets_;
  CursorShapePacket part{.ssrc = ssrc_,
                         .shape = shape_number_,
                         .width = static_cast<uint16_t>(shape_->width),
                         .height = static_cast<uint16_t>(shape_->height),
                         .hot_x = static_cast<uint16_t>(shape_->hot_x),
                         .hot_y = static_cast<uint16_t>(shape_->hot_y),
                         .total_bytes = static_cast<uint32_t>(packed_.size())};
  for (size_t i = 0; i < part.parts(); ++i) {
    part.part = static_cast<uint8_t>(i);
    const size_t begin = i * CursorShapePacket::kPartBytes;
    std::array<std::byte, transport::kCursorShapeHeaderBytes> header{};
    const size_t bytes = transport::write_cursor_shape_header(header, part);
    put(Bytes(header).first(bytes),
        Bytes(packed_).subspan(begin, std::min(CursorShapePacket::kPartBytes, packed_.size() - begin)), wall);
  }
  return packets_;
}

void CursorSender::put(Bytes header, Bytes payload, WallTime wall) {
  const size_t bytes = header.size() + payload.size();
  if (!sealer_) {
    const MutableBytes out = memory_.take(bytes);
    std::ranges::copy(header, out.begin());
    std::ranges::copy(payload, out.begin() + static_cast<std::ptrdiff_t>(header.size()));
    packets_.push_back({out, {}});
    return;
  }
  const MutableBytes out = memory_.take(bytes + transport::kSealOverhead);
  packets_.push_back({sealer_->seal(header, payload, out, wall), {}});
}

}  // namespace texcast::stream
