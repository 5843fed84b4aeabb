// backend_session.h — the use of a backend from frame to frame: its self-check, its failures, and its results for the
// current frame.
//
// During the self-check the CPU codes too, and the backend's results are compared with its own. After it the backend
// leads: the CPU no longer analyses the picture, so that a later failure of the backend costs the reference frame.
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
  // The backend is used from the next frame on.
  void take_over(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check, const TileGrid& grid);
  bool is_on() const { return backend_ != nullptr; }
  bool is_started() const { return is_started_; }
  EncoderBackend& backend() { return *backend_; }
  SelfCheck& check() { return check_; }
  bool is_checking() const { return is_on() && check_.is_running(); }

  void begin_frame();
  // Whether the backend leads in this frame.
  bool leads() const { return leads_; }
  // The backend led and failed. Its results from before the failure are still valid.
  bool is_lost() const { return is_lost_; }
  // Lets the CPU start anew. Allowed while nothing of the frame is coded.
  void stop_leading() { leads_ = is_lost_ = false; }
  // Calls the backend. False: it failed, and must not be called again.
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

  // These call the backend, and throw if it does.
  void start(const EncoderState& state, Workers& workers);
  void begin(const BackendFrame& frame) { differences_ = backend_->begin(frame); }
  void find_candidates(const FrameView* picture, std::span<const uint32_t> drawn, std::span<const uint32_t> changed) {
    candidates_ = backend_->find_candidates(picture, drawn, changed);
  }
  void wait_for(std::span<const TileToEncode> tiles);
  void fetch_texels() { texels_ = backend_->texels(); }
  void fetch_samples() { samples_ = backend_->samples(); }

  TileDifference difference(uint32_t tile) const { return differences_[tile]; }
  std::span<const MotionCandidates> candidates() const { return candidates_; }  // of the changed tiles
  bool has_encoded(uint32_t tile) const { return !places_.empty() && places_[tile] != kNone; }
  const EncodedTile& encoded(uint32_t tile) const { return batch_.tiles[places_[tile]]; }
  // Whether its symbols are there too.
  bool has_symbols(uint32_t tile) const { return has_encoded(tile) && !encoded(tile).symbols.empty(); }
  std::byte* reconstruction() const { return batch_.reconstruction.data(); }
  // Forgets the tiles of a trial, which are encoded again.
  void forget(std::span<const uint32_t> tiles);
  std::span<const SubBlockTexels> texels() const { return texels_; }
  void drop_texels() { texels_ = {}; }
  // Those of the batch's transform slices; empty if they were not fetched.
  std::span<const uint8_t> samples() const { return samples_; }

  // Measures the CPU's work, for the comparison of speed in the self-check.
  template <typename Work>
  void timed_cpu(const Work& work) {
    const SteadyTime begun = check_.now();
    work();
    cpu_time_ += check_.now() - begun;
  }
  SteadyTime now() const { return check_.now(); }
  void add_device_time(SteadyTime begun) { device_time_ += check_.now() - begun; }
  // Call it at the end of a frame. `counts`: enough was coded for its times to be meaningful.
  void look_at_check(bool counts);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  void retire(const Error& error);

  std::unique_ptr<EncoderBackend> backend_;
  std::unique_ptr<EncoderBackend> retired_;  // until the next frame, as its slices may still be in use
  bool is_started_ = false, leads_ = false, is_lost_ = false;
  SelfCheck check_;
  nanoseconds device_time_{}, cpu_time_{};  // in this frame, during the self-check
  std::span<const TileDifference> differences_;
  std::span<const MotionCandidates> candidates_;
  EncodedBatch batch_{};
  std::vector<uint32_t> places_;  // the place of each tile in the batch
  std::span<const SubBlockTexels> texels_;
  std::span<const uint8_t> samples_;
};

}  // namespace texcast::compact
