#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"
#include "server_core.h"
#include "texcast/error.h"
#include "transport/address.h"

namespace texcast::web {
namespace {

// Routers without queue management hold a second of packets and more, and TCP fills them. Pictures are dropped while
// bytes wait in the network for longer than this, until they wait for half as long: that bounds a viewer's delay. It is
// high enough for radio links, whose delay varies by tens of milliseconds.
constexpr nanoseconds kMostQueueingDelay = std::chrono::milliseconds(200);
constexpr nanoseconds kPathCheckEvery = std::chrono::milliseconds(10);

constexpr int kMessagesPerTurn = 32;  // of one viewer, before the others have a turn

bool takes(const Hello& hello, const StreamOffer& offer) {
  return std::ranges::all_of(offer.families, [&](const std::string& family) {
    return std::ranges::find(hello.takes, family) != hello.takes.end();
  });
}

}  // namespace

RateLimit::Verdict RateLimit::take(SteadyTime now) {
  if (last_ != SteadyTime{}) {
    const double passed = in_seconds(now - last_) * per_second_;
    left_ = std::min(per_second_, left_ + passed);
    excess_ = std::max(0.0, excess_ - passed);
  }
  last_ = now;
  if (left_ >= 1) {
    left_ -= 1;
    return Verdict::accept;
  }
  excess_ += 1;
  return excess_ > 10 * per_second_ ? Verdict::abuse : Verdict::drop;
}

std::shared_ptr<StreamState> ServerCore::add(const StreamOffer& offer) {
  auto stream = std::make_shared<StreamState>(offer, settings_.limits);
  {
    const std::lock_guard lock(mutex_);
    const auto place = names_.try_emplace(offer.name).first;
    const auto other = place->second.lock();
    if (other && !other->ended)
      throw Error(ErrorKind::misuse, fmt::format("there is a stream '{}' already", offer.name));
    place->second = stream;
  }
  run([this, stream] {
    streams_.push_back(stream);
    const SteadyTime now = steady_now();
    for (const auto& [id, connection] : viewers_)
      if (!connection->stream && connection->close_code == 0) move(*connection, "", now);
  });
  return stream;
}

void ServerCore::change(StreamState& stream, const StreamOffer& offer) {
  const SteadyTime now = steady_now();
  stream.offer = offer;
  for (Connection* connection : std::vector(stream.watching)) {
    if (takes(connection->hello, offer)) {
      connection->queue.clear_stream();
      push(*connection, text_message(describe("changed", *connection)), 0);
    } else {
      unwatch(*connection, now);
      move(*connection, "", now);
    }
  }
}

void ServerCore::end(StreamState& stream, const std::string& message) {
  if (stream.ended.exchange(true)) return;
  std::erase_if(streams_, [&](const auto& one) { return one.get() == &stream; });
  const SteadyTime now = steady_now();
  for (Connection* connection : std::vector(stream.watching)) {
    unwatch(*connection, now);
    move(*connection, message, now);
  }
}

std::vector<ViewerStatus> ServerCore::viewers() const {
  const std::lock_guard lock(mutex_);
  std::vector<ViewerStatus> all;
  for (const auto& [id, figures] : figures_) {
    const std::lock_guard naming(figures->mutex);
    all.push_back({.id = id,
                   .address = figures->address,
                   .stream = figures->stream,
                   .sent_datagrams = figures->sent_datagrams,
                   .sent_bytes = figures->sent_bytes,
                   .dropped_datagrams = figures->dropped_datagrams,
                   .dropped_bytes = figures->dropped_bytes,
                   .feedback_datagrams = figures->feedback_datagrams,
                   .refused_feedback = figures->refused_feedback,
                   .queued_bytes = figures->queued_bytes,
                   .since = figures->since});
  }
  return all;
}

int ServerCore::on_received(Connection& connection, Bytes bytes) {
  if (connection.close_code != 0) return 0;
  const bool binary = lws_frame_is_binary(connection.wsi) != 0;
  if (connection.received.size() + bytes.size() > (binary ? kMostFeedbackBytes : kMostHelloBytes)) {
    lws_close_reason(connection.wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, nullptr, 0);
    return -1;
  }
  connection.received.insert(connection.received.end(), bytes.begin(), bytes.end());
  if (lws_is_final_fragment(connection.wsi) == 0) return 0;
  const int result = on_message(connection);
  connection.received.clear();
  return result;
}

int ServerCore::on_message(Connection& connection) {
  const SteadyTime now = steady_now();
  if (connection.viewer == 0) {
    if (lws_frame_is_binary(connection.wsi) != 0)
      refuse(connection, Refusal::malformed, "The first message is not a hello.");
    else
      on_hello(connection, now);
    return 0;
  }
  return on_feedback(connection, now);
}

int ServerCore::on_feedback(Connection& connection, SteadyTime now) {
  switch (connection.rate.take(now)) {
    case RateLimit::Verdict::accept: break;
    case RateLimit::Verdict::drop: ++connection.figures->refused_feedback; return 0;
    case RateLimit::Verdict::abuse: refuse(connection, Refusal::malformed, "Too many messages came."); return 0;
  }
  if (lws_frame_is_binary(connection.wsi) == 0) return 0;  // texts after the hello are for later versions
  const Datagrams parsed = parse_datagrams(connection.received);
  if (parsed.malformed) {
    refuse(connection, Refusal::malformed, "A message is malformed.");
    return 0;
  }
  if (!parsed.known || !connection.stream) return 0;
  FeedbackQueue& queue = connection.stream->feedback;
  for (const Bytes datagram : parsed.datagrams) {
    const bool taken =
        queue.datagram(connection.viewer, connection.from, parsed.channel, datagram, now, connection.feedback);
    ++(taken ? connection.figures->feedback_datagrams : connection.figures->refused_feedback);
  }
  queue.notify();
  return 0;
}

std::shared_ptr<StreamState> ServerCore::choose(const Hello& hello) const {
  std::shared_ptr<StreamState> first;
  for (const auto& stream : streams_) {
    if (!takes(hello, stream->offer)) continue;
    if (stream->offer.name == hello.variant) return stream;
    if (!first) first = stream;
  }
  return first;
}

void ServerCore::on_hello(Connection& connection, SteadyTime now) {
  const auto* text = reinterpret_cast<const char*>(connection.received.data());
  auto hello = parse_hello({text, connection.received.size()});
  if (!hello) return refuse(connection, Refusal::malformed, hello.error().message);
  const auto full = [&] { return viewers_.size() >= static_cast<size_t>(settings_.most_viewers); };
  const std::string too_many =
      fmt::format("{} viewers are watching already; there is no room for more.", viewers_.size());
  // These are checked first, because a link can be used only once.
  if (hello->resume.empty() && full()) return refuse(connection, Refusal::too_many, too_many);
  auto stream = choose(*hello);
  if (!stream && !streams_.empty())
    return refuse(connection, Refusal::no_variant, "This device's GPU does not take the format of the stream.");
  if (stream && stream->feedback.full()) return refuse(connection, Refusal::too_many, "The sender is busy. Try again.");
  auto decision = access_.admit(*hello, connection.from, now);
  if (decision.refusal != Refusal::none) {
    if (decision.refusal == Refusal::password && !hello->password.empty())
      if (const auto line =
              wrong_words_.take(fmt::format("a wrong password came from {}", to_text(connection.from)), now))
        log_warning("{}", *line);
    return refuse(connection, decision.refusal, decision.message);
  }
  if (!decision.link_holder.empty())
    for (const auto& [id, other] : viewers_)
      if (other->link_holder == decision.link_holder) {
        refuse(*other, Refusal::link, "The link of this window is used in another one now.");
        leave(*other);
        break;
      }
  if (full()) return refuse(connection, Refusal::too_many, too_many);
  connection.hello = std::move(*hello);
  welcome(connection, std::move(decision), std::move(stream), now);
}

void ServerCore::welcome(Connection& connection, AccessControl::Decision decision, std::shared_ptr<StreamState> stream,
                         SteadyTime now) {
  connection.viewer = ++last_viewer_;
  connection.resume = std::move(decision.resume);
  connection.link_holder = std::move(decision.link_holder);
  connection.hello.password.clear();
  connection.hello.link.clear();
  connection.deadline = SteadyTime::max();
  connection.figures = std::make_shared<ViewerFigures>();
  connection.figures->id = connection.viewer;
  connection.figures->address = to_text(connection.from);
  connection.figures->since = now;
  viewers_.emplace(connection.viewer, &connection);
  count_stranger(connection, -1);
  {
    const std::lock_guard lock(mutex_);
    figures_.emplace(connection.viewer, connection.figures);
  }
  connection.stream = stream;
  push(connection, text_message(describe("welcome", connection)), 0);
  connection.stream = nullptr;
  if (stream) watch(connection, std::move(stream), now);
}

// The viewer is no viewer any more, but its connection may exist a little longer.
void ServerCore::leave(Connection& connection) {
  if (connection.viewer == 0) return;
  unwatch(connection, steady_now());
  viewers_.erase(connection.viewer);
  {
    const std::lock_guard lock(mutex_);
    figures_.erase(connection.viewer);
  }
  connection.viewer = 0;
  connection.link_holder.clear();
  count_stranger(connection, 1);
}

std::string ServerCore::describe(std::string_view type, const Connection& connection) const {
  std::vector<StreamOffer> offers;
  for (const auto& stream : streams_) offers.push_back(stream->offer);
  return welcome_text(type, connection.stream ? &connection.stream->offer : nullptr, offers, settings_.name,
                      connection.resume);
}

void ServerCore::watch(Connection& connection, std::shared_ptr<StreamState> stream, SteadyTime now) {
  connection.stream = std::move(stream);
  connection.stream->watching.push_back(&connection);
  ++connection.stream->viewers;
  {
    const std::lock_guard lock(connection.figures->mutex);
    connection.figures->stream = connection.stream->offer.name;
  }
  connection.stream->feedback.joined(connection.viewer, connection.from, now);
  connection.stream->feedback.notify();
}

void ServerCore::unwatch(Connection& connection, SteadyTime now) {
  if (!connection.stream) return;
  const auto stream = std::exchange(connection.stream, nullptr);
  std::erase(stream->watching, &connection);
  --stream->viewers;
  {
    const std::lock_guard lock(connection.figures->mutex);
    connection.figures->stream.clear();
  }
  stream->feedback.left(connection.viewer, connection.from, now);
  stream->feedback.notify();
}

// A viewer without a stream gets another one, or waits for one with the line `ended`, or is sent away if its GPU takes
// none.
void ServerCore::move(Connection& connection, std::string_view ended, SteadyTime now) {
  connection.queue.clear_stream();
  auto stream = choose(connection.hello);
  if (!stream && !streams_.empty())
    return refuse(connection, Refusal::no_variant, "This device's GPU does not take the format of the stream.");
  if (!stream) return push(connection, text_message(ended_text(ended)), 0);
  connection.stream = stream;
  push(connection, text_message(describe("changed", connection)), 0);
  connection.stream = nullptr;
  watch(connection, std::move(stream), now);
}

void ServerCore::refuse(Connection& connection, Refusal refusal, std::string_view message) {
  if (connection.close_code != 0) return;
  connection.queue.clear_stream();
  const bool ended = refusal == Refusal::ended;
  push(connection, text_message(ended ? ended_text(message) : refused_text(refusal, message)), 0);
  connection.close_code = static_cast<uint16_t>(refusal);
  connection.deadline = steady_now() + settings_.limits.closing;
}

void ServerCore::push(Connection& connection, const SharedMessage& message, size_t limit_bytes) {
  if (connection.close_code != 0) return;
  const SteadyTime now = steady_now();
  if (connection.queue.empty()) connection.progress = now;
  if (message->kind == Message::Kind::picture && now - connection.path_checked >= kPathCheckEvery) {
    connection.path_checked = now;
    const nanoseconds most = connection.congested ? kMostQueueingDelay / 2 : kMostQueueingDelay;
    connection.congested = queueing_delay(connection.socket) > most;
    connection.queue.set_congested(connection.congested);
  }
  connection.queue.push(message, limit_bytes, now);
  if (connection.figures) {
    connection.figures->dropped_datagrams = connection.queue.dropped_datagrams();
    connection.figures->dropped_bytes = connection.queue.dropped_bytes();
  }
  if (!std::exchange(connection.write_requested, true)) lws_callback_on_writable(connection.wsi);
}

void ServerCore::deliver(StreamState& stream, ViewerId viewer, const std::vector<SharedMessage>& messages,
                         SteadyTime now) {
  if (viewer == 0) {
    for (const SharedMessage& message : messages) {
      stream.limit.add(message->size(), now);
      for (Connection* connection : stream.watching) push(*connection, message, stream.limit.bytes());
    }
  } else if (const auto found = viewers_.find(viewer);
             found != viewers_.end() && found->second->stream.get() == &stream) {
    for (const SharedMessage& message : messages) push(*found->second, message, stream.limit.bytes());
  }
}

int ServerCore::on_writable(Connection& connection) {
  connection.write_requested = false;
  for (int written = 0; !connection.queue.empty() && written < kMessagesPerTurn; ++written) {
    const SharedMessage& message = connection.queue.front();
    const auto kind = message->kind == Message::Kind::text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY;
    if (lws_write(connection.wsi, message->bytes.data() + message->room, message->size(), kind) < 0) return -1;
    connection.progress = steady_now();
    if (connection.figures) {
      connection.figures->sent_datagrams += message->datagrams;
      connection.figures->sent_bytes += message->size();
    }
    connection.queue.pop();
    if (lws_send_pipe_choked(connection.wsi) != 0) break;
  }
  if (!connection.queue.empty()) {
    connection.write_requested = true;
    lws_callback_on_writable(connection.wsi);
  } else if (connection.close_code != 0) {
    lws_close_reason(connection.wsi, static_cast<lws_close_status>(connection.close_code), nullptr, 0);
    return -1;
  }
  return 0;
}

}  // namespace texcast::web
