#include "transport/finder.h"

#include <avahi-client/lookup.h>
#include <avahi-common/address.h>
#include <avahi-common/error.h>
#include <avahi-common/strlst.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "avahi_thread.h"
#include "texcast/error.h"

namespace texcast::transport {
namespace {

using namespace std::chrono_literals;
constexpr nanoseconds kLook = 20ms;                // interval for checking `stop`
constexpr nanoseconds kAtMost = 5s;                // limit for a daemon that never reports completion
constexpr nanoseconds kOtherAddresses = 100ms;     // wait for a better address if the first one is not IPv4
constexpr size_t kMostAddresses = 16;              // of a service
constexpr size_t kMostPlaces = 4 * kMostServices;  // that are watched, of all services

std::string interface_name(AvahiIfIndex index) {
  std::array<char, IF_NAMESIZE> name{};
  return index >= 0 && ::if_indextoname(static_cast<unsigned>(index), name.data()) != nullptr ? name.data() : "";
}

bool is_ipv6(const ServiceAddress& at) { return at.address.find(':') != std::string::npos; }

struct KnownService {
  FoundService service;
  std::vector<ServiceAddress> addresses;
  SteadyTime first{};  // arrival of the first address
};

// The results so far. The caller's thread waits for them, Avahi's fills them.
class Finding : public AvahiUser {
 public:
  Finding() = default;
  explicit Finding(std::function<void()> on_change) : keeps_resolvers_(true), on_change_(std::move(on_change)) {}

  void on_running(AvahiClient* client) override;
  void on_gone(bool lost) override {
    {
      const std::lock_guard lock(mutex_);
      watches_.clear();
      entries_.clear();
      resolvers_.clear();  // freed with the client
      unanswered_ = asking_ = 0;
      browsing_ = false;
    }
    if (lost) tell_change();
  }
  void on_turn() override {
    if (std::exchange(has_changed_, false)) tell_change();
  }
  // Afterwards `on_change` is not called, and no call is running.
  void close() {
    const std::lock_guard lock(change_mutex_);
    on_change_ = nullptr;
  }
  void on_missing(const std::string& why) override {
    const std::lock_guard lock(mutex_);
    missing_ = why;
    changed_.notify_all();
  }

  // Waits until `done(*this)` or `limit`. False: the search is impossible.
  template <typename Done>
  bool wait(SteadyTime limit, const std::atomic<bool>& stop, const Done& done) {
    std::unique_lock lock(mutex_);
    while (!stop && missing_.empty() && !done() && steady_now() < limit)
      changed_.wait_until(lock, std::min(limit, steady_now() + kLook));
    return browsing_;
  }
  // Call the following from wait()'s `done`, or after wait().
  bool is_browsing() const { return browsing_; }
  bool all_have_answered() const { return browsing_ && unanswered_ == 0 && asking_ == 0; }
  const KnownService* find(ServiceKind kind, const std::string& name) const;
  std::string missing() const {
    const std::lock_guard lock(mutex_);
    return missing_;
  }
  // Why nothing is found now; empty: something may be.
  std::string complaint_now() const {
    const std::lock_guard lock(mutex_);
    return browsing_ && missing_.empty() ? "" : missing_.empty() ? missing_daemon("it has not answered yet") : missing_;
  }
  std::vector<FoundService> services();
  static FoundService finished(const KnownService& entry);

 private:
  // Passed to browsers and resolvers to identify the search in their callbacks.
  struct Watch {
    Finding* finding = nullptr;
    ServiceKind kind = ServiceKind::player;
    AvahiClient* client = nullptr;
  };
  using Key = std::pair<ServiceKind, std::string>;

  void tell_change() {
    const std::lock_guard lock(change_mutex_);
    if (on_change_) on_change_();
  }

  static void on_browser(AvahiServiceBrowser* browser, AvahiIfIndex interface, AvahiProtocol protocol,
                         AvahiBrowserEvent event, const char* name, const char* type, const char* domain,
                         AvahiLookupResultFlags flags, void* watch);
  static void on_resolver(AvahiServiceResolver* resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                          AvahiResolverEvent event, const char* name, const char* type, const char* domain,
                          const char* host, const AvahiAddress* address, uint16_t port, AvahiStringList* txt,
                          AvahiLookupResultFlags flags, void* watch);
  // A service on one interface, by one protocol.
  using Place = std::tuple<ServiceKind, std::string, AvahiIfIndex, AvahiProtocol>;

  // With the mutex held:
  void resolve(Watch& watch, const Place& place, const char* type, const char* domain);
  void remove(const Place& place);

  void add(const Key& key, const char* host, ServiceAddress at, ServiceFacts facts, bool here);

