#include "compact/frame_decoder.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "base/log.h"
#include "compact/payload.h"
#include "compact/sub_block.h"
#include "compact/tile_sums.h"
#include "slice_decoder.h"
#include "texcast/error.h"

namespace texcast::compact {

class FrameDecoder::Impl {
 public:
  Impl(const TextureDesc& texture, Workers& workers) : grid_(texture), workers_(workers) {
    right_.resize(grid_.tiles());
    unsure_.resize(grid_.tiles());
    changed_in_.resize(grid_.tiles());
    was_right_.resize(grid_.tiles());
    said_.resize(grid_.tiles());
    strips_.resize(grid_.tiles());
    changed_in_number_.assign(static_cast<size_t>(grid_.down()), 1);  // the first has changed all over
    is_rebuilt_.resize(changed_in_number_.size());
    to_take_over_.resize(changed_in_number_.size());
  }

  const TileGrid& grid() const { return grid_; }
  std::span<const uint8_t> right() const { return right_; }
  std::span<const uint8_t> unsure() const { return unsure_; }
  RowChanges changes() const { return {sequence_, number_, changed_in_number_}; }
  void lose() {
    std::ranges::fill(right_, uint8_t{0});
    std::ranges::fill(unsure_, uint8_t{0});
  }
  void lose_row(int row) { std::fill_n(right_.begin() + row * grid_.across(), grid_.across(), uint8_t{0}); }
  bool is_right(int row) const {
    const auto first = right_.begin() + row * grid_.across();
    return std::count(first, first + grid_.across(), uint8_t{0}) == 0;
  }
  uint32_t sum(int row) const { return sums_.row(row); }

  void use_backend(std::unique_ptr<ReconstructionBackend> rebuilder, uint32_t self_check_slices, uint32_t least_tiles) {
    ENSURE(rebuilder_ == nullptr && grid_.has_planes_of_channels());
    rebuilder_ = std::move(rebuilder);
    to_prove_ = self_check_slices;
    least_tiles_ = least_tiles;
    is_others_.assign(grid_.tiles(), 1);
    others_.reserve(grid_.tiles());
  }

  DecodedCounts decode(std::span<const Bytes> payloads, const std::byte* before, MutableBytes texture,
                       uint64_t frames_missing, uint64_t held) {
    ENSURE(texture.size() == grid_.texture_bytes() && held <= number_);
    ++number_;
    if (before == nullptr) {
      std::ranges::fill(texture, std::byte{0});
      std::ranges::fill(changed_in_number_, number_);
      std::ranges::fill(is_others_, uint8_t{1});
      lose();
    }
    counts_ = {};
    std::ranges::fill(said_, Said::nothing);
    slices_.clear();
    payloads_.clear();
    passed_.clear();
    const ChangeHistory* history = nullptr;
    for (const Bytes payload : payloads)
      if (!payload.empty()) parse(payload, history);
    resolve(frames_missing, history);
    if (frames_missing > 0) catch_up(frames_missing, history);
    was_right_ = right_;
    if (before == nullptr || held == 0) counts_.work = texture.size();
    for (const Job& job : slices_)
      counts_.work += grid_.usual_tile_bytes() * job.slice.slice.tiles / job.slice.slice.sub_slices;

    const bool begun = begin_rebuilding(before);
    if (before != nullptr) take_over(before, texture.data(), held, false);
    if (!begun || !finish_rebuilding(texture)) {
      if (before != nullptr) take_over(before, texture.data(), held, true);
    }
    constexpr size_t kBatch = 4;
    workers_.parallel_for((slices_.size() + kBatch - 1) / kBatch, [&](size_t batch) {
      for (size_t i = batch * kBatch; i < std::min((batch + 1) * kBatch, slices_.size()); ++i)
        if (!slices_[i].is_rebuilt) decode_one(slices_[i], before, texture.data());
    });
    if (begun && rebuilder_ != nullptr && to_prove_ > 0) look_at_proof(texture.data());
    note_others(before != nullptr);
    judge(before != nullptr);
    sums_.begin();
    for (const Job& job : slices_)
      if (job.decoded) sums_.add(job.slice.slice, job.check);
    for (const Job& job : slices_)
      if (job.changed) changed_in_number_[job.slice.slice.tile / grid_.across()] = number_;
    return counts_;
  }

