#include "files/job_identity.h"

#include <fmt/core.h>

#include <filesystem>
#include <functional>
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

using HashOfFile = std::function<std::string(const std::string& path)>;

// FFmpeg also looks at the extension to find out what a file is.
void add_file(farm::ContentId& id, const std::string& path, const HashOfFile& hash) {
  id.add("input", hash(path)).add("kind", media::lower_extension(path));
}

void add_input(farm::ContentId& id, const std::string& input, const HashOfFile& hash) {
  std::error_code ignored;
  if (is_generated(input)) {
    id.add("generated", input);
    return;
  }
  if (std::filesystem::exists(input, ignored) || !media::number_pattern(input)) {
    add_file(id, input, hash);
    return;
  }
  for (const int64_t number : media::existing_numbers(input)) {
    id.add("number", fmt::format("{}", number));
    add_file(id, media::numbered_name(input, number).value_or(""), hash);
  }
}

// Names what decides the bytes of the whole output, of which the job may be a part.
farm::ContentId content_of(const EncodeOptions& o, const HashOfFile& hash) {
  farm::ContentId id;
  id.add("texcast", program_version()).add("encoders", fmt::format("{}", kEncoders));
  id.add("output", media::lower_extension(o.output));
  add_input(id, o.input.input, hash);
  for (const std::string& word : encode_words(normal_options(o))) id.add("option", word);
  return id;
}

}  // namespace

bool is_repeatable(const std::string& input) {
  std::error_code ignored;
  return is_generated(input) || std::filesystem::is_regular_file(input, ignored) ||
         (!std::filesystem::exists(input, ignored) && media::number_pattern(input));
}

std::string job_id(const EncodeOptions& o, farm::FileHashes& hashes) {
  farm::ContentId id = content_of(o, [&hashes](const std::string& path) { return hashes.hash(path); });
  if (o.part) id.add("part", fmt::format("{}/{}", o.part->number, o.part->count));
  return id.hex();
}

std::string identity_of_whole(const EncodeOptions& o) { return content_of(o, farm::sample_hash).hex(); }

}  // namespace texcast::cli
