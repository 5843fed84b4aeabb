// Readers and writers of the C interface, and every error that they report.
#include <fstream>

#include "call.h"
#include "temporary_folder.h"

using namespace texcast::test;

namespace {

constexpr int64_t kFrameNs = 20'000'000;

struct Files {
  ~Files() {
    texcast_reader_close(reader);
    texcast_writer_close(writer);
  }
  void write(const std::string& path, int frames, texcast_writer_settings settings = made<texcast_writer_settings>()) {
    const auto first = blocks_of(0);
    const auto like = texture_of(first);
    call.done(texcast_writer_open(path.c_str(), &like, &settings, &writer, call.error()));
    REQUIRE(writer != nullptr);
    for (int n = 0; n < frames; ++n) {
      const auto blocks = blocks_of(n);
      const auto texture = texture_of(blocks, n * kFrameNs);
      call.done(texcast_writer_write(writer, &texture, call.error()));
    }
    auto report = made<texcast_file_report>();
    call.done(texcast_writer_finish(writer, &report, call.error()));
    CHECK(report.frames == frames);
    CHECK(report.path == path);
    call.done(texcast_writer_finish(writer, nullptr, call.error()));
    texcast_writer_close(std::exchange(writer, nullptr));
  }
  // The next frame has these blocks and this time.
  void check_next(int n) {
    auto texture = made<texcast_texture>();
    call.done(texcast_reader_next(reader, &texture, call.error()));
    const auto blocks = blocks_of(n);
    REQUIRE(texture.bytes == blocks.size());
    CHECK(std::memcmp(texture.blocks, blocks.data(), blocks.size()) == 0);
    CHECK(texture.pts_ns == n * kFrameNs);
  }
  TemporaryFolder folder{};
  Call call{};
  texcast_reader* reader = nullptr;
  texcast_writer* writer = nullptr;
};

}  // namespace

TEST_CASE_FIXTURE(Files, "textures are written to a recording, and read from it") {
  for (const texcast_file_coding coding : {TEXCAST_CODING_PLAIN, TEXCAST_CODING_COMPACT}) {
    const std::string path = folder / (coding == TEXCAST_CODING_PLAIN ? "show.mov" : "show.mkv");
    CAPTURE(path);
    auto settings = made<texcast_writer_settings>();
    settings.fps = 50;
    settings.coding = coding;
    write(path, 5, settings);
    call.done(texcast_reader_open(path.c_str(), &reader, call.error()));
    REQUIRE(reader != nullptr);
    auto info = made<texcast_file_info>();
    call.done(texcast_reader_get_info(reader, &info, call.error()));
    CHECK(std::string(info.container) == (coding == TEXCAST_CODING_PLAIN ? "mov" : "matroska"));
    CHECK(info.coding == coding);
    CHECK(info.fps == doctest::Approx(50));
    auto described = made<texcast_texture>();
    call.done(texcast_reader_get_texture(reader, &described, call.error()));
    CHECK(described.format == TEXCAST_FORMAT_BC1);
    CHECK(described.blocks == nullptr);
    for (int n = 0; n < 5; ++n) check_next(n);
    auto texture = made<texcast_texture>();
    call.gives(TEXCAST_END, texcast_reader_next(reader, &texture, call.error()));
    call.done(texcast_reader_seek(reader, 2 * kFrameNs, call.error()));
    check_next(2);
    call.done(texcast_reader_seek_to_frame(reader, 1, call.error()));
    check_next(1);
    texcast_reader_close(std::exchange(reader, nullptr));
  }
}

TEST_CASE_FIXTURE(Files, "a KTX2 file holds one image") {
  const std::string path = folder / "picture.ktx2";
  write(path, 1);
  call.done(texcast_reader_open(path.c_str(), &reader, call.error()));
  check_next(0);
  const auto blocks = blocks_of(0);
  const auto texture = texture_of(blocks);
  call.done(texcast_writer_open((folder / "two.ktx2").c_str(), &texture, nullptr, &writer, call.error()));
  call.done(texcast_writer_write(writer, &texture, call.error()));
  const auto later = texture_of(blocks, kFrameNs);
  call.gives(TEXCAST_USAGE, texcast_writer_write(writer, &later, call.error()));
}

