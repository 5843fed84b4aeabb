// Lossy slices that the device decodes, compared with decode_slice(): the same textures, and the same outcome of each
// slice, whatever its bytes are. The samples of one frame show in the transform slices of the next ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "base/workers.h"
#include "check.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/opencl_reconstruction_backend.h"
#include "compact/payload.h"
#include "compact/rans.h"
#include "compact/sample_planes.h"
#include "compact/symbol_writer.h"
#include "compact/tables.h"
#include "kernels/compact.h"
#include "lookup_tables.h"
#include "oracle.h"
#include "oracle_check.h"
#include "slice_decoder.h"
#include "textures.h"
#include "transform_slice_decoder.h"
#include "transform_slices.h"

using namespace texcast;
using namespace textures;

namespace {

using namespace compact;
using transform_slices::random_slice;
using Rights = std::vector<uint8_t>;

// Reconstructs frame after frame on the device and on the CPU.
class BothReconstruct {
 public:
  explicit BothReconstruct(const TextureDesc& desc)
      : grid_(desc), backend_(compact::make_opencl_reconstruction_backend(check::device().info(), grid_)) {
    if (grid_.can_transform()) samples_.emplace(grid_);
  }
  const TileGrid& grid() const { return grid_; }
  const Texture& shown() const { return shown_; }  // the latest frame; empty: none
  int decoded() const { return decoded_; }
  int refused() const { return refused_; }
  int not_right() const { return not_right_; }
  int unchanged() const { return unchanged_; }
  int transform() const { return transform_; }  // of decoded()

  // Replaces the reference frame. The samples are those of its sub-blocks, which the device finds itself.
  void show(const Texture& texture) {
    shown_ = texture;
    told_parts_.clear();
    tell_all();
    if (!samples_) return;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) samples_->decode(grid_, {.tile = tile}, texture.data());
  }
  // The same, with other samples in random parts of some tiles, as after transform slices that the CPU decoded. The
  // device gets those. In the other parts both keep the samples of the device's transform slices, if there were any.
  void show(const Texture& texture, std::mt19937& random) {
    if (!samples_) return show(texture);
    shown_ = texture;
    tell_all();
    SamplePlanes others(*samples_);
    for (uint8_t& sample : others.all()) sample = static_cast<uint8_t>(random());
    for (const uint32_t tile : told_) {
      told_parts_.push_back(0);
      for (uint8_t i = 0; i < kMostTransformSubSlices; ++i) {
        if (has_transformed_ && random() % 2 == 0) continue;
        told_parts_.back() |= static_cast<uint8_t>(i == 0 ? 0x0F : 0xF0);
        samples_->copy(grid_, {tile, kMostTransformSubSlices, i}, others);
      }
    }
  }
  void forget() {
    shown_.clear();
    told_.clear();
    has_transformed_ = false;
    if (samples_) samples_.emplace(grid_);
  }