 private:
  enum class Said : uint8_t { nothing, passed, coded };
  struct Job {
    ParsedSlice slice;
    bool decoded = false;
    bool refers_right = true;  // all that it was coded against was right
    bool changed = false;      // bytes of the frame before; known where there is one
    uint32_t check = 0;
    bool is_rebuilt = false;  // by another one than the threads
  };
  struct Passed {
    uint32_t first, count;  // tiles
  };
  struct Payload {
    size_t begin = 0, end = 0;                // of units_
    size_t passed_begin = 0, passed_end = 0;  // of passed_
    uint32_t check = 0;
    bool is_parsed = false;  // to its end
    bool is_whole = true;    // no unit of it had been told before
  };

  // The texture before, but for the rows that are in the memory already: those that are rebuilt, or the others.
  void take_over(const std::byte* before, std::byte* texture, uint64_t held, bool is_rebuilt) {
    for (size_t row = 0; row < to_take_over_.size(); ++row)
      to_take_over_[row] = (is_rebuilt_[row] != 0) == is_rebuilt ? changed_in_number_[row] : 0;
    for_rows({sequence_, number_, to_take_over_}, held,
             [&](size_t at, size_t bytes) { std::memcpy(texture + at, before + at, bytes); });
  }
  // Rows of tiles that changed since: call(first byte, bytes).
  template <typename Call>
  void for_rows(const RowChanges& changes, uint64_t since, const Call& call) const {
    const Format& format = format_row(grid_.texture().format);
    for (int p = 0; p < layout_.plane_count; ++p) {
      const PlaneLayout& plane = layout_.planes[p];
      const size_t rows = plane.blocks_y, row_bytes = plane.bytes / rows;
      for_each_changed(changes, since, format.planes[p], plane, 0, rows, [&](size_t first, size_t end) {
        call(plane.offset + first * row_bytes, (end - first) * row_bytes);
      });
    }
  }

  // The units that a device rebuilds, where that is worth its while. False: none.
  bool begin_rebuilding(const std::byte* before) {
    std::ranges::fill(is_rebuilt_, uint8_t{0});
    if (rebuilder_ == nullptr) return false;
    to_rebuild_.clear();
    rebuilt_jobs_.clear();
    uint32_t tiles = 0;
    for (size_t i = 0; i < slices_.size(); ++i) {
      const auto& [slice, coding, bytes] = slices_[i].slice;
      if (!is_lossy(coding) || (before == nullptr && !is_intra(coding))) continue;
      to_rebuild_.push_back({.slice = slice, .intra = is_intra(coding), .bytes = bytes});
      rebuilt_jobs_.push_back(i);
      tiles += slice.tiles;
    }
    if (tiles == 0 || tiles < least_tiles_) return false;
    others_.clear();
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile)
      if (is_others_[tile] != 0) others_.push_back(tile);
    const bool has_begun = try_device([&] {
      rebuilder_->begin({.before = before != nullptr ? Bytes(before, grid_.texture_bytes()) : Bytes{},
                         .told = others_,
                         .slices = to_rebuild_,
                         .right = was_right_});
    });
    if (!has_begun) return false;
    std::ranges::fill(is_others_, uint8_t{0});
    if (to_prove_ > 0) return true;
    for (const SliceToReconstruct& slice : to_rebuild_) is_rebuilt_[slice.slice.tile / grid_.across()] = 1;
    return true;
  }
  // False where the threads have to decode them too.
  bool finish_rebuilding(MutableBytes texture) {
    if (!try_device([&] { rebuilt_ = rebuilder_->rebuilt(); })) return false;
    if (to_prove_ > 0) return false;
    for (size_t row = 0; row < to_take_over_.size(); ++row) to_take_over_[row] = is_rebuilt_[row];
    pieces_.clear();
    constexpr size_t kPiece = size_t{1} << 18;  // bytes
    for_rows({sequence_, number_, to_take_over_}, 0, [&](size_t at, size_t bytes) {
      for (; bytes > kPiece; at += kPiece, bytes -= kPiece) pieces_.emplace_back(at, kPiece);
      pieces_.emplace_back(at, bytes);
    });
    workers_.parallel_for(pieces_.size(), [&](size_t i) {
      const auto& [at, bytes] = pieces_[i];
      std::memcpy(texture.data() + at, rebuilt_.texture.data() + at, bytes);
    });
    for (size_t i = 0; i < rebuilt_jobs_.size(); ++i) {
      Job& job = slices_[rebuilt_jobs_[i]];
      const ReconstructedSlice& slice = rebuilt_.slices[i];
      job.is_rebuilt = true;
      job.decoded = slice.decoded;
      job.refers_right = slice.refers_right;
      job.changed = slice.changed;
      job.check = slice.check;
    }
    return true;
  }
  template <typename Work>
  bool try_device(const Work& work) {
    if (rebuilder_ == nullptr) return false;
    try {
      work();
      return true;
    } catch (const Error& error) {
      give_up(error);
      return false;
    }
  }
  void give_up(const Error& error) {
    log_warning("compact streams are decoded by the processor from now on: {}", error.what());
    rebuilder_.reset();
  }
  // Of units that the threads decoded too.
  void look_at_proof(const std::byte* texture) {
    bool is_same = true;
    for (size_t i = 0; i < rebuilt_jobs_.size() && is_same; ++i) {
      const Job& job = slices_[rebuilt_jobs_[i]];
      const ReconstructedSlice& slice = rebuilt_.slices[i];
      is_same = slice.decoded == job.decoded;
      if (!job.decoded) continue;
      is_same =
          is_same && slice.refers_right == job.refers_right && slice.changed == job.changed && slice.check == job.check;
      grid_.for_each_sub_block(job.slice.slice, [&](size_t at) {
        is_same = is_same && load_sub_block(texture + at) == load_sub_block(rebuilt_.texture.data() + at);
      });
    }
    if (!is_same) return give_up(Error(ErrorKind::no_device, "the device gives other blocks than the processor does"));
    to_prove_ -= std::min(to_prove_, static_cast<uint32_t>(rebuilt_jobs_.size()));
    for (const size_t i : rebuilt_jobs_) slices_[i].is_rebuilt = true;
  }
  // Tiles that the rebuilder knows nothing of.
  void note_others(bool has_before) {
    if (rebuilder_ == nullptr) return;
    for (const Job& job : slices_)
      if (!job.is_rebuilt && job.decoded && (job.changed || !has_before))
        std::fill_n(is_others_.begin() + job.slice.slice.tile, job.slice.slice.tiles, uint8_t{1});
  }

