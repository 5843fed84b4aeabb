// A frame's slices decoded in steps, and by helpers, against FrameDecoder::decode() of the same payloads.
#include "slice_shares.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "compact/frame_encoder.h"
#include "compact/key_frame_encoder.h"
#include "compact/payload.h"
#include "player/slice_helper.h"
#include "textures.h"

using namespace texcast;
using compact::DecodedCounts;
using compact::FrameDecoder;
using player::SliceHelper;
using player::SliceShares;

namespace {

using Texture = std::vector<std::byte>;
using Payloads = std::vector<std::vector<std::byte>>;

// Frames of noise in which blocks move and change, without a part of their payloads.
class Stream {
 public:
  explicit Stream(const TextureDesc& texture, bool is_lossy, int lost_of_8, bool is_transform = false)
      : is_lossy_(is_lossy),
        is_transform_(is_transform),
        lost_of_8_(lost_of_8),
        encoder_(texture, {.most_slice_bytes = 1100, .lossy = is_lossy, .transform = is_transform}, workers_),
        writer_(encoder_.grid(), 1200),
        texture_(encoder_.grid().texture_bytes()) {
    for (auto& byte : texture_) byte = static_cast<std::byte>(random_());
  }
  // `moves`: all of it, or only a few blocks change.
  Payloads next(bool moves = true) {
    if (is_transform_) texture_ = textures::photograph(encoder_.grid().texture(), 3 * number_, 2 * number_);
    if (is_transform_ && moves) ++number_;
    if (moves && !is_transform_) std::rotate(texture_.begin(), texture_.begin() + 64, texture_.end());
    const size_t from = random_() % texture_.size();
    for (size_t at = from; at < std::min(from + 200, texture_.size()); ++at)
      texture_[at] = static_cast<std::byte>(random_());
    std::vector<uint8_t> intra(encoder_.grid().tiles());
    for (auto& tile : intra) tile = random_() % 8 == 0;
    compact::FrameToEncode frame{.texture = texture_, .intra = intra};
    if (is_lossy_) frame.target = compact::rd_parameters(24);
    Payloads payloads;
    std::span<const Bytes> all = writer_.write(encoder_.encode(frame));
    if (is_transform_ && keep(all) % 4 == 3) all = writer_.write(key_frame());
    for (const Bytes payload : all)
      if (is_first_ || static_cast<int>(random_() % 8) >= lost_of_8_)
        payloads.emplace_back(payload.begin(), payload.end());
    is_first_ = false;
    if (random_() % 3 == 0 && !payloads.empty() && lost_of_8_ > 0) {  // a damaged one
      auto& bytes = payloads[random_() % payloads.size()];
      bytes[7 + random_() % (bytes.size() - 7)] ^= std::byte{1};
    }
    return payloads;
  }

 private:
  // Decodes a whole frame. Returns the number of frames before it.
  int keep(std::span<const Bytes> payloads) {
    const Texture reference = kept_;
    kept_.resize(texture_.size());
    complete_.decode(payloads, kept_count_ == 0 ? nullptr : reference.data(), kept_);
    return kept_count_++;
  }
  // The same frame as a key frame of a recording, with sample slices.
  std::span<const compact::CodedSlice> key_frame() {
    std::vector<uint8_t> samples(compact::SampleLayout(encoder_.grid()).samples());
    REQUIRE(complete_.read_samples(kept_.data(), samples));
    return key_encoder_.emplace(encoder_.grid().texture(), 1100, workers_).encode(kept_, samples);
  }

  std::mt19937 random_{3};
  const bool is_lossy_, is_transform_;
  const int lost_of_8_;
  bool is_first_ = true;
  int number_ = 0;
  Workers workers_{0};
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::FrameDecoder complete_{encoder_.grid().texture(), workers_};
  Texture kept_;
  int kept_count_ = 0;
  std::optional<compact::KeyFrameEncoder> key_encoder_;
  Texture texture_;
};

// A decoder with its last two textures.
class Receiver {
 public:
  using Slices = std::function<void(FrameDecoder&, MutableBytes texture, const RowChanges& reference)>;
  explicit Receiver(const TextureDesc& texture)
      : decoder(texture, workers_), shown(decoder.grid().texture_bytes()), before_(shown.size()) {}
  DecodedCounts decode(const Payloads& payloads, const Slices& decode_slices) {
    before_.swap(shown);
    // Anything but what the decoder has to write.
    std::ranges::fill(shown, std::byte{0x5A});
    const std::vector<Bytes> views(payloads.begin(), payloads.end());
    const std::byte* reference = is_first_ ? nullptr : before_.data();
    is_first_ = false;
    if (!decode_slices) return decoder.decode(views, reference, shown);
    const RowChanges changes = decoder.changes();
    changed_in_.assign(changes.changed_in.begin(), changes.changed_in.end());
    decoder.begin(views, reference, shown);
    decode_slices(decoder, shown, {changes.sequence, changes.number, changed_in_});
    return decoder.finish();
  }

