// Compares the entropy coder with a direct implementation of the definition in 64 bits, and its tables with the
// document.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "compact/rans.h"
#include "compact/transform_syntax.h"
#include "oracle.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

struct Symbol {
  int context, symbol;
};

// The definition: a symbol changes the state to state / count * 4096 + state % count + start. If this would exceed 32
// bits, words of 16 bits are written first.
std::vector<std::byte> coded_plainly(const CodingTables& tables, const std::vector<Symbol>& symbols) {
  std::vector<uint16_t> words;  // the last one first
  uint64_t state = 65536;
  for (size_t i = symbols.size(); i-- > 0;) {
    const SymbolTable& table = tables.of[symbols[i].context];
    const int symbol = symbols[i].symbol;
    const uint64_t start = table.start[symbol];
    const uint64_t count = (symbol < 15 ? table.start[symbol + 1] : 4096) - start;
    const auto behind = [&] { return state / count * 4096 + state % count + start; };
    while (behind() >= uint64_t{1} << 32) {
      words.push_back(static_cast<uint16_t>(state % 65536));
      state /= 65536;
    }
    state = behind();
  }
  words.push_back(static_cast<uint16_t>(state % 65536));
  words.push_back(static_cast<uint16_t>(state / 65536));
  std::vector<std::byte> bytes;
  for (size_t i = words.size(); i-- > 0;) {
    bytes.push_back(static_cast<std::byte>(words[i] % 256));
    bytes.push_back(static_cast<std::byte>(words[i] / 256));
  }
  return bytes;
}

// Random symbols, with the probabilities of the table or equally likely.
std::vector<Symbol> random_symbols(std::mt19937& random, const CodingTables& tables, int count, bool likely) {
  std::vector<Symbol> symbols;
  for (int i = 0; i < count; ++i) {
    const int context = static_cast<int>(random() % context::kCount);
    int symbol = static_cast<int>(random() % kSymbols);
    if (likely) {
      const uint32_t slot = random() % 4096;
      symbol = 15;
      while (tables.of[context].start[symbol] > slot) --symbol;
    }
    symbols.push_back({context, symbol});
  }
  return symbols;
}

}  // namespace

TEST_CASE("the entropy coder writes the bytes of the definition, and reads them back") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 150; ++trial) {
    const CodingTables& tables = coding_tables(static_cast<TableSet>(trial % kTableSets));
    const auto symbols =
        random_symbols(random, tables, trial < 20 ? trial : static_cast<int>(random() % 3000), trial % 2 == 0);
    SymbolList list;
    list.make_room(20000);
    list.clear();
    for (const Symbol& symbol : symbols) list.put(tables, symbol.context, symbol.symbol);
    std::vector<std::byte> memory(16000);
    const size_t used = list.write(memory);
    const std::vector<std::byte> written(memory.end() - static_cast<std::ptrdiff_t>(used), memory.end());
    REQUIRE(written == coded_plainly(tables, symbols));
    RansDecoder decoder(written);
    for (const Symbol& symbol : symbols) REQUIRE(decoder.get(tables.of[symbol.context]) == symbol.symbol);
    CHECK(decoder.ended_well());
    CHECK(!decoder.is_short());

    // It needs exactly this room.
    std::vector<std::byte> exact(used);
    CHECK(list.write(exact) == used);
    CHECK(exact == written);
    for (const size_t room : {used - 1, used - 2, size_t{3}, size_t{0}})
      CHECK(list.write(MutableBytes(memory).first(room)) == 0);

    // Additional, missing or changed bytes are detected.
    auto longer = written;
    longer.insert(longer.end(), 2, std::byte{0});
    const auto ends_well = [&](Bytes bytes) {
      RansDecoder other(bytes);
      for (const Symbol& symbol : symbols) other.get(tables.of[symbol.context]);
      return other.ended_well();
    };
    CHECK(ends_well(written));
    CHECK(!ends_well(longer));
    CHECK(!ends_well(Bytes(longer).first(used + 1)));
    CHECK(!ends_well(Bytes(written).first(used - 1)));
    CHECK(!ends_well(Bytes(written).first(used - 2)));
    CHECK(!ends_well({}));
    // The stream has not ended before its last symbol is read, even if all bytes are.
    if (symbols.empty()) continue;
    RansDecoder early(written);
    for (size_t i = 0; i + 1 < symbols.size(); ++i) early.get(tables.of[symbols[i].context]);
    CHECK(!early.ended_well());
  }
}

