#include "outgoing_stream.h"

#include <utility>

#include "base/log.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::stream {

OutgoingStream::OutgoingStream(Encoder& encoder, media::FrameSource& source, Destinations& destinations,
                               const SendSettings& settings, const Changeable* changeable, AutoResetEvent& progress)
    : encoder_(&encoder),
      source_format_(source.format()),
      destinations_(destinations),
      settings_(settings),
      changeable_(changeable),
      progress_(progress),
      identity_(new_identity(settings)) {
  // Before the sender's thread begins, and before the first frame is asked for.
  if (destinations.real_time() && !transport::ultragrid_mode(settings.wire.crypto)) {
    destinations.carry_cursor(identity_.numbers->ssrc(), identity_.sealer);
    source.on_cursor([&to = destinations](const Cursor& cursor, WallTime at) { to.show_cursor(cursor, at); });
  }
  make_sender(settings, encoder.texture_desc());
  hand_over_.emplace(encoder, *sender_, destinations.real_time());
  use(encoder);
  if (changeable) choice_ = changeable->plan.choice();
}

OutgoingStream::~OutgoingStream() { encoder_->on_progress({}); }

void OutgoingStream::use(Encoder& encoder) {
  encoder_ = &encoder;
  encoder.on_progress([&progress = progress_] { progress.set(); });
}

void OutgoingStream::make_sender(const SendSettings& settings, const TextureDesc& texture) {
  sender_ = make_texture_sender(destinations_, settings, texture, progress_, identity_);
}

SendState OutgoingStream::state() const {
  return {.texture = encoder_->texture_desc(),
          .choice = choice_,
          .device = encoder_->device_name(),
          .rate_bits_per_s = settings_.rate_bits_per_s,
          .destinations = destinations_.urls(),
          .changes = changes_};
}

EncoderChoice OutgoingStream::choice_after(const SendChange& change) const {
  EncoderChoice choice = choice_;
  if (change.format && *change.format != choice.format) choice = {.format = *change.format, .quality = choice.quality};
  if (change.quality) {
    choice.quality = *change.quality;
    choice.method.reset();
  }
  if (change.method) choice.method = change.method;
  return choice;
}

bool OutgoingStream::differs(const SendChange& change) const {
  return choice_after(change) != choice_ || change.rate_bits_per_s || !change.add.empty() || !change.remove.empty();
}

void OutgoingStream::begin(const SendChange& change) {
  becoming_.emplace(Becoming{.choice = choice_after(change),
                             .rate_bits_per_s = change.rate_bits_per_s.value_or(settings_.rate_bits_per_s),
                             .add = change.add,
                             .remove = change.remove});
  if (becoming_->choice == choice_) return;
  becoming_->building = std::async(std::launch::async, [&plan = changeable_->plan, choice = becoming_->choice,
                                                        from = source_format_, wake = &progress_] {
    struct Wake {
      AutoResetEvent* event;
      ~Wake() { event->set(); }
    } const wakes{wake};
    auto encoder = plan.make_encoder(choice, from, EncoderStart::when_built);
    encoder->warm_up();
    return encoder;
  });
}

void OutgoingStream::follow(const FrameFormat& format) {
  log_info("the picture is {}x{} from here on", format.width, format.height);
  source_format_ = format;
  becoming_.emplace(Becoming{.choice = choice_, .rate_bits_per_s = settings_.rate_bits_per_s});
  becoming_->encoder = changeable_->plan.make_encoder(choice_, format, EncoderStart::at_once);
}

std::optional<OutgoingStream::Outcome> OutgoingStream::step() {
  if (!becoming_) return std::nullopt;
  if (becoming_->building.valid()) {
    if (becoming_->building.wait_for(nanoseconds(0)) != std::future_status::ready) return std::nullopt;
    try {
      becoming_->encoder = becoming_->building.get();
    } catch (const Error& error) {
      becoming_.reset();
      return Outcome{.wrong = error};
    }
  }
  if (encoder_->in_flight() > 0 || !sender_->drained()) return std::nullopt;
  return become(*std::exchange(becoming_, std::nullopt));
}

// All that was under way has left.
OutgoingStream::Outcome OutgoingStream::become(Becoming next) {
  const bool other_encoder = next.encoder != nullptr;
  const TextureDesc before = encoder_->texture_desc();
  const TextureDesc texture = other_encoder ? next.encoder->texture_desc() : before;
  const bool other_sender = texture != before || next.rate_bits_per_s != settings_.rate_bits_per_s ||
                            !next.add.empty() || !next.remove.empty();
  if (other_sender)
    if (const auto wrong = change_sender(next, texture)) return {.wrong = wrong};
  if (other_encoder) {
    encoder_->on_progress({});
    std::unique_ptr<Encoder> old = std::exchange(changeable_->encoder, std::move(next.encoder));
    // Its end may wait for a compiler, which is none of the stream's business.
    retired_ = std::async(std::launch::async, [old = std::move(old)]() mutable { old.reset(); });
    use(*changeable_->encoder);
    choice_ = next.choice;
  }
  hand_over_.emplace(*encoder_, *sender_, destinations_.real_time());
  ++changes_;
  return {.other_encoder = other_encoder, .other_destinations = !next.add.empty() || !next.remove.empty()};
}

std::optional<Error> OutgoingStream::change_sender(const Becoming& next, const TextureDesc& texture) {
  std::optional<Error> wrong;
  SendSettings settings = settings_;
  std::vector<std::string> added, removed;
  identity_.so_far = sender_->status();
  try {
    settings = changeable_->plan.settings(texture);
    settings.rate_bits_per_s = next.rate_bits_per_s;
    hand_over_.reset();
    sender_.reset();
    for (const std::string& url : next.add) {
      destinations_.add(url);
      added.push_back(url);
    }
    for (const std::string& url : next.remove) {
      destinations_.remove(url);
      removed.push_back(url);
    }
    make_sender(settings, texture);
    settings_ = settings;
    return std::nullopt;
  } catch (const Error& error) {
    wrong = error;
  }
  for (const std::string& url : removed) destinations_.add(url);
  for (const std::string& url : added) destinations_.remove(url);
  if (!sender_) make_sender(settings_, encoder_->texture_desc());
  hand_over_.emplace(*encoder_, *sender_, destinations_.real_time());
  return wrong;
}

}  // namespace texcast::stream
