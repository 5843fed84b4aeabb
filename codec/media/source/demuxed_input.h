// demuxed_input.h — one opened input of FFmpeg and the decoder of its video: packets in, AVFrames out.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compact_pictures.h"
#include "decoder_buffers.h"
#include "descriptor_input.h"
#include "input_damage.h"
#include "input_spec.h"
#include "media/ffmpeg.h"
#include "media/sound_queue.h"
#include "picture_filter.h"
#include "texcast/frame_times.h"

namespace texcast::media {

// With InputSpec::keeps_sound the packets of sound go into a SoundQueue. The sound up to the end of a frame is there
// when next() returns it: packets of the picture that are read until then wait, one second or 128 MiB at most. Live
// inputs do not wait for their sound.
//
// Not thread-safe, except stop_waiting(). Not movable, as FFmpeg holds its address.
class DemuxedInput {
 public:
  // Opens the input and the decoder. Throws Error{input}, which says what to do. A network that sends nothing for 10 s
  // is given up; a pipe is waited for until InputSpec::stop.
  explicit DemuxedInput(InputSpec spec);
  DemuxedInput(const DemuxedInput&) = delete;
  DemuxedInput& operator=(const DemuxedInput&) = delete;

  // Decodes the next undamaged frame into `frame`, which must be empty; false at the end. Damaged frames are skipped
  // and counted; but images are returned as far as they could be read.
  bool next(AVFrame& frame);
  // The next frame will be the one at that time from the start of the stream, or an earlier one if the format seeks to
  // key frames. False if this input cannot seek.
  bool seek(nanoseconds from_start);
  // Starts again from the beginning; throws as the constructor does, and for pipes.
  void reopen();
  std::shared_ptr<SoundQueue> sound() const { return sound_; }  // null: none
  // next() ends as soon as it would wait.
  void stop_waiting() { gives_up_ = true; }
  // Sound before that time from the start of the stream is not wanted.
  void forget_sound_before(nanoseconds from_start);
  // Frames that are decoded from now on are put into the pool if they fit.
  void decode_into(std::shared_ptr<FramePool> pool) { buffers_.take_from(std::move(pool)); }

  // The pixel aspect of the container, or else of the decoder; 0:1 if neither has one.
  AVRational aspect_of(AVFrame& frame) const;
  // The frame's time from the start of the stream; nothing if it has no time stamp.
  std::optional<nanoseconds> time_of(const AVFrame& frame) const;
  // When the stream starts, by the clock that it shares with the file's other streams.
  nanoseconds start_time() const;
  std::optional<nanoseconds> length() const;  // from the start of the stream, if the container has it
  double fps() const;                         // 0 if not known
  FilterTime filter_time() const;
  std::optional<int64_t> frame_count() const;
  bool is_image() const;
  // Says why no frame can be decoded, and how to avoid that, at the end of a message. Empty if nothing is known.
  std::string hint() const;
  // Frames that were skipped so far; at the end also those that are missing there.
  const InputDamage& damage() const { return damage_; }
  const InputSpec& spec() const { return spec_; }
  const AVStream& stream() const { return *input_->streams[stream_index_]; }

 private:
  void open();
  void open_context();
  void choose_tracks();
  void open_decoder();
  bool feed();
  bool read_packet();
  bool read_more();
  void route_packet();
  void read_sound_for(const AVFrame& frame);
  bool next_undamaged(AVFrame& frame);
  bool is_stopped() const;
  bool next_compact(AVFrame& frame);
  void count_damage(const std::string& reason, int64_t frames = 1);
  void look_at_end(int code);
  void look_at_first(const AVFrame& frame);
  void wait_no_longer_than(nanoseconds patience);
  static int is_overdue(void* self);  // FFmpeg calls it while it waits

  InputSpec spec_;
  DecoderBuffers buffers_;                 // declared before the decoder, which uses it
  std::unique_ptr<DescriptorInput> pipe_;  // before input_, which reads it; null: FFmpeg opens the input itself
  InputPtr input_;
  CodecPtr decoder_;                        // null if compact_ is used
  std::optional<CompactPictures> compact_;  // for frames that FFmpeg has no decoder for
  PacketPtr packet_;
  std::deque<PacketPtr> waiting_;  // packets of the picture that were read before they were needed
  size_t waiting_bytes_ = 0;
  std::optional<int> end_code_{};  // FFmpeg's, once the input has ended
  std::string end_said_;           // what it logged then
  SteadyTime deadline_{};
  std::atomic<bool> gives_up_ = false;
  int stream_index_ = -1;
  std::shared_ptr<SoundQueue> sound_;  // null: not kept, or there is none
  std::vector<int> sound_streams_;     // of the queue's tracks
  bool warned_of_late_sound_ = false;
  InputDamage damage_;
  // If the last frame is truncated: it counts once, however that is detected.
  std::optional<int64_t> damage_before_end_{};
  ReadSoFar read_;
  int64_t packets_ = 0;       // sent to the decoder
  bool is_settling_ = false;  // no frame came yet since a seek: damaged frames were not requested
  // Until the first frame came: packets before the first key frame, which decoders cannot use.
  bool gave_frame_ = false, key_seen_ = false;
  int64_t before_key_ = 0;
};

}  // namespace texcast::media
