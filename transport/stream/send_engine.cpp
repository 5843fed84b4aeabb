#include "stream/send_engine.h"

#include <utility>

#include "base/log.h"
#include "hand_over.h"
#include "transport/ultragrid_cipher.h"

namespace texcast::stream {

SendEngine::SendEngine(Encoder& encoder, Destinations& destinations, const SendSettings& settings,
                       AutoResetEvent& progress, const Changeable* changeable)
    : encoder_(&encoder),
      destinations_(destinations),
      settings_(settings),
      progress_(progress),
      changeable_(changeable),
      identity_(new_identity(settings)) {
  // Before the sender's thread begins.
  if (destinations.real_time() && !transport::ultragrid_mode(settings.wire.crypto))
    destinations.carry_cursor(identity_.numbers->ssrc(), identity_.sealer);
  destinations.serve_viewers(identity_.numbers->ssrc(), identity_.sealer);
  make_sender(settings, encoder.texture_desc());
  connect();
  use(encoder);
  if (changeable) choice_ = changeable->plan.choice();
}

SendEngine::~SendEngine() { encoder_->on_progress({}); }

bool SendEngine::has_room() { return hand_over_->has_room(); }
bool SendEngine::step() { return hand_over_->step(); }
bool SendEngine::is_drained() { return encoder_->in_flight() == 0 && sender_->drained(); }

void SendEngine::use(Encoder& encoder) {
  encoder_ = &encoder;
  encoder.on_progress([&progress = progress_] { progress.set(); });
}

void SendEngine::make_sender(const SendSettings& settings, const TextureDesc& texture) {
  sender_ = make_texture_sender(destinations_, settings, texture, progress_, identity_);
}

void SendEngine::connect() { hand_over_ = std::make_unique<HandOver>(*encoder_, *sender_, destinations_.real_time()); }

SendState SendEngine::state() const {
  return {.texture = encoder_->texture_desc(),
          .choice = choice_,
          .device = encoder_->device_name(),
          .rate_bits_per_s = settings_.rate_bits_per_s,
          .crf = settings_.compact.crf,
          .bitrate = settings_.compact.bitrate,
          .destinations = destinations_.urls(),
          .changes = changes_};
}

EncoderChoice SendEngine::choice_after(const SendChange& change) const {
  EncoderChoice choice = choice_;
  if (change.format && *change.format != choice.format) choice = {.format = *change.format, .quality = choice.quality};
  if (change.quality) {
    choice.quality = *change.quality;
    choice.method.reset();
  }
  if (change.method) choice.method = change.method;
  return choice;
}

std::optional<SendEngine::LossyQuality> SendEngine::lossy_after(const SendChange& change) const {
  if (!change.crf && !change.bitrate) return std::nullopt;
  return LossyQuality{.crf = change.crf.value_or(settings_.compact.crf),
                      .bitrate = change.bitrate.value_or(settings_.compact.bitrate)};
}

bool SendEngine::differs(const SendChange& change) const {
  return choice_after(change) != choice_ || change.rate_bits_per_s || change.crf || change.bitrate ||
         !change.add.empty() || !change.remove.empty();
}

void SendEngine::begin_change(const SendChange& change, const FrameFormat& source) {
  change_.emplace(Change{.choice = choice_after(change),
                         .rate_bits_per_s = change.rate_bits_per_s.value_or(settings_.rate_bits_per_s),
                         .lossy = lossy_after(change),
                         .add = change.add,
                         .remove = change.remove});
  if (change_->choice == choice_) return;
  change_->building = std::async(
      std::launch::async, [&plan = changeable_->plan, choice = change_->choice, from = source, wake = &progress_] {
        struct Wake {
          AutoResetEvent* event;
          ~Wake() { event->set(); }
        } const wakes{wake};
        auto encoder = plan.make_encoder(choice, from, EncoderStart::when_built);
        encoder->warm_up();
        return encoder;
      });
}

void SendEngine::follow(const FrameFormat& source) {
  log_info("the picture size changes to {}x{}", source.width, source.height);
  change_.emplace(Change{.choice = choice_, .rate_bits_per_s = settings_.rate_bits_per_s});
  change_->encoder = changeable_->plan.make_encoder(choice_, source, EncoderStart::at_once);
}

std::optional<SendEngine::Outcome> SendEngine::step_change() {
  if (!change_) return std::nullopt;
  if (change_->building.valid()) {
    if (change_->building.wait_for(nanoseconds(0)) != std::future_status::ready) return std::nullopt;
    try {
      change_->encoder = change_->building.get();
    } catch (const Error& error) {
      change_.reset();
      return Outcome{.error = error};
    }
  }
  if (needs_drain(*change_) && !is_drained()) return std::nullopt;
  return make_change(*std::exchange(change_, std::nullopt));
}

// The crf and the bit rate change while frames are under way.
bool SendEngine::needs_drain(const Change& change) const {
  return change.encoder != nullptr || change.rate_bits_per_s != settings_.rate_bits_per_s || !change.add.empty() ||
         !change.remove.empty() || !change.lossy;
}

std::optional<Error> SendEngine::change_lossy(const LossyQuality& lossy) {
  if (!goes_compact(settings_, encoder_->texture_desc().format))
    return Error(ErrorKind::usage,
                 "the stream is raw, and has neither crf nor bit rate: start `send` again with --crf or --bitrate, and "
                 "a format that has a coded stream");
  if (!settings_.compact.is_lossy())
    return Error(ErrorKind::usage,
                 "the stream is lossless: start `send` again with --crf N or --bitrate RATE, which can then be set");
  if (!lossy.crf && !lossy.bitrate)
    return Error(
        ErrorKind::usage,
        "a lossy stream needs a crf or a bit rate: set the other one first, or start `send` again without both");
  try {
    sender_->set_quality(lossy.crf, lossy.bitrate);
  } catch (const Error& error) {
    return error;
  }
  lossy_ = lossy;
  settings_.compact.crf = lossy.crf;
  settings_.compact.bitrate = lossy.bitrate;
  return std::nullopt;
}

// Everything that was submitted has left, if needs_drain().
SendEngine::Outcome SendEngine::make_change(Change change) {
  if (change.lossy)
    if (const auto error = change_lossy(*change.lossy)) return {.error = error};
  if (change.lossy && !needs_drain(change)) {
    ++changes_;
    return {};
  }
  const bool other_encoder = change.encoder != nullptr;
  const TextureDesc before = encoder_->texture_desc();
  const TextureDesc texture = other_encoder ? change.encoder->texture_desc() : before;
  const bool other_destinations = !change.add.empty() || !change.remove.empty();
  if (texture != before || change.rate_bits_per_s != settings_.rate_bits_per_s || other_destinations)
    if (const auto error = change_sender(change, texture)) return {.error = error};
  if (other_encoder) {
    encoder_->on_progress({});
    std::unique_ptr<Encoder> old = std::exchange(changeable_->encoder, std::move(change.encoder));
    // Its destructor may wait for a compiler, which must not delay the stream.
    retired_ = std::async(std::launch::async, [old = std::move(old)]() mutable { old.reset(); });
    use(*changeable_->encoder);
    choice_ = change.choice;
  }
  connect();
  ++changes_;
  return {.is_encoder_changed = other_encoder, .are_destinations_changed = other_destinations};
}

std::optional<Error> SendEngine::change_sender(const Change& change, const TextureDesc& texture) {
  std::optional<Error> error;
  SendSettings settings = settings_;
  std::vector<std::string> added, removed;
  identity_.so_far = sender_->status();
  try {
    hand_over_.reset();
    sender_.reset();
    for (const std::string& url : change.add) {
      destinations_.add(url);
      added.push_back(url);
    }
    for (const std::string& url : change.remove) {
      destinations_.remove(url);
      removed.push_back(url);
    }
    settings = changeable_->plan.settings(texture);  // for these destinations
    settings.rate_bits_per_s = change.rate_bits_per_s;
    if (lossy_ && settings.compact.is_lossy()) {
      settings.compact.crf = lossy_->crf;
      settings.compact.bitrate = lossy_->bitrate;
    }
    make_sender(settings, texture);
    settings_ = settings;
    return std::nullopt;
  } catch (const Error& caught) {
    error = caught;
  }
  for (const std::string& url : removed) destinations_.add(url);
  for (const std::string& url : added) destinations_.remove(url);
  if (!sender_) make_sender(settings_, encoder_->texture_desc());
  connect();
  return error;
}

}  // namespace texcast::stream