TEST_CASE("the cost of symbols is close to their actual bits") {
  std::mt19937 random(2);
  const CodingTables& tables = coding_tables(TableSet::luma);
  const auto symbols = random_symbols(random, tables, 4000, true);
  SymbolList list;
  list.make_room(20000);
  double cost = 0;  // in 1/32 bits
  for (const Symbol& symbol : symbols) {
    list.put(tables, symbol.context, symbol.symbol);
    cost += tables.cost[symbol.context][symbol.symbol];
  }
  std::vector<std::byte> memory(16000);
  const double used = static_cast<double>(list.write(memory));
  CHECK(used == doctest::Approx(cost / (32 * 8) + 4).epsilon(0.02));
}

TEST_CASE("each of the 4096 slots gives its symbol") {
  const CodingTables& tables = coding_tables(TableSet::color);
  for (int context = 0; context < context::kCount; context += 17) {
    const SymbolTable& table = tables.of[context];
    int symbol = 0;
    for (uint32_t slot = 0; slot < 4096; ++slot) {
      while (symbol < 15 && table.start[symbol + 1] <= slot) ++symbol;
      REQUIRE(symbol_at(table, slot) == symbol);
    }
  }
}

namespace {

constexpr std::array kSetsOfTransform{TableSet::luma, TableSet::chroma, TableSet::chroma_444};

// The rows of lossless and lossy slices, except those of contexts that these do not use.
template <typename Call>
void for_each_row(const Call& call) {
  for (int set = 0; set < kTableSets; ++set) {
    for (int c = 0; c < context::kCount; ++c) {
      const auto table_set = static_cast<TableSet>(set);
      const bool is_lossys = c < context::kLosslessCount && c >= context::kVector.end() &&
                             (c < context::kKind.first || c >= context::kKind.end());
      // Lossless slices have one table set for chroma.
      const int of_lossless = static_cast<int>(table_set == TableSet::chroma_444 ? TableSet::chroma : table_set);
      const std::string_view lossless = trained_text("lossless")[of_lossless][c];
      REQUIRE(lossless.empty() == (c >= context::kLosslessCount));
      if (!lossless.empty()) call(coding_tables(table_set), c, lossless);
      for (int content = 0; content < kContents; ++content) {
        const std::string_view row = lossy_text(static_cast<Content>(content), table_set)[static_cast<size_t>(c)];
        REQUIRE(row.empty() == (c < context::kLosslessCount && !is_lossys));
        if (!row.empty()) call(lossy_tables(static_cast<Content>(content), table_set), c, row);
      }
    }
  }
  for (int set = 0; set < kOpaqueTableSets; ++set) {
    for (int c = 0; c < context::kCount; ++c) {
      const std::string_view row = opaque_text(static_cast<TableSet>(kTableSets + set))[static_cast<size_t>(c)];
      REQUIRE(row.empty() == ((c > 1507 && c < 1551) || c > 1666));  // as the document says
      if (!row.empty()) call(coding_tables(static_cast<TableSet>(kTableSets + set)), c, row);
    }
  }
  for (int range = 0; range < kTransformRanges; ++range) {
    const auto& texts = trained_text(kTransformTexts[static_cast<size_t>(range)]);
    REQUIRE(texts.size() == kSetsOfTransform.size());
    for (size_t set = 0; set < texts.size(); ++set)
      for (int c = 0; c < context::kCount; ++c) {
        const std::string_view row = texts[set][static_cast<size_t>(c)];
        const bool is_literal = c >= context::kLiteral.first && c < context::kLiteral.end();
        REQUIRE(row.empty() == !(is_literal || (c >= context::kDistance.first && c < transform_context::kEnd)));
        if (!row.empty()) call(transform_tables(range, kSetsOfTransform[set]), c, row);
      }
  }
}

}  // namespace

