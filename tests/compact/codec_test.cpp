// Frames through the encoder and back through the decoder.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "capture_bound.h"
#include "check_error.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/tables_ahead.h"
#include "texcast/error.h"
#include "texcast/tiles.h"
#include "textures.h"

using namespace texcast;
using namespace textures;

namespace {

// Encoder and decoder of a lossless stream without packet loss.
class Stream {
 public:
  explicit Stream(const TextureDesc& desc, size_t most_slice_bytes = 1024, size_t payload_bytes = 1400, int threads = 0)
      : workers_(threads),
        encoder_(desc, {.most_slice_bytes = most_slice_bytes}, workers_),
        writer_(encoder_.grid(), payload_bytes),
        decoder_(desc, workers_),
        shown_(encoder_.grid().texture_bytes()),
        before_(shown_.size()) {}

  Payloads encode(const compact::FrameToEncode& frame) {
    const auto slices = encoder_.encode(frame);
    slices_.assign(slices.begin(), slices.end());
    return copied(writer_.write(slices));
  }
  compact::DecodedCounts decode(const Payloads& payloads) {
    before_.swap(shown_);
    const auto all = views(payloads);
    const auto counts = decoder_.decode(all, is_first_ ? nullptr : before_.data(), shown_);
    is_first_ = false;
    return counts;
  }
  // Whether a frame is decoded completely and exactly.
  bool passes(const Texture& texture) {
    payloads_ = encode({.texture = texture});
    counts_ = decode(payloads_);
    return shown_ == texture && counts_.wrong == 0 && counts_.damaged == 0 && counts_.disagreed == 0 &&
           counts_.concealed == 0 && std::ranges::all_of(decoder_.right(), [](uint8_t right) { return right == 1; });
  }
  const compact::TileGrid& grid() const { return encoder_.grid(); }
  compact::FrameEncoder& encoder() { return encoder_; }
  const Texture& shown() const { return shown_; }
  const Payloads& payloads() const { return payloads_; }
  const compact::DecodedCounts& counts() const { return counts_; }
  const std::vector<compact::CodedSlice>& slices() const {
    return slices_;
  }  // their bytes are valid until the next frame

 private:
  Workers workers_;
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder decoder_;
  Texture shown_, before_;
  bool is_first_ = true;
  Payloads payloads_;
  compact::DecodedCounts counts_;
  std::vector<compact::CodedSlice> slices_;
};

// A backend that finds every compared tile changed, and nothing else.
class IdleBackend : public compact::EncoderBackend {
 public:
  void start(const compact::EncoderState&, Workers&) override {}
  std::span<const compact::TileDifference> begin(const compact::BackendFrame& frame) override {
    differences_.assign(frame.compared.size(), compact::kChanged);  // all tiles, as it is unknown which did not change
    return differences_;
  }
  std::span<const compact::MotionCandidates> find_candidates(const FrameView*, std::span<const uint32_t>,
                                                             std::span<const uint32_t> changed) override {
    candidates_.resize(changed.size());
    return candidates_;
  }
  std::span<const compact::TileComplexity> complexity(std::span<const compact::TileToMeasure>,
                                                      std::span<const compact::MotionVector>) override {
    return {};
  }
  void encode(std::span<const compact::TileToEncode>, std::span<const compact::MotionVector>) override {}
  compact::EncodedBatch wait() override { return {}; }
  std::span<const compact::SubBlockTexels> texels() override { return {}; }
  void end(const compact::FrameOutcome&) override {}

 private:
  std::vector<compact::TileDifference> differences_;
  std::vector<compact::MotionCandidates> candidates_;
};

// A device that fails, at the start or in the next frame. If it fails when it is waited for, it found one changed tile.
enum class Failure { at_start, in_encode, in_wait };
class FailingBackend final : public IdleBackend {
 public:
  explicit FailingBackend(Failure failure) : failure_(failure) {}
  void start(const compact::EncoderState& state, Workers&) override {
    CHECK(!state.reference.empty());
    CHECK(!state.sub_blocks[0].empty());
    if (failure_ == Failure::at_start) throw Error(ErrorKind::no_device, "no device");
  }
  std::span<const compact::TileDifference> begin(const compact::BackendFrame& frame) override {
    CHECK(!frame.reference.empty());
    if (failure_ != Failure::in_wait) return IdleBackend::begin(frame);
    differences_.assign(frame.compared.size(), 0);
    differences_.front() = compact::kChanged;
    return differences_;
  }
  void encode(std::span<const compact::TileToEncode> tiles, std::span<const compact::MotionVector>) override {
    CHECK(!tiles.empty());
    if (failure_ == Failure::in_encode) throw Error(ErrorKind::no_device, "the device is lost");
  }
  compact::EncodedBatch wait() override { throw Error(ErrorKind::no_device, "the device is lost"); }

