// oracle.h — a second decoder of coded streams, written from docs/compact.md alone: slow, and independent of
// codec/compact but for the text of the trained tables. It stops at the first damage, and says what is wrong.
#pragma once

#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "texcast/format.h"

namespace oracle {

using texcast::Bytes;

// The first thing in a stream that is not as in the document. Nothing else is ever thrown.
struct Damage {
  std::string what;
};

struct Slice {
  unsigned tile = 0, sub_slices = 1, sub_slice = 0, coding = 0;
  Bytes bytes;
  unsigned tiles = 1;  // more: a slice of several whole tiles
};
struct Payload {
  std::vector<Slice> slices;
  std::vector<unsigned> skipped;  // tiles
  uint32_t expected_units = 0;    // the joined checks of the slices, if the payload's check holds
};

// Row by row, of each component with transform slices.
using Samples = std::array<std::vector<int>, 3>;

// Makes up a slice: instead of reading symbols, the decoder chooses them at random among the valid ones.
struct RandomSymbols {
  struct Symbol {
    int set, context, symbol;
  };
  std::mt19937 random;
  bool likely = false;          // symbols are as frequent as the tables say
  bool makes_transform = true;  // lossy slices may be transform slices
  std::vector<Symbol> chosen{};
};

class Decoder {
 public:
  explicit Decoder(const texcast::TextureDesc& texture);

  // Decodes a frame. `texture` holds the reference frame, and then the frame (`is_first`: there is no reference). Every
  // tile must be coded or skipped exactly once, and the checks must hold.
  void decode(const std::vector<std::vector<std::byte>>& payloads, bool is_first, std::vector<std::byte>& texture);
  Payload parse(Bytes payload) const;
  // `reference`: nullptr: there is none. `reference_samples`: nullptr: those of its blocks. `samples`: those of the
  // frame, in which the slice's are set; they may be nullptr.
  void decode_slice(const Slice& slice, const std::vector<std::byte>* reference, std::vector<std::byte>& texture,
                    const Samples* reference_samples = nullptr, Samples* samples = nullptr);
  // As decode_slice() with symbols from `random`; the slice's bytes are ignored.
  void make_up_slice(const Slice& slice, const std::vector<std::byte>* reference, std::vector<std::byte>& texture,
                     RandomSymbols& random);
  // The samples that the blocks of a texture decode to. Empty if the format has no transform slices.
  Samples samples_of(const std::vector<std::byte>& texture) const;
  // The tiles of the reference frame that the slice decoded last reads.
  const std::set<unsigned>& referenced() const { return referenced_; }
  uint32_t check_of(const Slice& slice, const std::vector<std::byte>& texture) const;
  unsigned tiles() const { return across_ * down_; }

  struct Component {
    bool is_channel = false, always_four = false, is_opaque = false;
    int tables = 0;
    int blocks_x = 0, blocks_y = 0, across = 1, down = 1;
    size_t offset = 0, stride = 8;
  };
  // First column, end of columns, first row, end of rows.
  std::array<int, 4> blocks_of(const Component& component, const Slice& slice) const;
  const std::vector<Component>& components() const { return components_; }
  // How often each value occurred so far.
  struct Seen {
    std::array<int, 7> kinds{};
    std::array<int, 12> end_points{};
    std::array<int, 13> indices{};
    std::array<int, 16> sources{};  // of opaque sub-blocks
    std::array<int, 4> vectors{};
    std::array<int, 6> codings{};
    std::array<int, 9> sub_slices{};  // by the number of sub-slices of the tile
    int long_distances = 0;           // partition vectors that lead beyond the tile beside
    int wrapped = 0;                  // residuals that leave a value's range
    int transform_slices = 0, escapes = 0, exact_copies = 0;
    std::array<int, 7> macroblock_modes{};
    int sample_slices = 0;
    std::array<int, 3> sample_sources{};
  };
  const Seen& seen() const { return seen_; }
  static uint64_t load(const std::vector<std::byte>& texture, const Component& component, int x, int y);

 private:
  void decode_sub_blocks(const Slice& slice, const std::vector<std::byte>* reference, std::vector<std::byte>& texture);
  void read_slice(class Symbols& symbols, const Slice& slice, const std::vector<std::byte>* reference,
                  std::vector<std::byte>& texture);
  bool can_transform(const Slice& slice) const;
  void read_transform_slice(class Symbols& symbols, const Slice& slice, int quantiser,
                            const std::vector<std::byte>* reference, std::vector<std::byte>& texture);
  void read_sample_slice(class Symbols& symbols, const Slice& slice, std::vector<std::byte>& texture);
  void set_samples_of_blocks(const Slice& slice, const std::vector<std::byte>& texture, Samples& samples) const;
  void read_tile(class Symbols& symbols, const Slice& slice, const std::vector<std::byte>* reference,
                 std::vector<std::byte>& texture, struct Head& head);
  void read_partitions(class Symbols& symbols, const Slice& slice, struct Head& head);

  unsigned across_ = 0, down_ = 0;
  std::vector<Component> components_;
  std::set<unsigned> referenced_;
  Seen seen_;
  Samples reference_samples_, samples_;  // of the slice under way
  Samples of_frame_;                     // of the frame that decode() decoded last
  bool has_samples_ = false;             // the slice under way is a transform slice or a sample slice
};

// Frequencies of 16 symbols, as docs/compact.md makes them from a row of text.
std::array<int, 16> frequencies_of(const char* row);

}  // namespace oracle
