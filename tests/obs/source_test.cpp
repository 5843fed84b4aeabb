// The source "texcast stream" in libobs: what it shows is what was sent.
#include <doctest/doctest.h>

#include "obs_session.h"
#include "pictures.h"
#include "stream_feed.h"

using namespace texcast;
using namespace texcast::test;

namespace {

constexpr double kLeastDb = 45;  // OBS converts to light and back, which costs a unit here and there

bool shows(obs_source_t* source, const Blocks& blocks) {
  return psnr_db(drawn_by(source), expected_picture(blocks)) >= kLeastDb;
}

}  // namespace

TEST_CASE("a source shows each format that texcast encodes") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  for (const TextureFormat format : encoded_formats()) {
    CAPTURE(name(format));
    const Blocks blocks = blocks_of(format, 75, 42, static_cast<int>(format));
    const StreamFeed feed(address, blocks);
    CHECK(comes_true([&] { return shows(source.get(), blocks); }));
  }
}

TEST_CASE("a source shows what OBS's GPU does not take, without an OpenCL device too") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address, R"(, "device": "no such device")");
  Blocks blocks{.desc = {.format = TextureFormat::uyvy, .width = 64, .height = 32}};
  blocks.bytes.resize(texture_layout(blocks.desc).total_bytes);
  for (size_t i = 0; i < blocks.bytes.size(); ++i)
    blocks.bytes[i] = std::byte{static_cast<uint8_t>(i % 2 == 1 ? 16 + i / 16 % 200 : 128)};
  const StreamFeed feed(address, blocks);
  CHECK(comes_true([&] { return shows(source.get(), blocks); }));
  CHECK(obs.has_said("does not take uyvy"));
}

TEST_CASE("a source decrypts a stream, and says which passphrase is missing") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32), "a secret");
  CHECK(comes_true([&] { return state_of(source.get()) == "The stream is encrypted: enter its passphrase"; }));
  const Data wrong = data_of(R"({"passphrase": "another"})");
  obs_source_update(source.get(), wrong.get());
  CHECK(comes_true([&] { return state_of(source.get()) == "The passphrase is wrong: enter the one of the sender"; }));
  const Data right = data_of(R"({"passphrase": "a secret"})");
  obs_source_update(source.get(), right.get());
  CHECK(comes_true([&] { return shows(source.get(), feed.blocks()); }));
  CHECK(comes_true([&] { return state_of(source.get()).starts_with("bc1, 64x32, 100 fps\nfrom 127.0.0.1:"); }));
}

TEST_CASE("two sources of one port: the second says why it waits, and goes on when the first has ended") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  Source first = stream_source(address);
  const StreamFeed feed(address, blocks_of(TextureFormat::bc3, 40, 20));
  CHECK(comes_true([&] { return shows(first.get(), feed.blocks()); }));
  const Source second = stream_source(address);
  CHECK(comes_true([&] { return state_of(second.get()).find("in use") != std::string::npos; }));
  first.reset();
  CHECK(comes_true([&] { return shows(second.get(), feed.blocks()); }));
}

TEST_CASE("a source says why it does not show what arrives") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source source = stream_source(address);
  const auto says = [&](const char* words) {
    return comes_true([&] { return state_of(source.get()).find(words) != std::string::npos; });
  };
  SUBCASE("its pictures are too large") {
    Blocks blocks{.desc = {.format = TextureFormat::bc1, .width = 8192, .height = 4096}};
    blocks.bytes.resize(texture_layout(blocks.desc).total_bytes);
    const StreamFeed feed(address, blocks);
    CHECK(says("larger than 16 megapixels"));
  }
  SUBCASE("the passphrase is longer than passphrases are") {
    const Data data = data_of(R"({"passphrase": ")" + std::string(5000, 'x') + "\"}");
    obs_source_update(source.get(), data.get());
    CHECK(says("longer than 1024 bytes"));
  }
  const Data right = data_of(R"({"passphrase": ""})");
  obs_source_update(source.get(), right.get());
  const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32));
  CHECK(comes_true([&] { return shows(source.get(), feed.blocks()); }));
  CHECK(says("bc1, 64x32"));
}

TEST_CASE("a wrong address is a message, and a source goes on with the next one") {
  const ObsSession obs;
  if (obs.skips()) return;
  const Source source = stream_source("rtp://no-such-host.invalid:5004");
  CHECK(comes_true([&] { return state_of(source.get()).find("no-such-host.invalid") != std::string::npos; }));
  const std::string address = free_address();
  const Data right = data_of(stream_settings(address));
  obs_source_update(source.get(), right.get());
  const StreamFeed feed(address, blocks_of(TextureFormat::bc1, 64, 32));
  CHECK(comes_true([&] { return shows(source.get(), feed.blocks()); }));
}

TEST_CASE("when a stream ends, a source keeps its last picture or shows nothing; then the stream returns") {
  const ObsSession obs;
  if (obs.skips()) return;
  const std::string address = free_address();
  const Source keeps = stream_source(address);
  const std::string other = free_address();
  const Source clears = stream_source(other, R"(, "at_end": "nothing", "silence": 0.2)");
  const Blocks blocks = blocks_of(TextureFormat::bc1, 64, 32);
  {
    const StreamFeed feed(address, blocks), other_feed(other, blocks);
    CHECK(comes_true([&] { return shows(keeps.get(), blocks) && shows(clears.get(), blocks); }));
  }
  CHECK(comes_true([&] { return obs_source_get_width(clears.get()) == 0; }));
  CHECK(shows(keeps.get(), blocks));
  const Blocks next = blocks_of(TextureFormat::bc1, 64, 32, 1);
  const StreamFeed feed(address, next), other_feed(other, next);
  CHECK(comes_true([&] { return shows(keeps.get(), next) && shows(clears.get(), next); }));
}
