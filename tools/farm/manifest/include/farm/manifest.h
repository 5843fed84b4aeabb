// manifest.h — the list of the jobs of a batch: what `texcast encode` would do, one job for each output file, so that
// several processes or machines can share it. `encode --manifest` writes and does such lists.
//
//     {"texcast-manifest": 1, "version": "0.3.0", "jobs": [
//       {"input": "film.mp4", "output": "film-1.mkv", "options": ["--crf", "23"], "part": "1/8", "id": "5e88…"}]}
//
// Relative paths are relative to the working directory of the process that does the jobs. Readers ignore members that
// they do not know. Thread-safe: functions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "farm/content_id.h"

namespace texcast::farm {

// Limits of a document. parse_manifest() refuses more.
inline constexpr size_t kMostJobs = 1'000'000;
inline constexpr size_t kMostOptions = 256;                  // words of a job
inline constexpr size_t kLongestText = 16 << 10;             // bytes of a path or of an option's word
inline constexpr size_t kLargestManifest = size_t{1} << 29;  // bytes
inline constexpr int kMostShares = 10'000;

// Number `number` of `count`, from 1: of a video, or of the jobs of a manifest.
struct Share {
  int number = 1;
  int count = 1;
  bool operator==(const Share&) const = default;
};
std::string share_text(const Share& share);                 // "2/8"
std::optional<Share> share_of_text(std::string_view text);  // nothing: no such text, or numbers out of range

// One run of the encoder, which writes one file.
struct ManifestJob {
  std::string input;                 // a file, test or lavfi:GRAPH, as `encode` takes it; not empty
  std::string output;                // a file; not empty
  std::vector<std::string> options;  // words for `encode`, without input, output, --part and those of a whole run
  std::optional<Share> part;         // --part; none: the whole input
  std::string id;                    // the content address of the output: 64 lower-case hex digits; empty: not known
  std::optional<KnownFile> file{};   // the input when the id was made, if it is one file: it is not hashed again
  bool verify = false;               // encode again, and compare with the output of the job with the same id
  bool operator==(const ManifestJob&) const = default;
};

struct Manifest {
  std::string version;  // of the texcast that has written it, and to which the ids belong; empty: not known
  std::vector<ManifestJob> jobs;
  bool operator==(const Manifest&) const = default;
};

// A Failure says which job is wrong, and what is expected.
Result<Manifest> parse_manifest(std::string_view text);
// One job a line. parse_manifest() reads the text again, as long as the limits are kept. Throws Error{usage} if a
// path is not UTF-8.
std::string manifest_text(const Manifest& manifest);

// Throws Error{input} if the file cannot be read, Error{usage} if it is not a manifest.
Manifest read_manifest(const std::string& path);
// The file appears complete or not at all. Throws NameTaken if it exists and `replace` is false; Error{failed}.
void write_manifest(const std::string& path, const Manifest& manifest, bool replace);

// Every count-th item, beginning with number `number`, in order, so that the shares of neighbouring jobs, which often
// take equally long, are equally large. Few items may leave a share empty.
template <typename Item>
std::vector<Item> items_of_share(const std::vector<Item>& items, const Share& share) {
  std::vector<Item> taken;
  for (auto i = static_cast<size_t>(share.number - 1); i < items.size(); i += static_cast<size_t>(share.count))
    taken.push_back(items[i]);
  return taken;
}

// Whether a job with this id belongs to `share` (0 to 1) of all: the same jobs on every machine, and with a larger
// share these and others.
bool is_in_share(std::string_view id, double share);

// Whether the text is an id: 64 lower-case hex digits.
bool is_job_id(std::string_view text);

}  // namespace texcast::farm