  // Whether both give the same results.
  bool same(std::span<const SliceToReconstruct> slices, const Rights& right) {
    // The device must not use samples of parts of which it is not told.
    std::vector<uint8_t> samples;
    if (!told_parts_.empty()) samples = samples_of_parts();
    backend_->begin({.reference = shown_,
                     .outdated = told_,
                     .outdated_parts = told_parts_,
                     .samples = samples,
                     .slices = slices,
                     .right = right});
    const ReconstructedFrame rebuilt = backend_->result();
    told_.clear();
    told_parts_.clear();
    std::optional<SamplePlanes> made_samples = samples_;
    const std::byte* const before = shown_.empty() ? nullptr : shown_.data();
    Texture want = before != nullptr ? shown_ : Texture(grid_.texture_bytes());
    bool same = rebuilt.slices.size() == slices.size() && rebuilt.texture.size() == want.size();
    for (size_t i = 0; i < slices.size() && same; ++i) {
      const auto& [slice, intra, bytes, is_transform] = slices[i];
      has_transformed_ = has_transformed_ || is_transform;
      Texture made = want;
      ReferenceReads read(grid_, right);
      std::optional<SamplePlanes> of_slice = made_samples;
      const SliceSamples both = samples_ ? SliceSamples{&*samples_, &*of_slice} : SliceSamples{};
      const bool decoded = decode_slice(grid_, slice, bytes, true, intra ? nullptr : before, made.data(), &read, both);
      const ReconstructedSlice& by_device = rebuilt.slices[i];
      ++(decoded ? decoded_ : refused_);
      transform_ += decoded && is_transform;
      same = by_device.decoded == decoded;
      if (!decoded) continue;
      bool changed = false;
      grid_.for_each_sub_block(slice, [&](size_t at) {
        changed = changed || (before != nullptr && load_sub_block(&made[at]) != load_sub_block(before + at));
      });
      not_right_ += !read.all_right();
      unchanged_ += !changed;
      same = same && by_device.refers_right == read.all_right() && by_device.changed == changed &&
             by_device.check == slice_check(grid_, slice, made.data());
      want = made;
      if (samples_ && !is_transform) of_slice->decode(grid_, slice, want.data());
      made_samples = of_slice;
    }
    samples_ = made_samples;
    if (has_transformed_) {  // the device gives those of its transform slices
      const std::span<const uint8_t> given = backend_->samples();
      for (size_t i = 0; i < slices.size() && same; ++i)
        if (slices[i].is_transform && rebuilt.slices[i].decoded) same = samples_->equals(grid_, slices[i].slice, given);
    }
    // Only rows of tiles that have a slice are compared.
    std::vector<bool> told(static_cast<size_t>(grid_.down()));
    for (const SliceToReconstruct& slice : slices)
      told[slice.slice.tile / static_cast<uint32_t>(grid_.across())] = true;
    for (uint32_t tile = 0; tile < grid_.tiles() && same; ++tile)
      if (told[tile / static_cast<uint32_t>(grid_.across())])
        grid_.for_each_sub_block({.tile = tile}, [&](size_t at) {
          same = same && load_sub_block(&want[at]) == load_sub_block(&rebuilt.texture[at]);
        });
    shown_ = want;
    return same;
  }

 private:
  void tell_all() {
    told_.resize(grid_.tiles());
    std::iota(told_.begin(), told_.end(), 0u);
  }
  // The samples of told_parts_, among others.
  std::vector<uint8_t> samples_of_parts() const {
    SamplePlanes planes(grid_);
    std::ranges::fill(planes.all(), uint8_t{77});
    for (size_t i = 0; i < told_.size(); ++i)
      for (uint8_t part = 0; part < kMostTransformSubSlices; ++part)
        if ((told_parts_[i] >> 4 * part & 1) != 0)
          planes.copy(grid_, {told_[i], kMostTransformSubSlices, part}, *samples_);
    return {planes.all().begin(), planes.all().end()};
  }

  const TileGrid grid_;
  std::unique_ptr<compact::OpenClReconstructionBackend> backend_;
  Texture shown_;
  std::optional<SamplePlanes> samples_;  // of shown_, if the grid can_transform()
  bool has_transformed_ = false;         // the device had transform slices since there was no reference frame
  std::vector<uint32_t> told_;           // tiles that the device does not know
  std::vector<uint8_t> told_parts_;      // FrameToReconstruct::outdated_parts; empty: none
  int decoded_ = 0, refused_ = 0, not_right_ = 0, unchanged_ = 0, transform_ = 0;
};

// All tiles: in slices of several tiles, of one, in sub-slices, or missing.
std::vector<Slice> cut_at_random(const TileGrid& grid, std::mt19937& random) {
  std::vector<Slice> slices;
  const auto across = static_cast<uint32_t>(grid.across());
  for (uint32_t tile = 0; tile < grid.tiles();) {
    const uint32_t left = across - tile % across;
    switch (random() % 4) {
      case 0:
        slices.push_back({.tile = tile, .tiles = static_cast<uint8_t>(std::min<uint32_t>(1 + random() % 8, left))});
        break;
      case 1: {
        const auto sub_slices = static_cast<uint8_t>(1 << random() % 3);
        for (uint8_t sub_slice = 0; sub_slice < sub_slices && sub_slices <= grid.most_sub_slices(); ++sub_slice)
          if (random() % 4 != 0) slices.push_back({tile, sub_slices, sub_slice});
        break;
      }
      case 2: slices.push_back({.tile = tile}); break;
      default: break;
    }
    tile += slices.empty() || slices.back().tile != tile ? 1 : slices.back().tiles;
  }
  return slices;
}

