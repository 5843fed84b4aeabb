#include "texcast/file_reader.h"

#include <atomic>
#include <utility>

#include "base/misuse.h"
#include "formats/require_texture.h"
#include "media/clip_reader.h"
#include "media/require_path.h"
#include "texcast/error.h"

namespace texcast {
namespace {

// Never 0, which frames have that no reader made.
uint64_t next_reader() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw Error(ErrorKind::corrupt, result.error().message);
  return *std::move(result);
}

}  // namespace

class FileReader::Impl {
 public:
  explicit Impl(const std::string& path) : clip(media::open_clip(path)) {}

  const std::unique_ptr<media::ClipReader> clip;
  const uint64_t number = next_reader();
};

FileReader::FileReader(const std::string& path) {
  media::require_path(path, __func__);
  impl_ = std::make_unique<Impl>(path);
}
FileReader::~FileReader() = default;
FileReader::FileReader(FileReader&&) noexcept = default;
FileReader& FileReader::operator=(FileReader&&) noexcept = default;

FileReader::Impl& FileReader::impl() const {
  if (!impl_) misused("FileReader", "the object was moved from");
  return *impl_;
}

const FileInfo& FileReader::info() const { return impl().clip->info(); }

std::optional<FileFrame> FileReader::next() { return value_of(impl().clip->next()); }

std::optional<StoredFrame> FileReader::read_stored() {
  auto stored = value_of(impl().clip->next_stored());
  if (stored) stored->reader = impl().number;
  return stored;
}

void FileReader::unpack(const StoredFrame& stored, std::span<std::byte> blocks) const {
  const Impl& own = impl();
  REQUIRE_USE(stored.reader == own.number, "the frame was read by another reader");
  require_room(info().texture, blocks, __func__);
  const auto unpacked = own.clip->unpack(stored, blocks);
  if (!unpacked) throw Error(ErrorKind::corrupt, unpacked.error().message);
}

void FileReader::seek(nanoseconds pts) { impl().clip->seek(pts); }
void FileReader::seek_to_frame(int64_t number) { impl().clip->seek_to_frame(number); }

bool is_texture_file(const std::string& path) { return media::is_path(path) && media::is_clip(path); }

}  // namespace texcast
