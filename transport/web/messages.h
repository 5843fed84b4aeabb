// messages.h — the messages between server and page (docs/web.md). Pure functions: no I/O. Any bytes may come from
// viewers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "transport/web_stream.h"

namespace texcast::web {

inline constexpr size_t kMostHelloBytes = 4096;
inline constexpr size_t kMostFeedbackBytes = 2048;  // of a viewer's binary message
// A binary message to viewers. libwebsockets keeps what the kernel does not take of one, so that it cannot be dropped
// any more; smaller ones would only cost the browser more time.
inline constexpr size_t kMostMessageBytes = 32 << 10;
inline constexpr size_t kMostDatagramBytes = 65'507;  // of UDP over IPv4

// Why a viewer is sent away. The values are the close codes of the WebSocket.
enum class Refusal : uint16_t {
  none = 0,
  password = 4001,
  no_variant = 4002,
  too_many = 4003,
  link = 4004,
  network = 4005,
  malformed = 4008,
  ended = 4009,
};

// The first message of a page.
struct Hello {
  std::vector<std::string> takes;  // texture families of its GPU
  std::string password, link, resume;
  std::string variant;  // wanted stream; empty: any
};
Result<Hello> parse_hello(std::string_view text);

// The datagrams of a binary message from a viewer.
struct Datagrams {
  Channel channel = Channel::picture;
  bool known = false;              // channel is one of ours; others are ignored
  bool malformed = false;          // the rest of the message was not a datagram
  std::vector<Bytes> datagrams{};  // in the memory of the message
};
Datagrams parse_datagrams(Bytes message);

std::string welcome_text(std::string_view type, const StreamOffer* chosen, std::span<const StreamOffer> offers,
                         std::string_view name, std::string_view resume);
std::string refused_text(Refusal refusal, std::string_view message);
std::string ended_text(std::string_view message);

// A message to viewers, in memory that all of them share. libwebsockets writes its header, which is the same for each
// viewer, into the room before the payload: only the server's thread may touch the bytes once the message was handed
// over.
struct Message {
  enum class Kind : uint8_t { text, picture, sound };
  Kind kind = Kind::text;
  uint32_t datagrams = 0;
  uint32_t room = 0;                 // bytes before the payload
  std::vector<unsigned char> bytes;  // room and payload
  size_t size() const { return bytes.size() - room; }
};
using SharedMessage = std::shared_ptr<Message>;

SharedMessage text_message(std::string_view text);
// As few messages as possible; a datagram that exceeds the limit by itself is one. Throws Error{misuse} for a datagram
// without bytes, or of more than kMostDatagramBytes.
std::vector<SharedMessage> datagram_messages(Channel channel, std::span<const transport::OutgoingPacket> packets);

}  // namespace texcast::web
