#include "waiting_recorder.h"

#include <chrono>
#include <exception>
#include <utility>

#include "base/log.h"

namespace texcast::stream {
namespace {

constexpr auto kSaidAfter = std::chrono::milliseconds(300);
constexpr size_t kMany = 60;  // waiting frames at the end that take a while to write, which is logged

}  // namespace

WaitingRecorder::WaitingRecorder(Build build, Make make, FrameSpool spool, TextureDesc texture)
    : building_(std::async(std::launch::async, std::move(build))),
      make_(std::move(make)),
      texture_(texture),
      spool_(std::move(spool)) {}

WaitingRecorder::~WaitingRecorder() {
  if (finished_ || failed_) return;
  try {
    finish();
  } catch (const std::exception& error) {
    log_error("{}", error.what());
  }
}

// The result of the build is taken once; after a failure nothing is recorded any more.
bool WaitingRecorder::is_made() {
  if (file_) return true;
  if (building_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  failed_ = true;
  file_ = std::exchange(make_, {})(building_.get());
  failed_ = false;
  return true;
}

void WaitingRecorder::wait_until_made() {
  if (is_made()) return;
  const SteadyTime begun = steady_now();
  if (building_.wait_for(kSaidAfter) != std::future_status::ready)
    log_info(
        "waiting for the compiler of the recording's kernel, which cannot be stopped; it is kept for the next "
        "start");
  building_.wait();
  waited_ += steady_now() - begun;
  is_made();
}

bool WaitingRecorder::push(Bytes blocks) {
  const StageTimer timer(spooling_);
  return spool_.push(blocks);
}

void WaitingRecorder::write(const TextureView& texture, nanoseconds pts) {
  const Frame frame{pts, std::exchange(concealed_, 0)};
  while (!is_made() || !waiting_.empty()) {
    if (push(texture.blocks)) return waiting_.push_back(frame);
    wait_until_made();
    if (!waiting_.empty()) write_oldest();
  }
  write_now(texture.blocks, frame);
}

bool WaitingRecorder::go_on() {
  if (waiting_.empty() || !is_made()) return false;
  write_oldest();
  return true;
}

void WaitingRecorder::write_oldest() {
  failed_ = true;
  const Bytes blocks = [&] {
    const StageTimer timer(spooling_);
    return spool_.pop();
  }();
  const Frame frame = waiting_.front();
  waiting_.pop_front();
  write_now(blocks, frame);
}

void WaitingRecorder::write_now(Bytes blocks, const Frame& frame) {
  failed_ = true;
  if (frame.concealed_blocks > 0) file_->mark_concealed(frame.concealed_blocks);
  file_->write({texture_, blocks}, frame.pts);
  failed_ = false;
}

// After a failure the waiting frames are lost.
media::RecorderReport WaitingRecorder::finish() {
  finished_ = true;
  if (!failed_) {
    wait_until_made();
    if (waiting_.size() >= kMany) log_info("writing {} frames that were spooled during compilation", waiting_.size());
    while (!waiting_.empty()) write_oldest();
  }
  return file_ ? file_->finish() : media::RecorderReport{};
}

media::RecorderProgress WaitingRecorder::progress() const {
  media::RecorderProgress progress = file_ ? file_->progress() : media::RecorderProgress{};
  progress.disk += spooling_.wall - spooling_.cpu;
  progress.work += spooling_.cpu;
  progress.compiler += waited_;
  return progress;
}

}  // namespace texcast::stream