// A slice with random but valid symbols.
std::vector<std::byte> made_up(oracle::Decoder& oracle, const Slice& slice, bool intra, const Texture& before,
                               bool may_be_transform, uint32_t seed) {
  oracle::RandomSymbols chooser{
      .random = std::mt19937(seed), .likely = seed % 3 == 1, .makes_transform = may_be_transform};
  Texture made = before;
  oracle.make_up_slice({slice.tile, slice.sub_slices, slice.sub_slice, intra ? 4u : 3u, {}, slice.tiles},
                       intra ? nullptr : &before, made, chooser);
  SymbolList list;
  list.make_room(chooser.chosen.size());
  for (const auto& [set, context, symbol] : chooser.chosen) list.put(tables_of(set), context, symbol);
  std::vector<std::byte> memory(200000);
  const size_t used = list.write(memory, kLossyEndState);
  REQUIRE(used > 0);
  return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
}

// Block-coded slices, transform slices, or both.
enum class Kinds : uint8_t { blocks, transform, both };
std::vector<std::byte> random_bytes(oracle::Decoder& oracle, const TileGrid& grid, const Slice& slice, bool intra,
                                    const Texture& before, Kinds kinds, std::mt19937& random) {
  const bool can_transform = grid.can_transform() && slice.sub_slices <= kMostTransformSubSlices;
  if (can_transform && (kinds == Kinds::transform || (kinds == Kinds::both && random() % 2 == 0)))
    return random_slice(grid, slice, transform_slices::random_wishes(intra, random), random);
  return made_up(oracle, slice, intra, before, kinds == Kinds::both, static_cast<uint32_t>(random()));
}

// Tiles of 4:2:2 have a shape of their own; BC4 has one component.
constexpr TextureFormat kChannelPlanes[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444,
                                            TextureFormat::ycocg_bc4_422, TextureFormat::bc4};

Rights rights_of(const TileGrid& grid, std::mt19937& random, bool all) {
  Rights right(grid.tiles(), 1);
  if (!all)
    for (auto& r : right) r = random() % 6 != 0 ? 1 : 0;
  return right;
}

}  // namespace

TEST_CASE("kernels and host agree on the symbols of reconstructed slices") {
  CHECK(context::kPartition.first == TEXCAST_PARTITION_CONTEXT);
  CHECK(TEXCAST_DECODE_BUCKETS == 1 << kBucketBits);
  CHECK(TEXCAST_DECODE_ITEMS == kMostSliceColumns * kMostSliceRows);
  CHECK(sizeof(texcast_slice_to_decode) == 8 * 4);
  CHECK(sizeof(texcast_decoded_part) == 24 * 4);
}

TEST_CASE("slices reconstructed by the device: the whole syntax, and invalid slices") {
  for (const TextureFormat format : kChannelPlanes) {
    CAPTURE(name(format));
    if (check::tiny_only() && format != TextureFormat::ycocg_bc4_420) continue;
    const auto [width, height] = check::tiny_only() ? std::pair(68, 20) : std::pair(275, 77);
    const TextureDesc desc{.format = format, .width = width, .height = height};
    BothReconstruct both(desc);
    oracle::Decoder oracle(desc);
    std::mt19937 random(17);
    for (int frame = 0; frame < (check::tiny_only() ? 12 : 16); ++frame) {
      CAPTURE(frame);
      // The first frame has no transform slices yet.
      if (frame % 12 == 0) both.show(photograph(desc, frame, 3));
      if (frame % 12 == 6) both.show(noise(desc, 5), random);
      if (frame % 12 == 10) both.forget();
      constexpr Kinds kKinds[] = {Kinds::blocks, Kinds::both, Kinds::transform, Kinds::both};
      const Kinds kinds = kKinds[frame % 4];
      const bool has_reference = !both.shown().empty();
      const Texture before = has_reference ? both.shown() : Texture(both.grid().texture_bytes());
      std::vector<SliceToReconstruct> slices;
      std::vector<std::vector<std::byte>> coded;
      for (const Slice& slice : cut_at_random(both.grid(), random)) {
        const bool intra = random() % 4 == 0 || !has_reference;
        coded.push_back(random_bytes(oracle, both.grid(), slice, intra, before, kinds, random));
        slices.push_back({.slice = slice, .intra = intra});
        if (random() % 3 == 0) coded.back() = damaged(coded.back(), static_cast<int>(random() % 4), random);
        if (random() % 16 == 0 && has_reference) slices.back().intra = !intra;  // the wrong type
      }
      for (size_t i = 0; i < slices.size(); ++i) {
        slices[i].bytes = coded[i];
        slices[i].is_transform = is_transform_slice(coded[i], slices[i].intra);
      }
      std::ranges::shuffle(slices, random);
      CHECK(both.same(slices, rights_of(both.grid(), random, frame % 2 == 0)));
    }
    CHECK(both.decoded() > 0);
    CHECK(both.refused() > 0);
    CHECK((both.transform() > 0) == both.grid().can_transform());
    if (check::tiny_only()) continue;
    CHECK(both.not_right() > 10);
  }
}

