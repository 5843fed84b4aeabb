// oracle.h — a second decoder of compact streams, written from docs/compact.md: slow, and of codec/compact it has
// nothing but the text of the trained tables. For streams that are whole; of damage it says what is wrong, and stops.
#pragma once

#include <array>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "texcast/format.h"

namespace oracle {

using texcast::Bytes;

// What stands wrong in a stream. Nothing else is ever thrown.
struct Damage {
  std::string what;
};

struct Slice {
  unsigned tile = 0, sub_slices = 1, sub_slice = 0, coding = 0;
  Bytes bytes;
  unsigned tiles = 1;  // of a run
};
struct Payload {
  std::vector<Slice> slices;
  std::vector<unsigned> passed;  // tiles
  uint32_t expected_units = 0;   // what the units' checks must join to
};

// Instead of a stream: symbols chosen at random among those that make sense, to be written as a stream.
struct Chooser {
  struct Symbol {
    int set, context, symbol;
  };
  std::mt19937 random;
  bool likely = false;  // as often as the tables have them
  std::vector<Symbol> chosen{};
};

class Decoder {
 public:
  explicit Decoder(const texcast::TextureDesc& texture);

  // `texture` becomes the next frame: it holds the one before, if there is one (`is_first`: nothing is coded against
  // it). Every tile must be told exactly once, and the checks must be right.
  void decode(const std::vector<std::vector<std::byte>>& payloads, bool is_first, std::vector<std::byte>& texture);
  Payload parse(Bytes payload) const;
  void decode_slice_plainly(const Slice& slice, const std::vector<std::byte>* before, std::vector<std::byte>& texture);
  // The same for a unit (its bytes are not looked at) that `chooser` makes up.
  void make_up_unit(const Slice& slice, const std::vector<std::byte>* before, std::vector<std::byte>& texture,
                    Chooser& chooser);
  uint32_t check_of(const Slice& slice, const std::vector<std::byte>& texture) const;
  unsigned tiles() const { return across_ * down_; }

  struct Component {
    bool is_channel = false, always_four = false;
    int tables = 0;
    int blocks_x = 0, blocks_y = 0, across = 1, down = 1;
    size_t offset = 0, stride = 8;
  };
  // First column, end of columns, first row, end of rows.
  std::array<int, 4> blocks_of(const Component& component, const Slice& slice) const;
  const std::vector<Component>& components() const { return components_; }
  // How often each came so far.
  struct Seen {
    std::array<int, 7> kinds{};
    std::array<int, 12> end_points{};
    std::array<int, 13> indices{};
    std::array<int, 4> vectors{};
    std::array<int, 5> codings{};
    std::array<int, 9> sub_slices{};  // by the number of strips
    int long_distances = 0;           // beyond a tile
    int wrapped = 0;                  // differences that left a value's range
  };
  const Seen& seen() const { return seen_; }
  static uint64_t load(const std::vector<std::byte>& texture, const Component& component, int x, int y);

 private:
  void read_tile(class Symbols& symbols, const Slice& slice, const std::vector<std::byte>* before,
                 std::vector<std::byte>& texture, struct Beginning& beginning);
  void read_unit(class Symbols& symbols, const Slice& slice, const std::vector<std::byte>* before,
                 std::vector<std::byte>& texture);
  unsigned across_ = 0, down_ = 0;
  std::vector<Component> components_;
  Seen seen_;
};

// Frequencies of 16 symbols, as docs/compact.md has them made of a row of text.
std::array<int, 16> frequencies_of(const char* row);

}  // namespace oracle
