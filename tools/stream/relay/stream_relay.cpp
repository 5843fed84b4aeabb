#include "stream/stream_relay.h"

#include <algorithm>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "sound_path.h"
#include "stream/relay_reading.h"

namespace texcast::stream {
namespace {

constexpr nanoseconds kCaptureRead = std::chrono::milliseconds(5);  // a capture does not wake up for feedback
constexpr nanoseconds kStatusEvery = std::chrono::milliseconds(50);

// The number of a receiver: those of a group share a destination, and destinations move up when one is removed.
uint32_t receiver_of(const transport::PeerAddress& from) {
  uint32_t hash = 2166136261u;  // FNV-1a
  const auto add = [&](uint8_t byte) { hash = (hash ^ byte) * 16777619u; };
  for (const std::byte byte : from.host) add(static_cast<uint8_t>(byte));
  add(static_cast<uint8_t>(from.port));
  add(static_cast<uint8_t>(from.port >> 8));
  return hash;
}

}  // namespace

StreamRelay::StreamRelay(std::unique_ptr<DatagramSource> picture, std::unique_ptr<DatagramSource> sound,
                         const std::vector<std::string>& urls, const StreamRelaySettings& settings,
                         ReceptionEvents& events)
    : source_(std::move(picture)),
      events_(events),
      relay_(with_requests(settings.receive, *source_), {}, {.keeps_seal = true, .hop = settings.hop}),
      news_(*source_, relay_, events_),
      report_(settings.report),
      destinations_(urls, settings.network, false),  // encrypted streams have no reports to be missed
      tallies_(destinations_.resolved().size()) {
  const bool is_among =
      !sound && settings.hears_sound &&
      source_->give_sound_to([this](Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
        sound_->put(datagram, arrived, from);
      });
  if (sound || is_among)
    sound_ = std::make_unique<SoundPath>(std::move(sound), destinations_.resolved(), settings.network, settings.receive,
                                         picture_);
  is_watched_ = source_->watch(destinations_.descriptor());
  thread_.emplace([this](const std::stop_token& stop) { run(stop); },
                  [this](const std::exception_ptr&) { ended_.store(true, std::memory_order_release); });
}

StreamRelay::~StreamRelay() {
  try {
    stop();
  } catch (const std::exception& error) {
    log_error("{}", error.what());
  }
}

void StreamRelay::stop() {
  if (!thread_) return;
  thread_->request_stop();
  source_->wake();
  thread_->stop();
  if (sound_) sound_->stop();
  destinations_.end();
  const auto failure = thread_->failure();
  thread_.reset();
  if (failure) std::rethrow_exception(failure);
}

RelayStatus StreamRelay::status() const {
  const std::lock_guard lock(mutex_);
  RelayStatus status = status_;
  if (sound_) {
    status.sound_passed = sound_->passed();
    status.sound_refused = sound_->refused();
  }
  return status;
}

void StreamRelay::add(const std::string& url) {
  const std::lock_guard lock(mutex_);
  destinations_.add(url);
  tallies_.resize(destinations_.resolved().size());
  if (!sound_) return;
  try {
    sound_->add(destinations_.resolved().back());
  } catch (...) {
    destinations_.remove(url);
    tallies_.resize(destinations_.resolved().size());
    throw;
  }
}

void StreamRelay::remove(const std::string& url) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::string> before = destinations_.urls();
  destinations_.remove(url);
  const auto place = std::ranges::find(before, url) - before.begin();
  tallies_.erase(tallies_.begin() + place);
  if (sound_) sound_->remove(static_cast<size_t>(place));
}

std::vector<std::string> StreamRelay::urls() const {
  const std::lock_guard lock(mutex_);
  return destinations_.urls();
}

std::vector<transport::Address> StreamRelay::resolved() const {
  const std::lock_guard lock(mutex_);
  return destinations_.resolved();
}

void StreamRelay::run(const std::stop_token& stop) {
  bool more = true;
  while (more && !stop.stop_requested()) {
    const SteadyTime before = source_->now().steady;
    SteadyTime limit = before + (is_watched_ ? kLongestRead : kCaptureRead);
    if (const auto due = relay_.next_deadline()) limit = std::min(limit, *due);
    if (const auto due = destinations_.next_deadline()) limit = std::min(limit, *due);
    more = source_->read(limit, *this);
    const Instant now = source_->now();
    relay_.poll(now.steady + (more ? nanoseconds{} : kAfterTheEnd), now.wall);
    send_made();
    flush();
    if (sound_ && !source_->live()) sound_->flush();
    answer(now.steady);
    while (const auto request = relay_.poll_feedback(now.steady)) source_->send_back(relay_.sender().from, *request);
    news_.tell();
    update_status(now.steady);
  }
}

