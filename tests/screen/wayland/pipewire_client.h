// pipewire_client.h — a client of the test's own PipeWire, with a stream.
#pragma once

#include <pipewire/pipewire.h>

#include <memory>
#include <stdexcept>

#include "pw/library.h"

namespace texcast::test {

// Its loop runs on a thread of its own. Members of owners come after this one, and their callbacks end before it does:
// call end() first in the owner's destructor.
class PipewireClient {
 public:
  explicit PipewireClient(const char* name) : loop_(pw_thread_loop_new(name, nullptr)) {
    pw_thread_loop_start(loop());
    const pw::Locked locked(loop());
    context_.reset(pw_context_new(pw_thread_loop_get_loop(loop()), nullptr, 0));
    core_.reset(pw_context_connect(context_.get(), nullptr, 0));
    if (!core_) throw std::runtime_error("no PipeWire");
  }
  ~PipewireClient() { end(); }
  PipewireClient(const PipewireClient&) = delete;
  PipewireClient& operator=(const PipewireClient&) = delete;

  pw_thread_loop* loop() const { return loop_.get(); }
  pw_stream* stream() const { return stream_.get(); }
  // With the loop locked. Takes the properties.
  void make_stream(const char* name, pw_properties* properties) {
    stream_.reset(pw_stream_new(core_.get(), name, properties));
  }
  void end() {
    if (!loop_) return;
    {
      const pw::Locked locked(loop());
      stream_.reset();
      core_.reset();
      context_.reset();
    }
    pw_thread_loop_stop(loop());
    loop_.reset();
  }

 private:
  const pw::Library library_;
  std::unique_ptr<pw_thread_loop, pw::Closes> loop_;
  std::unique_ptr<pw_context, pw::Closes> context_;
  std::unique_ptr<pw_core, pw::Closes> core_;
  std::unique_ptr<pw_stream, pw::Closes> stream_;
};

}  // namespace texcast::test
