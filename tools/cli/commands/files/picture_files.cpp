#include "files/picture_files.h"

#include <fmt/core.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "media/files.h"
#include "media/new_file.h"
#include "texcast/error.h"

namespace texcast::cli {
namespace {

namespace fs = std::filesystem;

// Extensions of pictures that FFmpeg reads. The other files of a folder are ignored.
constexpr std::array<std::string_view, 26> kPictureExtensions = {
    ".avif", ".bmp", ".cin", ".dpx", ".exr", ".hdr", ".heic", ".j2k", ".jp2", ".jpeg", ".jpg", ".jxl",  ".pam",
    ".pbm",  ".pcx", ".pfm", ".pgm", ".png", ".ppm", ".psd",  ".qoi", ".sgi", ".tga",  ".tif", ".tiff", ".webp"};

std::vector<fs::path> pictures_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error))
    if (std::error_code ignored; entry->is_regular_file(ignored) && is_picture_name(entry->path().string()))
      found.push_back(entry->path());
  if (error)
    throw Error(ErrorKind::input, fmt::format("cannot read folder '{}': {}", folder.string(), error.message()));
  if (found.empty()) throw Error(ErrorKind::input, fmt::format("no pictures in folder '{}'", folder.string()));
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  if (paths.empty()) throw Error(ErrorKind::input, fmt::format("no file matches '{}'", pattern));
  return paths;
}

bool is_pattern(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("*?[") != std::string::npos && !fs::exists(word, ignored);
}

// Appends what one path means: itself, or the pictures of a folder.
void add(std::vector<PictureFile>& list, const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    if (!fs::exists(path, ignored)) throw Error(ErrorKind::input, fmt::format("'{}' does not exist", path.string()));
    list.push_back({.input = path, .below = path.filename(), .output = {}});
    return;
  }
  for (const fs::path& picture : pictures_below(path))
    list.push_back({.input = picture, .below = picture.lexically_relative(path), .output = {}});
}

// Nothing is written before this has been checked.
void check_distinct(const std::vector<PictureFile>& files) {
  std::map<std::string, std::string> writers;
  for (const PictureFile& file : files) {
    const auto [before, is_new] = writers.emplace(fs::path(file.output).lexically_normal(), file.input);
    if (!is_new)
      throw Error(ErrorKind::usage, fmt::format("'{}' and '{}' would both become '{}'; rename one, or encode them to "
                                                "different folders",
                                                before->second, file.input, file.output));
  }
}

}  // namespace

bool is_picture_name(const std::string& path) {
  return std::ranges::find(kPictureExtensions, media::lower_extension(path)) != kPictureExtensions.end();
}

std::vector<PictureFile> pictures_to_folder(const std::vector<std::string>& words, const std::string& folder,
                                            const std::string& extension) {
  std::vector<PictureFile> all;
  for (const std::string& word : words) {
    if (!is_pattern(word)) {
      add(all, word);
      continue;
    }
    for (const fs::path& path : matches(word)) add(all, path);
  }
  std::vector<PictureFile> files;
  std::set<std::string> seen;
  for (PictureFile& file : all) {
    std::error_code ignored;
    if (!seen.insert(fs::weakly_canonical(file.input, ignored)).second) continue;
    file.output = fs::path(folder) / fs::path(file.below).replace_extension(extension);
    files.push_back(std::move(file));
  }
  check_distinct(files);
  return files;
}

std::vector<PictureFile> numbered_pictures(const std::string& input, const std::string& output,
                                           std::optional<int64_t> limit) {
  std::error_code ignored;
  std::vector<PictureFile> files;
  if (!media::numbered_name(output, 0) || fs::exists(input, ignored)) return files;
  for (const int64_t number : media::existing_numbers(input)) {
    if (limit && static_cast<int64_t>(files.size()) == *limit) break;
    const std::string path = media::numbered_name(input, number).value_or("");
    files.push_back({.input = path,
                     .below = fs::path(path).filename(),
                     .output = media::numbered_name(output, number).value_or("")});
  }
  return files;
}

}  // namespace texcast::cli