namespace {

// Symbols with the tables of film content.
class FilmSymbols {
 public:
  explicit FilmSymbols(const TileGrid& grid) : grid_(grid) { list_.make_room(4000); }
  void of(int component) { tables_ = &lossy_tables(Content::film, grid_.component(component).tables); }
  void put(int context, int symbol) { list_.put(*tables_, context, symbol); }
  void bits(uint32_t value, int count) { put_bits(*this, value, count); }
  std::vector<std::byte> coded() const {
    std::vector<std::byte> memory(8000);
    const size_t used = list_.write(memory, kLossyEndState);
    return {memory.end() - static_cast<ptrdiff_t>(used), memory.end()};
  }

 private:
  const TileGrid& grid_;
  const CodingTables* tables_ = nullptr;
  SymbolList list_;
};

// A slice that is valid except for a hash-matched copy in the last sub-block of a component. All other sub-blocks are
// motion copies with a zero vector.
std::vector<std::byte> with_jump(const TileGrid& grid, uint32_t tile, int jumping, const MotionVector& jump) {
  FilmSymbols symbols(grid);
  symbols.of(0);
  symbols.bits(3, 4);  // quantiser index
  symbols.bits(0, 2);
  const BlockRect first = grid.blocks(grid.component(0), {.tile = tile});
  for (int y = 0; y < first.height(); y += 4)
    for (int x = 0; x < first.width(); x += 4)
      symbols.put(partition_context({}, {}), static_cast<int>(PartitionVector::zero));
  for (int i = 0; i < grid.component_count(); ++i) {
    symbols.of(i);
    const int sub_blocks = grid.blocks(grid.component(i), {.tile = tile}).count();
    for (int n = 1; n <= sub_blocks; ++n) {
      const bool jumps = i == jumping && n == sub_blocks;
      symbols.put(lossy_kind_context({}, {}, false, true, false),
                  static_cast<int>(jumps ? Kind::hash_copy : Kind::motion_copy));
      if (jumps) put_vector(symbols, true, jump);
    }
  }
  return symbols.coded();
}

}  // namespace

// An attacker can make everything else in such a slice valid.
TEST_CASE("the device refuses slices whose hash-matched copies refer outside the picture") {
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 76, .height = 44};
  BothReconstruct both(desc);
  both.show(noise(desc, 3));
  for (uint32_t tile = 0; tile < both.grid().tiles(); ++tile) {
    for (int i = 0; i < (check::tiny_only() ? 1 : both.grid().component_count()); ++i) {
      const Component& c = both.grid().component(i);
      const BlockRect rect = both.grid().blocks(c, {.tile = tile});
      const int x = rect.x1 - 1, y = rect.y1 - 1, last_x = c.blocks_x - 1, last_y = c.blocks_y - 1;
      for (const MotionVector& jump : {MotionVector{-x, -y},
                                       {last_x - x, last_y - y},
                                       {-x - 1, 0},
                                       {0, -y - 1},
                                       {last_x - x + 1, 0},
                                       {0, last_y - y + 1},
                                       {32767, 0},
                                       {0, -32767}}) {
        CAPTURE(tile);
        CAPTURE(i);
        CAPTURE(jump.x);
        CAPTURE(jump.y);
        const auto coded = with_jump(both.grid(), tile, i, jump);
        const SliceToReconstruct slice{.slice = {.tile = tile}, .intra = false, .bytes = coded};
        CHECK(both.same(std::span(&slice, 1), Rights(both.grid().tiles(), 1)));
      }
    }
  }
  CHECK(both.decoded() * 3 == both.refused());
}

