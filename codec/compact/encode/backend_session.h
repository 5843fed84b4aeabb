// backend_session.h — a backend from frame to frame: its self-check, its failures, and its results of the frame that is
// encoded.
//
// While the self-check runs the CPU codes, and what the backend found is compared. After it the backend leads: the CPU
// does not analyse the picture any more, so that a backend that fails then costs the reference frame.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/workers.h"
#include "compact/encoder_backend.h"
#include "compact/self_check.h"
#include "compact/tile_grid.h"
#include "texcast/error.h"

namespace texcast::compact {

class BackendSession {
 public:
  // Used from the next frame on.
  void take_over(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check, const TileGrid& grid);
  bool is_on() const { return backend_ != nullptr; }
  bool is_started() const { return is_started_; }
  EncoderBackend& backend() { return *backend_; }
  SelfCheck& check() { return check_; }
  bool is_checking() const { return is_on() && check_.is_running(); }

  void begin_frame();
  // In this frame.
  bool leads() const { return leads_; }
  // It led, and failed. What it had found by then still counts.
  bool is_lost() const { return is_lost_; }
  // The CPU starts anew, where nothing of the frame is coded yet.
  void stop_leading() { leads_ = is_lost_ = false; }
  // Calls the backend. False: it failed, and is not called again.
  template <typename Call>
  bool attempt(const Call& call) {
    try {
      call();
      return true;
    } catch (const Error& error) {
      retire(error);
      return false;
    }
  }

  // Calls of the backend, which throw as it does.
  void start(const EncoderState& state, Workers& workers);
  void begin(const BackendFrame& frame) { differences_ = backend_->begin(frame); }
  void find_candidates(const FrameView* picture, std::span<const uint32_t> drawn, std::span<const uint32_t> changed) {
    candidates_ = backend_->find_candidates(picture, drawn, changed);
  }
  void wait_for(std::span<const TileToEncode> tiles);
  void fetch_texels() { texels_ = backend_->texels(); }

  TileDifference difference(uint32_t tile) const { return differences_[tile]; }
  std::span<const MotionCandidates> candidates() const { return candidates_; }  // of the changed tiles
  bool has_encoded(uint32_t tile) const { return !places_.empty() && places_[tile] != kNone; }
  const EncodedTile& encoded(uint32_t tile) const { return batch_.tiles[places_[tile]]; }
  // Its symbols are there too.
  bool has_symbols(uint32_t tile) const { return has_encoded(tile) && !encoded(tile).symbols.empty(); }
  const std::byte* reconstruction() const { return batch_.reconstruction.data(); }
  // Tiles of a trial, which are encoded again.
  void forget(std::span<const uint32_t> tiles);
  std::span<const SubBlockTexels> texels() const { return texels_; }
  void drop_texels() { texels_ = {}; }

  // For the self-check's comparison of speed.
  template <typename Work>
  void timed_cpu(const Work& work) {
    const SteadyTime begun = check_.now();
    work();
    cpu_time_ += check_.now() - begun;
  }
  SteadyTime now() const { return check_.now(); }
  void add_device_time(SteadyTime begun) { device_time_ += check_.now() - begun; }
  // At the end of a frame. `counts`: enough was coded for its times to mean something.
  void look_at_check(bool counts);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  void retire(const Error& error);

  std::unique_ptr<EncoderBackend> backend_;
  std::unique_ptr<EncoderBackend> retired_;  // until the next frame, as its slices may be in use
  bool is_started_ = false, leads_ = false, is_lost_ = false;
  SelfCheck check_;
  nanoseconds device_time_{}, cpu_time_{};  // of the frame, while the self-check runs
  std::span<const TileDifference> differences_;
  std::span<const MotionCandidates> candidates_;
  EncodedBatch batch_{};
  std::vector<uint32_t> places_;  // of each tile in the batch
  std::span<const SubBlockTexels> texels_;
};

}  // namespace texcast::compact
