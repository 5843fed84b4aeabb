// control_port.h — `--control PATH`: the socket, and the properties and commands that a subcommand offers there.
//
// Example:
//     ControlPort control(o.control, control::kReceive);
//     control.rows().command("quit", …);          // all rows of the table
//     control.begin();
//     for (;;) { control.obey(); control.tell_statistics(); }   // on the thread that owns what is bound
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

// The thread that carries out requests.
enum class ObeyedBy {
  owner,   // the thread that calls obey()
  server,  // the server's thread, at once: everything that is bound must be thread-safe and quick
};

// For one thread, except for tell(). The server has a thread of its own.
class ControlPort {
 public:
  using Line = std::function<stream::StatsLine()>;

  // `path` empty: there is no socket, and all calls are cheap. `source` returns the value of the property "source".
  ControlPort(std::string path, control::Program program, std::function<std::string()> source, Line statistics,
              ObeyedBy obeyed_by = ObeyedBy::owner);
  ~ControlPort();  // pending requests are answered with an error
  ControlPort(const ControlPort&) = delete;
  ControlPort& operator=(const ControlPort&) = delete;

  control::Dispatcher& rows() { return rows_; }
  void bind_quit();  // the command "quit", which ends the program as Ctrl-C does
  // Starts to listen. It is misuse if a row is not bound. Throws as control::Server.
  void begin();
  void obey() { inbox_.obey(rows_); }
  // Sends an event to the clients that observe it; `event` is one of the table's for this program. On any thread.
  void tell(std::string_view event, const Json& data);
  void tell_statistics();  // at most once a second, if a client observes them; may be called for every frame

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
