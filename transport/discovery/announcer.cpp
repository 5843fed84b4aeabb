#include "transport/announcer.h"

#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "avahi_thread.h"
#include "base/log.h"
#include "base/misuse.h"
#include "texcast/frame_times.h"

namespace texcast::transport {
namespace {

constexpr int kMostTries = 100;  // number of names tried if all are taken
// A name is established, or found to be taken, within a second or two. Avahi 0.8 waits forever for an interface that
// has disappeared meanwhile.
constexpr nanoseconds kLongestProbing = std::chrono::seconds(4);
// Limits the updates on the network for a stream that changes all the time.
constexpr nanoseconds kBetweenUpdates = std::chrono::seconds(1);

// The part of an announcement that may change.
struct Said {
  ServiceFacts facts;
  uint16_t port = 0;
  bool operator==(const Said&) const = default;
};

struct FreeStrings {
  void operator()(AvahiStringList* list) const { avahi_string_list_free(list); }
};
using StringList = std::unique_ptr<AvahiStringList, FreeStrings>;

StringList txt_record(ServiceKind kind, const ServiceFacts& facts) {
  AvahiStringList* txt = nullptr;
  for (const std::string& text : txt_of(kind, facts)) txt = avahi_string_list_add(txt, text.c_str());
  return StringList(avahi_string_list_reverse(txt));  // the list grows at its beginning, and "txtvers" comes first
}

class Announcing : public AvahiUser {
 public:
  explicit Announcing(AnnouncerSettings settings)
      : settings_(std::move(settings)), wanted_(settings_.name), told_{settings_.facts, settings_.port}, said_(told_) {}

  std::string known_as() const {
    const std::lock_guard lock(mutex_);
    return known_as_;
  }

  // From any thread. False: nothing changes.
  bool update(Said said) {
    const std::lock_guard lock(mutex_);
    if (said == told_) return false;
    told_ = std::move(said);
    return true;
  }

  void on_running(AvahiClient* client) override {
    missing_said_ = false;
    client_ = client;
    publish();
  }
  void on_paused() override {
    if (group_ != nullptr) avahi_entry_group_reset(group_);
    set_known_as("");
  }
  void on_gone(bool lost) override {
    const std::string before = known_as();
    client_ = nullptr;
    group_ = nullptr;  // freed with the client
    set_known_as("");
    if (lost && !before.empty())
      log_info("Avahi's daemon went away: until it is back, '{}' cannot be found by its name", before);
    missing_said_ = missing_said_ || !before.empty();
  }
  int patience_ms() const override {
    if (const auto at = update_at()) return static_cast<int>(in_milliseconds(std::max(*at - steady_now(), {}))) + 1;
    return asked_at_ ? 1000 : -1;
  }
  void on_turn() override {
    if (const auto at = update_at(); at && steady_now() >= *at) say_anew();
    if (!asked_at_ || steady_now() < *asked_at_ + kLongestProbing) return;
    avahi_entry_group_reset(group_);
    publish();
  }
  void on_missing(const std::string& why) override {
    if (settings_.asked_for && !std::exchange(missing_said_, true))
      log_warning("not announced as '{}': {}", wanted_, why);
  }

 private:
  static void on_group(AvahiEntryGroup* group, AvahiEntryGroupState state, void* self) {
    static_cast<Announcing*>(self)->group_changed(group, state);
  }
  void group_changed(AvahiEntryGroup* group, AvahiEntryGroupState state);
  void publish();
  std::optional<SteadyTime> update_at() const;
  void say_anew();
  void take_told();
  AvahiIfIndex interface() const;
  AvahiProtocol protocol() const;
  int add_service();
  void take_next_name();
  void failed(int error) { log_warning("not announced as '{}': {}", wanted_, avahi_strerror(error)); }
  void set_known_as(const std::string& name) {
    asked_at_.reset();
    const std::lock_guard lock(mutex_);
    known_as_ = name;
  }