TEST_CASE_FIXTURE(Files, "a file that exists is refused, overwritten or numbered") {
  const std::string path = folder / "show.mov";
  write(path, 2);
  const auto blocks = blocks_of(0);
  const auto texture = texture_of(blocks);
  call.fails(TEXCAST_NAME_TAKEN, "show.mov",
             texcast_writer_open(path.c_str(), &texture, nullptr, &writer, call.error()));
  CHECK(writer == nullptr);
  auto settings = made<texcast_writer_settings>();
  settings.if_exists = TEXCAST_IF_EXISTS_OVERWRITE;
  write(path, 3, settings);
  settings.if_exists = TEXCAST_IF_EXISTS_NUMBER;
  call.done(texcast_writer_open(path.c_str(), &texture, &settings, &writer, call.error()));
  call.done(texcast_writer_write(writer, &texture, call.error()));
  auto report = made<texcast_file_report>();
  call.done(texcast_writer_finish(writer, &report, call.error()));
  CHECK(report.path == folder / "show-2.mov");
}

TEST_CASE_FIXTURE(Files, "a limit of bytes ends a file, which is complete") {
  const auto blocks = blocks_of(0);
  auto settings = made<texcast_writer_settings>();
  settings.most_bytes = 1;
  auto texture = texture_of(blocks);
  call.done(texcast_writer_open((folder / "full.mov").c_str(), &texture, &settings, &writer, call.error()));
  texcast_status status = TEXCAST_OK;
  for (int n = 0; n < 10 && status == TEXCAST_OK; ++n) {
    texture.pts_ns = n * kFrameNs;
    status = texcast_writer_write(writer, &texture, call.error());
  }
  call.gives(TEXCAST_FILE_FULL, status);
  auto report = made<texcast_file_report>();
  call.done(texcast_writer_finish(writer, &report, call.error()));
  CHECK(report.frames >= 1);
}

TEST_CASE_FIXTURE(Files, "files that cannot be read say why, and give no reader") {
  std::ofstream(folder / "text.dds") << "no texture";
  const auto open = [&](const std::string& path) {
    reader = reinterpret_cast<texcast_reader*>(&call);
    return texcast_reader_open(path.c_str(), &reader, call.error());
  };
  call.fails(TEXCAST_INPUT, "none.mov", open(folder / "none.mov"));
  CHECK(reader == nullptr);
  call.fails(TEXCAST_INPUT, "text.dds", open(folder / "text.dds"));
  CHECK(reader == nullptr);
  call.is_misuse("", open(""));
  CHECK(reader == nullptr);
  call.is_misuse("path is NULL", texcast_reader_open(nullptr, &reader, call.error()));
  call.is_misuse("reader is NULL", texcast_reader_open("x.mov", nullptr, call.error()));
  auto info = made<texcast_file_info>();
  auto texture = made<texcast_texture>();
  call.is_misuse("reader is NULL", texcast_reader_get_info(nullptr, &info, call.error()));
  call.is_misuse("reader is NULL", texcast_reader_get_texture(nullptr, &texture, call.error()));
  call.is_misuse("reader is NULL", texcast_reader_next(nullptr, &texture, call.error()));
  call.is_misuse("reader is NULL", texcast_reader_seek(nullptr, 0, call.error()));
  call.is_misuse("reader is NULL", texcast_reader_seek_to_frame(nullptr, 0, call.error()));
}

