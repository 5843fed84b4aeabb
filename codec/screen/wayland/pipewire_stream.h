// pipewire_stream.h — one video stream of PipeWire from a desktop: pictures in shared memory, with their damage, the
// pointer, and time stamps.
//
// Only damaged areas are copied into the stream's own picture, when the caller asks for it. A thread of PipeWire
// answers the compositor at once, however late the caller is, and returns buffers in the order in which they came, as
// PipeWire 0.3 loses the pictures of those that come back in another order.
//
// Members may be called on any one thread.
#pragma once

#include <pipewire/pipewire.h>
#include <spa/param/video/format-utils.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/wake_event.h"
#include "pw/library.h"
#include "screen/screen_capture.h"
#include "turn.h"

namespace texcast::screen::wayland {

class PipewireStream {
 public:
  // `remote`: a connection to PipeWire. `node`: the PipeWire node that is captured. `waker`: woken whenever there is
  // something new for take(). Throws Error{input}.
  PipewireStream(Descriptor remote, uint32_t node, bool with_cursor, const WakeEvent& waker);
  ~PipewireStream();
  PipewireStream(const PipewireStream&) = delete;
  PipewireStream& operator=(const PipewireStream&) = delete;

  bool has_format() const;
  bool has_picture() const;
  bool has_news() const;        // since take()
  FrameFormat format() const;   // of the newest picture, or else of the next one
  double refresh_rate() const;  // maximum; 0: not known
  // Why the stream has ended: a line for a person; else empty. `final`: there is no use in opening it again.
  struct Ending {
    std::string why;
    bool final = false;
  };
  Ending ended() const;

  // All changes since the previous call; the picture is black as long as there is none. Spans and memory are valid
  // until the next call.
  ScreenUpdate take();
  // Disconnects for good. take() then returns the last picture.
  void close();

 private:
  struct Picture {  // in a buffer, which is kept until the next one has come
    pw_buffer* buffer = nullptr;
    PlaneView plane{};
    int width = 0, height = 0;  // as stored
    Turn turn{};
    bool red_first = false;
    bool taken = false;
  };
  static const pw_stream_events kStreamEvents;
  static const pw_core_events kCoreEvents;
  static const pw_registry_events kRegistryEvents;

  void connect(Descriptor remote);
  // Called on the loop's thread.
  void take_format(const spa_pod* format);
  void ask_for_buffers();
  void remove_buffer(pw_buffer& buffer);
  void take_buffers();
  std::optional<Picture> picture_of(pw_buffer& buffer);
  void take_damage(const spa_buffer& buffer, const Rect& all);
  void add_damage(const Rect& rect);
  void take_cursor(const spa_buffer& buffer);
  void take_shape(const spa_meta& meta, const spa_meta_cursor& said, Cursor& cursor);
  void tell();
  void end(std::string why, bool final = true);
  void copy_damage();  // called on the caller's thread

  pw::Library library_;
  const uint32_t node_;
  const bool with_cursor_;
  const WakeEvent& waker_;
  std::unique_ptr<pw_thread_loop, pw::Closes> loop_;
  std::unique_ptr<pw_context, pw::Closes> context_;
  std::unique_ptr<pw_core, pw::Closes> core_;
  std::unique_ptr<pw_proxy, pw::Closes> registry_;
  std::unique_ptr<pw_stream, pw::Closes> stream_;
  spa_hook core_hook_{}, registry_hook_{}, stream_hook_{};

  // Guarded by the loop's lock:
  spa_video_info_raw video_{};
  Rect part_;            // the part of the video that is the picture
  Turn turn_;            // of the newest picture
  FrameFormat format_;   // of the newest picture
  bool unknown_ = true;  // how the next picture differs from the previous one
  std::optional<Picture> newest_;
  std::optional<uint64_t> sequence_;  // of the previous buffer
  std::vector<Rect> damage_;          // since take()
  WallTime captured_{};               // of the earliest damage
  Cursor cursor_;
  bool news_ = false;
  Ending ended_;
  // Used by the caller's thread only:
  std::vector<uint32_t> picture_;  // without gaps; empty: there is none yet
  FrameFormat given_;              // format of picture_
  std::vector<Rect> given_damage_;
};

}  // namespace texcast::screen::wayland