 private:
  Workers workers_{0};

 public:
  FrameDecoder decoder;
  Texture shown;

 private:
  Texture before_;
  std::vector<uint64_t> changed_in_;
  bool is_first_ = true;
};

void check_same(Receiver& receiver, const DecodedCounts& counts, Receiver& expected, const DecodedCounts& wanted) {
  CHECK(receiver.shown == expected.shown);
  CHECK(std::ranges::equal(receiver.decoder.right(), expected.decoder.right()));
  CHECK(std::ranges::equal(receiver.decoder.unsure(), expected.decoder.unsure()));
  CHECK(std::ranges::equal(receiver.decoder.changes().changed_in, expected.decoder.changes().changed_in));
  for (int row = 0; row < receiver.decoder.grid().down(); ++row)
    CHECK(receiver.decoder.sum(row) == expected.decoder.sum(row));
  CHECK(counts.wrong == wanted.wrong);
  CHECK(counts.repaired == wanted.repaired);
  CHECK(counts.damaged == wanted.damaged);
  CHECK(counts.disagreed == wanted.disagreed);
  CHECK(counts.work == wanted.work);
}

struct Case {
  TextureDesc texture;
  bool is_lossy;
  bool is_transform = false;
};
const Case kCases[] = {{{.format = TextureFormat::bc1, .width = 300, .height = 200}, false},
                       {{.format = TextureFormat::bc3, .width = 130, .height = 70}, false},
                       {{.format = TextureFormat::ycocg_bc4_420, .width = 300, .height = 200}, false},
                       {{.format = TextureFormat::ycocg_bc4_420, .width = 300, .height = 200}, true},
                       {{.format = TextureFormat::ycocg_bc4_420, .width = 300, .height = 200}, true, true},
                       {{.format = TextureFormat::ycocg_bc4_444, .width = 130, .height = 70}, true, true},
                       {{.format = TextureFormat::bc7, .width = 150, .height = 90}, false}};

// A helper's answer to a share; empty: its share is lost.
using Answer = std::function<std::vector<std::byte>(SliceHelper&, size_t number, Bytes share)>;

std::vector<std::byte> right_answer(SliceHelper& helper, size_t /*number*/, Bytes share) {
  const auto answer = helper.work(share);
  REQUIRE(answer);
  return {answer->begin(), answer->end()};
}

void play_shared(const Case& which, int lost_of_8, size_t helpers, const Answer& answer, bool moves = true) {
  Stream stream(which.texture, which.is_lossy, lost_of_8, which.is_transform);
  Receiver receiver(which.texture), expected(which.texture);
  std::vector<SliceHelper> all(helpers);
  SliceShares shares;
  for (size_t i = 0; i < helpers; ++i) CHECK(shares.add_helper(1) == i);
  size_t shared = 0;
  for (int frame = 0; frame < (moves ? 8 : 24); ++frame) {
    const Payloads payloads = stream.next(moves);
    const DecodedCounts wanted = expected.decode(payloads, {});
    const DecodedCounts counts =
        receiver.decode(payloads, [&](FrameDecoder& decoder, MutableBytes texture, const RowChanges& reference) {
          if (!shares.begin(decoder, texture, reference)) return decoder.decode_slices();
          std::vector<std::vector<std::byte>> answers(helpers);
          for (size_t i = 0; i < helpers; ++i) {
            const auto share = shares.take_share(i);
            if (!share) continue;
            ++shared;
            CHECK_FALSE(shares.take_share(i));
            answers[i] = answer(all[i], i, std::vector(share->begin(), share->end()));
          }
          if (frame % 2 == 0) shares.decode_own();
          for (size_t i = helpers; i-- > 0;) {
            if (answers[i].empty())
              shares.lose_helper(i);
            else
              shares.on_answer(i, answers[i]);
          }
          if (frame % 2 != 0) shares.decode_own();
          REQUIRE(shares.is_complete());
        });
    check_same(receiver, counts, expected, wanted);
  }
  CHECK(shared > 0);
}

}  // namespace

