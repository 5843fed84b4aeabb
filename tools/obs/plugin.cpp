// plugin.cpp — what OBS calls when it loads and unloads the plugin.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <obs-module.h>

#include "found_streams.h"
#include "messages.h"
#include "parts.h"
#include "texcast/version.h"
#include "workers.h"

OBS_DECLARE_MODULE()
OBS_MODULE_USE_DEFAULT_LOCALE("obs-texcast", "en-US")

MODULE_EXPORT const char* obs_module_name() { return "texcast"; }
MODULE_EXPORT const char* obs_module_description() { return "Receives and sends texcast streams"; }

namespace texcast::obs {

namespace {

int priority_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return LOG_DEBUG;
    case LogLevel::info: return LOG_INFO;
    case LogLevel::warning: return LOG_WARNING;
    case LogLevel::error: return LOG_ERROR;
  }
  return LOG_INFO;
}

}  // namespace

void say(LogLevel level, const std::string& line) { blog(priority_of(level), "[texcast] %s", line.c_str()); }

const char* text(const char* key) { return obs_module_text(key); }

}  // namespace texcast::obs

bool obs_module_load() {
  using namespace texcast;
  set_log_function([](LogLevel level, std::string_view line) { obs::say(level, std::string(line)); });
  obs::register_source();
  obs::register_filter();
  obs::register_output();
  obs::register_program();
  obs::say(LogLevel::info, std::string("loaded, libtexcast ") + version());
  return true;
}

void obs_module_post_load() { texcast::obs::prepare_program(); }

// OBS has destroyed all sources and outputs. It has a second in all until it must have ended.
void obs_module_unload() {
  using namespace texcast;
  obs::release_program();
  obs::forget_streams();
  obs::await_workers(std::chrono::milliseconds(300));
  set_log_function({});
}
