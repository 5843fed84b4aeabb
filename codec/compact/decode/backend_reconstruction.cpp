#include "backend_reconstruction.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "base/log.h"
#include "compact/sub_block.h"

namespace texcast::compact {

BackendReconstruction::BackendReconstruction(const TileGrid& grid, const TextureRows& rows, Workers& workers)
    : grid_(grid),
      texture_rows_(rows),
      workers_(workers),
      is_own_row_(static_cast<size_t>(grid.down())),
      row_numbers_(is_own_row_.size()) {}

void BackendReconstruction::use(std::unique_ptr<ReconstructionBackend> backend, uint32_t self_check_slices,
                                uint32_t least_tiles) {
  ENSURE(backend_ == nullptr && grid_.has_planes_of_channels());
  backend_ = std::move(backend);
  slices_to_check_ = self_check_slices;
  least_tiles_ = least_tiles;
  is_outdated_.assign(grid_.tiles(), 1);
  outdated_.reserve(grid_.tiles());
  outdated_parts_.reserve(grid_.tiles());
}

void BackendReconstruction::forget_reference() { std::ranges::fill(is_outdated_, uint8_t{1}); }

bool BackendReconstruction::list_slices(std::span<const ReceivedSlice> slices, bool has_reference,
                                        const FrameSamples& samples) {
  to_reconstruct_.clear();
  places_.clear();
  uint32_t tiles = 0;
  bool needs_samples = false;  // of the reference frame
  for (size_t i = 0; i < slices.size(); ++i) {
    const auto& [slice, coding, bytes] = slices[i].parsed;
    if (!is_lossy(coding) || (!has_reference && !is_intra(coding))) continue;
    to_reconstruct_.push_back(
        {.slice = slice, .intra = is_intra(coding), .bytes = bytes, .is_transform = slices[i].is_transform});
    places_.push_back(i);
    tiles += slice.tiles;
    needs_samples = needs_samples || (slices[i].is_transform && !is_intra(coding));
  }
  return tiles > 0 && (tiles >= least_tiles_ || (needs_samples && samples.is_any_away()));
}

void BackendReconstruction::list_outdated(const std::byte* reference, FrameSamples& samples) {
  outdated_.clear();
  outdated_parts_.clear();
  for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
    if (is_outdated_[tile] == 0) continue;
    outdated_.push_back(tile);
    if (reference != nullptr && !samples.are_of_blocks()) outdated_parts_.push_back(samples.make(tile, reference));
  }
}

bool BackendReconstruction::begin(std::span<const ReceivedSlice> slices, const std::byte* reference,
                                  std::span<const uint8_t> right, FrameSamples& samples) {
  std::ranges::fill(is_own_row_, uint8_t{0});
  if (backend_ == nullptr || !list_slices(slices, reference != nullptr, samples)) return false;
  list_outdated(reference, samples);
  const bool has_begun = attempt([&] {
    backend_->begin({.reference = reference != nullptr ? Bytes(reference, grid_.texture_bytes()) : Bytes{},
                     .outdated = outdated_,
                     .outdated_parts = outdated_parts_,
                     .samples = outdated_parts_.empty() ? std::span<const uint8_t>() : samples.reference(),
                     .slices = to_reconstruct_,
                     .right = right});
  });
  if (!has_begun) return false;
  std::ranges::fill(is_outdated_, uint8_t{0});
  if (is_checking()) return true;
  for (const SliceToReconstruct& slice : to_reconstruct_) is_own_row_[slice.slice.tile / grid_.across()] = 1;
  return true;
}

bool BackendReconstruction::finish(std::span<ReceivedSlice> slices, MutableBytes texture) {
  if (!attempt([&] { reconstructed_ = backend_->result(); })) return false;
  if (is_checking()) return false;
  std::ranges::copy(is_own_row_, row_numbers_.begin());
  pieces_.clear();
  constexpr size_t kPiece = size_t{1} << 18;  // bytes
  texture_rows_.for_changed({.sequence = 1, .number = 1, .changed_in = row_numbers_}, 0, [&](size_t at, size_t bytes) {
    for (; bytes > kPiece; at += kPiece, bytes -= kPiece) pieces_.emplace_back(at, kPiece);
    pieces_.emplace_back(at, bytes);
  });
  workers_.parallel_for(pieces_.size(), [&](size_t i) {
    const auto& [at, bytes] = pieces_[i];
    std::memcpy(texture.data() + at, reconstructed_.texture.data() + at, bytes);
  });
  for (size_t i = 0; i < places_.size(); ++i) {
    ReceivedSlice& received = slices[places_[i]];
    const ReconstructedSlice& slice = reconstructed_.slices[i];
    received.is_from_backend = true;
    received.decoded = slice.decoded;
    received.refers_right = slice.refers_right;
    received.changed = slice.changed;
    received.check = slice.check;
  }
  return true;
}

template <typename Call>
bool BackendReconstruction::attempt(const Call& call) {
  if (backend_ == nullptr) return false;
  try {
    call();
    return true;
  } catch (const Error& error) {
    retire(error);
    return false;
  }
}

void BackendReconstruction::retire(const Error& error) {
  log_warning("the CPU decodes coded streams from now on: {}", error.what());
  backend_.reset();
}

void BackendReconstruction::self_check(std::span<ReceivedSlice> slices, const std::byte* texture) {
  if (backend_ == nullptr || !is_checking()) return;
  for (size_t i = 0; i < places_.size(); ++i)
    if (!is_same(slices[places_[i]], reconstructed_.slices[i], texture))
      return retire(Error(ErrorKind::no_device, "the device's blocks differ from the CPU's"));
  slices_to_check_ -= std::min(slices_to_check_, static_cast<uint32_t>(places_.size()));
  for (const size_t i : places_) slices[i].is_from_backend = true;
}

bool BackendReconstruction::is_same(const ReceivedSlice& by_cpu, const ReconstructedSlice& by_backend,
                                    const std::byte* texture) const {
  if (by_backend.decoded != by_cpu.decoded) return false;
  if (!by_cpu.decoded) return true;
  bool is_same = by_backend.refers_right == by_cpu.refers_right && by_backend.changed == by_cpu.changed &&
                 by_backend.check == by_cpu.check;
  grid_.for_each_sub_block(by_cpu.parsed.slice, [&](size_t at) {
    is_same = is_same && load_sub_block(texture + at) == load_sub_block(reconstructed_.texture.data() + at);
  });
  return is_same;
}

bool BackendReconstruction::bring(FrameSamples& samples) {
  if (!samples.is_any_away()) return true;
  return attempt([&] { samples.bring(backend_->samples()); });
}

void BackendReconstruction::note_changes(std::span<const ReceivedSlice> slices, bool has_reference) {
  if (backend_ == nullptr) return;
  for (const ReceivedSlice& received : slices) {
    const Slice& slice = received.parsed.slice;
    // The samples may have changed even if the blocks did not.
    const bool may_differ = received.changed || !has_reference || grid_.can_transform();
    if (!received.is_from_backend && received.decoded && may_differ)
      std::fill_n(is_outdated_.begin() + slice.tile, slice.tiles, uint8_t{1});
  }
}

}  // namespace texcast::compact
