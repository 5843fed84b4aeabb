#include "common/control_port.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/ensure.h"
#include "base/log.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"

namespace texcast::cli {
namespace {

constexpr nanoseconds kStatisticsEvery = std::chrono::seconds(1);

}  // namespace

ControlPort::ControlPort(std::string path, control::Program program, std::function<std::string()> source,
                         Line statistics, ObeyedBy obeyed_by)
    : path_(std::move(path)),
      program_(program),
      obeyed_by_(obeyed_by),
      line_(std::move(statistics)),
      figures_(steady_now()),
      next_(steady_now()),
      rows_(program) {
  rows_.property("source", [source = std::move(source)] { return Json(source()); });
  rows_.property("statistics", [this] { return this->statistics(); });
  rows_.property("version", [] { return Json(program_version()); });
}

ControlPort::~ControlPort() { inbox_.close(); }

void ControlPort::bind_quit() {
  rows_.command("quit", [](control::Words words) {
    control::require_words(words, 0, 0, "quit");
    interrupt();
    return Json();
  });
}

void ControlPort::begin() {
  rows_.check();
  if (path_.empty()) return;
  server_ = std::make_unique<control::Server>(path_, control::events_of(program_),
                                              [this](control::Request request, control::Reply reply) {
                                                if (obeyed_by_ == ObeyedBy::server)
                                                  rows_.obey(request, std::move(reply));
                                                else
                                                  inbox_.put(std::move(request), std::move(reply));
                                              });
  log_info("listening for control commands at {}: texcast ctl {} help", path_, path_);
}

Json ControlPort::statistics() {
  const stream::StatsLine line = line_();
  const std::lock_guard lock(figures_mutex_);
  return figures_.json(line, steady_now());
}

void ControlPort::tell(std::string_view event, const Json& data) {
  ENSURE(std::ranges::any_of(control::events_of(program_), [&](const std::string& name) { return name == event; }));
  if (server_) server_->tell(event, data);
}

void ControlPort::tell_statistics() {
  if (!server_) return;
  const SteadyTime now = steady_now();
  if (now < next_) return;
  next_ = std::max(next_ + kStatisticsEvery, now);
  if (server_->observed("statistics")) server_->tell("statistics", statistics());
}

}  // namespace texcast::cli
