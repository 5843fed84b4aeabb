#include "send/send_control.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/interrupt.h"
#include "common/control_events.h"
#include "common/control_values.h"
#include "common/service_names.h"

namespace texcast::cli {

using control::require_words;
using control::Words;

SendControl::SendControl(const SendOptions& o, stream::Steering& steering, Line line)
    : wanted_(!o.control.empty()),
      source_(o.input.input),
      steering_(steering),
      line_(std::move(line)),
      port_(
          o.control, control::kSend, [this] { return source_; }, [this] { return statistics(); }, ObeyedBy::server) {
  bind_coding();
  bind_time();
  bind_destinations();
  port_.bind_quit();
  port_.begin();
}

void SendControl::tell(const stream::SendReport& now) {
  if (!wanted_) return;
  {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }
  port_.tell_statistics();
  tell_receivers(now.sent.receivers);
}

void SendControl::tell_receivers(const std::vector<transport::ReceiverOpinion>& now) {
  std::set<std::string> there;
  for (const transport::ReceiverOpinion& receiver : now)
    if (!receiver.left) there.insert(receiver.address);
  if (there == receivers_) return;
  for (const std::string& address : there)
    if (!receivers_.contains(address)) port_.tell("receiver", address_event(address, "joined"));
  for (const std::string& address : receivers_)
    if (!there.contains(address)) port_.tell("receiver", address_event(address, "left"));
  receivers_ = std::move(there);
}

void SendControl::tell_changes(const stream::SendState& before, const stream::SendState& now) {
  const Json stream = stream_event(now);
  if (stream.text() != stream_event(before).text()) port_.tell("stream", stream);
  const auto tell_missing = [&](const std::vector<std::string>& of, const std::vector<std::string>& in,
                                const char* what) {
    for (const std::string& address : of)
      if (std::ranges::find(in, address) == in.end()) port_.tell("destination", address_event(address, what));
  };
  tell_missing(now.destinations, before.destinations, "added");
  tell_missing(before.destinations, now.destinations, "removed");
  if (now.paused != before.paused) port_.tell("pause", Json(now.paused));
}

void SendControl::tell_end() { port_.tell("end", Json::object({{"source", source_}})); }

stream::StatsLine SendControl::statistics() const {
  const std::lock_guard lock(mutex_);
  return line_(now_);
}

// The answer is sent when the change has been made or has failed.
void SendControl::change(stream::SendChange change, control::Reply& reply) {
  const auto shared = std::make_shared<control::Reply>(std::move(reply));
  steering_.change(std::move(change), [shared](const std::optional<Error>& wrong) {
    shared->answer(wrong ? control::Answer::failure(wrong->kind(), wrong->what()) : control::Answer::success());
  });
}

void SendControl::bind_coding() {
  control::Dispatcher& rows = port_.rows();
  rows.property_later(
      "format", [this] { return Json(name(steering_.state().choice.format)); },
      [this](const std::string& value, control::Reply& reply) {
        change({.format = parsed_value(parse_texture_format, value)}, reply);
      });
  rows.property_later(
      "quality", [this] { return Json(name(steering_.state().choice.quality)); },
      [this](const std::string& value, control::Reply& reply) {
        change({.quality = parsed_value(parse_quality, value)}, reply);
      });
  rows.property_later(
      "method",
      [this] {
        const auto method = steering_.state().choice.method;
        return method ? Json(name(*method)) : Json();
      },
      [this](const std::string& value, control::Reply& reply) {
        change({.method = parsed_value(parse_method, value)}, reply);
      });
  rows.property_later(
      "crf",
      [this] {
        const auto crf = steering_.state().crf;
        return crf ? Json(*crf) : Json();
      },
      [this](const std::string& value, control::Reply& reply) {
        stream::SendChange wanted;
        wanted.crf.emplace();
        if (value != "none") wanted.crf->emplace(parsed_value(parse_crf, value));
        change(std::move(wanted), reply);
      });
  rows.property_later(
      "bitrate", [this] { return bitrate_json(steering_.state().bitrate); },
      [this](const std::string& value, control::Reply& reply) {
        stream::SendChange wanted;
        wanted.bitrate.emplace();
        if (value != "none") {
          const RateRange range = parsed_value(parse_bitrate, value);
          wanted.bitrate->emplace(stream::Bitrate{.least = range.least, .most = range.most});
        }
        change(std::move(wanted), reply);
      });
  rows.property("size", [this] {
    const TextureDesc texture = steering_.state().texture;
    return Json(fmt::format("{}x{}", texture.width, texture.height));
  });
  rows.property("device", [this] { return Json(steering_.state().device); });
}

void SendControl::bind_time() {
  control::Dispatcher& rows = port_.rows();
  rows.property_later(
      "pause", [this] { return Json(steering_.state().paused); },
      [this](const std::string& value, control::Reply& reply) {
        change({.paused = control::parse_truth(value)}, reply);
      });
  rows.property_later(
      "position", [this] { return Json(in_seconds(steering_.state().position)); },
      [this](const std::string& value, control::Reply& reply) {
        change({.seek = parsed_value(parse_time, value)}, reply);
      });
  rows.command_later("seek", [this](Words words, control::Reply& reply) {
    require_words(words, 1, 1, "seek TIME");
    const SeekTarget target = parse_seek(words[0]);
    const nanoseconds from = target.relative ? steering_.state().position : nanoseconds{};
    change({.seek = std::max(from + target.time, nanoseconds{})}, reply);
  });
}

void SendControl::bind_destinations() {
  control::Dispatcher& rows = port_.rows();
  rows.property_later(
      "rate",
      [this] {
        const auto rate = steering_.state().rate_bits_per_s;
        return rate ? Json(*rate) : Json();
      },
      [this](const std::string& value, control::Reply& reply) {
        stream::SendChange wanted;
        wanted.rate_bits_per_s.emplace();
        if (value != "none") wanted.rate_bits_per_s->emplace(parsed_value(parse_rate, value));
        change(std::move(wanted), reply);
      });
  rows.property("destinations", [this] { return Json(steering_.state().destinations); });
  rows.command_later("destination", [this](Words words, control::Reply& reply) {
    constexpr const char* kUsage = "destination add ADDRESS, or destination remove ADDRESS";
    require_words(words, 2, 2, kUsage);
    if (words[0] != "add" && words[0] != "remove") throw Error(ErrorKind::usage, std::string("usage: ") + kUsage);
    stream::SendChange wanted;
    (words[0] == "add" ? wanted.add : wanted.remove).push_back(with_scheme(words[1]));
    change(std::move(wanted), reply);
  });
}

}  // namespace texcast::cli