 private:
  const Failure failure_;
  std::vector<compact::TileDifference> differences_;
};

// A device that works, and returns wrong bytes.
class LyingBackend final : public IdleBackend {
 public:
  explicit LyingBackend(bool& lives) : lives_(lives) { lives_ = true; }
  ~LyingBackend() override { lives_ = false; }
  void encode(std::span<const compact::TileToEncode> tiles, std::span<const compact::MotionVector>) override {
    tiles_.assign(tiles.size(), {});
    for (compact::EncodedTile& tile : tiles_) tile.slices[0] = {&slice_, 1};
  }
  compact::EncodedBatch wait() override { return {.tiles = tiles_}; }

 private:
  bool& lives_;
  std::array<std::byte, 40> bytes_{};
  compact::BackendSlice slice_{.bytes = bytes_};
  std::vector<compact::EncodedTile> tiles_;
};

size_t raw_bytes(const Stream& stream) { return stream.grid().texture_bytes(); }

}  // namespace

TEST_CASE("the tables that are made ahead are those of lossless, lossy and transform slices, and come to an end") {
  compact::TablesAhead ahead;
  int made = 0;
  while (ahead.make_next()) ++made;
  CHECK(made == 2 + 3 * 2 + 3 * 3);
  CHECK(!ahead.make_next());
}

TEST_CASE("coded frames are decoded byte for byte: every format, odd sizes") {
  for (const TextureFormat format : cut_formats())
    for (const auto& [width, height] : {std::pair(1, 1), {3, 2}, {65, 33}, {66, 31}, {170, 97}}) {
      const TextureDesc desc{.format = format, .width = width, .height = height};
      CAPTURE(name(format));
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      Stream stream(desc);
      CHECK(stream.passes(photograph(desc, 0, 0)));
      CHECK(stream.passes(photograph(desc, 3, 1)));    // motion
      CHECK(stream.passes(photograph(desc, 3, 5)));    // scrolled by 4
      CHECK(stream.passes(photograph(desc, 3, 10)));   // by 5
      CHECK(stream.passes(photograph(desc, 80, 61)));  // a scene cut
      CHECK(stream.passes(noise(desc, 1)));
      CHECK(stream.passes(noise(desc, 1)));  // static
      CHECK(stream.passes(Texture(raw_bytes(stream), std::byte{0})));
      CHECK(stream.passes(Texture(raw_bytes(stream), std::byte{0xFF})));
      CHECK(stream.passes(photograph(desc, 0, 0)));
    }
}

TEST_CASE("the CPU goes on if a device fails") {
  for (const Failure failure : {Failure::at_start, Failure::in_encode, Failure::in_wait}) {
    CAPTURE(static_cast<int>(failure));
    const TextureDesc desc{.format = TextureFormat::bc1, .width = 200, .height = 90};
    Stream stream(desc);
    CHECK(stream.passes(photograph(desc, 0, 0)));
    CHECK(stream.passes(photograph(desc, 1, 3)));
    stream.encoder().use_backend(std::make_unique<FailingBackend>(failure));
    CHECK(stream.passes(photograph(desc, 2, 3)));
    // The CPU has the reference frame, or does not need it.
    CHECK((stream.encoder().counts().inter == 0) == (failure != Failure::at_start));
    CHECK(stream.passes(photograph(desc, 6, 3)));
    CHECK(stream.encoder().counts().intra == 0);
  }
}

TEST_CASE("frames are decoded exactly with sub-slices: slices of at most 384 bytes, every format") {
  for (const TextureFormat format : cut_formats())
    for (const auto& [width, height] : {std::pair(64, 32), {130, 45}, {70, 33}}) {
      const TextureDesc desc{.format = format, .width = width, .height = height};
      CAPTURE(name(format));
      CAPTURE_BOUND(width);
      CAPTURE_BOUND(height);
      Stream stream(desc, 384, 401);
      for (const Texture& texture : {noise(desc, 7), photograph(desc, 0, 0), photograph(desc, 5, 3), noise(desc, 8)}) {
        CHECK(stream.passes(texture));
        for (const auto& slice : stream.slices()) CHECK(slice.bytes.size() <= 384);
        for (const auto& payload : stream.payloads()) CHECK(payload.size() <= 401);
      }
      CHECK(std::ranges::any_of(stream.slices(), [](const auto& slice) { return slice.slice.sub_slices > 1; }));
    }
}

