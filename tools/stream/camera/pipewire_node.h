// pipewire_node.h — the node of a camera. A thread of PipeWire negotiates formats; pictures are copied into PipeWire's
// shared memory on the caller's thread.
#pragma once

#include <spa/param/video/format-utils.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pw/library.h"
#include "stream/camera.h"

namespace texcast::stream {

class PipewireNode final : public Camera {
 public:
  explicit PipewireNode(std::string name);
  ~PipewireNode() override;
  PipewireNode(const PipewireNode&) = delete;
  PipewireNode& operator=(const PipewireNode&) = delete;

  void notify(std::function<void()> changed) override;
  bool offer(const CameraOffer& offer) override;
  std::optional<CameraFormat> wanted() override;
  uint64_t joined() override;
  bool send(const CameraFormat& format, Bytes picture, uint64_t version) override;
  std::string ended() override;

 private:
  static const pw_stream_events kStreamEvents;
  static const pw_core_events kCoreEvents;
  static const pw_registry_events kRegistryEvents;

  void connect();
  void close();
  void make_stream();
  // On the loop's thread, or with its lock:
  void take_state(pw_stream_state now, const char* error);
  void take_format(const spa_pod* format);
  void take_global(const char* type, const spa_dict* properties);
  void negotiate();
  void ask_for_buffers();
  void tell_about_manager();
  pw_buffer* free_buffer();
  static bool is_too_small(const pw_buffer& buffer, Bytes picture);
  bool fill(pw_buffer& buffer, Bytes picture, uint64_t version);
  void tell();
  void end(std::string why);

  pw::Library library_;
  const std::string name_;
  std::unique_ptr<pw_thread_loop, pw::Closes> loop_;
  std::unique_ptr<pw_context, pw::Closes> context_;
  std::unique_ptr<pw_core, pw::Closes> core_;
  std::unique_ptr<pw_proxy, pw::Closes> registry_;
  std::unique_ptr<pw_stream, pw::Closes> stream_;
  spa_hook core_hook_{}, registry_hook_{}, stream_hook_{};

  // Guarded by the loop's lock:
  std::function<void()> changed_;
  std::optional<CameraOffer> offer_;
  std::optional<CameraFormat> format_;
  bool is_streaming_ = false;
  bool has_manager_ = false;
  int listed_ = 0;  // sequence number of the request whose answer follows the list of objects
  uint64_t joined_ = 0;
  uint64_t sequence_ = 0;                          // of the next picture
  std::map<const pw_buffer*, uint64_t> versions_;  // of the picture that each buffer holds
  std::string ended_;
};

}  // namespace texcast::stream