void StreamRelay::on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) {
  const auto on = relay_.on_datagram(datagram, arrived.steady, arrived.wall, from);
  if (news_.frame_arrived()) picture_.set(relay_.sender().from);
  if (on) batch_.add(*on);
  send_made();
  if (batch_.is_full()) flush();
}

void StreamRelay::send_made() {
  for (const transport::OutgoingPacket& packet : relay_.poll_made()) batch_.add(packet.header);
}

void StreamRelay::flush() {
  if (batch_.empty()) return;
  if (const nanoseconds wait = burst_.wait(batch_.bytes(), steady_now()); wait > nanoseconds{}) {
    ++delayed_;
    std::this_thread::sleep_for(wait);
  }
  const std::lock_guard lock(mutex_);
  destinations_.send(batch_.packets(), wall_now());
  batch_.clear();
}

void StreamRelay::answer(SteadyTime now) {
  const std::lock_guard lock(mutex_);
  destinations_.wait(now, [&](const transport::Feedback& feedback) { on_feedback(feedback, now); });
}

void StreamRelay::on_feedback(const transport::Feedback& feedback, SteadyTime now) {
  const uint64_t tiles_before = relay_.tile_requests(), again_before = relay_.sent_again();
  const std::vector<transport::Address>& addresses = destinations_.resolved();
  std::optional<uint32_t> group;
  if (feedback.destination < addresses.size() && addresses[feedback.destination].multicast)
    group = receiver_of(peer_of(addresses[feedback.destination]));
  const auto again = relay_.on_feedback(receiver_of(feedback.from), feedback.datagram, now, group);
  if (feedback.destination < tallies_.size()) {
    Tally& tally = tallies_[feedback.destination];
    const bool asks_tiles = relay_.tile_requests() != tiles_before;
    tally.tile_requests += asks_tiles ? 1 : 0;
    tally.nacks += asks_tiles ? 0 : 1;
    tally.resent += relay_.sent_again() - again_before;
  }
  if (!again.empty()) destinations_.send_to(feedback.destination, again);
}

void StreamRelay::update_status(SteadyTime now) {
  if (now < status_at_) return;
  status_at_ = now + kStatusEvery;
  const std::lock_guard lock(mutex_);
  news_.fill(status_);
  status_.receivers.assign(destinations_.receivers().begin(), destinations_.receivers().end());
  status_.restored = relay_.restored();
  status_.keyless = relay_.is_keyless();
  status_.returned = relay_.returned();
  status_.envelopes_lost = relay_.keyless().lost();
  status_.feedback = relay_.sealed_feedback().received();
  status_.feedback_passed_on = relay_.sealed_feedback().passed_on();
  status_.envelope_nacks = relay_.envelopes().requests();
  status_.envelopes_requested = relay_.envelopes().requested();
  status_.passed_again = relay_.keyless().passed_again();
  status_.delayed = delayed_;
  update_destinations();
  source_->report_behind(summary_of(status_.receivers, report_, steady_now()));
}

// A receiver is of the destination with its address; others belong to the group, if there is one.
void StreamRelay::update_destinations() {
  const std::vector<transport::Address>& addresses = destinations_.resolved();
  const std::vector<std::string> urls = destinations_.urls();
  std::unordered_map<std::string, size_t> places;
  std::optional<size_t> group;
  status_.destinations.resize(addresses.size());
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (addresses[i].multicast)
      group = i;
    else
      places.emplace(to_text(with_port(peer_of(addresses[i]), addresses[i].port)), i);
    const transport::SendCounters& sent = destinations_.sent_to(i);
    status_.destinations[i] = {.address = urls[i],
                               .packets = sent.packets,
                               .bytes = sent.bytes,
                               .dropped = sent.refused,
                               .refusals = destinations_.refusals(i),
                               .nacks = tallies_[i].nacks,
                               .resent = tallies_[i].resent,
                               .tile_requests = tallies_[i].tile_requests};
  }
  for (const transport::ReceiverOpinion& receiver : status_.receivers) {
    const auto at = places.find(receiver.address);
    const auto place = at != places.end() ? std::optional(at->second) : group;
    if (!place || receiver.left) continue;
    RelayedTo& to = status_.destinations[*place];
    ++to.receivers;
    to.loss = std::max(to.loss.value_or(0), receiver.loss);
  }
}

}  // namespace texcast::stream
