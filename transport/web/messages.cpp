#include "messages.h"

#include <libwebsockets.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/misuse.h"

namespace texcast::web {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kMostFamilies = 16;
constexpr size_t kMostNameBytes = 64;      // of a family or a stream
constexpr size_t kMostSecretBytes = 1024;  // of a password or token

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// The text member of a message; empty if there is none. None: it is not a text, or longer than allowed.
std::optional<std::string> text_of(const json& object, const char* name, size_t most_bytes) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_string()) return std::nullopt;
  const auto& text = found->get_ref<const std::string&>();
  return text.size() <= most_bytes ? std::optional(text) : std::nullopt;
}

json offer_of(const StreamOffer& offer) {
  return {{"name", offer.name},
          {"family", offer.families.empty() ? "none" : offer.families.front()},
          {"families", offer.families},
          {"format", offer.format}};
}

size_t entry_bytes(const transport::OutgoingPacket& packet) { return 2 + packet.size(); }

}  // namespace

Result<Hello> parse_hello(std::string_view text) {
  if (text.size() > kMostHelloBytes) return Failure{"the first message is too long"};
  const json object = json::parse(text.begin(), text.end(), nullptr, false);
  if (!object.is_object()) return Failure{"the first message is not a JSON object"};
  if (text_of(object, "type", kMostNameBytes) != "hello") return Failure{"the first message is not a hello"};
  Hello hello;
  if (const auto takes = object.find("takes"); takes != object.end()) {
    if (!takes->is_array() || takes->size() > kMostFamilies)
      return Failure{"'takes' is not a list of texture families"};
    for (const json& family : *takes) {
      if (!family.is_string() || family.get_ref<const std::string&>().size() > kMostNameBytes)
        return Failure{"'takes' is not a list of texture families"};
      hello.takes.push_back(family.get<std::string>());
    }
  }
  for (const auto& [name, member, most] : {std::tuple{"password", &Hello::password, kMostSecretBytes},
                                           {"link", &Hello::link, kMostSecretBytes},
                                           {"resume", &Hello::resume, kMostSecretBytes},
                                           {"variant", &Hello::variant, kMostNameBytes}}) {
    auto value = text_of(object, name, most);
    if (!value) return Failure{std::string("'") + name + "' is not a short text"};
    hello.*member = std::move(*value);
  }
  return hello;
}

Datagrams parse_datagrams(Bytes message) {
  Datagrams parsed;
  ByteReader reader(message);
  const auto channel = reader.take_le<1>();
  if (!channel || message.size() > kMostFeedbackBytes) {
    parsed.malformed = true;
    return parsed;
  }
  parsed.known = *channel < kChannels;
  if (!parsed.known) return parsed;
  parsed.channel = static_cast<Channel>(*channel);
  while (reader.remaining() > 0) {
    const auto length = reader.take_le<2>();
    const auto datagram = length && *length > 0 ? reader.take(*length) : std::nullopt;
    if (!datagram) {
      parsed.malformed = true;
      return parsed;
    }
    parsed.datagrams.push_back(*datagram);
  }
  return parsed;
}

std::string welcome_text(std::string_view type, const StreamOffer* chosen, std::span<const StreamOffer> offers,
                         std::string_view name, std::string_view resume) {
  json variants = json::array();
  for (const StreamOffer& offer : offers) variants.push_back(offer_of(offer));
  return dumped({{"type", type},
                 {"variant", chosen == nullptr ? "" : chosen->name},
                 {"variants", std::move(variants)},
                 {"name", name},
                 {"version", TEXCAST_VERSION},
                 {"resume", resume},
                 {"sound", chosen != nullptr && chosen->has_sound},
                 {"sealed", chosen != nullptr && chosen->is_sealed}});
}

std::string refused_text(Refusal refusal, std::string_view message) {
  return dumped({{"type", "refused"}, {"code", static_cast<int>(refusal)}, {"message", message}});
}

std::string ended_text(std::string_view message) { return dumped({{"type", "ended"}, {"message", message}}); }

SharedMessage text_message(std::string_view text) {
  auto message = std::make_shared<Message>();
  message->room = LWS_PRE;
  message->bytes.resize(LWS_PRE);
  message->bytes.insert(message->bytes.end(), text.begin(), text.end());
  return message;
}

std::vector<SharedMessage> datagram_messages(Channel channel, std::span<const transport::OutgoingPacket> packets) {
  for (const auto& packet : packets)
    REQUIRE_USE(packet.size() > 0 && packet.size() <= kMostDatagramBytes, "a datagram has 1 to 65507 bytes");
  std::vector<SharedMessage> messages;
  while (!packets.empty()) {
    size_t bytes = 1, count = 0;
    while (count < packets.size() && (count == 0 || bytes + entry_bytes(packets[count]) <= kMostMessageBytes))
      bytes += entry_bytes(packets[count++]);
    auto message = std::make_shared<Message>();
    message->kind = channel == Channel::sound ? Message::Kind::sound : Message::Kind::picture;
    message->datagrams = static_cast<uint32_t>(count);
    message->room = LWS_PRE;
    message->bytes.reserve(LWS_PRE + bytes);
    message->bytes.resize(LWS_PRE);
    const auto append = [&](Bytes part) {
      const auto* begin = reinterpret_cast<const unsigned char*>(part.data());
      message->bytes.insert(message->bytes.end(), begin, begin + part.size());
    };
    message->bytes.push_back(static_cast<unsigned char>(channel));
    for (const auto& packet : packets.first(count)) {
      message->bytes.push_back(static_cast<unsigned char>(packet.size() & 0xFF));
      message->bytes.push_back(static_cast<unsigned char>(packet.size() >> 8));
      append(packet.header);
      append(packet.payload);
    }
    messages.push_back(std::move(message));
    packets = packets.subspan(count);
  }
  return messages;
}

}  // namespace texcast::web