TEST_CASE("a static frame is one payload of a few bytes") {
  for (const auto& [width, height] : {std::pair(192, 128), {1, 1}, {1920, 1080}, {8192, 320}}) {
    const TextureDesc desc{.format = TextureFormat::bc1, .width = width, .height = height};
    CAPTURE_BOUND(width);
    Stream stream(desc);
    const Texture texture = width < 200 ? photograph(desc, 0, 0) : Texture(raw_bytes(stream), std::byte{0x39});
    CHECK(stream.passes(texture));
    for (int i = 0; i < 3; ++i) {
      CHECK(stream.passes(texture));
      REQUIRE(stream.payloads().size() == 1);
      CHECK(stream.payloads()[0].size() <= 7 + 5);
      CHECK(stream.encoder().counts().skipped == stream.grid().tiles());
      CHECK(stream.counts().passed == stream.grid().tiles());
    }
  }
}

TEST_CASE("blocks that cannot be compressed are sent raw, and are no larger") {
  for (const TextureFormat format : cut_formats()) {
    const TextureDesc desc{.format = format, .width = 192, .height = 96};
    CAPTURE(name(format));
    for (const size_t most : {384, 1024, 2047}) {
      CAPTURE(most);
      Stream stream(desc, most, most + 22);
      CHECK(stream.passes(noise(desc, 5)));
      CHECK(stream.passes(noise(desc, 6)));
      const auto counts = stream.encoder().counts();
      CHECK(counts.plain == stream.grid().tiles());
      size_t slices = 0;
      for (const auto& slice : stream.slices()) {
        slices += slice.bytes.size();
        CHECK(slice.bytes.size() <= stream.grid().raw_bytes(slice.slice));
      }
      CHECK(slices == raw_bytes(stream));
      // A header for each payload, a record for each slice, and at most one more at the end.
      CHECK(bytes_of(stream.payloads()) <= slices + 7 * stream.payloads().size() + 3 * stream.slices().size() + 5);
    }
  }
}

TEST_CASE("a scroll by whole blocks costs next to nothing") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 192, .height = 128};
  Stream stream(desc);
  CHECK(stream.passes(photograph(desc, 0, 0)));
  const size_t first = bytes_of(stream.payloads());
  CHECK(stream.passes(photograph(desc, 0, 4)));
  CHECK(bytes_of(stream.payloads()) * 4 < first);
}

TEST_CASE("the number of workers does not change the bytes") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_dxt5}) {
    const TextureDesc desc{.format = format, .width = 250, .height = 190};
    CAPTURE(name(format));
    Stream none(desc), one(desc, 1024, 1400, 1), three(desc, 1024, 1400, 3);
    for (const Texture& texture : {photograph(desc, 0, 0), photograph(desc, 2, 1), photograph(desc, 2, 9),
                                   noise(desc, 2), photograph(desc, 9, 9)}) {
      CHECK(none.passes(texture));
      CHECK(one.passes(texture));
      CHECK(three.passes(texture));
      CHECK(none.payloads() == one.payloads());
      CHECK(none.payloads() == three.payloads());
    }
  }
}

TEST_CASE("tiles that are marked as unchanged are not compared") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 192, .height = 96};
  Stream stream(desc);
  const Texture first = photograph(desc, 0, 0), second = photograph(desc, 7, 3);
  CHECK(stream.passes(first));
  std::vector<uint8_t> changed(stream.grid().tiles(), 1);
  changed[1] = changed[5] = 0;
  stream.decode(stream.encode({.texture = second, .changed = changed}));
  Texture expected = second;
  copy_tile(stream.grid(), 1, first, expected);
  copy_tile(stream.grid(), 5, first, expected);
  CHECK(stream.shown() == expected);
  CHECK(stream.encoder().counts().skipped == 2);
  // If they are marked as changed they are compared.
  stream.decode(stream.encode({.texture = expected, .changed = std::vector<uint8_t>(stream.grid().tiles(), 1)}));
  CHECK(stream.encoder().counts().skipped == stream.grid().tiles());
  CHECK(stream.passes(second));
}