namespace {

// A reconstruction backend that fails, or returns wrong results, from a frame on.
class FaultyReconstruction : public ReconstructionBackend {
 public:
  enum class Fault { none, at_begin, at_wait, other_texture, other_results };
  FaultyReconstruction(std::unique_ptr<ReconstructionBackend> backend, Fault fault, int from, int& frames)
      : backend_(std::move(backend)), fault_(fault), from_(from), frames_(frames) {}
  void begin(const FrameToReconstruct& frame) override {
    ++frames_;
    fail(Fault::at_begin);
    backend_->begin(frame);
  }
  ReconstructedFrame result() override {
    fail(Fault::at_wait);
    ReconstructedFrame frame = backend_->result();
    if (fault_ == Fault::other_texture && frames_ > from_) {
      texture_.assign(frame.texture.begin(), frame.texture.end());
      for (std::byte& byte : texture_) byte ^= std::byte{1};
      frame.texture = texture_;
    }
    if (fault_ == Fault::other_results && frames_ > from_) {
      slices_.assign(frame.slices.begin(), frame.slices.end());
      for (ReconstructedSlice& slice : slices_) slice.refers_right = !slice.refers_right;
      frame.slices = slices_;
    }
    return frame;
  }
  std::span<const uint8_t> samples() override { return backend_->samples(); }

 private:
  void fail(Fault at) const {
    if (fault_ == at && frames_ > from_) throw Error(ErrorKind::no_device, "the device is lost");
  }
  std::unique_ptr<ReconstructionBackend> backend_;
  Fault fault_;
  int from_;
  int& frames_;
  Texture texture_;
  std::vector<ReconstructedSlice> slices_;
};

// Decodes a stream with the device and without. Each decoder writes to its own textures in turns.
class BothDecode {
 public:
  using Fault = FaultyReconstruction::Fault;
  BothDecode(const TextureDesc& desc, const FrameEncoderSettings& settings, uint32_t self_check_slices = 0,
             uint32_t least_tiles = 0, Fault fault = Fault::none, int from = 0)
      : encoder_(desc, settings, workers_),
        writer_(encoder_.grid(), 900),
        by_threads_(desc, workers_),
        by_device_(desc, workers_) {
    by_device_.use_backend(
        std::make_unique<FaultyReconstruction>(
            compact::make_opencl_reconstruction_backend(check::device().info(), encoder_.grid()), fault, from, asked_),
        self_check_slices, least_tiles);
    for (auto* textures : {&want_, &got_})
      for (Texture& texture : *textures) texture.resize(encoder_.grid().texture_bytes());
  }
  const TileGrid& grid() const { return encoder_.grid(); }
  int asked() const { return asked_; }  // number of frames that the device was asked for
  const DecodedCounts& counts() const { return counts_; }
  bool runs() const { return runs_; }
  bool sub_slices() const { return has_sub_slices_; }

  // The frame's payloads. The caller may drop or damage some.
  Payloads encode(const FrameToEncode& frame) {
    const auto slices = encoder_.encode(frame);
    for (const CodedSlice& slice : slices) {
      runs_ = runs_ || slice.slice.tiles > 1;
      has_sub_slices_ = has_sub_slices_ || slice.slice.sub_slices > 1;
    }
    return copied(writer_.write(slices));
  }
  // Whether both decode the same. `lost`: without the reference frame.
  bool same(std::span<const Bytes> payloads, uint64_t missing = 0, bool lost = false) {
    const size_t at = number_ % want_.size(), before = (number_ + want_.size() - 1) % want_.size();
    const bool is_first = number_++ == 0 || lost;
    const auto decode = [&](FrameDecoder& decoder, std::array<Texture, 3>& textures, std::array<uint64_t, 3>& numbers) {
      const DecodedCounts counts =
          decoder.decode(payloads, is_first ? nullptr : textures[before].data(), textures[at], missing, numbers[at]);
      numbers[at] = decoder.changes().number;
      return counts;
    };
    const DecodedCounts want = decode(by_threads_, want_, want_numbers_);
    counts_ = decode(by_device_, got_, got_numbers_);
    const auto numbers = [](const DecodedCounts& c) {
      return std::array{c.passed, c.inter,  c.intra,    c.plain,   c.concealed,
                        c.wrong,  c.unsure, c.repaired, c.damaged, c.disagreed};
    };
    return want_[at] == got_[at] && numbers(want) == numbers(counts_) &&
           std::ranges::equal(by_threads_.right(), by_device_.right()) &&
           std::ranges::equal(by_threads_.unsure(), by_device_.unsure()) &&
           std::ranges::equal(by_threads_.changes().changed_in, by_device_.changes().changed_in);
  }

