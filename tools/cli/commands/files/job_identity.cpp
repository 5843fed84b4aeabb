#include "files/job_identity.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "cli/command_line.h"
#include "cli/encode_words.h"
#include "files/normal_options.h"
#include "media/files.h"
#include "media/new_file.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

// To be increased when an encoder gives other bytes for the same input and options within one version of texcast.
constexpr int kEncoders = 1;

bool is_generated(const std::string& input) { return input == "test" || input.starts_with("lavfi:"); }

// FFmpeg also looks at the extension to find out what a file is.
void add_file(farm::ContentId& id, const std::string& path, farm::FileHashes& hashes) {
  id.add("input", hashes.hash(path)).add("kind", media::lower_extension(path));
}

void add_input(farm::ContentId& id, const std::string& input, farm::FileHashes& hashes) {
  std::error_code ignored;
  if (is_generated(input)) {
    id.add("generated", input);
    return;
  }
  if (std::filesystem::exists(input, ignored) || !media::number_pattern(input)) {
    add_file(id, input, hashes);
    return;
  }
  for (const int64_t number : media::existing_numbers(input)) {
    id.add("number", fmt::format("{}", number));
    add_file(id, media::numbered_name(input, number).value_or(""), hashes);
  }
}

}  // namespace

bool is_repeatable(const std::string& input) {
  std::error_code ignored;
  return is_generated(input) || std::filesystem::is_regular_file(input, ignored) ||
         (!std::filesystem::exists(input, ignored) && media::number_pattern(input));
}

JobIdentity identity_of(const EncodeOptions& o, farm::FileHashes& hashes) {
  farm::ContentId id;
  id.add("texcast", program_version()).add("encoders", fmt::format("{}", kEncoders));
  id.add("output", media::lower_extension(o.output));
  add_input(id, o.input.input, hashes);
  for (const std::string& word : encode_words(normal_options(o))) id.add("option", word);
  JobIdentity identity{.whole = id.hex(), .id = {}};
  if (o.part) id.add("part", fmt::format("{}/{}", o.part->number, o.part->count));
  identity.id = id.hex();
  return identity;
}

}  // namespace texcast::cli