TEST_CASE("the marks of unchanged tiles are ignored in the first frame") {
  const TextureDesc desc{.format = TextureFormat::bc4, .width = 100, .height = 70};
  Stream stream(desc);
  const Texture texture = photograph(desc, 0, 0);
  stream.decode(stream.encode({.texture = texture, .changed = std::vector<uint8_t>(stream.grid().tiles(), 0)}));
  CHECK(stream.shown() == texture);
}

TEST_CASE("tiles that are to be intra are, even if they did not change") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420}) {
    const TextureDesc desc{.format = format, .width = 192, .height = 96};
    CAPTURE(name(format));
    Stream stream(desc);
    CHECK(stream.passes(photograph(desc, 0, 0)));
    std::vector<uint8_t> intra(stream.grid().tiles());
    intra[0] = intra[4] = 1;
    for (const Texture& texture : {photograph(desc, 0, 0), photograph(desc, 1, 1)}) {
      stream.decode(stream.encode({.texture = texture, .intra = intra}));
      CHECK(stream.shown() == texture);
      std::vector<uint8_t> are_alone(stream.grid().tiles());
      for (const auto& slice : stream.slices()) are_alone[slice.slice.tile] = slice.coding != compact::Coding::inter;
      CHECK(are_alone == intra);
      CHECK(stream.encoder().counts().intra + stream.encoder().counts().plain == 2);
    }
    // After forget() all tiles are intra.
    stream.encoder().forget();
    stream.encode({.texture = photograph(desc, 1, 1)});
    CHECK(stream.encoder().counts().intra + stream.encoder().counts().plain == stream.grid().tiles());
    CHECK(stream.encoder().counts().inter == 0);
  }
}

TEST_CASE("a frame coded in batches has the same slices and payloads") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 1280, .height = 480};  // 20 x 15 tiles
  Workers workers(1);
  Stream at_once(desc);
  compact::FrameEncoder encoder(desc, {}, workers);
  compact::PayloadWriter writer(encoder.grid(), 1400);
  for (const auto& [dx, dy] : {std::pair(0, 0), {3, 1}, {3, 1}, {8, 4}}) {
    CAPTURE_BOUND(dx);
    const Texture texture = photograph(desc, dx, dy);
    const Payloads whole = at_once.encode({.texture = texture});
    Payloads payloads;
    const auto take = [&](std::span<const Bytes> some) {
      for (const Bytes payload : some) payloads.emplace_back(payload.begin(), payload.end());
    };
    size_t batches = 0, slices = 0, before_the_last = 0;
    writer.begin();
    for (encoder.begin({.texture = texture}); encoder.more(); ++batches) {
      before_the_last = payloads.size();
      const auto some = encoder.next();
      slices += some.size();
      take(writer.add(some));
    }
    take(writer.end());
    CHECK(encoder.end().size() == slices);
    CHECK(payloads == whole);
    if (slices > 0) {
      CHECK(batches > 2);
      CHECK(before_the_last > 0);
    }
  }
}

TEST_CASE("a backend whose slices differ from the CPU's is disabled") {
  const TextureDesc desc{.format = TextureFormat::bc1, .width = 192, .height = 96};
  Stream stream(desc), by_workers(desc);
  bool lives = false;
  for (int i = 0; i < 5; ++i) {
    CAPTURE(i);
    if (i == 2) stream.encoder().use_backend(std::make_unique<LyingBackend>(lives), {.slices = 100});
    const Texture texture = photograph(desc, 3 * i, i);
    CHECK(by_workers.passes(texture));
    CHECK(stream.passes(texture));
    CHECK(stream.payloads() == by_workers.payloads());
  }
  CHECK(!lives);
}

TEST_CASE("a frame with too many changes is sent raw, and later frames are coded as usual") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420}) {
    const TextureDesc desc{.format = format, .width = 192, .height = 96};  // 3 x 3 tiles
    CAPTURE(name(format));
    Stream stream(desc), all_coded(desc);
    const auto take = [&](const Texture& texture, uint32_t most_due) {
      stream.decode(stream.encode({.texture = texture, .most_due = most_due}));
      CHECK(stream.shown() == texture);
      all_coded.encode({.texture = texture});
    };
    take(photograph(desc, 0, 0), UINT32_MAX);
    take(photograph(desc, 3, 1), 8);
    CHECK(stream.encoder().counts().plain == 9);
    take(photograph(desc, 6, 2), 8);
    CHECK(stream.encoder().counts().plain == 9);
    // The same bytes as if the previous frames had been coded, except that there are no vectors of the previous frame.
    take(photograph(desc, 6, 6), 9);
    CHECK(stream.encoder().counts().inter == 9);
    const auto bytes = [](const Stream& s) {
      size_t sum = 0;
      for (const auto& slice : s.slices()) sum += slice.bytes.size();
      return sum;
    };
    CHECK(100 * bytes(stream) <= 105 * bytes(all_coded));
  }
}

