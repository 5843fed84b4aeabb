// train_tables — what codec/compact/trained_tables.cpp is made with, and what shows how well it does.
//
//     train_tables train OUTPUT.cpp CLIP…          (CLIP[@SECONDS]: from there on)
//     train_tables measure FORMAT CLIP…
//
// Clips and sessions are encoded as every stream is, in several formats; then they are coded again and again with the
// statistics of the time before, until the choices of the encoder and the tables fit each other. Contexts that hardly
// come are filled up with what their neighbours of the same group have.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/workers.h"
#include "clip_textures.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "media/frame_source.h"
#include "tables.h"
#include "texcast/encoder.h"
#include "unit_encoder.h"

namespace {

using namespace texcast;
using namespace texcast::compact;

struct Clip {
  std::string name;
  TextureDesc texture;
  std::vector<std::vector<std::byte>> frames;
};

Clip load(const std::string& what, TextureFormat format, size_t frames) {
  const size_t at = what.find('@');
  const double start = at == std::string::npos ? 0 : std::stod(what.substr(at + 1));
  const auto source = media::open_source(
      {.input = what.substr(0, at), .alpha = true, .start = nanoseconds(static_cast<int64_t>(start * 1e9))});
  const auto encoder =
      make_encoder({.source = source->format(),
                    .texture = format,
                    .quality = std::min(Quality::normal, Quality(format_row(format).by_quality.size() - 1)),
                    .start = EncoderStart::when_built});
  return {.name = what, .texture = encoder->texture_desc(), .frames = take_textures(*source, *encoder, frames)};
}

using Counts = SymbolList::Counts;

std::array<double, kSymbols> smoothed(const Counts& counts, context::Group group, int context) {
  // The group's own distribution counts as much as a few symbols.
  std::array<double, kSymbols> all{};
  double sum = 0;
  for (int c = group.first; c < group.end(); ++c)
    for (int s = 0; s < kSymbols; ++s) all[s] += counts[c][s];
  for (const double n : all) sum += n;
  std::array<double, kSymbols> weights{};
  double of_context = 0;
  for (int s = 0; s < kSymbols; ++s) of_context += counts[context][s];
  constexpr double kPrior = 6;
  for (int s = 0; s < kSymbols; ++s)
    weights[s] = (counts[context][s] + kPrior * (all[s] + 0.02) / (sum + 0.32)) / (of_context + kPrior);
  return weights;
}

const std::vector<context::Group> kGroups = [] {
  using namespace context;
  std::vector<Group> groups{kVector, kKind, kEndPoints, kIndices, kLevel, kFarRank, kLevels};
  for (int i = 0; i < 2; ++i) groups.push_back({kDistance.first + i * 18, 18});
  for (int i = 0; i < 4; ++i) groups.push_back({kDifference.first + i * 204, 204});
  for (int i = 0; i < 5; ++i) groups.push_back({kRanks.first + i * 40, 40});
  return groups;
}();

using Texts = std::vector<std::string>;  // a context each
Texts texts_of(const Counts& counts) {
  Texts texts(context::kCount);
  for (const auto& group : kGroups)
    for (int c = group.first; c < group.end(); ++c)
      for (const double p : smoothed(counts, group, c)) texts[c] += trained_character(p);
  for (int bits = 1; bits <= 4; ++bits)
    for (int s = 0; s < kSymbols; ++s)
      texts[context::kFlat.first + bits - 1] += s < 1 << bits ? trained_character(std::exp2(-bits)) : '~';
  return texts;
}

void fill(const Texts& texts, CodingTables& tables) {
  for (int c = 0; c < context::kCount; ++c) {
    std::array<double, kSymbols> weights{};
    for (int s = 0; s < kSymbols; ++s) weights[s] = trained_probability(texts[c][s]);
    make_table(weights, tables.of[c]);
  }
  make_costs(tables);
}

int train(const std::string& output, const std::vector<std::string>& names) {
  std::vector<Clip> clips;
  for (const auto& name : names) {
    for (const auto format :
         {TextureFormat::bc1, TextureFormat::ycocg_dxt5, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444})
      clips.push_back(load(name, format, 24));
    fmt::print(stderr, "{}: {} frames\n", name, clips.back().frames.size());
  }
  std::vector<Texts> texts(kTableSets, texts_of(Counts{}));
  std::vector<CodingTables> tables(kTableSets);
  Workers workers(0);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < kTableSets; ++i) fill(texts[i], tables[i]);
    std::vector<Counts> counts(kTableSets);
    CodingTraining training{};
    for (int i = 0; i < kTableSets; ++i) {
      training.tables[i] = &tables[i];
      training.counts[i] = &counts[i];
    }
    size_t bytes = 0;
    for (const Clip& clip : clips) {
      FrameEncoder encoder(clip.texture, {.most_unit_bytes = unit_room(1400)}, workers, training);
      const std::vector<uint8_t> alone(encoder.grid().tiles(), 1);
      // Frames coded alone are rare: one in the clip counts with the first.
      for (size_t i = 0; i < clip.frames.size(); ++i)
        for (const auto& unit : encoder.encode({.texture = clip.frames[i],
                                .alone = i == 12 ? std::span<const uint8_t>(alone) : std::span<const uint8_t>()}))
          bytes += unit.bytes.size();
    }
    // Alpha has no clips of its own: it is coded as luma is.
    counts[static_cast<int>(TableSet::alpha)] = counts[static_cast<int>(TableSet::luma)];
    for (int i = 0; i < kTableSets; ++i) texts[i] = texts_of(counts[i]);
    fmt::print(stderr, "round {}: {} bytes\n", round, bytes);
  }
  std::ofstream out(output);
  out << "// Made by tools/train; tables.h tells what the characters mean.\n#include \"tables.h\"\n\n"
         "namespace texcast::compact {\n\n// clang-format off\nconst TrainedText kTrainedTables[kTableSets] = {\n";
  const char* const set_names[] = {"color", "scaled_chroma", "luma", "chroma", "alpha"};
  for (int i = 0; i < kTableSets; ++i) {
    out << "  {  // " << set_names[i] << "\n";
    for (int c = 0; c < context::kCount; c += 5) {
      out << "   ";
      for (int k = c; k < std::min(c + 5, context::kCount); ++k) out << " R\"(" << texts[i][k] << ")\",";
      out << "\n";
    }
    out << "  },\n";
  }
  out << "};\n// clang-format on\n\n}  // namespace texcast::compact\n";
  return 0;
}