TEST_CASE("slices that the caller decodes in any order give the texture of decode()") {
  for (const Case& which : kCases) {
    for (const int lost_of_8 : {0, 2}) {
      Stream stream(which.texture, which.is_lossy, lost_of_8, which.is_transform);
      Receiver receiver(which.texture), expected(which.texture);
      std::mt19937 random(5);
      for (int frame = 0; frame < 6; ++frame) {
        const Payloads payloads = stream.next();
        const DecodedCounts wanted = expected.decode(payloads, {});
        const DecodedCounts counts = receiver.decode(
            payloads, [&](FrameDecoder& decoder, MutableBytes texture, const RowChanges& /*reference*/) {
              std::vector<compact::ReceivedSlice*> order;
              for (auto& slice : decoder.slices()) order.push_back(&slice);
              std::ranges::shuffle(order, random);
              for (auto* slice : order) compact::decode(*slice, decoder.surroundings(), texture.data());
            });
        check_same(receiver, counts, expected, wanted);
      }
    }
  }
}

TEST_CASE("frames that are shared with helpers are those of decode(), whatever is lost") {
  for (const Case& which : kCases)
    for (const int lost_of_8 : {0, 3})
      for (const size_t helpers : {1, 3}) play_shared(which, lost_of_8, helpers, right_answer);
}

TEST_CASE("a helper that begins anew gets all of the reference frame") {
  size_t calls = 0;
  const Answer answer = [&](SliceHelper& helper, size_t number, Bytes share) -> std::vector<std::byte> {
    if (++calls % 3 != 0) return right_answer(helper, number, share);
    helper = SliceHelper();
    return {std::byte{1}};  // malformed
  };
  for (const Case& which : kCases) play_shared(which, 0, 1, answer, false);
}

TEST_CASE("shares have the rows that changed since the last one, and as many coded bytes as helpers want") {
  const TextureDesc texture{.format = TextureFormat::bc1, .width = 512, .height = 512};
  Stream stream(texture, false, 0);
  Receiver receiver(texture);
  SliceShares shares;
  SliceHelper helper;
  // A frame of noise has about 130,000 bytes: a third of them is too few for the second.
  for (const size_t least : {30'000, 90'000}) shares.add_helper(least);
  std::vector<size_t> sizes;
  const auto decode = [&](const Payloads& payloads, bool is_late = false) {
    receiver.decode(payloads, [&](FrameDecoder& decoder, MutableBytes shown, const RowChanges& reference) {
      if (!shares.begin(decoder, shown, reference)) return decoder.decode_slices();
      CHECK_FALSE(shares.take_share(1));
      const auto share = shares.take_share(0);
      REQUIRE(share);
      sizes.push_back(share->size());
      auto answer = right_answer(helper, 0, Texture(share->begin(), share->end()));
      if (is_late) answer[0] ^= std::byte{1};  // of another frame
      shares.on_answer(0, answer);
      shares.decode_own();
    });
  };
  const Payloads first = stream.next();
  decode(first);
  REQUIRE(sizes.size() == 1);
  CHECK(sizes[0] > 30'000);
  CHECK(sizes[0] < 90'000);
  decode(first);  // all intra, as before: the texture stays the same
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[1] > sizes[0] + receiver.shown.size());
  decode(first);
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[2] < sizes[0] + 1000);
  decode(first, true);
  CHECK(sizes[3] < sizes[0] + 1000);
  decode(first);  // after an answer that is of no use, nothing is known about the helper's copy
  CHECK(sizes[4] == sizes[1]);
  decode({});
  CHECK(sizes.size() == 5);
  // A share that nobody takes.
  receiver.decode(first, [&](FrameDecoder& decoder, MutableBytes texture, const RowChanges& reference) {
    REQUIRE(shares.begin(decoder, texture, reference));
    shares.decode_own();
    CHECK(shares.is_complete());
  });
  CHECK(receiver.decoder.is_right(0));
}

TEST_CASE("answers that are malformed or do not come are replaced") {
  std::mt19937 random(9);
  const Answer answers[] = {
      [](SliceHelper&, size_t, Bytes) { return std::vector<std::byte>{}; },
      [](SliceHelper& helper, size_t number, Bytes share) {
        auto answer = right_answer(helper, number, share);
        answer.pop_back();
        return answer;
      },
      [](SliceHelper& helper, size_t number, Bytes share) {
        auto answer = right_answer(helper, number, share);
        answer.push_back({});
        return answer;
      },
      [&](SliceHelper&, size_t, Bytes) {
        std::vector<std::byte> answer(1 + random() % 5000);
        for (auto& byte : answer) byte = static_cast<std::byte>(random());
        return answer;
      },
  };
  for (const Answer& answer : answers) play_shared(kCases[2], 1, 2, answer);
}