TEST_CASE_FIXTURE(Files, "a damaged frame is an error, and the next call goes on after it") {
  const std::string path = folder / "show.mov";
  auto settings = made<texcast_writer_settings>();
  settings.no_compression = 1;
  write(path, 3, settings);
  // The type of the second frame's section: its bytes are the blocks behind a header of four bytes.
  std::string bytes((std::istreambuf_iterator<char>(*std::make_unique<std::ifstream>(path))), {});
  const auto second = blocks_of(1);
  const size_t at = bytes.find(std::string(second.begin(), second.end()));
  REQUIRE(at != std::string::npos);
  bytes[at - 1] = 0x7F;
  std::ofstream(path, std::ios::binary) << bytes;
  call.done(texcast_reader_open(path.c_str(), &reader, call.error()));
  check_next(0);
  auto texture = made<texcast_texture>();
  call.gives(TEXCAST_CORRUPT, texcast_reader_next(reader, &texture, call.error()));
  check_next(2);
}

TEST_CASE_FIXTURE(Files, "files that cannot be written say why, and give no writer") {
  const auto blocks = blocks_of(0);
  const auto texture = texture_of(blocks);
  const auto with = [&](const char* name, auto change) {
    auto settings = made<texcast_writer_settings>();
    auto like = texture;
    change(settings, like);
    writer = reinterpret_cast<texcast_writer*>(&call);
    return texcast_writer_open((folder / name).c_str(), &like, &settings, &writer, call.error());
  };
  call.gives(TEXCAST_USAGE, with("show.txt", [](auto&, auto&) {}));
  call.gives(TEXCAST_USAGE, with("a.astc", [](auto&, auto&) {}));
  call.gives(TEXCAST_USAGE, with("show.mov", [](auto&, auto& t) { t.orientation = 6; }));
  call.is_misuse("no texture format", with("show.mov", [](auto&, auto& t) { t.format = TEXCAST_FORMAT_NONE; }));
  call.is_misuse("", with("show.mov", [](auto& s, auto&) { s.fps = -1; }));
  call.is_misuse("coding", with("show.mkv", [](auto& s, auto&) { s.coding = static_cast<texcast_file_coding>(2); }));
  call.is_misuse("if_exists", with("a.mov", [](auto& s, auto&) { s.if_exists = static_cast<texcast_if_exists>(3); }));
  call.is_misuse(
      "", with("show.mkv", [](auto& s, auto&) { s.coding = TEXCAST_CODING_COMPACT, s.has_crf = 1, s.crf = 60; }));
  call.is_misuse("", with("show.mov", [](auto& s, auto&) { s.most_bytes = -1; }));
  CHECK(writer == nullptr);
  call.is_misuse("path is NULL", texcast_writer_open(nullptr, &texture, nullptr, &writer, call.error()));
  call.is_misuse("like is NULL", texcast_writer_open("x.mov", nullptr, nullptr, &writer, call.error()));
  call.is_misuse("writer is NULL", texcast_writer_open("x.mov", &texture, nullptr, nullptr, call.error()));
  call.is_misuse("writer is NULL", texcast_writer_write(nullptr, &texture, call.error()));
  call.is_misuse("writer is NULL", texcast_writer_finish(nullptr, nullptr, call.error()));
  call.done(texcast_writer_open((folder / "show.mov").c_str(), &texture, nullptr, &writer, call.error()));
  call.is_misuse("texture is NULL", texcast_writer_write(writer, nullptr, call.error()));
  auto other = texture;
  other.width = 12;
  other.bytes = texcast_texture_bytes(TEXCAST_FORMAT_BC1, 12, 64);
  call.is_misuse("", texcast_writer_write(writer, &other, call.error()));
  call.done(texcast_writer_write(writer, &texture, call.error()));
  call.is_misuse("", texcast_writer_write(writer, &texture, call.error()));  // the time does not rise
  auto report = made<texcast_file_report>();
  report.struct_size = 8;
  call.is_misuse("struct_size", texcast_writer_finish(writer, &report, call.error()));
}
