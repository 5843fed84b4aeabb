// waiting_recorder.h — a recorder for frames that arrive before the kernel that transcodes them to Hap Q is compiled:
// they wait on the disk, unchanged, and go into the file once the kernel is there.
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
  // Makes the transcoder, on another thread; nullptr: the textures are recorded unchanged. A later call throws its
  // error.
  using Build = std::function<std::unique_ptr<Transcoder>()>;
  // Makes the recorder with that transcoder, on the writing thread.
  using Make = std::function<std::unique_ptr<media::Recorder>(std::unique_ptr<Transcoder> transcoder)>;

  // Starts `build`. write() waits for the compiler if the spool has no room for a frame.
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
  std::deque<Frame> waiting_;  // the frames in the spool
  std::unique_ptr<media::Recorder> file_;
  uint32_t concealed_ = 0;  // of the next frame
  StageTime spooling_;
  nanoseconds waited_{};  // for the compiler
  bool failed_ = false;
  bool finished_ = false;
};

}  // namespace texcast::stream
