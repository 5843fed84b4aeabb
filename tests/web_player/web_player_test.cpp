// The player of browsers through its C interface, as page/player.js uses it: a coded stream, its changed rows,
// requests, and messages that contain anything.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <vector>

#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "data_folder.h"
#include "player/web_player_api.h"
#include "textures/stream_format.h"
#include "transport/compact_packetizer.h"
#include "transport/packet.h"
#include "transport/pcap.h"

using namespace texcast;

namespace {

constexpr TextureDesc kPicture{.format = TextureFormat::bc1, .width = 512, .height = 512};  // 8 x 16 tiles
constexpr double kFps = 50;

// The sending end of a stream whose picture is noise.
class Sender {
 public:
  Sender() : blocks(texture_layout(kPicture).total_bytes) {
    for (auto& byte : blocks) byte = static_cast<std::byte>(random_());
  }
  // The messages of the next frame, one for each datagram.
  std::vector<std::vector<std::byte>> frame(double captured_ms) {
    const auto slices = encoder_.encode({.texture = blocks});
    const auto payloads = writer_.write(slices);
    packetizer_.begin({.pts = nanoseconds(static_cast<int64_t>(frame_++ * 1e9 / kFps)),
                       .available = WallTime(nanoseconds(std::llround(captured_ms * 1e6)))});
    std::vector<std::vector<std::byte>> messages;
    const std::vector<Bytes> views(payloads.begin(), payloads.end());
    for (const auto& packet : packetizer_.add(views, static_cast<uint32_t>(views.size()))) {
      auto& message = messages.emplace_back(3);
      store_le16(message, 1, static_cast<uint16_t>(packet.size()));
      message.insert(message.end(), packet.header.begin(), packet.header.end());
      message.insert(message.end(), packet.payload.begin(), packet.payload.end());
    }
    return messages;
  }
  std::vector<std::byte> blocks;

 private:
  static transport::PacketizerSettings settings() {
    transport::PacketizerSettings s{.stream = stream::stream_of(kPicture, kFps), .ssrc = 7};
    s.stream.coding = stream::kLosslessCoding;
    return s;
  }
  std::mt19937 random_{5};
  Workers workers_{0};
  transport::CompactPacketizer packetizer_{settings(), {.answers_requests = true, .takes_tile_requests = true}};
  compact::FrameEncoder encoder_{kPicture, {.most_slice_bytes = 1100}, workers_};
  compact::PayloadWriter writer_{encoder_.grid(), packetizer_.max_payload()};
  int frame_ = 0;
};

void give(const std::vector<std::byte>& message, double now) {
  std::ranges::copy(message,
                    reinterpret_cast<std::byte*>(texcast_message_memory(static_cast<uint32_t>(message.size()))));
  texcast_message(static_cast<uint32_t>(message.size()), now, now);
}

struct Frame {
  double number = 0, due = 0, available = 0;
  bool is_complete = false;
  std::vector<int> rows{};  // of blocks, that were uploaded
};

// The page: its texture, and what it was given.
struct Page {
  std::vector<std::byte> texture = std::vector<std::byte>(texture_layout(kPicture).total_bytes);
  nlohmann::json description{};
  size_t feedback = 0;  // messages

  // Takes the frame that is due.
  std::optional<Frame> take(double now) {
    while (texcast_poll(now, now) != 0) continue;
    const double* numbers = texcast_frame(now);
    if (numbers == nullptr) return std::nullopt;
    Frame frame{.number = numbers[0], .due = numbers[1], .available = numbers[2], .is_complete = numbers[3] == 1};
    const auto uploads = static_cast<size_t>(numbers[4]);
    const size_t row_bytes = texture.size() / (kPicture.height / 4);
    for (size_t i = 0; i < uploads; ++i) {
      const double* upload = numbers + 5 + 5 * i;
      CHECK(upload[0] == 0);
      const auto first = static_cast<size_t>(upload[1]), rows = static_cast<size_t>(upload[2]);
      REQUIRE(upload[4] == static_cast<double>(rows * row_bytes));
      std::memcpy(texture.data() + first * row_bytes, reinterpret_cast<const void*>(static_cast<uintptr_t>(upload[3])),
                  rows * row_bytes);
      for (size_t row = first; row < first + rows; ++row) frame.rows.push_back(static_cast<int>(row));
    }
    if (const char* text = texcast_description())
      description = nlohmann::json::parse(std::string_view(text, texcast_bytes()));
    while (const uint8_t* message = texcast_feedback(now)) {
      CHECK(texcast_bytes() <= 2048);
      CHECK(message[0] == 0);
      ++feedback;
    }
    return frame;
  }
};

}  // namespace

