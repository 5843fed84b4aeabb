// send_engine.h — an encoder and the sender of its textures, in operation. The library's StreamSender and the program's
// send pipeline run on it.
//
//     submit() ──► Encoder ──► step() ──► TextureSender ──► Destinations
//
// A running stream can be changed: its format, quality, frame size, send rate, crf and bit rate, or destinations.
//
//     begin_change() ──► a thread builds the next encoder ──► is_draining(): no submit() ──► step_change(): changed
//
// If the change is visible on the wire the sender is replaced too; the new one continues with the same StreamIdentity.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "stream/steering.h"
#include "stream/texture_sender.h"
#include "texcast/encoder.h"
#include "texcast/error.h"

namespace texcast::stream {

class HandOver;

// One thread at a time; sent() may be called from any thread while no change is made.
class SendEngine {
 public:
  // `progress` is set when step() or step_change() may have something to do. Everything that is referenced must outlive
  // this. `changeable`: nullptr if the stream never changes. Throws Error{usage} if the settings contradict each other.
  SendEngine(Encoder& encoder, Destinations& destinations, const SendSettings& settings, AutoResetEvent& progress,
             const Changeable* changeable = nullptr);
  ~SendEngine();
  SendEngine(const SendEngine&) = delete;
  SendEngine& operator=(const SendEngine&) = delete;

  // Whether a frame may be submitted to encoder(). False: device or network are a whole frame behind.
  bool has_room();
  // Passes finished frames to the sender. False: there was nothing to do.
  bool step();
  // Whether everything that was submitted has left.
  bool is_drained();
  Encoder& encoder() { return *encoder_; }
  const Encoder& encoder() const { return *encoder_; }
  const Destinations& destinations() const { return destinations_; }
  // As TextureSender has them.
  bool answers_requests() const { return sender_->answers_requests(); }
  bool wants_frame() const { return sender_->wants_frame(); }
  bool is_idle() { return sender_->idle(); }
  void rehearse(const EncodedFrame& frame) { sender_->rehearse(frame); }
  Rehearsal rehearsal() { return sender_->rehearsal(); }
  void code_ahead(const EncodedFrame& frame) { sender_->code_ahead(frame); }
  // Starts the frame that was coded ahead. The others come from the encoder, by step().
  void start(const EncodedFrame& frame) { sender_->start(frame); }
  SentStatus sent() const { return sender_->status(); }
  SendState state() const;  // without `paused` and `position`, which the caller knows

  // Whether the change needs the encoder, the sender or the destinations to change.
  bool differs(const SendChange& change) const;
  // The rest needs `changeable`. begin_change() and follow() may be called if no change is under way. `source`: the
  // format of the frames to come.
  void begin_change(const SendChange& change, const FrameFormat& source);
  // The source's frames have another format from now on. The CPU encodes until the device's kernel is built.
  void follow(const FrameFormat& source);
  bool is_changing() const { return change_.has_value(); }
  // The next encoder is built and the old one finishes its frames: nothing may be submitted until the change is made.
  bool is_draining() const { return change_ && !change_->building.valid() && needs_drain(*change_); }
  struct Outcome {
    std::optional<Error> error{};     // nothing has changed
    bool is_encoder_changed = false;  // the new one has a FramePool of its own
    bool are_destinations_changed = false;
  };
  // Makes the change once that is possible; nullopt until then. Throws what the sender throws, and if the stream can
  // neither change nor stay as it was.
  std::optional<Outcome> step_change();

 private:
  struct LossyQuality {
    std::optional<double> crf{};
    std::optional<Bitrate> bitrate{};
  };
  struct Change {
    EncoderChoice choice{};
    std::optional<double> rate_bits_per_s{};
    std::optional<LossyQuality> lossy{};
    std::vector<std::string> add{}, remove{};
    std::future<std::unique_ptr<Encoder>> building{};  // not valid: `encoder` is built, or stays as it is
    std::unique_ptr<Encoder> encoder{};
  };
  EncoderChoice choice_after(const SendChange& change) const;
  std::optional<LossyQuality> lossy_after(const SendChange& change) const;
  std::optional<Error> change_lossy(const LossyQuality& lossy);
  bool needs_drain(const Change& change) const;
  void use(Encoder& encoder);
  Outcome make_change(Change change);
  std::optional<Error> change_sender(const Change& change, const TextureDesc& texture);
  void make_sender(const SendSettings& settings, const TextureDesc& texture);
  void connect();

  Encoder* encoder_;
  Destinations& destinations_;
  SendSettings settings_;
  AutoResetEvent& progress_;
  const Changeable* const changeable_;
  EncoderChoice choice_{};               // with changeable_
  std::optional<LossyQuality> lossy_{};  // by a change; nullopt: that of the plan
  uint64_t changes_ = 0;
  StreamIdentity identity_;
  std::unique_ptr<TextureSender> sender_;
  std::unique_ptr<HandOver> hand_over_;
  std::optional<Change> change_;
  std::future<void> retired_;  // destroys the previous encoder
};

}  // namespace texcast::stream