TEST_CASE("tables: every symbol has a slot, together 4096, computed from the text as the document says") {
  for_each_row([](const CodingTables& tables, int context, std::string_view row) {
    REQUIRE(row.size() == 16);
    const auto frequencies = oracle::frequencies_of(row.data());
    uint32_t sum = 0;
    for (int symbol = 0; symbol < kSymbols; ++symbol) {
      REQUIRE(tables.of[context].frequency(symbol) >= 1);
      REQUIRE(tables.of[context].start[symbol] == sum);
      REQUIRE(tables.of[context].frequency(symbol) == static_cast<uint32_t>(frequencies[symbol]));
      // In 1/32 bits, rounded.
      REQUIRE(tables.cost[context][symbol] ==
              doctest::Approx(32 * (12 - std::log2(frequencies[symbol]))).epsilon(0.001).scale(1000));
      sum += tables.of[context].frequency(symbol);
    }
    REQUIRE(sum == 4096);
  });
}

// Otherwise exp2 of another machine could give other tables.
TEST_CASE("tables: no frequency depends on the last bits of a floating-point number") {
  for_each_row([](const CodingTables&, int, std::string_view row) {
    double weights[16], sum = 0;
    for (int s = 0; s < 16; ++s) sum += weights[s] = std::exp2((33 - row[s]) / 8.0);
    for (const double weight : weights) {
      const double slots = weight / sum * 4096 + 0.5;
      REQUIRE(std::abs(slots - std::round(slots)) > 1e-7);
    }
  });
}

TEST_CASE("tables: literal bits are equally likely") {
  for (int set = 0; set < kTableSets; ++set)
    for (int bits = 1; bits <= 4; ++bits)
      for (int symbol = 0; symbol < kSymbols; ++symbol) {
        for (const auto* tables :
             {&coding_tables(static_cast<TableSet>(set)), &lossy_tables(Content::film, static_cast<TableSet>(set)),
              &lossy_tables(Content::screen, static_cast<TableSet>(set)),
              &lossy_tables(Content::fine_film, static_cast<TableSet>(set))}) {
          const uint32_t slots = tables->of[context::kLiteral.first + bits - 1].frequency(symbol);
          if (symbol < 1 << bits)
            CHECK(slots == doctest::Approx(4096 >> bits).epsilon(0.01));
          else
            CHECK(slots == 1);
        }
      }
  // Decoders read the header of a lossy slice with any of these tables.
  for (int range = 0; range < kTransformRanges; ++range)
    for (const TableSet set : kSetsOfTransform)
      for (int c = context::kLiteral.first; c < context::kLiteral.end(); ++c)
        CHECK(transform_tables(range, set).of[c].start == lossy_tables(Content::film, TableSet::luma).of[c].start);
}

TEST_CASE("tables: any weights give 4096 slots") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    std::array<double, kSymbols> weights{};
    for (double& weight : weights) weight = std::exp2(-static_cast<double>(random() % 60));
    SymbolTable table{};
    make_table(weights, table);
    uint32_t sum = 0;
    for (int symbol = 0; symbol < kSymbols; ++symbol) {
      REQUIRE(table.start[symbol] == sum);
      REQUIRE(table.frequency(symbol) >= 1);
      sum += table.frequency(symbol);
    }
    REQUIRE(sum == 4096);
  }
}

TEST_CASE("tables: characters represent eighths of a bit") {
  CHECK(trained_character(1.0) == '!');
  CHECK(trained_character(0.5) == ')');
  CHECK(trained_character(0.25) == '1');
  CHECK(trained_character(0) == '~');
  CHECK(trained_character(2.0) == '!');
  for (char character = '!'; character <= '~'; ++character)
    CHECK(trained_character(trained_probability(character)) == character);
}