 private:
  Workers workers_{2};
  FrameEncoder encoder_;
  PayloadWriter writer_;
  FrameDecoder by_threads_, by_device_;
  std::array<Texture, 3> want_, got_;
  std::array<uint64_t, 3> want_numbers_{}, got_numbers_{};
  uint64_t number_ = 0;
  int asked_ = 0;
  DecodedCounts counts_;
  bool runs_ = false, has_sub_slices_ = false;
};

// A picture that moves by half pixels and more, with noise in a corner in some frames.
Texture moving(const TextureDesc& desc, int i) {
  Texture texture = photograph(desc, 3 * i, 5 * i);
  if (i % 5 == 3) copy_tile(TileGrid(desc), 0, noise(desc, static_cast<uint32_t>(i)), texture);
  return texture;
}

}  // namespace

namespace {

// Decodes a stream with both, and compares each frame. `transform`: with transform slices.
void check_stream(const TextureDesc& desc, bool transform) {
  BothDecode both(
      desc, {.most_slice_bytes = 384, .lossy = true, .effort = search_effort(Quality::fast), .transform = transform});
  std::mt19937 random(3);
  uint32_t damaged_ones = 0, concealed = 0, plain = 0, in_transform = 0, in_blocks = 0;
  for (int i = 0; i < (check::tiny_only() ? 8 : 30); ++i) {
    CAPTURE(i);
    std::vector<uint8_t> intra(both.grid().tiles());
    if (i % 4 == 2) intra[random() % intra.size()] = 1;
    const Texture picture = i > 20 ? scene(desc, 2, 7 * i, 0) : moving(desc, i);
    const Payloads payloads =
        both.encode({.texture = picture, .intra = intra, .wrong = intra, .target = rd_parameters(20 + i % 3 * 8)});
    auto come = views(payloads);
    Payloads spoiled = payloads;
    if (i % 3 == 1) come.erase(come.begin() + static_cast<ptrdiff_t>(random() % come.size()));
    if (i % 6 == 5) {
      auto& payload = spoiled[random() % spoiled.size()];
      payload[random() % payload.size()] ^= std::byte{16};
      come = views(spoiled);
    }
    if (i % 7 == 6) std::ranges::shuffle(come, random);
    CHECK(both.same(come, i == 11 ? 1 : 0, i == 17));
    damaged_ones += both.counts().damaged + both.counts().disagreed;
    concealed += both.counts().concealed;
    plain += both.counts().plain;
    in_transform += both.counts().transform;
    in_blocks += both.counts().lossy - both.counts().transform;
  }
  CHECK(both.asked() > 0);
  CHECK((in_transform > 0) == transform);
  if (check::tiny_only()) return;
  CHECK(both.asked() > 25);  // all tiles of noise are raw
  CHECK(damaged_ones > 0);
  CHECK(concealed > 0);
  CHECK(plain > 0);
  CHECK(in_blocks > 0);
  CHECK(both.runs());
  CHECK(both.sub_slices());
}

}  // namespace

TEST_CASE("lossy streams reconstructed by the device, with lost and damaged payloads") {
  for (const TextureFormat format : kChannelPlanes) {
    CAPTURE(name(format));
    if ((check::tiny_only() || check::slow_compiler()) && format != TextureFormat::ycocg_bc4_420) continue;
    const auto [width, height] = check::tiny_only() ? std::pair(68, 36) : std::pair(275, 141);
    check_stream({.format = format, .width = width, .height = height}, false);
  }
}

TEST_CASE("streams of transform slices and others reconstructed by the device, with lost and damaged payloads") {
  for (const TextureFormat format : kChannelPlanes) {
    CAPTURE(name(format));
    if ((check::tiny_only() || check::slow_compiler()) && format != TextureFormat::ycocg_bc4_420) continue;
    const auto [width, height] = check::tiny_only() ? std::pair(68, 36) : std::pair(275, 141);
    const TextureDesc desc{.format = format, .width = width, .height = height};
    if (TileGrid(desc).can_transform()) check_stream(desc, true);
  }
}

