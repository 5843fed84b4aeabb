// Readers and writers of texture files.
#include <memory>
#include <mutex>
#include <string>

#include "conversions.h"
#include "texcast/c/file.h"
#include "texcast/file_reader.h"
#include "texcast/file_writer.h"

struct texcast_reader {
  explicit texcast_reader(const char* path) : reader(path) {}

  std::mutex mutex{};  // held by every call
  texcast::FileReader reader;
};

struct texcast_writer {
  explicit texcast_writer(const texcast::FileWriterSettings& settings) : writer(settings) {}

  std::mutex mutex{};  // held by every call
  texcast::FileWriter writer;
  std::string path{};  // of the finished file
};

namespace texcast::c {

namespace {

texcast_file_info c_info(const FileInfo& info) {
  static_assert(static_cast<int>(FileCoding::compact) == TEXCAST_CODING_COMPACT);
  return {.struct_size = sizeof(texcast_file_info),
          .container = info.container.c_str(),
          .codec_name = info.codec_name.c_str(),
          .fps = info.fps,
          .duration_ns = info.duration ? info.duration->count() : -1,
          .frame_count = info.frame_count.value_or(-1),
          .file_bytes = info.file_bytes,
          .coding = static_cast<texcast_file_coding>(info.coding),
          .levels = info.levels,
          .layers = info.layers,
          .faces = info.faces};
}

FileWriterSettings writer_settings(const char* path, const texcast_texture* like,
                                   const texcast_writer_settings* settings) {
  static_assert(static_cast<int>(IfExists::overwrite) == TEXCAST_IF_EXISTS_OVERWRITE);
  static_assert(static_cast<int>(IfExists::number) == TEXCAST_IF_EXISTS_NUMBER);
  const auto given = optional_input(settings, "texcast_writer_settings");
  FileWriterSettings result{.path = &required(path, "path"), .texture = texture_desc(input(like, "like"))};
  if (given.fps != 0) result.fps = given.fps;
  if (given.has_crf) result.crf = given.crf;
  result.most_bytes = given.most_bytes;
  result.coding = enumerator<FileCoding>(given.coding, 2, "coding");
  result.quality = quality(given.search);
  result.transform = transform(given.transform);
  result.if_exists = enumerator<IfExists>(given.if_exists, 3, "if_exists");
  result.snappy = result.zstd = !given.no_compression;
  return result;
}

}  // namespace

}  // namespace texcast::c

using namespace texcast;
using namespace texcast::c;

texcast_status texcast_reader_open(const char* path, texcast_reader** reader, texcast_error* error) {
  return guarded(error, [&] {
    texcast_reader*& out = handle_out(reader, "reader");
    out = new texcast_reader(&required(path, "path"));
    return TEXCAST_OK;
  });
}

texcast_status texcast_reader_get_info(texcast_reader* reader, texcast_file_info* info, texcast_error* error) {
  return guarded(error, [&] {
    texcast_reader& self = required(reader, "reader");
    const Output out(info, "texcast_file_info");
    const std::lock_guard lock(self.mutex);
    out.set(c_info(self.reader.info()));
    return TEXCAST_OK;
  });
}

texcast_status texcast_reader_get_texture(texcast_reader* reader, texcast_texture* texture, texcast_error* error) {
  return guarded(error, [&] {
    texcast_reader& self = required(reader, "reader");
    const Output out(texture, "texture");
    const std::lock_guard lock(self.mutex);
    out.set(c_texture(self.reader.info().texture));
    return TEXCAST_OK;
  });
}

texcast_status texcast_reader_next(texcast_reader* reader, texcast_texture* texture, texcast_error* error) {
  return guarded(error, [&] {
    texcast_reader& self = required(reader, "reader");
    const Output out(texture, "texture");
    const std::lock_guard lock(self.mutex);
    const auto frame = self.reader.next();
    if (!frame) return TEXCAST_END;
    out.set(c_texture(frame->texture, frame->pts));
    return TEXCAST_OK;
  });
}

texcast_status texcast_reader_seek(texcast_reader* reader, int64_t pts_ns, texcast_error* error) {
  return guarded(error, [&] {
    texcast_reader& self = required(reader, "reader");
    const std::lock_guard lock(self.mutex);
    self.reader.seek(nanoseconds(pts_ns));
    return TEXCAST_OK;
  });
}

texcast_status texcast_reader_seek_to_frame(texcast_reader* reader, int64_t number, texcast_error* error) {
  return guarded(error, [&] {
    texcast_reader& self = required(reader, "reader");
    const std::lock_guard lock(self.mutex);
    self.reader.seek_to_frame(number);
    return TEXCAST_OK;
  });
}

void texcast_reader_close(texcast_reader* reader) { delete reader; }

texcast_status texcast_writer_open(const char* path, const texcast_texture* like,
                                   const texcast_writer_settings* settings, texcast_writer** writer,
                                   texcast_error* error) {
  return guarded(error, [&] {
    texcast_writer*& out = handle_out(writer, "writer");
    out = new texcast_writer(writer_settings(path, like, settings));
    return TEXCAST_OK;
  });
}

texcast_status texcast_writer_write(texcast_writer* writer, const texcast_texture* texture, texcast_error* error) {
  return guarded(error, [&] {
    texcast_writer& self = required(writer, "writer");
    const texcast_texture given = input(texture, "texture");
    const TextureView view = texture_view(given);
    const std::lock_guard lock(self.mutex);
    self.writer.write(view, nanoseconds(given.pts_ns));
    return TEXCAST_OK;
  });
}

texcast_status texcast_writer_finish(texcast_writer* writer, texcast_file_report* report, texcast_error* error) {
  return guarded(error, [&] {
    texcast_writer& self = required(writer, "writer");
    texcast_file_report unused{.struct_size = sizeof(texcast_file_report), .frames = 0, .bytes = 0, .path = nullptr};
    const Output out(report ? report : &unused, "texcast_file_report");
    const std::lock_guard lock(self.mutex);
    const FileReport done = self.writer.finish();
    if (!done.files.empty()) self.path = done.files.front();
    out.set({.struct_size = sizeof(texcast_file_report),
             .frames = done.frames,
             .bytes = done.bytes,
             .path = self.path.c_str()});
    return TEXCAST_OK;
  });
}

void texcast_writer_close(texcast_writer* writer) { delete writer; }