  // Tiles of payloads that were lost: those that this frame tells not to have changed are right as they are.
  void resolve(uint64_t frames_missing, const ChangeHistory* history) {
    std::ranges::fill(changed_in_, uint8_t{0});
    if (history != nullptr) {
      for (size_t i = ChangeHistory::kFrames; i-- > 0;)
        for (const TileRange& range : history->frames[i].ranges)
          for (uint32_t tile = range.first; tile < range.first + range.count; ++tile)
            changed_in_[tile] |= static_cast<uint8_t>(1u << i);
    }
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      if (unsure_[tile] == 0) continue;
      const uint64_t back = unsure_[tile] - 1 + frames_missing;  // frames between the one with the loss and this one
      if (history == nullptr && back + 1 < ChangeHistory::kFrames) {
        unsure_[tile] = static_cast<uint8_t>(back + 2);
        continue;
      }
      unsure_[tile] = 0;
      if (history == nullptr || back >= ChangeHistory::kFrames) continue;
      bool is_right = true;
      for (uint64_t i = 0; i <= back; ++i)
        is_right = is_right && history->frames[i].is_described && (changed_in_[tile] >> i & 1) == 0;
      right_[tile] = is_right ? 1 : 0;
    }
  }

  // Frames were lost whole: what they changed is not right.
  void catch_up(uint64_t frames, const ChangeHistory* history) {
    if (history == nullptr || frames > ChangeHistory::kFrames) return lose();
    for (uint64_t i = 0; i < frames; ++i) {
      if (!history->frames[i].is_described) return lose();
      for (const TileRange& range : history->frames[i].ranges)
        for (uint32_t tile = range.first; tile < std::min<uint64_t>(uint64_t{range.first} + range.count, grid_.tiles());
             ++tile)
          right_[tile] = 0;
    }
  }

  void parse(Bytes payload, const ChangeHistory*& history) {
    Payload parsed{.begin = slices_.size(), .passed_begin = passed_.size()};
    const auto header = parse_payload(
        grid_, payload,
        [&](uint32_t first, uint32_t count) {
          passed_.push_back({first, count});
        },
        [&](const ParsedSlice& slice) {
          const auto rows = static_cast<uint8_t>(((1u << 8 / slice.slice.sub_slices) - 1)
                                                 << 8 / slice.slice.sub_slices * slice.slice.sub_slice);
          for (uint32_t tile = slice.slice.tile; tile < slice.slice.tile + slice.slice.tiles; ++tile) {
            if (said_[tile] == Said::coded && (strips_[tile] & rows) != 0) {  // told twice: the first stands
              parsed.is_whole = false;
              return;
            }
          }
          for (uint32_t tile = slice.slice.tile; tile < slice.slice.tile + slice.slice.tiles; ++tile) {
            if (said_[tile] != Said::coded) strips_[tile] = 0;
            strips_[tile] |= rows;
            said_[tile] = Said::coded;
          }
          slices_.push_back({.slice = slice});
        },
        [&](const ChangeHistory& told) {
          history_ = told;
          history = &history_;
        });
    if (!header) ++counts_.damaged;
    parsed.end = slices_.size();
    parsed.passed_end = passed_.size();
    parsed.is_parsed = header.has_value();
    parsed.check = header ? header->check : 0;
    payloads_.push_back(parsed);
  }

  void decode_one(Job& job, const std::byte* before, std::byte* texture) {
    const ParsedSlice& slice = job.slice;
    switch (slice.coding) {
      case Coding::raw: job.decoded = decode_plain(slice, texture); break;
      case Coding::intra:
      case Coding::lossy_intra:
        job.decoded = decode_slice(grid_, slice.slice, slice.bytes, is_lossy(slice.coding), nullptr, texture, nullptr);
        break;
      case Coding::inter:
      case Coding::lossy_inter: {
        ReferenceReads read(grid_, was_right_);
        job.decoded = before != nullptr &&
                      decode_slice(grid_, slice.slice, slice.bytes, is_lossy(slice.coding), before, texture, &read);
        job.refers_right = before != nullptr && read.all_right();
        break;
      }
      default: break;
    }
    if (!job.decoded) {  // whatever was written gives way to what was there
      grid_.for_each_sub_block(slice.slice, [&](size_t at) {
        store_sub_block(texture + at, before != nullptr ? load_sub_block(before + at) : 0);
      });
      return;
    }
    job.check = slice_check(grid_, slice.slice, texture);
    // A repair or a sweep often gives what is there already.
    if (before != nullptr)
      grid_.for_each_sub_block(slice.slice, [&](size_t at) {
        job.changed = job.changed || load_sub_block(texture + at) != load_sub_block(before + at);
      });
  }

  bool decode_plain(const ParsedSlice& slice, std::byte* texture) const {
    if (slice.bytes.size() != grid_.raw_bytes(slice.slice)) return false;
    size_t used = 0;
    grid_.for_each_sub_block(slice.slice, [&](size_t at) {
      store_sub_block(texture + at, load_sub_block(slice.bytes.data() + used));
      used += 8;
    });
    return true;
  }

  void judge(bool has_before) {
    for (const Payload& payload : payloads_) {
      uint32_t check = 0;
      bool all_right = true, sound = payload.is_parsed;
      for (size_t i = payload.begin; i < payload.end; ++i) {
        const Job& job = slices_[i];
        // That bytes can be parsed never hangs on the frame before; that there is none is no damage.
        const bool is_damaged = !job.decoded && (has_before || !needs_reference(job.slice.coding));
        counts_.damaged += is_damaged;
        sound = sound && !is_damaged;
        all_right = all_right && job.decoded && job.refers_right;
        check = joined_check(check, job.check);
      }
      // Where a unit is missing or was coded against what is not right, the check says nothing.
      const bool disagrees = all_right && payload.is_whole && check != payload.check;
      if (sound && disagrees) ++counts_.disagreed;
      sound = sound && !disagrees;
      if (sound && payload.is_whole) believe_passed(payload);
      for (size_t i = payload.begin; i < payload.end; ++i) {
        const Job& job = slices_[i];
        const Slice& slice = job.slice.slice;
        if (is_lossy(job.slice.coding)) counts_.lossy += slice.tiles;
        switch (job.slice.coding) {
          case Coding::inter:
          case Coding::lossy_inter: counts_.inter += slice.tiles; break;
          case Coding::intra:
          case Coding::lossy_intra: counts_.intra += slice.tiles; break;
          case Coding::raw: ++counts_.plain; break;
          default: break;
        }
        if (job.decoded && job.refers_right && sound) continue;
        for (uint32_t tile = slice.tile; tile < slice.tile + slice.tiles; ++tile) spoiled_.push_back(tile);
      }
    }
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      if (said_[tile] == Said::nothing) {
        ++counts_.concealed;
        if (was_right_[tile] != 0) unsure_[tile] = 1;
        right_[tile] = 0;
      } else if (said_[tile] == Said::coded) {
        right_[tile] = is_whole(tile) ? 1 : 0;
        unsure_[tile] = 0;
      } else {
        ++counts_.passed;
      }
    }
    for (const uint32_t tile : spoiled_) right_[tile] = 0;
    spoiled_.clear();
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      counts_.wrong += right_[tile] == 0 && unsure_[tile] == 0;
      counts_.unsure += unsure_[tile] != 0;
      counts_.repaired += right_[tile] != 0 && was_right_[tile] == 0;
    }
  }

  void believe_passed(const Payload& payload) {
    for (size_t i = payload.passed_begin; i < payload.passed_end; ++i)
      for (uint32_t tile = passed_[i].first; tile < passed_[i].first + passed_[i].count; ++tile)
        if (said_[tile] == Said::nothing) said_[tile] = Said::passed;
  }

  // Whether all of its strips came; those at the lower edge that have no blocks need not.
  bool is_whole(uint32_t tile) const {
    for (int sub_slice = 0; sub_slice < grid_.most_sub_slices(); ++sub_slice) {
      const Slice slice{tile, static_cast<uint8_t>(grid_.most_sub_slices()), static_cast<uint8_t>(sub_slice)};
      const int bits = 8 / grid_.most_sub_slices();
      const int rows = ((1 << bits) - 1) << bits * sub_slice;
      if ((strips_[tile] & rows) != rows && grid_.raw_bytes(slice) != 0) return false;
    }
    return true;
  }

  const TileGrid grid_;
  const TextureLayout layout_ = texture_layout(grid_.texture());
  Workers& workers_;
  std::vector<uint8_t> right_, was_right_;
  std::vector<uint8_t> unsure_;      // frames since the one with the loss, and 1; 0: it is not
  std::vector<uint8_t> changed_in_;  // bit i: in the frame i + 1 before this one
  std::vector<Said> said_;
  std::vector<uint8_t> strips_;  // of coded tiles: which eighths of their rows came
  std::vector<Job> slices_;
  std::vector<Payload> payloads_;
  std::vector<Passed> passed_;
  std::vector<uint32_t> spoiled_;
  ChangeHistory history_;
  DecodedCounts counts_;
  TileSums sums_{grid_};
  const uint64_t sequence_ = new_sequence();
  uint64_t number_ = 0;                      // of the texture decoded last
  std::vector<uint64_t> changed_in_number_;  // RowChanges::changed_in
  std::unique_ptr<ReconstructionBackend> rebuilder_;
  uint32_t to_prove_ = 0;           // of its units
  uint32_t least_tiles_ = 0;        // of a frame that it is asked for
  std::vector<uint8_t> is_others_;  // tiles that are not as it has them; with a rebuilder
  std::vector<uint32_t> others_;    // the same as a list
  std::vector<SliceToReconstruct> to_rebuild_;
  std::vector<size_t> rebuilt_jobs_;  // of units_
  ReconstructedFrame rebuilt_;
  std::vector<uint8_t> is_rebuilt_;                // rows of tiles that come from it whole
  std::vector<uint64_t> to_take_over_;             // rows, as changed_in_number_
  std::vector<std::pair<size_t, size_t>> pieces_;  // of the texture: where and how long
};

