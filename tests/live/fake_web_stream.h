// fake_web_stream.h — a web::Stream without a server: a test is its viewers.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transport/web_stream.h"

namespace texcast::test {

// Thread-safe.
class FakeWebStream final : public web::Stream {
 public:
  struct Sent {
    std::optional<web::ViewerId> to{};  // nullopt: to all
    web::Channel channel{};
    std::vector<std::byte> datagram{};
  };

  void send(web::Channel channel, std::span<const transport::OutgoingPacket> packets) override {
    put(std::nullopt, channel, packets);
  }
  void send_to(web::ViewerId viewer, web::Channel channel,
               std::span<const transport::OutgoingPacket> packets) override {
    put(viewer, channel, packets);
  }
  size_t viewers() const override {
    const std::lock_guard lock(mutex_);
    return viewers_;
  }
  void change(const web::StreamOffer&) override {}
  void on_feedback(std::function<void()> wake) override {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
    if (wake_ && !waiting_.empty()) wake_();
  }
  void take_feedback(const OnFeedback& sink) override {
    std::vector<Waiting> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(waiting_);
    }
    for (Waiting& one : taken) {
      one.feedback.datagram = one.datagram;
      sink(one.feedback);
    }
  }
  void end(std::string_view message) override {
    const std::lock_guard lock(mutex_);
    ended_ = message;
  }

  // ---- what viewers do ----
  void join(web::ViewerId viewer, const transport::PeerAddress& from) {
    tell(Feedback::Kind::joined, viewer, from, {}, 1);
  }
  void leave(web::ViewerId viewer, const transport::PeerAddress& from) {
    tell(Feedback::Kind::left, viewer, from, {}, -1);
  }
  void answer(web::ViewerId viewer, const transport::PeerAddress& from, Bytes datagram) {
    tell(Feedback::Kind::datagram, viewer, from, datagram, 0);
  }

  // Everything that was sent since the last call.
  std::vector<Sent> take_sent() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sent_, {});
  }
  std::optional<std::string> ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  struct Waiting {
    Feedback feedback{};
    std::vector<std::byte> datagram{};
  };
  void put(std::optional<web::ViewerId> to, web::Channel channel, std::span<const transport::OutgoingPacket> packets) {
    const std::lock_guard lock(mutex_);
    if (viewers_ == 0) return;
    for (const transport::OutgoingPacket& packet : packets) {
      std::vector<std::byte> bytes(packet.header.begin(), packet.header.end());
      bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
      sent_.push_back({.to = to, .channel = channel, .datagram = std::move(bytes)});
    }
  }
  void tell(Feedback::Kind kind, web::ViewerId viewer, const transport::PeerAddress& from, Bytes datagram,
            int more_viewers) {
    const std::lock_guard lock(mutex_);
    viewers_ += static_cast<size_t>(more_viewers);
    waiting_.push_back({.feedback = {.kind = kind,
                                     .viewer = viewer,
                                     .from = from,
                                     .channel = web::Channel::picture,
                                     .datagram = {},
                                     .arrived = steady_now()},
                        .datagram = {datagram.begin(), datagram.end()}});
    if (wake_) wake_();
  }

  mutable std::mutex mutex_;
  size_t viewers_ = 0;
  std::function<void()> wake_{};
  std::vector<Waiting> waiting_{};
  std::vector<Sent> sent_{};
  std::optional<std::string> ended_{};
};

}  // namespace texcast::test
