// file.h — reads and writes textures in .mov, .mkv, .dds, .ktx2 and .astc, without decoding or encoding them.
#pragma once

#include "texcast/c/encoder.h"
#include "texcast/c/sender.h"
#include "texcast/c/status.h"
#include "texcast/c/texture.h"

TEXCAST_C_BEGIN

typedef enum texcast_file_coding {
  TEXCAST_CODING_PLAIN = 0,    // each frame by itself: Hap, or the raw bytes
  TEXCAST_CODING_COMPACT = 1,  // only what changed since the previous frame; .mkv only
  TEXCAST_CODING_MAX_ENUM = 0x7FFFFFFF
} texcast_file_coding;

typedef enum texcast_if_exists {
  TEXCAST_IF_EXISTS_REFUSE = 0,  // TEXCAST_NAME_TAKEN, and nothing is written
  TEXCAST_IF_EXISTS_OVERWRITE = 1,
  TEXCAST_IF_EXISTS_NUMBER = 2,  // the next free name: show-2.mov
  TEXCAST_IF_EXISTS_MAX_ENUM = 0x7FFFFFFF
} texcast_if_exists;

// Strings belong to the reader.
typedef struct texcast_file_info {
  size_t struct_size;
  const char* container;   // "mov", "matroska", "dds", "ktx2", "astc"
  const char* codec_name;  // "Hap", "YCoCg-BC4 4:2:0", "compact"
  double fps;              // nominal frames per second; 0: not known
  int64_t duration_ns;     // -1: not known
  int64_t frame_count;     // -1: not known
  int64_t file_bytes;      // of all files of a sequence
  texcast_file_coding coding;
  int32_t levels;  // .dds and .ktx2: mip levels, layers and faces; frames are the first image
  int32_t layers;
  int32_t faces;
} texcast_file_info;

// Any thread may call; calls on one reader wait for each other.
typedef struct texcast_reader texcast_reader;

// A .dds, .ktx2 or .astc may be a sequence of files: a path with one %d or %0Nd in it. TEXCAST_INPUT: there is no such
// file, or it has other contents. TEXCAST_CORRUPT: its header is inconsistent. `*reader` is the caller's, who closes
// it; NULL on error.
TEXCAST_C_API texcast_status texcast_reader_open(const char* path, texcast_reader** reader, texcast_error* error);
TEXCAST_C_API texcast_status texcast_reader_get_info(texcast_reader* reader, texcast_file_info* info,
                                                     texcast_error* error);
// The description of every frame.
TEXCAST_C_API texcast_status texcast_reader_get_texture(texcast_reader* reader, texcast_texture* texture,
                                                        texcast_error* error);
// The next frame, with its time since the first one. `texture->blocks` belongs to the reader, and is valid until the
// next call of texcast_reader_next() or the reader's end. TEXCAST_END after the last one. TEXCAST_CORRUPT: this frame
// is damaged; the next call goes on after it.
TEXCAST_C_API texcast_status texcast_reader_next(texcast_reader* reader, texcast_texture* texture,
                                                 texcast_error* error);
// The next frame will be the last one at or before `pts_ns`, or the first one if there is none.
TEXCAST_C_API texcast_status texcast_reader_seek(texcast_reader* reader, int64_t pts_ns, texcast_error* error);
// The next frame will be the one with this number, from 0; the last one if there are not so many.
TEXCAST_C_API texcast_status texcast_reader_seek_to_frame(texcast_reader* reader, int64_t number, texcast_error* error);
TEXCAST_C_API void texcast_reader_close(texcast_reader* reader);  // NULL: nothing happens. No call may be running

typedef struct texcast_writer_settings {
  size_t struct_size;
  double fps;          // nominal; 0: 60
  double crf;          // with has_crf and TEXCAST_CODING_COMPACT: lossy, from 0, the best, to 51; usually 23
  int64_t most_bytes;  // limit of the file; 0: none
  texcast_file_coding coding;
  int32_t has_crf;              // not 0: `crf` counts
  texcast_quality search;       // with a crf: the search effort for each block
  texcast_transform transform;  // with a crf
  texcast_if_exists if_exists;
  int32_t no_compression;  // not 0: plain blocks are stored without Snappy (.mov, .mkv) or Zstandard (.ktx2)
} texcast_writer_settings;

typedef struct texcast_file_report {
  size_t struct_size;
  int64_t frames;
  int64_t bytes;
  const char* path;  // of the file, which may have another number than asked for; empty without frames. The writer's
} texcast_file_report;

// Any thread may call; calls on one writer wait for each other.
typedef struct texcast_writer texcast_writer;

// The extension of `path` chooses the container; a .dds, .ktx2 or .astc is one image, or a sequence with %05d in its
// name. `like` is the description of every texture, upright. `settings` may be NULL: the defaults. Files are created by
// the first texcast_writer_write(). TEXCAST_USAGE if the container cannot hold the format; TEXCAST_NAME_TAKEN;
// TEXCAST_MISUSE for values out of range. `*writer` is the caller's, who closes it; NULL on error.
TEXCAST_C_API texcast_status texcast_writer_open(const char* path, const texcast_texture* like,
                                                 const texcast_writer_settings* settings, texcast_writer** writer,
                                                 texcast_error* error);
// `pts_ns` rises from frame to frame; the first frame is time 0 of the file. TEXCAST_FILE_FULL; TEXCAST_FAILED with the
// system's reason; TEXCAST_USAGE for a second image in a file that holds one. After an error other than TEXCAST_MISUSE,
// nothing more can be written.
TEXCAST_C_API texcast_status texcast_writer_write(texcast_writer* writer, const texcast_texture* texture,
                                                  texcast_error* error);
// Completes the file. `report` may be NULL. May be called again, and then returns the same.
TEXCAST_C_API texcast_status texcast_writer_finish(texcast_writer* writer, texcast_file_report* report,
                                                   texcast_error* error);
// Completes the file if that was not done; errors go to the log. NULL: nothing happens. No call may be running.
TEXCAST_C_API void texcast_writer_close(texcast_writer* writer);

TEXCAST_C_END
