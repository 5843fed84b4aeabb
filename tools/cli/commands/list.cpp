// list.cpp — `texcast list`: lists senders and players on the local network.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "transport/finder.h"

namespace texcast::cli {
namespace {

using transport::FoundService;
using transport::ServiceKind;

Json to_json(const FoundService& s) {
  Json json = Json::object({{"name", s.name},
                            {"what", std::string(transport::name(s.kind))},
                            {"host", s.host},
                            {"here", s.here},
                            {"interface", s.interface},
                            {"address", s.urls.empty() ? Json() : Json(s.urls.front())},
                            {"addresses", s.urls},
                            {"version", s.facts.version},
                            {"crypto", s.facts.sealed.empty() ? "none" : s.facts.sealed}});
  if (s.kind == ServiceKind::player) return json;
  json["format"] = s.facts.format;
  json["coding"] = s.facts.coding;
  json["width"] = s.facts.width;
  json["height"] = s.facts.height;
  json["fps"] = s.facts.fps;
  json["sound"] = s.facts.sound.empty() ? Json() : Json(s.facts.sound);
  json["rate"] = s.facts.rate_bits_per_s > 0 ? Json(s.facts.rate_bits_per_s) : Json();
  json["paused"] = s.facts.paused;
  return json;
}

std::string details(const FoundService& s) {
  const transport::ServiceFacts& f = s.facts;
  std::string text;
  const auto say = [&](const std::string& word) {
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  };
  if (f.width > 0) say(fmt::format("{}x{}", f.width, f.height));
  say(f.format);
  if (f.fps > 0) say(fmt::format("{:.4g} fps", f.fps));
  say(f.coding);
  if (!f.sound.empty()) say("audio: " + f.sound);
  if (f.rate_bits_per_s > 0) say("at most " + bit_rate(f.rate_bits_per_s));
  if (f.paused) say("paused");
  say(f.sealed.empty() ? "" : "encrypted: " + f.sealed);
  if (s.here) say("on this machine");
  return text;
}

}  // namespace

int run_list(const ListOptions& o) {
  const std::vector<FoundService> services = transport::find_services(o.wait, interrupt_flag());
  if (o.json) {
    Json list = Json::array();
    for (const FoundService& service : services) list.push(to_json(service));
    fmt::print("{}\n", Json::object({{"found", list}}).text(2));
    return 0;
  }
  for (const FoundService& service : services) {
    const std::string where = service.urls.empty() ? "(unicast)" : service.urls.front();
    fmt::print("{:<8}{:<24} {:<28} {}\n", transport::name(service.kind), transport::fitting_name(service.name), where,
               details(service));
  }
  if (services.empty()) fmt::print(stderr, "texcast: no sender or player was found on this network\n");
  return 0;
}

}  // namespace texcast::cli
