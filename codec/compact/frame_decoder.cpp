#include "compact/frame_decoder.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "compact/payload.h"
#include "fast_unit_decoder.h"
#include "half_block.h"

namespace texcast::compact {

class FrameDecoder::Impl {
 public:
  Impl(const TextureDesc& texture, Workers& workers) : grid_(texture), workers_(workers) {
    right_.resize(grid_.tiles());
    was_right_.resize(grid_.tiles());
    said_.resize(grid_.tiles());
    strips_.resize(grid_.tiles());
  }

  const TileGrid& grid() const { return grid_; }
  std::span<const uint8_t> right() const { return right_; }
  void lose() { std::ranges::fill(right_, uint8_t{0}); }

  DecodedCounts decode(std::span<const Bytes> payloads, const std::byte* before, MutableBytes texture) {
    ENSURE(texture.size() == grid_.texture_bytes());
    if (before != nullptr) {
      std::memcpy(texture.data(), before, texture.size());
    } else {
      std::ranges::fill(texture, std::byte{0});
      lose();
    }
    counts_ = {};
    was_right_ = right_;
    std::ranges::fill(said_, Said::nothing);
    units_.clear();
    payloads_.clear();
    for (const Bytes payload : payloads) parse(payload);

    constexpr size_t kBatch = 4;
    workers_.parallel_for((units_.size() + kBatch - 1) / kBatch, [&](size_t batch) {
      for (size_t i = batch * kBatch; i < std::min((batch + 1) * kBatch, units_.size()); ++i)
        decode_one(units_[i], before, texture.data());
    });
    judge();
    return counts_;
  }

 private:
  enum class Said : uint8_t { nothing, passed, coded };
  struct Job {
    ParsedUnit unit;
    bool decoded = false;
    bool refers_right = true;  // all that it was coded against was right
    uint32_t check = 0;
  };
  struct Payload {
    size_t begin, end;  // of units_
    uint32_t check;
  };

  void parse(Bytes payload) {
    const size_t begin = units_.size();
    const auto header = parse_payload(
        grid_, payload,
        [&](uint32_t first, uint32_t count) {
          for (uint32_t tile = first; tile < first + count; ++tile)
            if (said_[tile] == Said::nothing) said_[tile] = Said::passed;
        },
        [&](const ParsedUnit& unit) {
          const uint32_t tile = unit.unit.tile;
          if (said_[tile] != Said::coded) strips_[tile] = 0;
          const auto rows =
              static_cast<uint8_t>(((1u << 8 / unit.unit.strips) - 1) << 8 / unit.unit.strips * unit.unit.strip);
          if (strips_[tile] & rows) return;  // told twice: the first stands
          strips_[tile] |= rows;
          said_[tile] = Said::coded;
          units_.push_back({.unit = unit});
        });
    if (!header) ++counts_.damaged;
    payloads_.push_back({begin, units_.size(), header ? header->check : 0});
  }

  void decode_one(Job& job, const std::byte* before, std::byte* texture) {
    const ParsedUnit& unit = job.unit;
    switch (unit.coding) {
      case Coding::plain: job.decoded = decode_plain(unit, texture); break;
      case Coding::alone:
        job.decoded = decode_unit_fast(grid_, unit.unit, unit.bytes, nullptr, texture, nullptr);
        break;
      case Coding::against: {
        TilesRead read(grid_, was_right_);
        if (before != nullptr) job.decoded = decode_unit_fast(grid_, unit.unit, unit.bytes, before, texture, &read);
        job.refers_right = before != nullptr && read.all_right();
        break;
      }
      default: break;
    }
    if (!job.decoded) {  // whatever was written gives way to what was there
      for_each_half(unit.unit,
                    [&](size_t at) { store_half(texture + at, before != nullptr ? load_half(before + at) : 0); });
      return;
    }
    job.check = unit_check(grid_, unit.unit, texture);
  }

  template <typename Call>
  void for_each_half(const Unit& unit, const Call& call) const {
    for (int i = 0; i < grid_.component_count(); ++i) {
      const Component& component = grid_.component(i);
      const BlockRect rect = grid_.blocks(component, unit);
      for (int y = rect.y0; y < rect.y1; ++y)
        for (int x = rect.x0; x < rect.x1; ++x) call(component.at(x, y));
    }
  }

  bool decode_plain(const ParsedUnit& unit, std::byte* texture) const {
    if (unit.bytes.size() != grid_.plain_bytes(unit.unit)) return false;
    size_t used = 0;
    for_each_half(unit.unit, [&](size_t at) {
      store_half(texture + at, load_half(unit.bytes.data() + used));
      used += 8;
    });
    return true;
  }

  void judge() {
    for (const Payload& payload : payloads_) {
      uint32_t check = 0;
      bool all_right = true;
      for (size_t i = payload.begin; i < payload.end; ++i) {
        const Job& job = units_[i];
        counts_.damaged += !job.decoded && job.refers_right;
        all_right = all_right && job.decoded && job.refers_right;
        check = joined_check(check, job.check);
      }
      const bool agrees = check == payload.check;
      if (all_right && !agrees) ++counts_.disagreed;
      for (size_t i = payload.begin; i < payload.end; ++i) {
        const Job& job = units_[i];
        const uint32_t tile = job.unit.unit.tile;
        switch (job.unit.coding) {
          case Coding::against: ++counts_.against; break;
          case Coding::alone: ++counts_.alone; break;
          case Coding::plain: ++counts_.plain; break;
          default: break;
        }
        if (!job.decoded || !job.refers_right || (all_right && !agrees)) spoiled_.push_back(tile);
      }
    }
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      if (said_[tile] == Said::nothing) {
        ++counts_.concealed;
        right_[tile] = 0;
      } else if (said_[tile] == Said::coded) {
        right_[tile] = is_whole(tile) ? 1 : 0;
      }
    }
    for (const uint32_t tile : spoiled_) right_[tile] = 0;
    spoiled_.clear();
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      counts_.wrong += right_[tile] == 0;
      counts_.repaired += right_[tile] != 0 && was_right_[tile] == 0;
    }
  }

  // Whether all of its strips came; those at the lower edge that have no blocks need not.
  bool is_whole(uint32_t tile) const {
    for (int strip = 0; strip < grid_.most_strips(); ++strip) {
      const Unit unit{tile, static_cast<uint8_t>(grid_.most_strips()), static_cast<uint8_t>(strip)};
      const int bits = 8 / grid_.most_strips();
      const int rows = ((1 << bits) - 1) << bits * strip;
      if ((strips_[tile] & rows) != rows && grid_.plain_bytes(unit) != 0) return false;
    }
    return true;
  }

  const TileGrid grid_;
  Workers& workers_;
  std::vector<uint8_t> right_, was_right_;
  std::vector<Said> said_;
  std::vector<uint8_t> strips_;  // of coded tiles: which eighths of their rows came
  std::vector<Job> units_;
  std::vector<Payload> payloads_;
  std::vector<uint32_t> spoiled_;
  DecodedCounts counts_;
};

FrameDecoder::FrameDecoder(const TextureDesc& texture, Workers& workers)
    : impl_(std::make_unique<Impl>(texture, workers)) {}
FrameDecoder::~FrameDecoder() = default;
const TileGrid& FrameDecoder::grid() const { return impl_->grid(); }
DecodedCounts FrameDecoder::decode(std::span<const Bytes> payloads, const std::byte* before, MutableBytes texture) {
  return impl_->decode(payloads, before, texture);
}
std::span<const uint8_t> FrameDecoder::right() const { return impl_->right(); }
void FrameDecoder::lose() { impl_->lose(); }

}  // namespace texcast::compact
