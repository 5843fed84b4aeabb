#include "farm/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "texcast/error.h"

namespace texcast::farm {
namespace {

using json = nlohmann::ordered_json;  // keeps the order of members

constexpr const char* kFormat = "texcast-manifest";
constexpr int kFormatVersion = 1;
constexpr int kDeepest = 8;  // levels of a document; it has 4 of its own
constexpr size_t kIdDigits = 64;

// Thrown only inside parse_manifest(), which catches it.
struct Wrong {
  std::string what;
};
[[noreturn]] void refuse(std::string what) { throw Wrong{std::move(what)}; }

json parsed(std::string_view text) {
  const auto not_too_deep = [](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest) refuse("it is nested too deeply for a manifest");
    return true;
  };
  json document = json::parse(text.begin(), text.end(), not_too_deep, false);
  if (document.is_discarded())
    refuse("it is not JSON: write it with `texcast encode INPUT… OUTPUT --manifest FILE`, or check commas and quotes");
  return document;
}

// A path or word: no NUL, and not endless.
std::string text_of(const json& value, const std::string& name) {
  if (!value.is_string()) refuse(fmt::format("{} is not a string", name));
  auto text = value.get<std::string>();
  if (text.size() > kLongestText) refuse(fmt::format("{} is longer than {} bytes", name, kLongestText));
  if (text.find('\0') != std::string::npos) refuse(fmt::format("{} has a NUL character", name));
  return text;
}

std::string required_text(const json& job, const char* name) {
  const auto found = job.find(name);
  if (found == job.end()) refuse(fmt::format("\"{}\" is missing", name));
  std::string text = text_of(*found, fmt::format("\"{}\"", name));
  if (text.empty()) refuse(fmt::format("\"{}\" is empty", name));
  return text;
}

std::vector<std::string> options_of(const json& job) {
  std::vector<std::string> words;
  const auto found = job.find("options");
  if (found == job.end()) return words;
  if (!found->is_array()) refuse(R"("options" is not a list: give words, as ["--format", "bc7"])");
  if (found->size() > kMostOptions) refuse(fmt::format("\"options\" has more than {} words", kMostOptions));
  for (const json& word : *found) words.push_back(text_of(word, "a word of \"options\""));
  return words;
}

std::optional<Share> part_of(const json& job) {
  const auto found = job.find("part");
  if (found == job.end()) return std::nullopt;
  const auto part = share_of_text(text_of(*found, "\"part\""));
  if (!part) refuse(fmt::format("\"part\" is not K/N with K from 1 to N, and N up to {}, as \"2/8\"", kMostShares));
  return part;
}

std::string id_of(const json& job) {
  const auto found = job.find("id");
  if (found == job.end()) return "";
  std::string id = text_of(*found, "\"id\"");
  if (!is_job_id(id)) refuse(fmt::format("\"id\" is not {} lower-case hex digits", kIdDigits));
  return id;
}

// Seconds since 1970 with nine decimals.
std::string changed_text(const KnownFile& file) { return fmt::format("{}.{:09}", file.changed_s, file.changed_ns); }

void set_changed(KnownFile& file, std::string_view text) {
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, file.changed_s);
  if (error != std::errc() || end - dot != 10 || *dot != '.') refuse(R"("changed" is not seconds with nine decimals)");
  const auto [last, wrong] = std::from_chars(dot + 1, end, file.changed_ns);
  if (wrong != std::errc() || last != end || file.changed_ns < 0)
    refuse(R"("changed" is not seconds with nine decimals)");
}

std::optional<KnownFile> file_of(const json& job) {
  const auto found = job.find("file");
  if (found == job.end()) return std::nullopt;
  if (!found->is_object()) refuse("\"file\" is not an object");
  KnownFile file{.hash = required_text(*found, "sha256")};
  if (!is_job_id(file.hash)) refuse(fmt::format("\"sha256\" is not {} lower-case hex digits", kIdDigits));
  const auto bytes = found->find("bytes");
  if (bytes == found->end() || !bytes->is_number_integer() || *bytes < 0) refuse("\"bytes\" is not a number of bytes");
  file.bytes = bytes->get<int64_t>();
  set_changed(file, required_text(*found, "changed"));
  return file;
}

bool verify_of(const json& job) {
  const auto found = job.find("verify");
  if (found == job.end()) return false;
  if (!found->is_boolean()) refuse("\"verify\" is neither true nor false");
  return found->get<bool>();
}

