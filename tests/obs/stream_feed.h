// stream_feed.h — sends one picture again and again, on a thread of its own.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "pictures.h"
#include "texcast/stream_sender.h"

namespace texcast::test {

class StreamFeed {
 public:
  StreamFeed(const std::string& address, Blocks blocks, const std::string& passphrase = "")
      : blocks_(std::move(blocks)),
        sender_({.destinations = {address}, .fps = 100, .passphrase = passphrase}, blocks_.desc),
        thread_([this] { feed(); }) {}
  ~StreamFeed() {
    stop_ = true;
    thread_.join();
  }
  StreamFeed(const StreamFeed&) = delete;
  StreamFeed& operator=(const StreamFeed&) = delete;
  const Blocks& blocks() const { return blocks_; }

 private:
  void feed() {
    for (int64_t n = 1; !stop_; ++n) {
      sender_.send(blocks_.view(), n * std::chrono::milliseconds(10));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  const Blocks blocks_;
  StreamSender sender_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace texcast::test
