// relay_tree_bench.cpp — a program: the figures of a simulated tree of relays (relay_tree.h).
//
//   relay_tree_bench CHILDREN[/CHILDREN…] [loss=1] [parity=0] [frames=120] [fps=60] [delay_ms=1] [joining=0] [seed=1]
//
// For example 1000 (a sender alone), 10/100 (ten relays), 10/10/10. loss, parity and joining are percentages.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "relay_tree.h"

using namespace texcast;
using namespace texcast::test;

namespace {

void take(TreeSettings& settings, std::string_view argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) throw std::invalid_argument(std::string(argument));
  const std::string_view name = argument.substr(0, equals);
  const double value = std::stod(std::string(argument.substr(equals + 1)));
  if (name == "loss")
    settings.loss = value / 100;
  else if (name == "parity")
    settings.parity_percent = value;
  else if (name == "frames")
    settings.frames = static_cast<int>(value);
  else if (name == "fps")
    settings.fps = value;
  else if (name == "delay_ms")
    settings.delay = nanoseconds(static_cast<int64_t>(value * 1e6));
  else if (name == "joining")
    settings.joining = value / 100;
  else if (name == "seed")
    settings.seed = static_cast<uint32_t>(value);
  else
    throw std::invalid_argument(std::string(argument));
}

std::vector<uint32_t> children_in(std::string_view text) {
  std::vector<uint32_t> children;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('/', at), text.size());
    children.push_back(static_cast<uint32_t>(std::stoul(std::string(text.substr(at, end - at)))));
    at = end + 1;
  }
  return children;
}

std::string spread(const std::vector<double>& ms) {
  if (ms.empty()) return "none";
  return fmt::format("{}, p50 {:.0f}, p95 {:.0f}, max {:.0f} ms", ms.size(), percentile(ms, 0.5), percentile(ms, 0.95),
                     ms.back());
}

double percent(uint64_t part, uint64_t all) {
  return 100 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(all, 1));
}

void print(const TreeOutcome& o) {
  fmt::print("{} receivers, {:.1f} Mbit/s, {:.1f} s\n", o.receivers, o.bits_per_s / 1e6, o.seconds);
  for (const HopTraffic& hop : o.hops)
    fmt::print("  below {} nodes: {} packets, {:.2f} % of them again, {} lost; feedback a second to each: {:.1f}\n",
               hop.nodes, hop.packets, percent(hop.again, hop.packets), hop.lost,
               static_cast<double>(hop.feedback) / o.seconds / static_cast<double>(hop.nodes));
  fmt::print("  sender: {} NACKs, {} tile requests ({} refused), {} tiles repaired, at most {} datagrams in 0.1 s\n",
             o.nacks, o.tile_requests, o.refused_requests, o.repaired_tiles, o.most_feedback);
  fmt::print("  receivers: {} frames, {:.3f} % with wrong tiles, {} mistaken; {} never right\n", o.shown,
             percent(o.shown_wrong, o.shown), o.mistaken, o.never_right);
  fmt::print("  right again: {}; joined: {}\n", spread(o.wrong_ms), spread(o.joined_ms));
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count < 2) throw std::invalid_argument("CHILDREN is missing");
    TreeSettings settings{.children = children_in(arguments[1]), .frames = 120};
    for (int i = 2; i < count; ++i) take(settings, arguments[i]);
    print(simulate_tree(settings));
  } catch (const std::exception& error) {
    fmt::print(stderr, "relay_tree_bench: {}: see the head of relay_tree_bench.cpp\n", error.what());
    return 2;
  }
  return 0;
}
