// SPDX-License-Identifier: GPL-2.0-or-later
#include "found_streams.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "texcast/discovery.h"
#include "workers.h"

namespace texcast::obs {
namespace {

std::mutex mutex;
std::shared_ptr<StreamWatch> watch;

std::string line_of(const FoundStream& stream) {
  std::string line = stream.name;
  if (!stream.format.empty()) line += " — " + stream.format;
  if (stream.width > 0) line += ", " + std::to_string(stream.width) + "x" + std::to_string(stream.height);
  return line;
}

}  // namespace

void watch_streams() {
  const std::lock_guard lock(mutex);
  if (!watch) watch = std::make_shared<StreamWatch>([](const std::vector<FoundStream>&) {});
}

void add_found_streams(obs_property_t* addresses) {
  const std::lock_guard lock(mutex);
  if (!watch) return;
  for (const FoundStream& stream : watch->streams())
    if (!stream.url.empty()) obs_property_list_add_string(addresses, line_of(stream).c_str(), stream.name.c_str());
}

void forget_streams() {
  const std::lock_guard lock(mutex);
  if (watch) start_worker([old = std::exchange(watch, nullptr)]() mutable { old.reset(); });
}

}  // namespace texcast::obs