namespace {

// Picture `i` of a stream: a new one, or one of which a tile has changed.
void change(const TileGrid& grid, int i, Texture& picture) {
  const TextureDesc& desc = grid.texture();
  if (i % 4 == 0)
    picture = photograph(desc, 3 * i, i);
  else
    copy_tile(grid, static_cast<uint32_t>(7 * i % 20), photograph(desc, 90, i), picture);
}

}  // namespace

TEST_CASE("small frames are reconstructed by the CPU, and the device learns their tiles") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 275, .height = 141};
  BothDecode both(desc, {.lossy = true, .effort = search_effort(Quality::fast)}, 0, 8);
  Texture picture;
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    change(both.grid(), i, picture);
    CHECK(both.same(views(both.encode({.texture = picture, .target = rd_parameters(24)}))));
  }
  CHECK(both.asked() == 3);
}

// While the device is checked the CPU has all samples, and gives it those of small frames. Afterwards the device has
// samples of its own, and gets small frames too.
TEST_CASE("small frames of transform slices are reconstructed by the CPU as long as it has all samples") {
  if (check::tiny_only()) return;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 275, .height = 141};
  for (const uint32_t self_check_slices : {0, 30}) {
    CAPTURE(self_check_slices);
    BothDecode both(desc, {.lossy = true, .effort = search_effort(Quality::fast), .transform = true}, self_check_slices,
                    8);
    Texture picture;
    uint32_t small = 0;
    for (int i = 0; i < 16; ++i) {
      CAPTURE(i);
      change(both.grid(), i, picture);
      const int asked = both.asked();
      CHECK(both.same(views(both.encode({.texture = picture, .target = rd_parameters(24)}))));
      if (i % 4 != 0 && both.counts().transform > 0 && both.asked() == asked) ++small;
    }
    CHECK(both.asked() > 4);
    CHECK((small > 0) == (self_check_slices > 0));
  }
}

TEST_CASE("a reconstruction backend with wrong results is dropped, and streams go on if it fails") {
  if (check::tiny_only()) return;
  using Fault = FaultyReconstruction::Fault;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 140, .height = 101};
  for (const Fault fault : {Fault::none, Fault::at_begin, Fault::at_wait, Fault::other_texture, Fault::other_results}) {
    for (const bool proves : {true, false}) {
      if (!proves && (fault == Fault::other_texture || fault == Fault::other_results)) continue;
      CAPTURE(static_cast<int>(fault));
      CAPTURE(proves);
      BothDecode both(desc, {.lossy = true, .effort = search_effort(Quality::fast)},
                      proves ? fault == Fault::none ? 20 : 1000 : 0, 0, fault, 2);
      for (int i = 0; i < 6; ++i) {
        CAPTURE(i);
        CHECK(both.same(views(both.encode({.texture = moving(desc, i), .target = rd_parameters(24)}))));
      }
      CHECK(both.asked() == (fault == Fault::none ? 6 : 3));
    }
  }
}

TEST_CASE("tiles whose samples only a failed device has are wrong until they are intra") {
  if (check::tiny_only()) return;
  using Fault = FaultyReconstruction::Fault;
  const TextureDesc desc{.format = TextureFormat::ycocg_bc4_420, .width = 140, .height = 101};
  for (const Fault fault : {Fault::at_begin, Fault::at_wait}) {
    CAPTURE(static_cast<int>(fault));
    BothDecode both(desc, {.lossy = true, .effort = search_effort(Quality::fast), .transform = true}, 0, 0, fault, 2);
    const std::vector<uint8_t> all(both.grid().tiles(), 1);
    for (int i = 0; i < 6; ++i) {
      CAPTURE(i);
      const Texture picture = moving(desc, i);
      FrameToEncode frame{.texture = picture, .target = rd_parameters(24)};
      if (i == 3) frame.intra = frame.wrong = all;
      const bool is_same = both.same(views(both.encode(frame)));
      CHECK((both.counts().wrong > 0) == (i == 2));
      if (i != 2 && i != 3) CHECK(is_same);  // frame 3 repairs tiles
    }
    CHECK(both.asked() == 3);
  }
}
