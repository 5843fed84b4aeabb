// outgoing_stream.h — what a stream that is sent is made of, its encoder and its sender, and how it becomes another
// while it runs: with another format, quality, size, rate, or other destinations.
//
//     begin() ──► the next encoder is built beside ──► is_leaving(): nothing is submitted ──► step(): it is the other
//
// Where the wire sees a difference the sender is made anew too, and goes on with the same StreamIdentity.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/auto_reset_event.h"
#include "live/destinations.h"
#include "live/hand_over.h"
#include "live/texture_sender.h"
#include "media/frame_source.h"
#include "stream/steering.h"
#include "texcast/encoder.h"
#include "texcast/error.h"

namespace texcast::stream {

// All calls from the thread that owns the encoder.
class OutgoingStream {
 public:
  // Of frames of `source`, of which nothing is kept; a pointer that it tells of is sent along where that can be.
  // `progress` is set when step() of this or of hand_over() may do something. All else must outlive this; without
  // `changeable` the stream stays what it is.
  OutgoingStream(Encoder& encoder, media::FrameSource& source, Destinations& destinations, const SendSettings& settings,
                 const Changeable* changeable, AutoResetEvent& progress);
  ~OutgoingStream();
  OutgoingStream(const OutgoingStream&) = delete;
  OutgoingStream& operator=(const OutgoingStream&) = delete;

  Encoder& encoder() { return *encoder_; }
  TextureSender& sender() { return *sender_; }
  HandOver& hand_over() { return *hand_over_; }
  const Destinations& destinations() const { return destinations_; }
  const FrameFormat& source_format() const { return source_format_; }
  SentStatus sent() const { return sender_->status(); }
  SendState state() const;  // but for what is submitted when

  // Whether the stream would have to become another for that.
  bool differs(const SendChange& change) const;
  // The rest is for a stream with `changeable`, and the first two for one that becomes no other already.
  void begin(const SendChange& change);
  // The source's frames have another size or format: until the device's kernel is there the processor encodes.
  void follow(const FrameFormat& format);
  bool is_becoming() const { return becoming_.has_value(); }
  // What was there before is on its way out: nothing may be submitted until it has become the other.
  bool is_leaving() const { return becoming_ && !becoming_->building.valid(); }
  // Nothing while that takes its time. Throws what the sender throws, and where the stream can be neither the other
  // nor what it was.
  struct Outcome {
    std::optional<Error> wrong{};  // then it is what it was
    bool other_encoder = false;    // with a FramePool of its own
    bool other_destinations = false;
  };
  std::optional<Outcome> step();

 private:
  struct Becoming {
    EncoderChoice choice{};
    std::optional<double> rate_bits_per_s{};
    std::vector<std::string> add{}, remove{};
    std::future<std::unique_ptr<Encoder>> building{};  // none: the encoder stays, or is built
    std::unique_ptr<Encoder> encoder{};                // built
  };

  EncoderChoice choice_after(const SendChange& change) const;
  void use(Encoder& encoder);
  Outcome become(Becoming next);
  std::optional<Error> change_sender(const Becoming& next, const TextureDesc& texture);
  void make_sender(const SendSettings& settings, const TextureDesc& texture);

  Encoder* encoder_;
  FrameFormat source_format_;
  Destinations& destinations_;
  SendSettings settings_;
  const Changeable* const changeable_;
  AutoResetEvent& progress_;
  EncoderChoice choice_{};  // with changeable_
  uint64_t changes_ = 0;
  StreamIdentity identity_;
  std::unique_ptr<TextureSender> sender_;
  std::optional<HandOver> hand_over_;
  std::optional<Becoming> becoming_;
  std::future<void> retired_;  // the encoder before, on its way out
};

}  // namespace texcast::stream
