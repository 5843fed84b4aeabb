// web_viewers.h — the viewers of a stream in browsers. To the stream's sender, each is one more unicast receiver, with
// a destination index of its own for as long as it watches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texcast/frame_times.h"
#include "transport/datagram_memory.h"
#include "transport/packetizer.h"
#include "transport/sealing.h"
#include "transport/udp_socket.h"
#include "transport/web_stream.h"

namespace texcast::stream {

inline bool is_web(std::string_view url) { return url.starts_with("web://"); }

// An open "web://…" destination.
struct WebDestination {
  std::shared_ptr<web::Stream> stream{};
  bool loopback = false;  // only viewers on this machine reach it
};

// Not thread-safe.
class WebViewers {
 public:
  using Open = std::function<WebDestination(const std::string& url)>;  // throws Error

  // `open` is called for each added URL; empty: adding one is an error. `most`: viewers of one destination that can
  // send feedback. `wake` is called from other threads when take_feedback() has something to do.
  WebViewers(Open open, size_t most, std::function<void()> wake);
  ~WebViewers();  // the streams call `wake` no longer
  WebViewers(const WebViewers&) = delete;
  WebViewers& operator=(const WebViewers&) = delete;

  // Throws Error{usage} if there can be no such destinations, and what `open` throws.
  void add(const std::string& url);
  bool remove(const std::string& url);  // false: there is no such destination
  bool has(const std::string& url) const;
  std::vector<std::string> urls() const;
  std::vector<std::shared_ptr<web::Stream>> streams() const;

  bool empty() const { return places_.empty(); }  // no destination of this kind
  bool all_on_loopback() const;
  size_t watching() const;                                 // viewers that are connected now
  size_t slots() const { return places_.size() * most_; }  // indices of viewers are below

  // The stream's envelope (nullptr: none), which is opened for viewers and put around their feedback. The sealer is
  // used on the thread that calls send() and take_feedback().
  void open_seal(std::shared_ptr<transport::Sealer> sealer) { sealer_ = std::move(sealer); }

  // Pictures, the pointer and RTCP, to all viewers or to one by its slot.
  void send(std::span<const transport::OutgoingPacket> packets);
  void send_to(size_t slot, std::span<const transport::OutgoingPacket> packets);
  void send_control(Bytes datagram);
  void send_control_to(size_t slot, Bytes datagram);

  struct Events {
    std::function<void(const transport::Feedback&)> feedback;  // with the slot as its destination
    std::function<void(size_t slot, const transport::PeerAddress& identity)> joined;
  };
  // Reports what has happened since the last call. In requests, `from` is an identity of the viewer rather than its
  // address: many viewers may share a host, and a page that is loaded anew is another viewer. RTCP has the address.
  void take_feedback(const Events& events);

 private:
  struct Place {
    std::string url{};
    WebDestination is{};
    std::vector<web::ViewerId> viewers{};  // of each slot; 0: it is free
  };
  std::optional<size_t> slot_of(const Place& place, web::ViewerId viewer) const;
  void on_feedback(Place& place, size_t first_slot, const web::Stream::Feedback& feedback, const Events& events);
  std::span<const transport::OutgoingPacket> opened(std::span<const transport::OutgoingPacket> packets);
  std::pair<const Place*, web::ViewerId> viewer_at(size_t slot) const;  // 0: nobody

  const Open open_;
  const size_t most_;
  const std::function<void()> wake_;
  std::vector<Place> places_;
  std::shared_ptr<transport::Sealer> sealer_{};
  transport::DatagramMemory memory_;  // of packets that were opened
  std::vector<std::byte> sealed_{};   // a packet to open, or feedback that was sealed
};

}  // namespace texcast::stream
