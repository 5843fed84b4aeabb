#include "fake_portal.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

#include "base/descriptor.h"

namespace texcast::test {
namespace {

constexpr const char* kPath = "/org/freedesktop/portal/desktop";

// Reads a dictionary a{sv}: strings, and numbers as text.
std::map<std::string, std::string> read_options(sd_bus_message* message) {
  std::map<std::string, std::string> options;
  sd_bus_message_enter_container(message, 'a', "{sv}");
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char *key = nullptr, *contents = nullptr, *text = nullptr;
    sd_bus_message_read(message, "s", &key);
    sd_bus_message_peek_type(message, nullptr, &contents);
    sd_bus_message_enter_container(message, 'v', contents);
    if (*contents == 's') {
      sd_bus_message_read(message, "s", &text);
      options[key] = text;
    } else if (*contents == 'u' || *contents == 'b') {
      uint32_t number = 0;
      sd_bus_message_read_basic(message, *contents, &number);
      options[key] = std::to_string(number);
    }
    sd_bus_message_exit_container(message);
    sd_bus_message_exit_container(message);
  }
  sd_bus_message_exit_container(message);
  return options;
}

uint32_t number_in(std::map<std::string, std::string>& options, const char* key) {
  return static_cast<uint32_t>(std::atoi(options[key].c_str()));
}

void append_start(sd_bus_message& response, const PortalAnswers& answers) {
  const bool has_stream = answers.start == 0 && answers.has_stream;
  sd_bus_message_append(&response, "u", answers.start);
  sd_bus_message_open_container(&response, 'a', "{sv}");
  sd_bus_message_append(&response, "{sv}", "something-new", "(ii)", 1, 2);
  if (has_stream && answers.says_where)
    sd_bus_message_append(&response, "{sv}", "restore_token", "s", answers.token.c_str());
  if (has_stream) {
    std::vector<PortalStream> streams = answers.more;
    streams.insert(streams.begin(), {answers.node, answers.place});
    sd_bus_message_open_container(&response, 'e', "sv");
    sd_bus_message_append(&response, "s", "streams");
    sd_bus_message_open_container(&response, 'v', "a(ua{sv})");
    sd_bus_message_open_container(&response, 'a', "(ua{sv})");
    for (const auto& [node, place] : streams) {
      if (answers.says_where)
        sd_bus_message_append(&response, "(ua{sv})", node, 3, "position", "(ii)", place.x, place.y, "size", "(ii)",
                              place.width, place.height, "source_type", "u", 1);
      else
        sd_bus_message_append(&response, "(ua{sv})", node, 1, "size", "(ii)", place.width, place.height);
    }
    for (int container = 0; container < 3; ++container) sd_bus_message_close_container(&response);
  }
  sd_bus_message_close_container(&response);
}

}  // namespace

FakePortal::FakePortal(const PortalAnswers& answers) : answers_(answers) {
  if (sd_bus_open_user(&bus_) < 0) throw std::runtime_error("no session bus");
  sd_bus_add_fallback(
      bus_, nullptr, kPath,
      [](sd_bus_message* message, void* self, sd_bus_error*) {
        return static_cast<FakePortal*>(self)->handle(message);
      },
      this);
  if (sd_bus_request_name(bus_, "org.freedesktop.portal.Desktop", 0) < 0) throw std::runtime_error("the name is taken");
  thread_ = std::thread([this] { run(); });
}

FakePortal::~FakePortal() {
  ends_ = true;
  waker_.wake();
  thread_.join();
  sd_bus_flush_close_unref(bus_);
}

PortalQuestions FakePortal::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void FakePortal::close_session() {
  closes_ = true;
  waker_.wake();
}

void FakePortal::answer(const PortalAnswers& answers) {
  const std::lock_guard lock(mutex_);
  answers_ = answers;
}

void FakePortal::run() {
  while (!ends_) {
    if (closes_.exchange(false)) {
      const std::lock_guard lock(mutex_);
      sd_bus_emit_signal(bus_, session_.c_str(), "org.freedesktop.portal.Session", "Closed", "a{sv}", 0);
    }
    const int handled = sd_bus_process(bus_, nullptr);
    if (handled > 0) continue;
    if (handled < 0) return;  // the bus is gone
    pollfd of_interest[] = {{sd_bus_get_fd(bus_), static_cast<short>(sd_bus_get_events(bus_)), 0},
                            {waker_.fd(), POLLIN, 0}};
    poll(of_interest, 2, 1000);
    waker_.take();
  }
}

int FakePortal::handle(sd_bus_message* message) {
  const std::string method = sd_bus_message_get_member(message);
  const std::string interface = sd_bus_message_get_interface(message) ? sd_bus_message_get_interface(message) : "";
  // PipeWire's programs ask portals for real-time priority, and wait for the answer.
  if (method != "GetAll" && interface != "org.freedesktop.portal.ScreenCast") return 0;
  if (method == "GetAll") return answer_properties(message);
  if (method == "OpenPipeWireRemote") return answer_pipewire(message);
  return answer_request(message, method);
}

int FakePortal::answer_properties(sd_bus_message* message) const {
  const std::lock_guard lock(mutex_);
  return sd_bus_reply_method_return(message, "a{sv}", 3, "version", "u", 4, "AvailableSourceTypes", "u",
                                    answers_.sources, "AvailableCursorModes", "u", answers_.cursors);
}

int FakePortal::answer_request(sd_bus_message* message, const std::string& method) {
  const std::lock_guard lock(mutex_);
  const char* text = nullptr;
  if (method == "SelectSources" || method == "Start") sd_bus_message_read(message, "o", &text);
  if (method == "Start") sd_bus_message_read(message, "s", &text);
  auto options = read_options(message);
  std::string sender = sd_bus_message_get_sender(message) + 1;
  std::replace(sender.begin(), sender.end(), '.', '_');
  const std::string request = std::string(kPath) + "/request/" + sender + '/' + options["handle_token"];
  sd_bus_reply_method_return(message, "o", request.c_str());

  sd_bus_message* response = nullptr;
  sd_bus_message_new_signal(bus_, &response, request.c_str(), "org.freedesktop.portal.Request", "Response");
  bool answers = true;
  if (method == "CreateSession") {
    session_ = std::string(kPath) + "/session/" + sender + '/' + options["session_handle_token"];
    sd_bus_message_append(response, "ua{sv}", 0, 1, "session_handle", "s", session_.c_str());
  } else if (method == "SelectSources") {
    asked_.types = number_in(options, "types");
    asked_.cursor_mode = number_in(options, "cursor_mode");
    asked_.persist_mode = number_in(options, "persist_mode");
    asked_.several = number_in(options, "multiple") != 0;
    asked_.restore_token = options["restore_token"];
    sd_bus_message_append(response, "ua{sv}", 0, 0);
  } else {
    ++asked_.starts;
    answers = answers_.answers_start;
    append_start(*response, answers_);
  }
  if (answers) sd_bus_send(bus_, response, nullptr);
  sd_bus_message_unref(response);
  return 1;
}

int FakePortal::answer_pipewire(sd_bus_message* message) const {
  const std::lock_guard lock(mutex_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = std::string(std::getenv("XDG_RUNTIME_DIR")) + "/pipewire-0";
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const Descriptor remote(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!answers_.has_pipewire || connect(remote.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return sd_bus_reply_method_errorf(message, "org.freedesktop.portal.Error.Failed", "Failed to connect to PipeWire");
  return sd_bus_reply_method_return(message, "h", remote.get());
}

}  // namespace texcast::test
