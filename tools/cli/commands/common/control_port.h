// control_port.h — `--control PATH` of the subcommands that have it: the socket, and what can be asked for there.
//
// Example:
//     ControlPort control(o.control, control::kReceive);
//     control.rows().command("quit", …);          // all rows of the table
//     control.begin();
//     for (;;) { control.obey(); control.tell_statistics([&] { return stats_line(…); }); }   // the thread that owns it
//     all
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "control/dispatcher.h"
#include "control/inbox.h"
#include "control/server.h"
#include "stream/stream_report.h"
#include "texcast/frame_times.h"

namespace texcast::cli {

// Whose thread does what is asked for.
enum class ObeyedBy {
  owner,   // that calls obey()
  server,  // the server's own, at once: all that is bound has to be thread-safe then, and quick
};

// One thread; the server has its own.
class ControlPort {
 public:
  using Line = std::function<stream::StatsLine()>;

  // `path` empty: nothing is listened to, and all calls are cheap. `source`: what is shown, received or sent, for the
  // property.
  ControlPort(std::string path, control::Program program, std::function<std::string()> source, Line statistics,
              ObeyedBy obeyed_by = ObeyedBy::owner);
  ~ControlPort();  // what was asked for and not done is told so
  ControlPort(const ControlPort&) = delete;
  ControlPort& operator=(const ControlPort&) = delete;

  control::Dispatcher& rows() { return rows_; }
  // Listens. Misuse where a row is not bound. Throws as control::Server.
  void begin();
  void obey() { inbox_.obey(rows_); }
  // To those who observe it; `event` is one of the table's for this program. From any thread.
  void tell(std::string_view event, const Json& data);
  void tell_statistics();  // once a second, if somebody observes them; call it as often as you like

 private:
  Json statistics();

  const std::string path_;
  const control::Program program_;
  const ObeyedBy obeyed_by_;
  const Line line_;
  std::mutex figures_mutex_;
  stream::StatsFigures figures_;
  SteadyTime next_;
  control::Dispatcher rows_;
  control::Inbox inbox_;
  std::unique_ptr<control::Server> server_;  // last: its thread uses the inbox
};

}  // namespace texcast::cli