TEST_CASE("a share may be anything") {
  std::mt19937 random(13);
  for (const Case& which : kCases) {
    play_shared(which, 1, 1, [&](SliceHelper& helper, size_t number, Bytes share) {
      SliceHelper victim;
      for (int i = 0; i < 200; ++i) {
        std::vector<std::byte> damaged(share.begin(), share.end());
        // At its beginning, where the sizes are, or anywhere.
        const size_t within = random() % 2 == 0 ? std::min<size_t>(64, damaged.size()) : damaged.size();
        for (auto changes = 1 + random() % 3; changes > 0; --changes)
          damaged[random() % within] = static_cast<std::byte>(random());
        if (random() % 4 == 0) damaged.resize(random() % damaged.size());
        // A size of its own would only take memory and time.
        const size_t size_at = 9 + std::to_integer<size_t>(share[8]);
        if (damaged.size() >= size_at + 8)
          std::ranges::copy_n(share.begin() + static_cast<std::ptrdiff_t>(size_at), 8,
                              damaged.begin() + static_cast<std::ptrdiff_t>(size_at));
        (void)victim.work(damaged);
      }
      return right_answer(helper, number, share);
    });
  }
}

TEST_CASE("a share is checked before it is used") {
  struct Share {
    std::string format = "bc1";
    uint32_t width = 256, height = 128;  // 4 x 4 tiles
    uint32_t piece_at = 0, piece_bytes = 8;
    uint32_t tile = 15;
    uint8_t sub_slices = 1, sub_slice = 0;
    uint16_t tiles = 1;
    size_t left_out = 0;  // bytes at the end
    uint32_t sample_pieces = 0, sample_piece_at = 0;
  };
  const auto is_taken = [](const Share& given) {
    std::vector<std::byte> share;
    const auto put = [&](uint64_t value, int bytes) {
      for (; bytes > 0; --bytes, value >>= 8) share.push_back(static_cast<std::byte>(value & 255));
    };
    put(1, 8);
    put(given.format.size(), 1);
    for (const char character : given.format) put(static_cast<uint64_t>(character), 1);
    put(given.width, 4);
    put(given.height, 4);
    put(1, 1);  // with a reference frame, of which one piece has changed
    put(1, 4);
    put(given.piece_at, 4);
    put(given.piece_bytes, 4);
    share.resize(share.size() + 8);
    share.resize(share.size() + 16, std::byte{1});  // right tiles
    put(given.sample_pieces, 4);
    if (given.sample_pieces > 0) {
      put(given.sample_piece_at, 4);
      put(4, 4);
      put(0, 4);
    }
    put(1, 4);
    put(given.tile, 4);
    put(given.sub_slices, 1);
    put(given.sub_slice, 1);
    put(given.tiles, 2);
    put(static_cast<uint64_t>(compact::Coding::raw), 1);
    put(10, 2);
    share.resize(share.size() + 10 - given.left_out);
    SliceHelper helper;
    return helper.work(share).has_value();
  };
  CHECK(is_taken({}));
  CHECK(is_taken({.tile = 12, .tiles = 4}));
  CHECK(is_taken({.sub_slices = 8, .sub_slice = 7}));
  CHECK(is_taken({.piece_at = 16 * 1024 - 8}));
  constexpr uint32_t kSamples = 256 * 128 * 3 / 2;
  CHECK(is_taken({.format = "ycocg-bc4", .sample_pieces = 1, .sample_piece_at = kSamples - 4}));
  CHECK_FALSE(is_taken({.format = "ycocg-bc4", .sample_pieces = 1, .sample_piece_at = kSamples - 3}));
  CHECK_FALSE(is_taken({.sample_pieces = 1}));  // the format has no samples
  const Share malformed[] = {{.format = "bc"},
                             {.format = ""},
                             {.format = "rgba"},
                             {.width = 0},
                             {.height = 1U << 31},
                             {.piece_at = 16 * 1024 - 7},
                             {.piece_at = ~0U},
                             {.piece_bytes = ~0U},
                             {.tile = 16},
                             {.tile = ~0U},
                             {.tiles = 0},
                             {.tiles = 2},
                             {.tile = 3, .tiles = 2},
                             {.sub_slices = 0},
                             {.sub_slices = 3},
                             {.sub_slices = 16},
                             {.sub_slices = 4, .sub_slice = 4},
                             {.tile = 12, .sub_slices = 2, .tiles = 2},
                             {.left_out = 1}};
  for (const Share& share : malformed) CHECK_FALSE(is_taken(share));
}
