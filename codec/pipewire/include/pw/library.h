// library.h — owners of the objects of PipeWire's library, which is loaded when it is first called.
#pragma once

#include <pipewire/pipewire.h>

namespace texcast::pw {

// Initialises the library, which counts references. PipeWire's messages on stderr are only for those who ask for them
// (PIPEWIRE_DEBUG). Throws Error if the library is not installed.
class Library {
 public:
  Library();
  ~Library() { pw_deinit(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

// For std::unique_ptr.
struct Closes {
  void operator()(pw_thread_loop* loop) const { pw_thread_loop_destroy(loop); }
  void operator()(pw_context* context) const { pw_context_destroy(context); }
  void operator()(pw_core* core) const { pw_core_disconnect(core); }
  void operator()(pw_proxy* proxy) const { pw_proxy_destroy(proxy); }
  void operator()(pw_stream* stream) const { pw_stream_destroy(stream); }
};

// While it lives the loop's thread is locked out.
class Locked {
 public:
  explicit Locked(pw_thread_loop* loop) : loop_(loop) { pw_thread_loop_lock(loop_); }
  ~Locked() { pw_thread_loop_unlock(loop_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  pw_thread_loop* loop_;
};

}  // namespace texcast::pw