int measure(const std::string& format_name, const std::vector<std::string>& names) {
  const auto format = texture_format_from_name(format_name);
  Workers workers(0);
  for (const auto& name : names) {
    const Clip clip = load(name, *format, 48);
    FrameEncoder encoder(clip.texture, {.most_unit_bytes = unit_room(1400)}, workers);
    const compact::TileGrid& grid = encoder.grid();
    PayloadWriter writer(grid, 1400);
    FrameDecoder decoder(clip.texture, workers);
    std::vector<std::byte> before(grid.texture_bytes()), after(grid.texture_bytes());
    size_t bytes = 0, first = 0, wrong = 0;
    double encode_time = 0, decode_time = 0;
    EncodedCounts counts{};
    for (size_t i = 0; i < clip.frames.size(); ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const auto payloads = writer.write(encoder.encode({.texture = clip.frames[i]}));
      const auto middle = std::chrono::steady_clock::now();
      const auto decoded = decoder.decode(payloads, i == 0 ? nullptr : before.data(), after);
      const auto end = std::chrono::steady_clock::now();
      wrong += after != clip.frames[i] || decoded.wrong > 0 || decoded.disagreed > 0;
      before.swap(after);
      size_t frame_bytes = 36;
      for (const Bytes payload : payloads) frame_bytes += payload.size() + 28 + 24;
      if (i == 0) {
        first = frame_bytes;
        continue;
      }
      bytes += frame_bytes;
      encode_time += std::chrono::duration<double>(middle - begin).count();
      decode_time += std::chrono::duration<double>(end - middle).count();
      const auto c = encoder.counts();
      counts.against += c.against;
      counts.plain += c.plain;
      counts.skipped += c.skipped;
    }
    const double pixels = static_cast<double>(clip.texture.width) * clip.texture.height;
    const double rest = static_cast<double>(clip.frames.size()) - 1;
    const double raw = static_cast<double>(grid.texture_bytes()) * rest;
    fmt::print(
        "{}: {:.4f} bits a pixel (first frame {:.3f}); {} wrong; tiles a frame {:.0f} against, {:.1f} plain, {:.0f} "
        "skipped; "
        "encode {:.2f} ms, {:.0f} MB/s; decode {:.2f} ms, {:.0f} MB/s\n",
        clip.name, static_cast<double>(bytes) * 8 / pixels / rest, static_cast<double>(first) * 8 / pixels, wrong,
        counts.against / rest, counts.plain / rest, counts.skipped / rest, encode_time / rest * 1e3,
        raw / encode_time / 1e6, decode_time / rest * 1e3, raw / decode_time / 1e6);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3)
    return std::fputs("train_tables train OUTPUT.cpp CLIP… | measure FORMAT CLIP…\n", stderr), 2;
  const std::vector<std::string> clips(arguments.begin() + 2, arguments.end());
  try {
    return arguments[0] == "train" ? train(arguments[1], clips) : measure(arguments[1], clips);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
