#include "backend_session.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"

namespace texcast::compact {

void BackendSession::take_over(std::unique_ptr<EncoderBackend> backend, const SelfCheckSettings& check,
                               const TileGrid& grid) {
  ENSURE(backend_ == nullptr);
  backend_ = std::move(backend);
  is_started_ = false;
  check_.begin(check);
  places_.assign(grid.tiles(), kNone);
}

void BackendSession::begin_frame() {
  retired_.reset();
  leads_ = is_on() && !check_.is_running();
  is_lost_ = false;
  device_time_ = cpu_time_ = {};
  samples_ = {};
  std::ranges::fill(places_, kNone);
}

void BackendSession::start(const EncoderState& state, Workers& workers) {
  backend_->start(state, workers);
  is_started_ = true;
}

void BackendSession::wait_for(std::span<const TileToEncode> tiles) {
  batch_ = backend_->wait();
  for (size_t i = 0; i < tiles.size(); ++i) places_[tiles[i].tile] = static_cast<uint32_t>(i);
}

void BackendSession::forget(std::span<const uint32_t> tiles) {
  for (const uint32_t tile : tiles) places_[tile] = kNone;
}

void BackendSession::look_at_check(bool counts) {
  if (!is_checking()) return;
  if (counts) check_.add_times(device_time_, cpu_time_);
  const auto failure = check_.failure();
  if (failure == SelfCheck::Failure::mismatch)
    retire(Error(ErrorKind::no_device, "the device's results differ from the processor's"));
  else if (failure == SelfCheck::Failure::slower)
    retire(Error(ErrorKind::no_device,
                 fmt::format("the device takes {:.1f} ms for what takes the processor {:.1f}",
                             in_milliseconds(check_.device_time()), in_milliseconds(check_.cpu_time()))));
}

void BackendSession::retire(const Error& error) {
  log_warning("the processor codes the stream from now on: {}", error.what());
  retired_ = std::move(backend_);
  is_lost_ = leads_;
}

}  // namespace texcast::compact
