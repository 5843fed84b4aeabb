#include "media/whole_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace texcast::media {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(ErrorKind::failed, fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

struct FileClose {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

void write_whole_file(const std::string& path, std::initializer_list<Bytes> pieces) {
  std::unique_ptr<std::FILE, FileClose> file(std::fopen(path.c_str(), "wb"));
  if (!file) fail(path, errno);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);  // a few writes of whole spans: a buffer would only copy them
  for (const Bytes piece : pieces)
    if (std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) fail(path, errno);
  if (std::fclose(file.release()) != 0) fail(path, errno);
}

}  // namespace texcast::media
