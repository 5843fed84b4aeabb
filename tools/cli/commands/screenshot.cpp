#include "screenshot.h"

#include <fmt/core.h>

#include <filesystem>

#include "media/picture_writer.h"

namespace texcast::cli {
namespace {

std::string free_name() {
  std::error_code ignored;
  for (int i = 1;; ++i) {
    std::string name = fmt::format("texcast-{}.png", i);
    if (!std::filesystem::exists(name, ignored)) return name;
  }
}

}  // namespace

std::string Screenshots::save(const player::ShownPicture& picture) {
  const std::string path = path_.empty() ? free_name() : path_;
  try {
    const auto writer = media::make_picture_writer(path, picture.width, picture.height, 1);
    writer->write({.width = picture.width, .height = picture.height, .pixels = picture.pixels}, nanoseconds{});
    writer->finish();
    failure_.reset();
    return "saved " + path;
  } catch (const Error& error) {
    if (!path_.empty()) failure_ = error;
    return error.what();
  }
}

}  // namespace texcast::cli
