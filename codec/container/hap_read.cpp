#include <fmt/core.h>
#include <snappy-c.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/ensure.h"
#include "hap_parts.h"

namespace texcast::container {
namespace {

// A chunk that is to be decompressed into its part of the blocks.
struct Job {
  HapChunk chunk;
  MutableBytes out;      // chunk.bytes of the destination
  MutableBytes staging;  // of the same size, or empty
  size_t image = 0;
  std::optional<size_t> number{};  // of a chunk; absent for a section in one piece
  bool failed = false;

  void unpack() {
    if (!chunk.snappy) {
      std::copy(chunk.stored.begin(), chunk.stored.end(), out.begin());
      return;
    }
    const MutableBytes to = staging.empty() ? out : staging;
    size_t bytes = to.size();
    failed = snappy_uncompress(reinterpret_cast<const char*>(chunk.stored.data()), chunk.stored.size(),
                               reinterpret_cast<char*>(to.data()), &bytes) != SNAPPY_OK;
    if (!failed && !staging.empty()) std::copy(staging.begin(), staging.end(), out.begin());
  }
};

// Gathers chunks into a batch, and decompresses each batch on all workers. A frame of the usual encoders (up to 64
// chunks per image) is one batch. Only with more chunks does decompression begin before the whole frame was checked.
class Unpacking {
 public:
  Unpacking(const HapImages& images, const HapReadOptions& options) : images_(images), options_(options) {}

  // `offset`: of the image among the blocks.
  Result<void> add_image(const HapSection& section, size_t image, size_t offset, MutableBytes out,
                         MutableBytes staging) {
    auto chunks = HapChunkList::of(section);
    if (!chunks) return in_image(image, chunks.error().message);
    size_t filled = 0;
    for (size_t i = 0; i < chunks->count(); ++i) {
      const auto chunk = chunks->next();
      if (!chunk) return in_image(image, chunk.error().message);
      if (chunk->bytes > out.size() - filled) {
        const std::string message =
            fmt::format("{}{} bytes of blocks, but only {} fit", chunk->snappy ? "Snappy data of " : "", chunk->bytes,
                        out.size() - filled);
        return in_image(image, chunks->is_chunked() ? fmt::format("chunk {}: {}", i, message) : message);
      }
      const size_t at = std::exchange(filled, filled + chunk->bytes);
      if (!is_wanted(offset + at, offset + filled)) continue;
      jobs_[count_++] = {.chunk = *chunk,
                         .out = out.subspan(at, chunk->bytes),
                         .staging = staging.empty() ? staging : staging.subspan(at, chunk->bytes),
                         .image = image,
                         .number = chunks->is_chunked() ? std::optional(i) : std::nullopt};
      if (count_ == jobs_.size())
        if (const auto done = run(); !done) return done;
    }
    if (filled != out.size())
      return in_image(image,
                      fmt::format("the frame holds {} bytes of blocks, but {} are expected", filled, out.size()));
    return {};
  }

  Result<void> run() {
    const auto unpack = [this](size_t i) { jobs_[i].unpack(); };
    const size_t count = std::exchange(count_, 0);
    if (options_.workers)
      options_.workers->parallel_for(count, unpack);
    else
      for (size_t i = 0; i < count; ++i) unpack(i);
    const auto failed = std::find_if(jobs_.begin(), jobs_.begin() + count, [](const Job& job) { return job.failed; });
    if (failed == jobs_.begin() + count) return {};
    return in_image(failed->image, fmt::format("{}{} bytes of damaged Snappy data",
                                               failed->number ? fmt::format("chunk {}: ", *failed->number) : "",
                                               failed->chunk.stored.size()));
  }

 private:
  bool is_wanted(size_t begin, size_t end) const {
    return options_.wanted.empty() || std::ranges::any_of(options_.wanted, [&](const MemoryRange& range) {
             return begin < range.end && range.begin < end;
           });
  }
  Failure in_image(size_t image, const std::string& message) const {
    if (images_.all().size() == 1) return {message};
    return {fmt::format("image of {}: {}", name(images_.all()[image].texture), message)};
  }

  const HapImages& images_;
  const HapReadOptions& options_;
  std::array<Job, kMaxHapImages * size_t{kMaxHapChunks}> jobs_;
  size_t count_ = 0;
};

}  // namespace

Result<void> read_hap_frame(Bytes frame, const HapImages& images, MutableBytes blocks, const HapReadOptions& options) {
  ENSURE(blocks.size() == images.total_bytes());
  ENSURE(options.staging.empty() || options.staging.size() >= blocks.size());
  const auto sections = find_hap_images(frame, images);
  if (!sections) return sections.error();
  Unpacking unpacking(images, options);
  MutableBytes staging = options.staging;
  size_t offset = 0;
  for (size_t i = 0; i < images.all().size(); ++i) {
    const size_t bytes = images.all()[i].bytes;
    const auto added = unpacking.add_image((*sections)[i], i, offset, blocks.first(bytes),
                                           staging.empty() ? staging : staging.first(bytes));
    if (!added) return added;
    offset += bytes;
    blocks = blocks.subspan(bytes);
    if (!staging.empty()) staging = staging.subspan(bytes);
  }
  return unpacking.run();
}

}  // namespace texcast::container
