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
#include <utility>

#include "avahi_thread.h"
#include "texcast/error.h"

namespace texcast::transport {
namespace {

using namespace std::chrono_literals;
constexpr nanoseconds kLook = 20ms;             // interval for checking `stop`
constexpr nanoseconds kAtMost = 5s;             // limit for a daemon that never reports completion
constexpr nanoseconds kOtherAddresses = 100ms;  // wait for a better address if the first one is not IPv4
constexpr size_t kMostAddresses = 16;           // of a service

std::string interface_name(AvahiIfIndex index) {
  std::array<char, IF_NAMESIZE> name{};
  return index >= 0 && ::if_indextoname(static_cast<unsigned>(index), name.data()) != nullptr ? name.data() : "";
}

struct KnownService {
  FoundService service;
  std::vector<ServiceAddress> addresses;
  SteadyTime first{};  // arrival of the first address
};

// The results so far. The caller's thread waits for them, Avahi's fills them.
class Finding : public AvahiUser {
 public:
  void on_running(AvahiClient* client) override;
  void on_gone(bool /*lost*/) override {
    const std::lock_guard lock(mutex_);
    watches_.clear();
    entries_.clear();
    unanswered_ = asking_ = 0;
    browsing_ = false;
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

  static void on_browser(AvahiServiceBrowser* browser, AvahiIfIndex interface, AvahiProtocol protocol,
                         AvahiBrowserEvent event, const char* name, const char* type, const char* domain,
                         AvahiLookupResultFlags flags, void* watch);
  static void on_resolver(AvahiServiceResolver* resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                          AvahiResolverEvent event, const char* name, const char* type, const char* domain,
                          const char* host, const AvahiAddress* address, uint16_t port, AvahiStringList* txt,
                          AvahiLookupResultFlags flags, void* watch);
  void remove(const Key& key, const std::string& interface);  // with the mutex held
  void add(const Key& key, const char* host, ServiceAddress at, ServiceFacts facts, bool here);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string missing_;
  bool browsing_ = false;
  int unanswered_ = 0;  // browsers that may report more soon
  int asking_ = 0;      // active resolvers
  std::map<Key, KnownService> entries_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

void Finding::on_running(AvahiClient* client) {
  const std::lock_guard lock(mutex_);
  if (browsing_) return;
  browsing_ = true;
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
  const auto& w = *static_cast<Watch*>(watch);
  Finding& self = *w.finding;
  const std::lock_guard lock(self.mutex_);
  switch (event) {
    case AVAHI_BROWSER_NEW:
      if (self.asking_ < static_cast<int>(kMostServices) &&
          avahi_service_resolver_new(w.client, interface, protocol, name, type, domain, protocol, AvahiLookupFlags{},
                                     on_resolver, watch) != nullptr)
        ++self.asking_;
      break;
    case AVAHI_BROWSER_REMOVE: self.remove({w.kind, name}, interface_name(interface)); break;
    case AVAHI_BROWSER_ALL_FOR_NOW: --self.unanswered_; break;
    case AVAHI_BROWSER_FAILURE:
      self.missing_ = missing_daemon(avahi_strerror(avahi_client_errno(avahi_service_browser_get_client(browser))));
      break;
    case AVAHI_BROWSER_CACHE_EXHAUSTED: break;
  }
  self.changed_.notify_all();
}

void Finding::on_resolver(AvahiServiceResolver* resolver, AvahiIfIndex interface, AvahiProtocol /*protocol*/,
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
  avahi_service_resolver_free(resolver);
  const std::lock_guard lock(self.mutex_);
  --self.asking_;
  self.changed_.notify_all();
}

void Finding::remove(const Key& key, const std::string& interface) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  std::erase_if(at->second.addresses, [&](const ServiceAddress& one) { return one.interface == interface; });
  if (at->second.addresses.empty()) entries_.erase(at);
}

void Finding::add(const Key& key, const char* host, ServiceAddress at, ServiceFacts facts, bool here) {
  const std::lock_guard lock(mutex_);
  if (!entries_.contains(key) && entries_.size() >= kMostServices) return;
  KnownService& entry = entries_[key];
  if (entry.addresses.empty()) {
    entry.service = {.kind = key.first,
                     .name = key.second,
                     .host = host,
                     .interface = {},
                     .here = here,
                     .urls = {},
                     .facts = std::move(facts)};
    entry.first = steady_now();
  }
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
  return std::ranges::any_of(entry.addresses,
                             [](const ServiceAddress& at) { return at.address.find(':') == std::string::npos; });
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

std::string daemon_complaint(nanoseconds patience) {
  const auto finding = std::make_shared<Finding>();
  const AvahiThread thread(finding);
  const std::atomic<bool> never = false;
  const bool asked = finding->wait(steady_now() + patience, never, [&] { return finding->is_browsing(); });
  return asked ? "" : complaint_of(*finding);
}

}  // namespace texcast::transport