TEST_CASE("a page gets each frame's changed rows, and the description of the stream once") {
  texcast_start(0, 1);
  Sender sender;
  Page page;
  for (const auto& message : sender.frame(5000)) give(message, 1000);
  const auto first = page.take(1000);
  REQUIRE(first);
  CHECK(first->rows.size() == kPicture.height / 4);
  CHECK(first->is_complete);
  CHECK(first->available == doctest::Approx(5000));
  CHECK(page.texture == sender.blocks);
  CHECK(page.description["format"] == "bc1");
  CHECK(page.description["family"] == "s3tc");
  CHECK(page.description["coding"] == "lossless");
  CHECK(page.description["planes"][0]["blocksX"] == kPicture.width / 4);
  CHECK(page.description["planes"][0]["internalFormat"] == 0x83F0);
  CHECK(page.description["shaders"]["exact"].get<std::string>().starts_with("#version 300 es\n"));
  CHECK_FALSE(texcast_frame(1001));

  page.description = {};
  sender.blocks[0] ^= std::byte{1};  // in the first row of tiles, which has eight rows of blocks
  for (const auto& message : sender.frame(5020)) give(message, 1020);
  const auto second = page.take(1020);
  REQUIRE(second);
  CHECK(second->rows == std::vector{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(page.texture == sender.blocks);
  CHECK(page.description.is_null());

  texcast_whole();
  const auto again = page.take(1021);
  REQUIRE(again);
  CHECK(again->number == second->number);
  CHECK(again->rows.size() == kPicture.height / 4);
}

TEST_CASE("a frame is due after the playout delay, and the newest one that is due is shown") {
  texcast_start(100, 1);
  Sender sender;
  Page page;
  double now = 1000;
  for (int i = 0; i < 3; ++i, now += 20)
    for (const auto& message : sender.frame(now)) give(message, now);
  CHECK_FALSE(page.take(now));
  CHECK(texcast_next_deadline() == doctest::Approx(1100));
  const auto frame = page.take(1125);
  REQUIRE(frame);
  CHECK(frame->number == 1);
  CHECK(frame->due == doctest::Approx(1120));
}

TEST_CASE("a lost packet is requested from the sender, then the tiles that it lacks") {
  texcast_start(0, 1);
  Sender sender;
  Page page;
  for (const auto& message : sender.frame(1000)) give(message, 1000);
  REQUIRE(page.take(1000));
  page.feedback = 0;
  for (auto& byte : sender.blocks) byte ^= std::byte{3};
  auto messages = sender.frame(1020);
  REQUIRE(messages.size() > 4);
  messages.erase(messages.begin() + 2);
  for (const auto& message : messages) give(message, 1020);
  std::optional<Frame> frame;
  double now = 1020;
  for (; !frame && now < 3000; now += 5) {
    frame = page.take(now);
    while (texcast_feedback(now) != nullptr) ++page.feedback;
  }
  REQUIRE(frame);
  CHECK_FALSE(frame->is_complete);
  CHECK(page.feedback >= 1);  // a NACK
  CHECK(page.texture != sender.blocks);
  page.feedback = 0;
  // Until it is known that the tiles of that packet are wrong.
  for (int i = 0; i < 16 && page.feedback == 0; ++i, now += 20) {
    for (const auto& message : sender.frame(now)) give(message, now);
    page.take(now);
  }
  CHECK(page.feedback == 1);
}

TEST_CASE("a frame that is shared blocks the decoder, and nothing else") {
  texcast_start(0, 1);
  Sender sender;
  Page page;
  CHECK(texcast_largest_frame() == 0);
  CHECK(texcast_add_helper(10'000) == 0);
  CHECK(texcast_add_helper(10'000) == 1);
  for (const auto& message : sender.frame(1000)) give(message, 1000);
  CHECK_FALSE(page.take(1000));
  CHECK(texcast_largest_frame() > 100'000);
  const std::vector<std::byte> first = sender.blocks;
  std::vector<std::vector<std::byte>> shares;
  for (uint32_t helper = 0; helper < 2; ++helper) {
    const auto* share = reinterpret_cast<const std::byte*>(texcast_share(helper));
    REQUIRE(share != nullptr);
    shares.emplace_back(share, share + texcast_bytes());
  }
  CHECK(texcast_share(2) == nullptr);

  // The next frame arrives in the meantime, and waits.
  for (auto& byte : sender.blocks) byte ^= std::byte{3};
  for (const auto& message : sender.frame(1020)) give(message, 1020);
  CHECK_FALSE(page.take(1020));
  CHECK(texcast_next_deadline() > 1020);
  texcast_own_share();
  CHECK_FALSE(page.take(1021));
  const auto put = [](const std::vector<std::byte>& bytes) {
    const auto size = static_cast<uint32_t>(bytes.size());
    std::memcpy(texcast_message_memory(size), bytes.data(), size);
    return size;
  };
  const auto help = [&](const std::vector<std::byte>& share) {
    const auto* answer = reinterpret_cast<const std::byte*>(texcast_help(put(share)));
    REQUIRE(answer != nullptr);
    return std::vector<std::byte>(answer, answer + texcast_bytes());
  };
  texcast_answer(1, put(help(shares[1])));
  CHECK_FALSE(page.take(1022));
  texcast_answer(0, put(help(shares[0])));
  CHECK(texcast_next_deadline() < 1022);  // the frame that waits
  const double* frame = texcast_frame(1022);
  REQUIRE(frame != nullptr);
  CHECK(frame[0] == 0);
  CHECK(frame[4] == 1);
  CHECK(std::memcmp(reinterpret_cast<const void*>(static_cast<uintptr_t>(frame[8])), first.data(), first.size()) == 0);

  // The second frame is without one helper from its beginning, and loses the other.
  texcast_lose_helper(0);
  CHECK_FALSE(page.take(1023));
  CHECK(texcast_share(0) == nullptr);
  CHECK(texcast_share(1) != nullptr);
  texcast_own_share();
  texcast_lose_helper(1);
  REQUIRE(page.take(1024));
  CHECK(page.texture == sender.blocks);
  const auto statistics = nlohmann::json::parse(texcast_statistics(1030, 1030));
  CHECK(statistics["shared"] == 2);
  CHECK(statistics["helpers"] == 0);
  for (auto& byte : sender.blocks) byte ^= std::byte{5};
  for (const auto& message : sender.frame(1040)) give(message, 1040);
  REQUIRE(page.take(1040));
  CHECK(page.texture == sender.blocks);
}

TEST_CASE("tiles are not requested while a frame is shared") {
  texcast_start(0, 1);
  Sender sender;
  double now = 1000;
  bool is_due = false;
  for (int i = 0; i < 20; ++i, now += 20) {
    // After the loss, the tiles that it concerns are skipped, so that they stay wrong.
    const size_t begin = i > 1 ? sender.blocks.size() / 2 : 0;
    for (auto& byte : std::span(sender.blocks).subspan(begin)) byte ^= std::byte{3};
    auto messages = sender.frame(now);
    if (i == 1) messages.erase(messages.begin() + 2);
    for (const auto& message : messages) give(message, now);
    for (uint32_t helper = texcast_add_helper(1); texcast_poll(now, now), texcast_share(helper) != nullptr;
         helper = texcast_add_helper(1)) {
      CHECK(texcast_next_deadline() > 0);
      texcast_own_share();
      texcast_lose_helper(helper);
    }
    is_due = is_due || texcast_next_deadline() <= 0;  // a request
  }
  CHECK(is_due);
}

TEST_CASE("statistics are a JSON object of the time since the last call") {
  texcast_start(0, 1);
  Sender sender;
  Page page;
  texcast_statistics(1000, 1000);
  for (int i = 0; i < 10; ++i) {
    sender.blocks[100] ^= std::byte{1};
    for (const auto& message : sender.frame(1000 + 20 * i)) give(message, 1003 + 20 * i);
    const auto frame = page.take(1003 + 20 * i);
    REQUIRE(frame);
    texcast_shown(frame->number, 1010 + 20 * i);
  }
  const char* text = texcast_statistics(2000, 2000);
  const auto json = nlohmann::json::parse(std::string_view(text, texcast_bytes()));
  CHECK(json["fps"] == doctest::Approx(10));
  CHECK(json["age_ms"]["p50"] == doctest::Approx(10));
  CHECK(json["lost"] == 0);
  CHECK(json["format"] == "bc1");
}

TEST_CASE("messages may contain anything") {
  std::mt19937 random(11);
  for (const char* capture : {"segmented_loopback.pcap", "ultragrid_fec.pcap", "ultragrid_dxt1.pcap"}) {
    texcast_start(0, 1);
    transport::PcapReader reader(test::data_file(capture));
    double now = 1000;
    while (const auto datagram = reader.next()) {
      std::vector<std::byte> message(3);
      message[0] = static_cast<std::byte>(random() % 3);
      store_le16(message, 1, static_cast<uint16_t>(datagram->payload.size()));
      message.insert(message.end(), datagram->payload.begin(), datagram->payload.end());
      for (unsigned i = random() % 4; i > 0; --i) message[random() % message.size()] = static_cast<std::byte>(random());
      if (random() % 4 == 0) message.resize(random() % (message.size() + 1));
      give(message, now);
      while (texcast_poll(now, now) != 0) continue;
      texcast_frame(now);
      texcast_description();
      texcast_sound(now);
      texcast_pointer();
      texcast_feedback(now);
      texcast_line();
      now += 0.2;
    }
    CHECK(texcast_statistics(now, now) != nullptr);
  }
  give({}, 1e6);
  give(std::vector<std::byte>(1), 1e6);
}
