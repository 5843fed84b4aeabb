// waiting_recorder.h — a recorder for frames that come before what makes Hap Q of them has been compiled: they wait on
// the disk as they came, and go into the file as soon as that is there.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "base/stage_time.h"
#include "media/recorder.h"
#include "stream/frame_spool.h"
#include "texcast/transcoder.h"

namespace texcast::stream {

class WaitingRecorder final : public media::Recorder {
 public:
  // Makes the transcoder, on a thread of its own; null: the textures are recorded as they are. An error that it throws
  // comes out of a later call.
  using Build = std::function<std::unique_ptr<Transcoder>()>;
  // Makes the recorder with that, on the thread that writes.
  using Make = std::function<std::unique_ptr<media::Recorder>(std::unique_ptr<Transcoder> transcoder)>;

  // Begins to build. write() waits for the compiler when the spool has no room for a frame.
  WaitingRecorder(Build build, Make make, FrameSpool spool, TextureDesc texture);
  ~WaitingRecorder() override;  // waits for the compiler, which cannot be stopped

  void write(const TextureView& texture, nanoseconds pts) override;
  void mark_concealed(uint32_t blocks) override { concealed_ = blocks; }
  size_t waiting() const override { return waiting_.size(); }
  bool go_on() override;
  media::RecorderReport finish() override;
  media::RecorderProgress progress() const override;

 private:
  struct Frame {
    nanoseconds pts{};
    uint32_t concealed_blocks = 0;
  };
  bool is_made();
  void wait_until_made();
  void write_now(Bytes blocks, const Frame& frame);
  void write_oldest();
  bool push(Bytes blocks);

  std::future<std::unique_ptr<Transcoder>> building_;
  Make make_;
  const TextureDesc texture_;
  FrameSpool spool_;
  std::deque<Frame> waiting_;  // those in the spool
  std::unique_ptr<media::Recorder> file_;
  uint32_t concealed_ = 0;  // of the next frame
  StageTime spooling_;
  nanoseconds waited_{};  // for the compiler
  bool failed_ = false;
  bool finished_ = false;
};

}  // namespace texcast::stream
