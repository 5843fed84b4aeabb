// node_reader.h — a program that reads a camera from PipeWire.
#pragma once

#include <pipewire/pipewire.h>
#include <spa/param/video/format-utils.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../screen/wayland/pipewire_client.h"

namespace texcast::test {

class NodeReader {
 public:
  // `node`: PW_KEY_NODE_NAME. `format`: the only one that it takes, in any size and rate up to `most_fps`.
  NodeReader(const std::string& node, spa_video_format format, uint32_t most_fps = 1000);
  ~NodeReader();
  NodeReader(const NodeReader&) = delete;
  NodeReader& operator=(const NodeReader&) = delete;

  // Waits for more pictures than `count` of that width; false: they did not come, for minutes.
  bool has_more_than(int count, uint32_t width);
  int count();                     // pictures so far
  std::vector<uint8_t> picture();  // the newest
  spa_video_info_raw format();

 private:
  void take();

  spa_hook hook_{};
  // Guarded by the loop's lock:
  spa_video_info_raw format_{};
  std::vector<uint8_t> picture_;
  int count_ = 0;
  uint32_t width_ = 0;  // of picture_
  PipewireClient client_{"reader"};
};

}  // namespace texcast::test
