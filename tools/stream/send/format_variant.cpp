#include "format_variant.h"

#include <utility>

#include "base/log.h"
#include "texcast/error.h"
#include "texcast/format.h"

namespace texcast::stream {
namespace {

// Whoever loads the page again finds the encoder as it was.
constexpr nanoseconds kKeptUnwatched = std::chrono::seconds(10);

}  // namespace

FormatVariant::FormatVariant(const VariantPlan& plan, AutoResetEvent& progress) : plan_(plan), progress_(progress) {}

FormatVariant::~FormatVariant() { engine_.reset(); }

// Calls a function that may throw, once nothing has failed yet. A failure gives `{}`.
template <typename Call>
auto FormatVariant::guarded(const Call& call) -> decltype(call()) {
  if (has_failed_) return decltype(call())();
  try {
    return call();
  } catch (const Error& error) {
    give_up(error);
    return decltype(call())();
  }
}

void FormatVariant::submit(FrameView frame, const FrameTimes& times) {
  guarded([&] {
    const SteadyTime now = steady_now();
    if (is_watched())
      watched_ = now;
    else if (encoder_ && now > watched_ + kKeptUnwatched)
      end();
    if (encoder_ && frame.format != source_) end();
    if (is_watched() && !encoder_) begin(frame.format);
    if (!is_watched() || !engine_->has_room()) {
      has_missed_ = true;
      return;
    }
    if (std::exchange(has_missed_, false)) frame.changed = {};
    encoder_->submit(frame, times);
  });
}

bool FormatVariant::step() {
  return guarded([&] { return engine_ && engine_->step(); });
}

bool FormatVariant::is_drained() {
  return guarded([&] { return !engine_ || engine_->is_drained(); }) || has_failed_;
}

bool FormatVariant::wants_frame() const {
  return !has_failed_ && is_watched() && (!engine_ || (engine_->wants_frame() && engine_->has_room()));
}

void FormatVariant::begin(const FrameFormat& source) {
  const EncoderChoice choice = plan_.plan.choice();
  log_info("a viewer's GPU needs {}: the stream is encoded to it too", name(choice.format));
  encoder_ = plan_.plan.make_encoder(choice, source, EncoderStart::at_once);
  encoder_->warm_up();
  encoder_->compile_at_low_priority();
  source_ = source;
  engine_ = std::make_unique<SendEngine>(*encoder_, plan_.destinations, plan_.plan.settings(encoder_->texture_desc()),
                                         progress_);
  has_missed_ = true;
}

// The encoder's destructor may wait for a compiler, which must not delay the stream.
void FormatVariant::end() {
  engine_.reset();
  if (encoder_) retired_ = std::async(std::launch::async, [old = std::move(encoder_)]() mutable { old.reset(); });
}

void FormatVariant::give_up(const Error& error) {
  has_failed_ = true;
  const std::string line = std::string("the stream cannot be encoded to ") +
                           std::string(name(plan_.plan.choice().format)) + ": " + error.what();
  log_warning("{}", line);
  for (const auto& stream : plan_.destinations.web_streams()) stream->end(line);
  end();
}

}  // namespace texcast::stream