ManifestJob job_of(const json& job) {
  if (!job.is_object()) refuse("it is not an object");
  return {.input = required_text(job, "input"),
          .output = required_text(job, "output"),
          .options = options_of(job),
          .part = part_of(job),
          .id = id_of(job),
          .file = file_of(job),
          .verify = verify_of(job)};
}

void check_format(const json& document) {
  const auto format = document.is_object() ? document.find(kFormat) : document.end();
  if (format == document.end())
    refuse(fmt::format("it is no list of jobs: \"{}\": {} is missing", kFormat, kFormatVersion));
  if (!format->is_number_integer()) refuse(fmt::format("\"{}\" is not a number", kFormat));
  if (*format != kFormatVersion)
    refuse(fmt::format("it has version {} of the format, and this program reads version {}: update texcast",
                       format->dump(), kFormatVersion));
}

std::vector<ManifestJob> jobs_of(const json& document) {
  const auto list = document.find("jobs");
  if (list == document.end() || !list->is_array()) refuse("\"jobs\" is not a list");
  if (list->size() > kMostJobs) refuse(fmt::format("it has more than {} jobs: split it", kMostJobs));
  std::vector<ManifestJob> jobs;
  for (const json& job : *list) try {
      jobs.push_back(job_of(job));
    } catch (const Wrong& wrong) {
      refuse(fmt::format("job {}: {}", jobs.size() + 1, wrong.what));
    }
  return jobs;
}

json json_of(const ManifestJob& job) {
  json made = {{"input", job.input}, {"output", job.output}, {"options", job.options}};
  if (job.part) made["part"] = share_text(*job.part);
  if (!job.id.empty()) made["id"] = job.id;
  if (job.file)
    made["file"] = {{"sha256", job.file->hash}, {"bytes", job.file->bytes}, {"changed", changed_text(*job.file)}};
  if (job.verify) made["verify"] = true;
  return made;
}

// A name that is not UTF-8 cannot be in JSON.
std::string dumped(const json& value, const std::string& name) {
  try {
    return value.dump(-1, ' ', false, json::error_handler_t::strict);
  } catch (const json::exception&) {
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}' and its options cannot be in a manifest, as they are not UTF-8: rename the file", name));
  }
}

}  // namespace

std::string share_text(const Share& share) { return fmt::format("{}/{}", share.number, share.count); }

std::optional<Share> share_of_text(std::string_view text) {
  Share share;
  const char* const end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, share.number);
  if (error != std::errc() || slash == end || *slash != '/') return std::nullopt;
  const auto [rest, code] = std::from_chars(slash + 1, end, share.count);
  if (code != std::errc() || rest != end) return std::nullopt;
  if (share.number < 1 || share.number > share.count || share.count > kMostShares) return std::nullopt;
  return share;
}

bool is_job_id(std::string_view text) {
  return text.size() == kIdDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_in_share(std::string_view id, double share) {
  constexpr size_t kDigits = 12;
  constexpr double kAll = 0x1p48;  // values of 12 hex digits
  uint64_t value = 0;
  if (!is_job_id(id)) return false;
  std::from_chars(id.data(), id.data() + kDigits, value, 16);
  return static_cast<double>(value) < share * kAll;
}

Result<Manifest> parse_manifest(std::string_view text) {
  if (text.size() > kLargestManifest) return Failure{"it is too large for a manifest"};
  try {
    const json document = parsed(text);
    check_format(document);
    Manifest manifest;
    if (const auto version = document.find("version"); version != document.end())
      manifest.version = text_of(*version, "\"version\"");
    manifest.jobs = jobs_of(document);
    return manifest;
  } catch (const Wrong& wrong) {
    return Failure{wrong.what};
  }
}

std::string manifest_text(const Manifest& manifest) {
  std::string text = fmt::format("{{\"{}\": {}", kFormat, kFormatVersion);
  if (!manifest.version.empty()) text += fmt::format(", \"version\": {}", dumped(manifest.version, manifest.version));
  text += ", \"jobs\": [";
  for (size_t i = 0; i < manifest.jobs.size(); ++i)
    text += fmt::format("{}\n  {}", i == 0 ? "" : ",", dumped(json_of(manifest.jobs[i]), manifest.jobs[i].input));
  return text + "\n]}\n";
}

}  // namespace texcast::farm
