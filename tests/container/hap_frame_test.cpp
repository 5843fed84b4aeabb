// Hap frames. The valid frames here are assembled byte by byte from the format's description, not by our writer.
#include "container/hap_frame.h"

#include <doctest/doctest.h>
#include <snappy-c.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>

#include "container/block_check.h"

using namespace texcast;
using container::HapImages;
using container::HapTexture;

namespace {

using Buffer = std::vector<std::byte>;

Buffer bytes_of(std::initializer_list<int> values) {
  Buffer bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

Buffer operator+(Buffer a, const Buffer& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Buffer le32(size_t value) {
  Buffer bytes(4);
  store_le32(bytes, 0, static_cast<uint32_t>(value));
  return bytes;
}

Buffer long_section(int type, const Buffer& body) { return bytes_of({0, 0, 0, type}) + le32(body.size()) + body; }
Buffer section(int type, const Buffer& body) {
  if (body.empty()) return long_section(type, body);  // a short header cannot express 0
  Buffer header(4);
  store_le<3>(header, 0, body.size());
  store_le<1>(header, 3, static_cast<uint64_t>(type));
  return header + body;
}

Buffer snappy(const Buffer& plain) {
  Buffer packed(snappy_max_compressed_length(plain.size()));
  size_t length = packed.size();
  REQUIRE(snappy_compress(reinterpret_cast<const char*>(plain.data()), plain.size(),
                          reinterpret_cast<char*>(packed.data()), &length) == SNAPPY_OK);
  packed.resize(length);
  return packed;
}

Buffer noise(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Buffer bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

// Compresses about as well as textures do: noise in which longer pieces repeat.
Buffer texture(size_t size, unsigned seed) {
  Buffer bytes = noise(size, seed);
  for (size_t i = 64; i < size; ++i)
    if (i / 64 % 3 != 0) bytes[i] = bytes[i - 64];
  return bytes;
}

HapImages bc1_of(Bytes blocks) { return HapImages({HapTexture::bc1, blocks.size()}); }

Result<Buffer> read(const Buffer& frame, HapTexture kind, size_t size) {
  // A heap block of exactly this size: AddressSanitizer finds accesses outside it.
  const Buffer exact(frame);
  Buffer blocks(size, std::byte{0xEE});
  const auto outcome = container::read_hap_frame(exact, HapImages({kind, size}), blocks);
  if (!outcome) return outcome.error();
  return blocks;
}

void check_reads(const Buffer& frame, const Buffer& wanted) {
  const auto blocks = read(frame, HapTexture::bc1, wanted.size());
  REQUIRE_MESSAGE(blocks.has_value(), (blocks ? "" : blocks.error().message));
  CHECK(*blocks == wanted);
}

void check_fails(const Buffer& frame, size_t size, const std::string& word) {
  const auto blocks = read(frame, HapTexture::bc1, size);
  REQUIRE(!blocks.has_value());
  CHECK_MESSAGE(blocks.error().message.find(word) != std::string::npos, blocks.error().message);
}

}  // namespace

TEST_CASE("frames are read back, whatever the size, compression and number of chunks") {
  Buffer buffer;
  for (const size_t size : {8u, 16u, 24u, 1024u, 8u * 997u, 130'560u, 1'044'480u})
    for (const bool compress : {false, true})
      for (const int chunks : {1, 2, 3, 8, 64}) {
        CAPTURE(size);
        CAPTURE(chunks);
        const Buffer blocks = texture(size, static_cast<unsigned>(size));
        const Bytes frame =
            container::write_hap_frame(bc1_of(blocks), blocks, {.snappy = compress, .chunks = chunks}, buffer);
        CHECK((frame[3] & std::byte{0xF}) == std::byte{0xB});
        CHECK(load_le<3>(frame, 0) == frame.size() - 4);
        if (compress && size > 8000) CHECK(frame.size() < size);
        check_reads(Buffer(frame.begin(), frame.end()), blocks);
      }
}

TEST_CASE("blocks that Snappy does not make smaller are stored uncompressed") {
  Buffer buffer;
  const Buffer blocks = noise(4096, 1);
  const Bytes frame = container::write_hap_frame(bc1_of(blocks), blocks, {.snappy = true}, buffer);
  CHECK(Buffer(frame.begin(), frame.end()) == section(0xAB, blocks));
}

TEST_CASE("chunks that save less than their tables cost are left out") {
  Buffer buffer;
  Buffer blocks = noise(4096, 2);
  std::fill_n(blocks.begin(), 64, std::byte{0});  // the first of 64 chunks, and the only one that Snappy makes smaller
  const Bytes frame = container::write_hap_frame(bc1_of(blocks), blocks, {.chunks = 64}, buffer);
  CHECK(Buffer(frame.begin(), frame.end()) == section(0xAB, blocks));
}

TEST_CASE("an uncompressed frame is the header and the blocks, with the long header from 16 MiB on") {
  Buffer buffer;
  const Buffer below((size_t{1} << 24) - 8, std::byte{7});
  const Bytes frame = container::write_hap_frame(bc1_of(below), below, {.snappy = false}, buffer);
  CHECK(frame.size() == below.size() + 4);
  check_reads(Buffer(frame.begin(), frame.end()), below);

  const Buffer at(size_t{1} << 24, std::byte{9});
  const Bytes large = container::write_hap_frame(bc1_of(at), at, {.snappy = false}, buffer);
  CHECK(large.size() == at.size() + 8);
  CHECK(load_le32(large, 0) == 0xAB000000);
  CHECK(load_le32(large, 4) == at.size());
  check_reads(Buffer(large.begin(), large.end()), at);
}

TEST_CASE("writing into the same buffer again does not allocate") {
  Buffer buffer;
  const Buffer blocks = texture(65536, 3);
  container::write_hap_frame(bc1_of(blocks), blocks, {}, buffer);
  const std::byte* const before = buffer.data();
  const size_t size = buffer.size();
  for (unsigned i = 0; i < 20; ++i)
    container::write_hap_frame(HapImages({HapTexture::bc1, 65536}), noise(65536, i), {}, buffer);
  CHECK(buffer.data() == before);
  CHECK(buffer.size() == size);
}

TEST_CASE("every valid form of a frame is read") {
  const Buffer a = texture(640, 10), b = texture(1280, 11), c = noise(80, 12);
  const Buffer all = a + b + c;
  const Buffer packed_a = snappy(a), packed_b = snappy(b);
  const Buffer compressors = section(2, bytes_of({0x0B, 0x0B, 0x0A}));
  const Buffer sizes = section(3, le32(packed_a.size()) + le32(packed_b.size()) + le32(c.size()));
  const Buffer data = packed_a + packed_b + c;

  SUBCASE("uncompressed, short header") { check_reads(section(0xAB, all), all); }
  SUBCASE("uncompressed, long header") { check_reads(long_section(0xAB, all), all); }
  SUBCASE("Snappy, short header") { check_reads(section(0xBB, snappy(all)), all); }
  SUBCASE("Snappy, long header") { check_reads(long_section(0xBB, snappy(all)), all); }
  SUBCASE("chunks of different sizes, compressed and uncompressed") {
    check_reads(section(0xCB, section(1, compressors + sizes) + data), all);
  }
  SUBCASE("long headers everywhere") {
    const Buffer tables = long_section(2, bytes_of({0x0B, 0x0B, 0x0A})) +
                          long_section(3, le32(packed_a.size()) + le32(packed_b.size()) + le32(c.size()));
    check_reads(long_section(0xCB, long_section(1, tables) + data), all);
  }
  SUBCASE("tables in another order with unknown ones between") {
    const Buffer tables = section(0x77, noise(5, 1)) + sizes + section(0x10, {}) + compressors;
    check_reads(section(0xCB, section(1, tables) + data), all);
  }
  SUBCASE("chunks in another order, found by their offsets, with a gap") {
    const Buffer shuffled = c + packed_b + noise(7, 3) + packed_a;
    const Buffer offsets = section(4, le32(c.size() + packed_b.size() + 7) + le32(c.size()) + le32(0));
    check_reads(section(0xCB, section(1, offsets + compressors + sizes) + shuffled), all);
  }
  SUBCASE("unknown sections before the texture are skipped") {
    check_reads(section(0x42, noise(9, 4)) + section(0xA9, noise(3, 5)) + section(0xAB, all), all);
  }
  SUBCASE("three BC4 planes in one section") {
    const auto blocks = read(section(0xA1, all), HapTexture::bc4, all.size());
    REQUIRE(blocks.has_value());
    CHECK(*blocks == all);
  }
}

namespace {

// Hap Q Alpha: scaled YCoCg of 16 bytes per block, then BC4 of 8.
const HapImages kHapQAlpha({HapTexture::ycocg_bc3, 1280}, {HapTexture::bc4, 640});

Result<Buffer> read_two(const Buffer& frame, Workers* workers = nullptr) {
  const Buffer exact(frame);
  Buffer blocks(kHapQAlpha.total_bytes(), std::byte{0xEE});
  const auto outcome = container::read_hap_frame(exact, kHapQAlpha, blocks, {.workers = workers});
  if (!outcome) return outcome.error();
  return blocks;
}

}  // namespace

TEST_CASE("two images in one frame: read in either order, in every form, on one thread or more") {
  const Buffer colour = texture(1280, 40), alpha = texture(640, 41);
  const Buffer packed_colour = snappy(colour), packed_alpha = snappy(alpha);
  const auto chunked = [](int type, const Buffer& plain) {
    const auto cut = plain.begin() + static_cast<ptrdiff_t>(plain.size() / 5);
    const Buffer a(plain.begin(), cut), b = snappy(Buffer(cut, plain.end()));
    const Buffer tables = section(3, le32(a.size()) + le32(b.size())) + section(2, bytes_of({0x0A, 0x0B}));
    return section(type, section(1, tables) + a + b);
  };
  Workers workers(2);
  for (Workers* on : {static_cast<Workers*>(nullptr), &workers}) {
    const auto check = [&](const Buffer& frame) {
      const auto blocks = read_two(frame, on);
      REQUIRE_MESSAGE(blocks.has_value(), (blocks ? "" : blocks.error().message));
      CHECK(*blocks == colour + alpha);
    };
    check(section(0x0D, section(0xAF, colour) + section(0xA1, alpha)));
    check(section(0x0D, section(0xA1, alpha) + section(0xAF, colour)));
    check(long_section(0x0D, long_section(0xBF, packed_colour) + long_section(0xB1, packed_alpha)));
    check(section(0x0D, section(0xB1, packed_alpha) + section(0xAF, colour)));
    check(section(0x0D, chunked(0xCF, colour) + chunked(0xC1, alpha)));
    check(section(0x42, noise(9, 4)) +
          section(0x0D, section(0x43, {}) + section(0xB1, packed_alpha) + section(0x42, noise(2, 1)) +
                            chunked(0xCF, colour) + noise(3, 7)));
  }
}

TEST_CASE("two images are written with short headers, and never larger than uncompressed") {
  Buffer buffer;
  Workers workers(1);
  const Buffer colour = texture(1280, 50), alpha = texture(640, 51), both = colour + alpha;
  for (const bool compress : {false, true})
    for (const int chunks : {1, 2, 5, 64}) {
      const Bytes frame = container::write_hap_frame(
          kHapQAlpha, both, {.snappy = compress, .chunks = chunks, .workers = &workers}, buffer);
      CAPTURE(compress);
      CAPTURE(chunks);
      CHECK(frame.size() <= both.size() + 12);
      CHECK(load_u8(frame, 3) == 0x0D);
      REQUIRE(load_le<3>(frame, 0) == frame.size() - 4);
      const size_t first = load_le<3>(frame, 4);
      CHECK((load_u8(frame, 7) & 0xF) == 0xF);
      REQUIRE(first + 12 < frame.size());
      CHECK((load_u8(frame, 11 + first) & 0xF) == 0x1);
      CHECK(load_le<3>(frame, 8 + first) + first + 12 == frame.size());
      const auto back = read_two(Buffer(frame.begin(), frame.end()));
      REQUIRE(back.has_value());
      CHECK(*back == both);
    }
  const HapImages below({HapTexture::ycocg_bc3, 11'184'784}, {HapTexture::bc4, 5'592'416});
  CHECK(below.total_bytes() + 8 == (1 << 24) - 8);
  CHECK(container::has_short_hap_headers(below));
  CHECK(
      !container::has_short_hap_headers(HapImages({HapTexture::ycocg_bc3, 11'184'800}, {HapTexture::bc4, 5'592'416})));
}

TEST_CASE("an inconsistent frame of two images is a failure that says what is wrong") {
  const Buffer colour = texture(1280, 60), alpha = texture(640, 61);
  const auto check_fails_two = [](const Buffer& frame, const std::string& word) {
    const auto blocks = read_two(frame);
    REQUIRE(!blocks.has_value());
    CHECK_MESSAGE(blocks.error().message.find(word) != std::string::npos, blocks.error().message);
  };
  check_fails_two({}, "empty");
  check_fails_two(section(0xAF, colour), "one image where two");
  check_fails_two(section(0x0D, section(0xAF, colour)), "one image where two");
  check_fails_two(section(0x0D, section(0xAF, colour) + section(0xAF, colour)), "scaled YCoCg in BC3 twice");
  check_fails_two(section(0x0D, section(0xAF, colour) + section(0xAE, alpha)), "BC3 where scaled YCoCg in BC3 or BC4");
  check_fails_two(section(0x0D, section(0x0D, section(0xAF, colour) + section(0xA1, alpha))), "is nested in another");
  check_fails_two(section(0x0D, section(0xAF, alpha) + section(0xA1, alpha)),
                  "image of scaled YCoCg in BC3: the frame holds 640");
  check_fails_two(section(0x0D, section(0xAF, colour) + section(0xA1, colour)),
                  "image of BC4: 1280 bytes of blocks, but only 640");
  check_fails_two(
      section(0x0D, section(0xAF, colour) + section(0xB1, bytes_of({0x80, 0x05}) + Buffer(30, std::byte{0xFF}))),
      "image of BC4: 32 bytes of damaged");
}

TEST_CASE("a frame's compression is found without unpacking it") {
  const Buffer a = texture(640, 10), packed = snappy(a), colour = texture(1280, 40);
  const auto told = [](const Buffer& frame, const HapImages& images) {
    const auto summary = container::summarize_hap_frame(frame, images);
    REQUIRE(summary.has_value());
    return std::pair(summary->chunks, summary->snappy_chunks);
  };
  CHECK(told(section(0xAB, a), bc1_of(a)) == std::pair(size_t{1}, size_t{0}));
  CHECK(told(section(0xBB, packed), bc1_of(a)) == std::pair(size_t{1}, size_t{1}));
  const Buffer tables = section(2, bytes_of({0x0B, 0x0A})) + section(3, le32(packed.size()) + le32(640));
  const Buffer two = section(0xC1, section(1, tables) + packed + a);
  CHECK(told(section(0x0D, section(0xAF, colour) + two), kHapQAlpha) == std::pair(size_t{3}, size_t{1}));
  CHECK(!container::summarize_hap_frame(section(0xAE, a), bc1_of(a)).has_value());
}

TEST_CASE("scaled YCoCg has legal and illegal scales") {
  const TextureDesc desc{.format = TextureFormat::ycocg_dxt5, .width = 12, .height = 8};
  Buffer blocks(6 * 16, std::byte{0});
  const auto set = [&](size_t block, int end0, int end1) {
    store_le16(blocks, 16 * block + 8, static_cast<uint16_t>(0xABC0 | end0));
    store_le16(blocks, 16 * block + 10, static_cast<uint16_t>(0x1240 | end1));
  };
  for (const int scale : {0, 1, 3}) set(static_cast<size_t>(scale), scale, scale);
  CHECK(!container::look_at_blocks({desc, blocks}).illegal);
  set(4, 2, 2);
  set(5, 0, 1);
  const auto wrong = container::look_at_blocks({desc, blocks}).illegal;
  REQUIRE(wrong.has_value());
  CHECK_MESSAGE(wrong->find("2 of 6 blocks") == 0, *wrong);
  CHECK_MESSAGE(wrong->find("column 1, row 1") != std::string::npos, *wrong);
  // With a plane of alpha, in which there is nothing to check.
  const TextureDesc with_alpha{.format = TextureFormat::ycocg_dxt5_alpha, .width = 12, .height = 8};
  CHECK(container::look_at_blocks({with_alpha, blocks + noise(48, 1)}).illegal == wrong);
  set(4, 0, 0);
  set(5, 1, 1);
  CHECK(!container::look_at_blocks({with_alpha, blocks + noise(48, 1)}).illegal);
}

TEST_CASE("memory that may only be written is filled through a buffer") {
  // Ten chunks of 64 KiB, in which Snappy copies from earlier bytes.
  const Buffer blocks = texture(655'360, 70);
  Buffer buffer;
  Workers workers(2);
  const Bytes frame = container::write_hap_frame(bc1_of(blocks), blocks, {.chunks = 10, .workers = &workers}, buffer);
  CHECK(load_u8(frame, 3) == 0xCB);
  Buffer out(blocks.size()), staging(blocks.size());
  REQUIRE(container::read_hap_frame(frame, bc1_of(blocks), out, {.workers = &workers, .staging = staging}).has_value());
  CHECK(out == blocks);
  CHECK(staging == blocks);
}

TEST_CASE("only the chunks that hold wanted bytes are decompressed") {
  const Buffer blocks = texture(655'360, 71);  // ten chunks of 64 KiB
  Buffer buffer;
  const Bytes frame = container::write_hap_frame(bc1_of(blocks), blocks, {.chunks = 10}, buffer);
  const std::array wanted = {MemoryRange{65'535, 65'537}, MemoryRange{458'752, 524'288}};  // the chunks 0, 1 and 7
  Buffer out(blocks.size(), std::byte{0xEE});
  REQUIRE(container::read_hap_frame(frame, bc1_of(blocks), out, {.wanted = wanted}).has_value());
  for (size_t chunk = 0; chunk < 10; ++chunk) {
    CAPTURE(chunk);
    const auto part = [&](const Buffer& all) { return Bytes(all).subspan(chunk * 65'536, 65'536); };
    const bool is_wanted = chunk == 0 || chunk == 1 || chunk == 7;
    CHECK(std::ranges::equal(part(out), part(is_wanted ? blocks : Buffer(blocks.size(), std::byte{0xEE}))));
  }
  // Two images: of the second only.
  const Buffer alpha = texture(64, 72);
  const HapImages two({HapTexture::ycocg_bc3, 128}, {HapTexture::bc4, 64});
  const Buffer both = texture(128, 73) + alpha;
  const Bytes nested = container::write_hap_frame(two, both, {}, buffer);
  Buffer second(both.size(), std::byte{0xEE});
  const std::array range = {MemoryRange{130, 131}};
  REQUIRE(container::read_hap_frame(nested, two, second, {.wanted = range}).has_value());
  CHECK(std::ranges::equal(Bytes(second).subspan(128), Bytes(alpha)));
  CHECK(second[0] == std::byte{0xEE});
}

TEST_CASE("a frame with more chunks than a batch is read") {
  const size_t count = 1000;
  Buffer compressors, sizes, data, wanted;
  for (unsigned i = 0; i < count; ++i) {
    const Buffer plain = noise(i % 40, i), stored = i % 3 == 0 ? plain : snappy(plain);
    compressors = compressors + bytes_of({i % 3 == 0 ? 0x0A : 0x0B});
    sizes = sizes + le32(stored.size());
    data = data + stored;
    wanted = wanted + plain;
  }
  check_reads(section(0xCB, section(1, section(2, compressors) + section(3, sizes)) + data), wanted);
}

TEST_CASE("an inconsistent frame is a failure that says what is wrong") {
  const Buffer blocks = texture(640, 20);
  const Buffer packed = snappy(blocks);
  const size_t size = blocks.size();
  const auto chunked = [](const Buffer& tables, const Buffer& data) {
    return section(0xCB, section(1, tables) + data);
  };
  const Buffer one_plain = section(2, bytes_of({0x0A}));

  check_fails({}, size, "empty");
  check_fails(bytes_of({1, 2}), size, "header needs 4 bytes");
  check_fails(bytes_of({0, 0, 0, 0xAB, 1}), size, "long section header is truncated");
  check_fails(bytes_of({9, 0, 0, 0xAB, 1}), size, "claims 9 bytes and 1 are left");
  check_fails(bytes_of({0, 0, 0, 0xAB, 0xFF, 0xFF, 0xFF, 0xFF, 1}), size, "claims 4294967295 bytes");
  check_fails(section(0x42, blocks), size, "no texture");
  check_fails(section(0x0D, blocks), size, "several images");
  check_fails(section(0xAE, blocks), size, "holds BC3 where BC1 is expected");
  check_fails(section(0xAB, blocks), size + 8, "640 bytes of blocks, but 648");
  check_fails(section(0xAB, blocks), size - 8, "640 bytes of blocks, but only 632 fit");
  check_fails(section(0xBB, packed), size + 8, "640 bytes of blocks, but 648");
  check_fails(section(0xBB, packed), size - 8, "but only 632 fit");
  check_fails(section(0xBB, {}), size, "Snappy");
  check_fails(section(0xBB, bytes_of({0x80, 0x05}) + Buffer(30, std::byte{0xFF})), size, "damaged Snappy");
  check_fails(section(0xBB, bytes_of({0x80, 0x05, 0xFF, 0xFF})), size, "more than Snappy can decompress");
  // A varint that claims 4 GiB must not cause an allocation of that size.
  check_fails(section(0xBB, bytes_of({0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0})), size,
              "6 bytes claim 4294967295 bytes of blocks");
  check_fails(section(0xCB, {}), size, "header needs 4 bytes");
  check_fails(section(0xCB, section(2, blocks)), size, "not decode instructions");
  check_fails(chunked({}, blocks), size, "have no compressor table");
  check_fails(chunked(section(3, le32(640)), blocks), size, "have no compressor table");
  check_fails(chunked(one_plain, blocks), size, "size table of 0 bytes");
  check_fails(chunked(one_plain + section(3, le32(640) + le32(0)), blocks), size, "size table of 8 bytes");
  check_fails(chunked(one_plain + section(3, le32(640)) + section(4, {}), blocks), size, "offset table of 0 bytes");
  check_fails(chunked(one_plain + section(3, le32(641)), blocks), size, "ends at byte 641 of 640");
  check_fails(chunked(one_plain + section(3, le32(640)) + section(4, le32(0xFFFFFFFF)), blocks), size, "chunk 0 ends");
  check_fails(chunked(section(2, bytes_of({0x0C})) + section(3, le32(640)), blocks), size, "unknown compressor 0x0C");
  check_fails(
      chunked(section(2, bytes_of({0x0A, 0x0A})) + section(3, le32(640) + le32(640)) + section(4, le32(0) + le32(0)),
              blocks),
      size, "chunk 1: 640 bytes of blocks, but only 0 fit");
}

TEST_CASE("a frame cut off anywhere fails, and no flipped byte causes an access outside the buffers") {
  Buffer buffer;
  const Buffer blocks = texture(1024, 30);
  for (const int chunks : {1, 4}) {
    const Bytes written = container::write_hap_frame(bc1_of(blocks), blocks, {.chunks = chunks}, buffer);
    const Buffer frame(written.begin(), written.end());
    for (size_t length = 0; length < frame.size(); ++length)
      CHECK(!read(Buffer(frame.begin(), frame.begin() + static_cast<ptrdiff_t>(length)), HapTexture::bc1, 1024));
    for (size_t at = 0; at < frame.size(); ++at)
      for (const int flip : {0x01, 0x80, 0xFF}) {
        Buffer damaged = frame;
        damaged[at] ^= static_cast<std::byte>(flip);
        (void)read(damaged, HapTexture::bc1, 1024).has_value();
      }
  }
}
