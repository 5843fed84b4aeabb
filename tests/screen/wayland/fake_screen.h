// fake_screen.h — a PipeWire stream as a compositor makes it, with the content that the test wants.
#pragma once

#include <pipewire/pipewire.h>
#include <spa/param/video/raw.h>
#include <spa/pod/builder.h>

#include <atomic>
#include <optional>
#include <vector>

#include "pipewire_client.h"
#include "screen/screen_capture.h"

namespace texcast::test {

// Properties in which compositors differ.
struct ScreenKind {
  uint32_t format = SPA_VIDEO_FORMAT_BGRx;
  bool says_damage = true;
  bool counts = true;          // numbers its pictures
  bool allocates = true;       // memory for them; otherwise PipeWire does
  bool offers_dmabuf = false;  // memory of a GPU, which it would rather share
};

struct ShownCursor {
  bool visible = true;
  int x = 0, y = 0;
  std::optional<CursorShape> shape{};  // texels as in screen_capture.h
};

struct Shown {
  std::vector<uint32_t> texels{};  // as in memory; empty: only the pointer
  std::vector<screen::Rect> damage{};
  std::optional<screen::Rect> crop{};
  std::optional<ShownCursor> cursor{};
  bool broken = false;   // marked as corrupted
  bool skipped = false;  // counted, but not sent
};

class FakeScreen {
 public:
  FakeScreen(int width, int height, const ScreenKind& kind);
  ~FakeScreen();
  FakeScreen(const FakeScreen&) = delete;
  FakeScreen& operator=(const FakeScreen&) = delete;

  uint32_t node() const { return node_; }
  void show(const Shown& shown);  // as soon as somebody watches and a buffer is free
  void resize(int width, int height);

 private:
  void connect();
  std::vector<const spa_pod*> formats(spa_pod_builder& builder) const;
  const spa_pod* format_pod(spa_pod_builder& builder, bool of_gpu) const;
  void offer_buffers();
  void allocate(pw_buffer& buffer) const;
  bool fill(pw_buffer& buffer, const Shown& shown);

  ScreenKind kind_;
  int width_, height_;
  uint32_t node_ = 0;
  uint64_t sequence_ = 0;
  std::atomic<bool> streaming_ = false;
  std::atomic<int> streamed_width_ = 0;
  spa_hook hook_{};
  PipewireClient client_{"fake screen"};
};

}  // namespace texcast::test