  const bool keeps_resolvers_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string missing_;
  bool browsing_ = false;
  int unanswered_ = 0;  // browsers that may report more soon
  int asking_ = 0;      // active resolvers
  std::map<Key, KnownService> entries_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::map<Place, AvahiServiceResolver*> resolvers_;  // that are kept
  std::mutex change_mutex_;
  std::function<void()> on_change_;  // with change_mutex_
  bool has_changed_ = false;         // since the last call; used by Avahi's thread
};

void Finding::on_running(AvahiClient* client) {
  const std::lock_guard lock(mutex_);
  if (browsing_) return;
  browsing_ = true;
  missing_.clear();
  for (const ServiceKind kind : {ServiceKind::player, ServiceKind::sender}) {
    watches_.push_back(std::make_unique<Watch>(Watch{this, kind, client}));
    ++unanswered_;
    if (avahi_service_browser_new(client, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, service_type(kind).data(), nullptr,
                                  AvahiLookupFlags{}, on_browser, watches_.back().get()) == nullptr)
      missing_ = missing_daemon(avahi_strerror(avahi_client_errno(client)));
  }
  changed_.notify_all();
}

void Finding::on_browser(AvahiServiceBrowser* browser, AvahiIfIndex interface, AvahiProtocol protocol,
                         AvahiBrowserEvent event, const char* name, const char* type, const char* domain,
                         AvahiLookupResultFlags /*flags*/, void* watch) {
  auto& w = *static_cast<Watch*>(watch);
  Finding& self = *w.finding;
  const std::lock_guard lock(self.mutex_);
  switch (event) {
    case AVAHI_BROWSER_NEW: self.resolve(w, {w.kind, name, interface, protocol}, type, domain); break;
    case AVAHI_BROWSER_REMOVE: self.remove({w.kind, name, interface, protocol}); break;
    case AVAHI_BROWSER_ALL_FOR_NOW: --self.unanswered_; break;
    case AVAHI_BROWSER_FAILURE:
      self.missing_ = missing_daemon(avahi_strerror(avahi_client_errno(avahi_service_browser_get_client(browser))));
      break;
    case AVAHI_BROWSER_CACHE_EXHAUSTED: break;
  }
  self.changed_.notify_all();
}

// A watch keeps its resolvers, which report changes too.
void Finding::resolve(Watch& watch, const Place& place, const char* type, const char* domain) {
  const auto& [kind, name, interface, protocol] = place;
  if (keeps_resolvers_ ? resolvers_.size() >= kMostPlaces || resolvers_.contains(place)
                       : asking_ >= static_cast<int>(kMostServices))
    return;
  AvahiServiceResolver* const resolver = avahi_service_resolver_new(
      watch.client, interface, protocol, name.c_str(), type, domain, protocol, AvahiLookupFlags{}, on_resolver, &watch);
  if (resolver == nullptr) return;
  if (keeps_resolvers_)
    resolvers_[place] = resolver;
  else
    ++asking_;
}

void Finding::on_resolver(AvahiServiceResolver* resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                          AvahiResolverEvent event, const char* name, const char* /*type*/, const char* /*domain*/,
                          const char* host, const AvahiAddress* address, uint16_t port, AvahiStringList* txt,
                          AvahiLookupResultFlags flags, void* watch) {
  const auto& w = *static_cast<Watch*>(watch);
  Finding& self = *w.finding;
  if (event == AVAHI_RESOLVER_FOUND && address != nullptr) {
    std::array<char, AVAHI_ADDRESS_STR_MAX> text{};
    avahi_address_snprint(text.data(), text.size(), address);
    std::vector<std::string> strings;
    for (AvahiStringList* one = txt; one != nullptr; one = avahi_string_list_get_next(one))
      strings.emplace_back(reinterpret_cast<const char*>(avahi_string_list_get_text(one)),
                           avahi_string_list_get_size(one));
    self.add({w.kind, name}, host, {.address = text.data(), .interface = interface_name(interface), .port = port},
             facts_of(strings), (flags & AVAHI_LOOKUP_RESULT_LOCAL) != 0);
  }
  const std::lock_guard lock(self.mutex_);
  const auto kept = self.resolvers_.find({w.kind, name, interface, protocol});
  if (kept != self.resolvers_.end() && event == AVAHI_RESOLVER_FOUND) return;
  if (kept != self.resolvers_.end())
    self.resolvers_.erase(kept);
  else
    --self.asking_;
  avahi_service_resolver_free(resolver);
  self.changed_.notify_all();
}

void Finding::remove(const Place& place) {
  has_changed_ = true;
  if (const auto kept = resolvers_.find(place); kept != resolvers_.end()) {
    avahi_service_resolver_free(kept->second);
    resolvers_.erase(kept);
  }
  const ServiceKind kind = std::get<ServiceKind>(place);
  const std::string& name = std::get<std::string>(place);
  const AvahiIfIndex index = std::get<2>(place);
  const AvahiProtocol protocol = std::get<3>(place);
  const auto at = entries_.find({kind, name});
  if (at == entries_.end()) return;
  const std::string interface = interface_name(index);
  std::erase_if(at->second.addresses, [&](const ServiceAddress& one) {
    return one.interface == interface && is_ipv6(one) == (protocol == AVAHI_PROTO_INET6);
  });
  if (at->second.addresses.empty()) entries_.erase(at);
}

void Finding::add(const Key& key, const char* host, ServiceAddress at, ServiceFacts facts, bool here) {
  const std::lock_guard lock(mutex_);
  if (!entries_.contains(key) && entries_.size() >= kMostServices) return;
  has_changed_ = true;
  KnownService& entry = entries_[key];
  if (!entry.addresses.empty()) {
    entry.service.facts = std::move(facts);
    if (std::ranges::count(entry.addresses, at) > 0) return;
  } else {
    entry.service = {.kind = key.first,
                     .name = key.second,
                     .host = host,
                     .interface = {},
                     .here = here,
                     .urls = {},
                     .facts = std::move(facts)};
    entry.first = steady_now();
  }
  // A service that moved to another port.
  std::erase_if(entry.addresses,
                [&](const ServiceAddress& one) { return one.address == at.address && one.interface == at.interface; });
  if (entry.addresses.size() < kMostAddresses) entry.addresses.push_back(std::move(at));
}

const KnownService* Finding::find(ServiceKind kind, const std::string& name) const {
  for (const auto& [key, entry] : entries_)
    if (key.first == kind && same_name(key.second, name)) return &entry;
  return nullptr;
}

FoundService Finding::finished(const KnownService& entry) {
  FoundService service = entry.service;
  service.urls = urls_of(service.kind, service.facts, entry.addresses);
  // Services reached over the network are not attributed to an interface that exists only within this machine.
  for (const ServiceAddress& at : entry.addresses)
    if (service.interface.empty() && !at.address.starts_with("127.") && at.address != "::1")
      service.interface = at.interface;
  return service;
}

std::vector<FoundService> Finding::services() {
  const std::lock_guard lock(mutex_);
  std::vector<FoundService> all;
  for (const auto& [key, entry] : entries_) all.push_back(finished(entry));
  return all;
}

std::string complaint_of(const Finding& finding) {
  const std::string why = finding.missing();
  return why.empty() ? missing_daemon("the system's message bus does not answer") : why;
}

void require_asked(bool asked, const Finding& finding, const std::atomic<bool>& stop) {
  if (!asked && !stop) throw Error(ErrorKind::network, complaint_of(finding));
}

bool has_ipv4(const KnownService& entry) {
  return std::ranges::any_of(entry.addresses, [](const ServiceAddress& at) { return !is_ipv6(at); });
}

}  // namespace

std::vector<FoundService> find_services(std::optional<nanoseconds> wait, const std::atomic<bool>& stop) {
  const auto finding = std::make_shared<Finding>();
  const AvahiThread thread(finding);
  const bool asked =
      finding->wait(steady_now() + wait.value_or(kAtMost), stop, [&] { return !wait && finding->all_have_answered(); });
  require_asked(asked, *finding, stop);
  return finding->services();
}

ServiceSearch find_service(ServiceKind kind, const std::string& name, nanoseconds wait, const std::atomic<bool>& stop) {
  const auto finding = std::make_shared<Finding>();
  const AvahiThread thread(finding);
  ServiceSearch search;
  const bool asked = finding->wait(steady_now() + wait, stop, [&] {
    const KnownService* entry = finding->find(kind, name);
    if (entry == nullptr) return finding->all_have_answered();
    if (!has_ipv4(*entry) && steady_now() < entry->first + kOtherAddresses) return false;
    search.found = Finding::finished(*entry);
    return true;
  });
  require_asked(asked, *finding, stop);
  if (!search.found) search.others = finding->services();
  return search;
}

struct ServiceWatch::State {
  explicit State(std::function<void()> on_change)
      : finding(std::make_shared<Finding>(std::move(on_change))), thread(finding) {}
  std::shared_ptr<Finding> finding;
  AvahiThread thread;
};

ServiceWatch::ServiceWatch(std::function<void()> on_change) : state_(std::make_unique<State>(std::move(on_change))) {}
ServiceWatch::~ServiceWatch() { state_->finding->close(); }
std::vector<FoundService> ServiceWatch::services() const { return state_->finding->services(); }
std::string ServiceWatch::complaint() const { return state_->finding->complaint_now(); }

std::string daemon_complaint(nanoseconds patience) {
  const auto finding = std::make_shared<Finding>();
  const AvahiThread thread(finding);
  const std::atomic<bool> never = false;
  const bool asked = finding->wait(steady_now() + patience, never, [&] { return finding->is_browsing(); });
  return asked ? "" : complaint_of(*finding);
}

}  // namespace texcast::transport