FrameDecoder::FrameDecoder(const TextureDesc& texture, Workers& workers)
    : impl_(std::make_unique<Impl>(texture, workers)) {}
FrameDecoder::~FrameDecoder() = default;
const TileGrid& FrameDecoder::grid() const { return impl_->grid(); }
DecodedCounts FrameDecoder::decode(std::span<const Bytes> payloads, const std::byte* before, MutableBytes texture,
                                   uint64_t frames_missing, uint64_t held) {
  return impl_->decode(payloads, before, texture, frames_missing, held);
}
void FrameDecoder::use_backend(std::unique_ptr<ReconstructionBackend> rebuilder, uint32_t self_check_slices,
                               uint32_t least_tiles) {
  impl_->use_backend(std::move(rebuilder), self_check_slices, least_tiles);
}
std::span<const uint8_t> FrameDecoder::right() const { return impl_->right(); }
std::span<const uint8_t> FrameDecoder::unsure() const { return impl_->unsure(); }
RowChanges FrameDecoder::changes() const { return impl_->changes(); }
void FrameDecoder::lose() { impl_->lose(); }
void FrameDecoder::lose_row(int row) { impl_->lose_row(row); }
bool FrameDecoder::is_right(int row) const { return impl_->is_right(row); }
uint32_t FrameDecoder::sum(int row) const { return impl_->sum(row); }

}  // namespace texcast::compact
