// wrapped_source.h — a FrameSource that passes every call on to another one: the base of those that change a part of
// it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "media/frame_source.h"

namespace texcast::media {

class WrappedSource : public FrameSource {
 public:
  explicit WrappedSource(std::unique_ptr<FrameSource> whole) : whole_(std::move(whole)) {}
  FrameFormat format() const override { return whole_->format(); }
  double fps() const override { return whole_->fps(); }
  bool is_live() const override { return whole_->is_live(); }
  bool is_image() const override { return whole_->is_image(); }
  bool drops_transparency() const override { return whole_->drops_transparency(); }
  int64_t damaged_frames() const override { return whole_->damaged_frames(); }
  std::string first_damage() const override { return whole_->first_damage(); }
  std::optional<nanoseconds> begin() const override { return whole_->begin(); }
  std::shared_ptr<SoundQueue> sound() const override { return whole_->sound(); }
  void stop_waiting() override { whole_->stop_waiting(); }
  void decode_into(std::shared_ptr<FramePool> pool) override { whole_->decode_into(std::move(pool)); }
  bool seek(nanoseconds place) override { return whole_->seek(place); }
  void skipped() override { whole_->skipped(); }
  void want_frame() override { whole_->want_frame(); }
  void on_cursor(const std::function<void(const Cursor&, WallTime captured)>& call) override {
    whole_->on_cursor(call);
  }

 protected:
  FrameSource& whole() { return *whole_; }
  const FrameSource& whole() const { return *whole_; }

 private:
  const std::unique_ptr<FrameSource> whole_;
};

}  // namespace texcast::media