  const AnnouncerSettings settings_;
  std::string wanted_;  // the name that is being tried or was established
  AvahiClient* client_ = nullptr;
  AvahiEntryGroup* group_ = nullptr;
  int tries_ = 0;
  std::optional<SteadyTime> asked_at_;  // while the daemon checks that the name is free
  bool missing_said_ = false;
  mutable std::mutex mutex_;
  std::string known_as_;
  Said told_;  // by update(), protected by the mutex
  Said said_;  // to the daemon; used by the thread only
  SteadyTime said_at_{};
};

void Announcing::take_next_name() {
  char* next = avahi_alternative_service_name(wanted_.c_str());
  wanted_ = next;
  avahi_free(next);
}

AvahiIfIndex Announcing::interface() const {
  return settings_.interface_index == 0 ? AVAHI_IF_UNSPEC : static_cast<AvahiIfIndex>(settings_.interface_index);
}

AvahiProtocol Announcing::protocol() const {
  return settings_.ipv4 == settings_.ipv6 ? AVAHI_PROTO_UNSPEC : settings_.ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6;
}

int Announcing::add_service() {
  return avahi_entry_group_add_service_strlst(group_, interface(), protocol(), AvahiPublishFlags{}, wanted_.c_str(),
                                              service_type(settings_.kind).data(), nullptr, nullptr, said_.port,
                                              txt_record(settings_.kind, said_.facts).get());
}

// Nothing: everything is announced, or will be by the next publish().
std::optional<SteadyTime> Announcing::update_at() const {
  if (group_ == nullptr || avahi_entry_group_is_empty(group_) != 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return told_ == said_ ? std::nullopt : std::optional(said_at_ + kBetweenUpdates);
}

// Updates a record in place; a service at another port is registered anew.
void Announcing::say_anew() {
  const uint16_t port = said_.port;
  take_told();
  if (said_.port == port &&
      avahi_entry_group_update_service_txt_strlst(group_, interface(), protocol(), AvahiPublishFlags{}, wanted_.c_str(),
                                                  service_type(settings_.kind).data(), nullptr,
                                                  txt_record(settings_.kind, said_.facts).get()) == 0)
    return;
  avahi_entry_group_reset(group_);
  publish();
}

void Announcing::take_told() {
  const std::lock_guard lock(mutex_);
  said_ = told_;
  said_at_ = steady_now();
}

void Announcing::publish() {
  if (client_ == nullptr) return;
  if (group_ == nullptr) group_ = avahi_entry_group_new(client_, on_group, this);
  if (group_ == nullptr) return failed(avahi_client_errno(client_));
  if (avahi_entry_group_is_empty(group_) == 0) return;
  take_told();
  int error = add_service();
  for (; error == AVAHI_ERR_COLLISION && tries_ < kMostTries; ++tries_) {  // with another service of this machine
    take_next_name();
    error = add_service();
  }
  if (error == 0) error = avahi_entry_group_commit(group_);
  if (error < 0)
    failed(error);
  else
    asked_at_ = steady_now();
}

void Announcing::group_changed(AvahiEntryGroup* group, AvahiEntryGroupState state) {
  group_ = group;  // this is also called before avahi_entry_group_new() returns
  switch (state) {
    case AVAHI_ENTRY_GROUP_ESTABLISHED:
      set_known_as(wanted_);
      if (settings_.on_named) settings_.on_named(wanted_);
      break;
    case AVAHI_ENTRY_GROUP_COLLISION:  // with another machine's service
      set_known_as("");
      if (++tries_ > kMostTries) return failed(AVAHI_ERR_COLLISION);
      take_next_name();
      avahi_entry_group_reset(group_);
      publish();
      break;
    case AVAHI_ENTRY_GROUP_FAILURE:
      set_known_as("");
      failed(avahi_client_errno(client_));
      break;
    case AVAHI_ENTRY_GROUP_UNCOMMITED:
    case AVAHI_ENTRY_GROUP_REGISTERING: break;
  }
}

}  // namespace

struct Announcer::State {
  explicit State(AnnouncerSettings settings)
      : announcing(std::make_shared<Announcing>(std::move(settings))), thread(announcing) {}
  std::shared_ptr<Announcing> announcing;
  AvahiThread thread;
};

Announcer::Announcer(AnnouncerSettings settings) {
  REQUIRE_USE(!settings.name.empty() && fitting_name(settings.name) == settings.name,
              "a name must be a result of fitting_name(), and not empty");
  state_ = std::make_unique<State>(std::move(settings));
}
Announcer::~Announcer() = default;

void Announcer::update(ServiceFacts facts, uint16_t port) {
  if (state_->announcing->update({std::move(facts), port})) state_->thread.wake();
}

std::string Announcer::name() const { return state_->announcing->known_as(); }

}  // namespace texcast::transport