TEST_CASE("when no time is left the remaining changed tiles are sent raw") {
  for (const TextureFormat format : {TextureFormat::bc1, TextureFormat::ycocg_dxt5}) {
    const TextureDesc desc{.format = format, .width = 192, .height = 96};  // 3 x 3 tiles
    CAPTURE(name(format));
    for (const int workers : {0, 2}) {
      Stream stream(desc, 1024, 1400, workers);
      CHECK(stream.passes(photograph(desc, 0, 0)));
      for (const int most : {0, 1, 4, 9}) {
        CAPTURE(most);
        const Texture texture = photograph(desc, most + 1, 2);
        std::atomic<int> time_reads = 0;
        stream.decode(
            stream.encode({.texture = texture, .seconds_left = [&] { return time_reads++ < most ? 1.0 : 0.0; }}));
        CHECK(stream.shown() == texture);
        CHECK(time_reads == 9);  // before each tile
        CHECK(stream.encoder().counts().inter == most);
        CHECK(stream.encoder().counts().plain == 9 - most);
      }
      // The time is not read for tiles that did not change.
      stream.decode(stream.encode({.texture = stream.shown(), .seconds_left = [] { return 0.0; }}));
      CHECK(stream.encoder().counts().skipped == 9);
    }
  }
}

TEST_CASE("formats of compressed blocks of 4 x 4 texels have coded streams, and no others") {
  for (const TextureFormat format : shown_formats()) {
    CAPTURE(name(format));
    const bool has_tiles = is_compressed(format) && has_tile_blocks(format);
    CHECK(compact::TileGrid::can_cut(format) == has_tiles);
  }
  test::check_error(ErrorKind::misuse, "coded streams",
                    [] { compact::TileGrid({.format = TextureFormat::uyvy, .width = 8, .height = 8}); });
}

TEST_CASE("formats that older decoders do not have are lossless, and need version 3; transform coding needs 4") {
  constexpr std::array kFirst = {CodingId::bc1, CodingId::bc3, CodingId::bc4, CodingId::bc5, CodingId::bc1_ycbcr};
  for (const TextureFormat format : cut_formats()) {
    CAPTURE(name(format));
    const bool is_first = std::ranges::find(kFirst, plane_coding(format, 0).id) != kFirst.end();
    CHECK(compact::TileGrid::codec_version(format, false) == (is_first ? 1 : 3));
    if (is_first) CHECK(compact::TileGrid::codec_version(format, true) == 2);
    const bool can_have_transform = compact::TileGrid::can_have_transform(format);
    CHECK(can_have_transform == compact::TileGrid({.format = format, .width = 64, .height = 32}).can_transform());
    CHECK(can_have_transform == name(format).starts_with("ycocg-bc4"));
    if (can_have_transform) CHECK(compact::TileGrid::codec_version(format, true, true) == 4);
    CHECK(compact::TileGrid::codec_version(format, false, true) == (is_first ? 1 : 3));
    if (!is_first) CHECK(!compact::TileGrid::can_be_lossy(format));
  }
}

TEST_CASE("a scroll of opaque blocks by whole blocks costs next to nothing") {
  for (const TextureFormat format : {TextureFormat::bc7, TextureFormat::etc2_alpha}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 192, .height = 128};
    Stream stream(desc);
    CHECK(stream.passes(photograph(desc, 0, 0)));
    const size_t first = bytes_of(stream.payloads());
    CHECK(stream.passes(photograph(desc, 0, 4)));
    CHECK(bytes_of(stream.payloads()) * 4 < first);
  }
}

TEST_CASE("text in opaque blocks takes at most three quarters of a raw frame, and an eighth when it scrolls") {
  for (const TextureFormat format : {TextureFormat::bc7, TextureFormat::astc_4x4, TextureFormat::etc2}) {
    CAPTURE(name(format));
    const TextureDesc desc{.format = format, .width = 256, .height = 128};
    Stream stream(desc);
    CHECK(stream.passes(letters(desc, 0)));
    CHECK(bytes_of(stream.payloads()) * 4 < raw_bytes(stream) * 3);
    CHECK(stream.passes(letters(desc, 8)));
    CHECK(bytes_of(stream.payloads()) * 8 < raw_bytes(stream));
  }
}
