// train_tables — trains the tables in codec/compact/tables, and measures how well they code.
//
//     train_tables train OUTPUT.txt CLIP…          (CLIP[@SECONDS]: starts there)
//     train_tables train-opaque FOLDER CLIP…       (four files)
//     train_tables train-film OUTPUT.txt CLIP…     (and OUTPUT_color.txt; train-fine-film, train-screen likewise)
//     train_tables train-transform FOLDER CLIP…  (three files, one for each range of the quantiser)
//     train_tables measure FORMAT CLIP…
//     train_tables measure-lossy FORMAT CRF[,CRF…] QUALITY CLIP…  (measure-transform: with transform coding)
//
// Clips and sessions are encoded as every stream is, in several formats. Then they are coded in several rounds, each
// with the statistics of the previous round, until the encoder's decisions and the tables fit each other. Rare contexts
// get the statistics of their group.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/workers.h"
#include "clip_textures.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/opaque_syntax.h"
#include "compact/payload.h"
#include "compact/tables.h"
#include "lossless_slice_encoder.h"
#include "media/frame_source.h"
#include "ref/decode.h"
#include "texcast/encoder.h"
#include "transform_training.h"

namespace {

using namespace texcast;
using namespace texcast::compact;

struct Clip {
  std::string name;
  TextureDesc texture;
  std::vector<std::vector<std::byte>> frames;
  std::vector<DecodedImage> pictures;  // the source, on demand
};

Clip load(const std::string& what, TextureFormat format, size_t frames, bool with_pictures = false) {
  const size_t at = what.find('@');
  const double start = at == std::string::npos ? 0 : std::stod(what.substr(at + 1));
  const auto source = media::open_source(
      {.input = what.substr(0, at), .alpha = true, .start = nanoseconds(static_cast<int64_t>(start * 1e9))});
  const auto encoder =
      make_encoder({.source = source->format(),
                    .texture = format,
                    .quality = std::min(Quality::normal, Quality(format_row(format).by_quality.size() - 1)),
                    .start = EncoderStart::when_built});
  Clip clip;
  clip.name = what;
  clip.texture = encoder->texture_desc();
  clip.frames = take_textures(*source, *encoder, frames, [&](const FrameView& frame) {
    if (with_pictures) clip.pictures.push_back(picture_of(frame));
  });
  return clip;
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

using Groups = std::vector<context::Group>;
const Groups kGroups = [] {
  using namespace context;
  std::vector<Group> groups{kVector,  kKind,   kEndPoints, kIndices,   kLevel,
                            kFarRank, kLevels, kPartition, kLossyKind, kTexelLevel};
  for (int i = 0; i < 2; ++i) groups.push_back({kDistance.first + i * 18, 18});
  for (int i = 0; i < 4; ++i) groups.push_back({kResidual.first + i * 204, 204});
  for (int i = 0; i < 5; ++i) groups.push_back({kRanks.first + i * 40, 40});
  return groups;
}();

const Groups kOpaqueGroups = [] {
  using namespace context;
  Groups groups{kVector, kKind, kSource, kMaskLow, kMaskHigh, kDifferenceLow, kFirstNibble, kSecondKind};
  for (int i = 0; i < 2; ++i) groups.push_back({kDistance.first + i * 18, 18});
  for (int i = 0; i < 8; ++i) groups.push_back({kDifferenceHigh.first + i * 16, 16});
  for (int i = 0; i < 5 * 15; ++i) groups.push_back({kNibble.first + i * 16, 16});
  return groups;
}();

using Texts = std::vector<std::string>;  // of each context; empty: it is not used
Texts texts_of(const Counts& counts, const Groups& groups = kGroups) {
  Texts texts(context::kCount);
  for (const auto& group : groups)
    for (int c = group.first; c < group.end(); ++c)
      for (const double p : smoothed(counts, group, c)) texts[c] += trained_character(p);
  for (int bits = 1; bits <= 4; ++bits)
    for (int s = 0; s < kSymbols; ++s)
      texts[context::kLiteral.first + bits - 1] += s < 1 << bits ? trained_character(std::exp2(-bits)) : '~';
  return texts;
}

void fill(const Texts& texts, CodingTables& tables) {
  for (int c = 0; c < context::kCount; ++c) {
    std::array<double, kSymbols> weights{};
    for (int s = 0; s < kSymbols; ++s) weights[s] = texts[c].empty() ? 1 : trained_probability(texts[c][s]);
    make_table(weights, tables.of[c]);
  }
  make_costs(tables);
}

// The formats, frames and qualities that tables are trained on.
struct Training {
  std::vector<TextureFormat> formats;
  size_t frames;            // of each clip
  std::vector<double> crf;  // empty: lossless
  int rounds;
};
const Training kLossless{
    {TextureFormat::bc1, TextureFormat::ycocg_dxt5, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444},
    24,
    {},
    5};
const Training kOpaque{{TextureFormat::bc7, TextureFormat::bc6h, TextureFormat::astc_4x4, TextureFormat::etc2_alpha,
                        TextureFormat::eac_rg11},
                       8,
                       {},
                       4};
Training of_content(std::vector<double> crf) {
  return {{TextureFormat::bc1, TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}, 8, std::move(crf), 4};
}

FrameView view_of(const DecodedImage& image) {
  FrameView view{
      .format = {
          .pixel_format = PixelFormat::rgb24, .width = image.width, .height = image.height, .color = kFullRange}};
  view.planes[0] = {reinterpret_cast<const std::byte*>(image.pixels.data()), image.width * 3};
  return view;
}

// Codes a clip with tables. Returns the number of bytes.
size_t code(const Clip& clip, std::optional<double> crf, const CodingTraining& training, Workers& workers,
            bool transform = false) {
  FrameEncoder encoder(clip.texture,
                       {.most_slice_bytes = slice_room(1400), .lossy = crf.has_value(), .transform = transform},
                       workers, training);
  const std::vector<uint8_t> intra(encoder.grid().tiles(), 1);
  size_t bytes = 0;
  // Intra frames are rare: one in the middle of the clip counts beside the first.
  for (size_t i = 0; i < clip.frames.size(); ++i) {
    FrameToEncode frame{.texture = clip.frames[i]};
    if (i == clip.frames.size() / 2) frame.intra = intra;
    const FrameView picture = crf ? view_of(clip.pictures[i]) : FrameView{};
    if (crf) frame.target = rd_parameters(*crf);
    if (crf) frame.picture = &picture;
    for (const auto& slice : encoder.encode(frame)) bytes += slice.bytes.size();
  }
  return bytes;
}

void write_opaque_texts(const std::filesystem::path& folder, const std::vector<Texts>& texts) {
  const char* const set_names[] = {"bc7_low",  "bc7_high",  "bc6h_low", "bc6h_high",
                                   "astc_low", "astc_high", "etc",      "eac"};
  for (int i = 0; i < kOpaqueTableSets; ++i) {
    const std::string kind(opaque_text_kind(static_cast<TableSet>(kTableSets + i)));
    std::ofstream out(folder / (kind + ".txt"), i % 2 == 0 ? std::ios::out : std::ios::app);
    out << "[" << set_names[i] << "]\n";
    for (int c = 0; c < context::kSecondKind.end(); ++c) out << (texts[i][c].empty() ? "-" : texts[i][c]) << "\n";
  }
}

// In the form that trained_text() reads (codec/compact/bitstream/trained_text.cpp).
void write_sets(const std::string& output, const std::vector<Texts>& texts, const std::vector<TableSet>& sets,
                bool lossy) {
  std::ofstream out(output);
  const char* const set_names[] = {"color", "scaled_chroma", "luma", "chroma", "alpha", "chroma_444"};
  const auto is_lossless_only = [&](int c) {
    return lossy && (c < context::kVector.end() || (c >= context::kKind.first && c < context::kKind.end()));
  };
  const int contexts = lossy ? context::kCount : context::kLosslessCount;
  for (const TableSet set : sets) {
    const auto i = static_cast<size_t>(set);
    out << "[" << set_names[i] << "]\n";
    for (int c = 0; c < contexts; ++c) out << (is_lossless_only(c) ? "-" : texts[i][c]) << "\n";
  }
}

void write_texts(const std::string& output, const std::vector<Texts>& texts, bool lossy) {
  using enum TableSet;
  if (!lossy) return write_sets(output, texts, {color, scaled_chroma, luma, chroma, alpha}, false);
  write_sets(output, texts, {luma, chroma, chroma_444}, true);
  const auto name = std::filesystem::path(output).replace_extension().string();
  write_sets(name + "_color.txt", texts, {color, scaled_chroma, alpha}, true);
}

int train_opaque(const std::string& output, const std::vector<std::string>& names) {
  std::vector<Clip> clips;
  for (const auto& name : names) {
    for (const auto format : kOpaque.formats) clips.push_back(load(name, format, kOpaque.frames));
    fmt::print(stderr, "{}: {} frames\n", name, clips.back().frames.size());
  }
  std::vector<Texts> texts(kOpaqueTableSets, texts_of(Counts{}, kOpaqueGroups));
  std::vector<CodingTables> tables(kOpaqueTableSets);
  Workers none(0);
  for (int round = 0; round < kOpaque.rounds; ++round) {
    std::vector<Counts> counts(kOpaqueTableSets);
    CodingTraining training{};
    for (int i = 0; i < kOpaqueTableSets; ++i) {
      fill(texts[i], tables[i]);
      training.tables[kTableSets + i] = &tables[i];
      training.counts[kTableSets + i] = &counts[i];
    }
    size_t bytes = 0;
    for (const Clip& clip : clips) bytes += code(clip, std::nullopt, training, none);
    for (int i = 0; i < kOpaqueTableSets; ++i) texts[i] = texts_of(counts[i], kOpaqueGroups);
    fmt::print(stderr, "round {}: {} bytes\n", round, bytes);
  }
  write_opaque_texts(output, texts);
  return 0;
}

int train(const Training& how, const std::string& output, const std::vector<std::string>& names) {
  std::vector<Clip> clips;
  for (const auto& name : names) {
    for (const auto format : how.formats) clips.push_back(load(name, format, how.frames, !how.crf.empty()));
    fmt::print(stderr, "{}: {} frames\n", name, clips.back().frames.size());
  }
  const bool lossy = !how.crf.empty();
  std::vector<Texts> texts(kTableSets, texts_of(Counts{}));
  if (lossy) {
    // The lossless tables are a better start than none.
    constexpr auto kChroma = static_cast<int>(TableSet::chroma), kChroma444 = static_cast<int>(TableSet::chroma_444);
    for (int i = 0; i < kTableSets; ++i)
      for (int c = 0; c < context::kLosslessCount; ++c)
        texts[i][c] = trained_text("lossless")[i == kChroma444 ? kChroma : i][c];
    // They have no statistics of the modes that only lossy slices have: luma's indices, and levels texel by texel.
    const auto be_likely = [&](int set, Indices mode) {
      for (int c = context::kIndices.first; c < context::kIndices.end(); ++c)
        texts[set][c][static_cast<size_t>(mode)] = trained_character(1.0 / 16);
    };
    for (int i = 0; i < kTableSets; ++i) {
      be_likely(i, Indices::texels);
      // The texels of text have mostly one end point or the other. A symbol that is too expensive at first would never
      // be chosen.
      for (int c = context::kTexelLevel.first; c < context::kTexelLevel.end(); ++c)
        for (size_t level = 0; level < 8; ++level)
          texts[i][c][level] = trained_character(level == 0 || level == 7 ? 0.35 : 0.05);
    }
    for (const Indices of_luma : {Indices::luma, Indices::mirrored_luma}) be_likely(kChroma444, of_luma);
  }
  std::vector<CodingTables> tables(kTableSets);
  Workers workers(Workers::suggested_threads());
  for (int round = 0; round < how.rounds; ++round) {
    for (int i = 0; i < kTableSets; ++i) fill(texts[i], tables[i]);
    // Each clip at each quality is counted separately.
    struct Job {
      const Clip* clip = nullptr;
      std::optional<double> crf{};
      std::vector<Counts> counts{};
      size_t bytes = 0;
    };
    std::vector<Job> jobs;
    for (const Clip& clip : clips) {
      if (!lossy) jobs.push_back({.clip = &clip});
      for (const double crf : how.crf) jobs.push_back({.clip = &clip, .crf = crf});
    }
    workers.parallel_for(jobs.size(), [&](size_t i) {
      Job& job = jobs[i];
      job.counts.resize(kTableSets);
      CodingTraining training{};
      for (int set = 0; set < kTableSets; ++set) {
        training.tables[set] = &tables[set];
        training.counts[set] = &job.counts[set];
      }
      Workers none(0);
      job.bytes = code(*job.clip, job.crf, training, none);
    });
    std::vector<Counts> counts(kTableSets);
    size_t bytes = 0;
    for (const Job& job : jobs) {
      bytes += job.bytes;
      for (int set = 0; set < kTableSets; ++set)
        for (int c = 0; c < context::kCount; ++c)
          for (int s = 0; s < kSymbols; ++s) counts[set][c][s] += job.counts[set][c][s];
    }
    // There are no clips with alpha, which gets luma's statistics. Lossless slices have one table set for all chroma.
    counts[static_cast<int>(TableSet::alpha)] = counts[static_cast<int>(TableSet::luma)];
    if (!lossy) {
      for (int c = 0; c < context::kCount; ++c)
        for (int s = 0; s < kSymbols; ++s)
          counts[static_cast<int>(TableSet::chroma)][c][s] += counts[static_cast<int>(TableSet::chroma_444)][c][s];
    }
    for (int i = 0; i < kTableSets; ++i) texts[i] = texts_of(counts[i]);
    fmt::print(stderr, "round {}: {} bytes\n", round, bytes);
  }
  write_texts(output, texts, lossy);
  return 0;
}

// The tables of transform slices, of all ranges of the quantiser at once. Starts with the built-in ones.
namespace transform_training {

constexpr std::array kSets{TableSet::luma, TableSet::chroma, TableSet::chroma_444};
constexpr std::array kSetNames{"luma", "chroma", "chroma_444"};
// About three quantisers of each range: a quantiser is about crf - 2.4.
constexpr std::array kCrf{11.0, 14.5, 17.5, 20.0, 23.0, 26.0, 29.0, 33.0};
constexpr size_t kFrames = 12;
constexpr int kRounds = 2;

const Groups kGroups = [] {
  using namespace transform_context;
  Groups groups{kLast, kLastMagnitude, kEscape};
  for (const context::Group& of : {kMode, kCodedLuma, kCodedChroma})
    for (int half = 0; half < 2; ++half) groups.push_back({of.first + half * of.size / 2, of.size / 2});
  for (int zone = 0; zone < 6; ++zone) groups.push_back({kMagnitude.first + zone * 7, 7});
  for (int i = 0; i < 2; ++i) groups.push_back({context::kDistance.first + i * 18, 18});
  return groups;
}();

template <typename Value>
using OfSets = std::array<std::array<Value, kSets.size()>, kTransformRanges>;

// The three files, in the folder `output`.
void write(const std::string& output, const OfSets<Texts>& texts) {
  for (size_t range = 0; range < kTransformRanges; ++range) {
    std::ofstream out(output + "/" + std::string(kTransformTexts[range]) + ".txt");
    for (size_t set = 0; set < kSets.size(); ++set) {
      out << "[" << kSetNames[set] << "]\n";
      const Texts& of = texts[range][set];
      const auto last = std::find_if(of.rbegin(), of.rend(), [](const auto& row) { return !row.empty(); });
      for (auto row = of.begin(); row != last.base(); ++row) out << (row->empty() ? "-" : *row) << "\n";
    }
  }
}

struct Job {
  const Clip* clip = nullptr;
  double crf = 0;
  size_t bytes = 0;
  std::unique_ptr<OfSets<Counts>> counts = std::make_unique<OfSets<Counts>>();
};

int train(const std::string& output, const std::vector<std::string>& names) {
  std::vector<Clip> clips;
  for (const auto& name : names)
    for (const auto format : {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444})
      clips.push_back(load(name, format, kFrames, true));
  OfSets<Texts> texts;
  for (size_t range = 0; range < kTransformRanges; ++range)
    for (size_t set = 0; set < kSets.size(); ++set)
      for (const auto row : trained_text(kTransformTexts[range])[set]) texts[range][set].emplace_back(row);
  const auto tables = std::make_unique<OfSets<CodingTables>>();
  Workers workers(Workers::suggested_threads());
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Job> jobs;
    for (const Clip& clip : clips)
      for (const double crf : kCrf) jobs.push_back({.clip = &clip, .crf = crf});
    for (size_t range = 0; range < kTransformRanges; ++range)
      for (size_t set = 0; set < kSets.size(); ++set) fill(texts[range][set], (*tables)[range][set]);
    workers.parallel_for(jobs.size(), [&](size_t i) {
      CodingTraining training{};
      for (size_t range = 0; range < kTransformRanges; ++range)
        for (size_t set = 0; set < kSets.size(); ++set)
          training.transform.sets[range][static_cast<size_t>(kSets[set])] = {&(*tables)[range][set],
                                                                             &(*jobs[i].counts)[range][set]};
      Workers none(0);
      jobs[i].bytes = code(*jobs[i].clip, jobs[i].crf, training, none, true);
    });
    size_t bytes = 0;
    for (const Job& job : jobs) bytes += job.bytes;
    fmt::print(stderr, "round {}: {} bytes\n", round, bytes);
    for (size_t range = 0; range < kTransformRanges; ++range)
      for (size_t set = 0; set < kSets.size(); ++set) {
        Counts sum{};
        for (const Job& job : jobs)
          for (size_t c = 0; c < sum.size(); ++c)
            for (size_t s = 0; s < kSymbols; ++s) sum[c][s] += (*job.counts)[range][set][c][s];
        texts[range][set] = texts_of(sum, kGroups);
      }
    write(output, texts);
  }
  return 0;
}

}  // namespace transform_training

// The mean squared error of luma in limited range, as ITU-R BT.709 weights red, green and blue.
double luma_error(const DecodedImage& a, const DecodedImage& b) {
  double sum = 0;
  const auto luma = [](const auto* p) { return (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) * 219 / 255; };
  const size_t pixels = static_cast<size_t>(a.width) * static_cast<size_t>(a.height);
  for (size_t i = 0; i < pixels; ++i) {
    const double error =
        luma(&a.pixels[i * static_cast<size_t>(a.channels)]) - luma(&b.pixels[i * static_cast<size_t>(b.channels)]);
    sum += error * error;
  }
  return sum / static_cast<double>(pixels);
}

// A stream as it is sent, with the headers of UDP, RTP and the coded stream.
struct Streamed {
  std::vector<double> bits;  // per pixel, of each frame
  std::vector<double> psnr;
  double mean_psnr = 0;
  double luma_psnr = 0;
  size_t wrong = 0;                             // frames that the decoder does not reconstruct as the encoder
  double encode_ms = 0, decode_ms = 0;          // per frame
  double encode_cpu_ms = 0, decode_cpu_ms = 0;  // of all threads, per frame
};
Streamed stream(const Clip& clip, double crf, Quality quality, bool transform, Workers& workers) {
  FrameEncoder encoder(
      clip.texture,
      {.most_slice_bytes = slice_room(1400), .lossy = true, .effort = search_effort(quality), .transform = transform},
      workers);
  PayloadWriter writer(encoder.grid(), 1400);
  FrameDecoder decoder(clip.texture, workers);
  std::vector<std::byte> before(encoder.grid().texture_bytes()), after(before.size());
  Streamed out;
  PsnrMeter all;
  double luma_squares = 0;  // mean of a frame
  DecodedImage image;
  for (size_t i = 0; i < clip.frames.size(); ++i) {
    const FrameView picture = view_of(clip.pictures[i]);
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t begin_cpu = std::clock();
    const auto payloads =
        writer.write(encoder.encode({.texture = clip.frames[i], .target = rd_parameters(crf), .picture = &picture}));
    const auto middle = std::chrono::steady_clock::now();
    const std::clock_t middle_cpu = std::clock();
    const auto decoded = decoder.decode(payloads, i == 0 ? nullptr : before.data(), after);
    const auto end = std::chrono::steady_clock::now();
    const auto cpu_ms = [](std::clock_t time) { return 1e3 * static_cast<double>(time) / CLOCKS_PER_SEC; };
    out.decode_cpu_ms += cpu_ms(std::clock() - middle_cpu);
    out.encode_cpu_ms += cpu_ms(middle_cpu - begin_cpu);
    out.encode_ms += std::chrono::duration<double, std::milli>(middle - begin).count();
    out.decode_ms += std::chrono::duration<double, std::milli>(end - middle).count();
    out.wrong += decoded.wrong > 0 || decoded.disagreed > 0 || decoded.damaged > 0;
    size_t bytes = 36;
    for (const Bytes payload : payloads) bytes += payload.size() + 28 + 24;
    out.bits.push_back(static_cast<double>(bytes) * 8 / clip.texture.width / clip.texture.height);
    ref::decode({clip.texture, after}, EndpointExpansion::replicate, image);
    PsnrMeter meter;
    meter.add(clip.pictures[i], image);
    luma_squares += luma_error(clip.pictures[i], image);
    all.add(clip.pictures[i], image);
    out.psnr.push_back(meter.psnr_db());
    before.swap(after);
  }
  out.encode_ms /= static_cast<double>(clip.frames.size());
  for (double* ms : {&out.decode_ms, &out.encode_cpu_ms, &out.decode_cpu_ms})
    *ms /= static_cast<double>(clip.frames.size());
  out.mean_psnr = all.psnr_db();
  out.luma_psnr = 10 * std::log10(255 * 255 / (luma_squares / static_cast<double>(clip.frames.size())));
  return out;
}

int measure_lossy(const std::string& format_name, const std::string& qualities, Quality quality, bool transform,
                  const std::vector<std::string>& names) {
  const auto format = texture_format_from_name(format_name);
  Workers workers(1);
  for (const auto& name : names) {
    const Clip clip = load(name, *format, 48, true);
    std::istringstream list(qualities);
    for (std::string crf; std::getline(list, crf, ',');) {
      const Streamed s = stream(clip, std::stod(crf), quality, transform, workers);
      const double frames = static_cast<double>(s.bits.size());
      fmt::print(
          "{} crf {}: {:.4f} bits a pixel at {:.2f} dB, luma {:.2f}; first {:.3f} at {:.2f}, last {:.4f} at {:.2f}; {} "
          "wrong; "
          "encode {:.1f} ms ({:.1f} CPU), decode {:.1f} ms ({:.1f})\n",
          clip.name, crf, std::accumulate(s.bits.begin(), s.bits.end(), 0.0) / frames, s.mean_psnr, s.luma_psnr,
          s.bits.front(), s.psnr.front(), s.bits.back(), s.psnr.back(), s.wrong, s.encode_ms, s.encode_cpu_ms,
          s.decode_ms, s.decode_cpu_ms);
      std::fflush(stdout);
    }
  }
  return 0;
}

int measure(const std::string& format_name, const std::vector<std::string>& names) {
  const auto format = texture_format_from_name(format_name);
  Workers workers(0);
  for (const auto& name : names) {
    const Clip clip = load(name, *format, 48);
    FrameEncoder encoder(clip.texture, {.most_slice_bytes = slice_room(1400)}, workers);
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
      counts.inter += c.inter;
      counts.plain += c.plain;
      counts.skipped += c.skipped;
    }
    const double pixels = static_cast<double>(clip.texture.width) * clip.texture.height;
    const double rest = static_cast<double>(clip.frames.size()) - 1;
    const double raw = static_cast<double>(grid.texture_bytes()) * rest;
    fmt::print(
        "{}: {:.4f} bits a pixel (first frame {:.3f}); {} wrong; tiles a frame {:.0f} inter, {:.1f} raw, {:.0f} "
        "skipped; encode {:.2f} ms, {:.0f} MB/s; decode {:.2f} ms, {:.0f} MB/s\n",
        clip.name, static_cast<double>(bytes) * 8 / pixels / rest, static_cast<double>(first) * 8 / pixels, wrong,
        counts.inter / rest, counts.plain / rest, counts.skipped / rest, encode_time / rest * 1e3,
        raw / encode_time / 1e6, decode_time / rest * 1e3, raw / decode_time / 1e6);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto rest = [&](size_t from) {
    return std::vector<std::string>(arguments.begin() + static_cast<ptrdiff_t>(std::min(from, arguments.size())),
                                    arguments.end());
  };
  try {
    const std::string what = arguments.size() > 2 ? arguments[0] : "";
    if (what == "train") return train(kLossless, arguments[1], rest(2));
    if (what == "train-opaque") return train_opaque(arguments[1], rest(2));
    if (what == "train-film") return train(of_content({20, 25}), arguments[1], rest(2));
    if (what == "train-screen") return train(of_content({18, 25}), arguments[1], rest(2));
    if (what == "train-fine-film") return train(of_content({14.5, 18}), arguments[1], rest(2));
    if (what == "train-transform") return transform_training::train(arguments[1], rest(2));
    if (what == "measure") return measure(arguments[1], rest(2));
    if ((what == "measure-lossy" || what == "measure-transform") && arguments.size() > 4)
      return measure_lossy(arguments[1], arguments[2], quality_from_name(arguments[3]).value_or(Quality::best),
                           what == "measure-transform", rest(4));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  std::fputs(
      "train_tables train OUTPUT.txt CLIP… | train-opaque FOLDER CLIP… | train-film OUTPUT.txt CLIP… | "
      "train-fine-film … | train-screen … | train-transform FOLDER CLIP… | "
      "measure FORMAT CLIP… | measure-lossy FORMAT CRF[,CRF…] QUALITY CLIP… | measure-transform …\n",
      stderr);
  return 2;
}
