// fake_portal.h — the test's own desktop portal, which answers as the test wants, and records its calls.
#pragma once

#include <systemd/sd-bus.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/wake_event.h"
#include "screen/screen_capture.h"

namespace texcast::test {

struct PortalStream {
  uint32_t node = 0;
  screen::Rect place{};
};

struct PortalAnswers {
  uint32_t sources = 3, cursors = 7;  // monitors and windows; hidden, embedded and as metadata
  uint32_t start = 0;                 // 1: refused, 2: failed
  bool answers_start = true;          // false: the dialogue stays open
  bool has_stream = true;
  bool has_pipewire = true;
  uint32_t node = 0;
  screen::Rect place{};
  std::vector<PortalStream> more{};  // of further monitors
  bool says_where = true;            // false: only the size of `place`, as KDE does
  std::string token = "a-token";
};

struct PortalQuestions {
  uint32_t types = 0, cursor_mode = 0, persist_mode = 0;
  bool several = false;
  std::string restore_token;
  int starts = 0;
};

// On the session bus, in a thread of its own, during its lifetime.
class FakePortal {
 public:
  explicit FakePortal(const PortalAnswers& answers);
  ~FakePortal();
  FakePortal(const FakePortal&) = delete;
  FakePortal& operator=(const FakePortal&) = delete;

  PortalQuestions asked() const;
  void close_session();                       // as if a person stopped sharing
  void answer(const PortalAnswers& answers);  // from now on

 private:
  void run();
  int handle(sd_bus_message* message);
  int answer_properties(sd_bus_message* message) const;
  int answer_request(sd_bus_message* message, const std::string& method);
  int answer_pipewire(sd_bus_message* message) const;

  mutable std::mutex mutex_;
  PortalAnswers answers_;
  PortalQuestions asked_;
  std::string session_;
  sd_bus* bus_ = nullptr;
  WakeEvent waker_;
  std::atomic<bool> closes_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace texcast::test
