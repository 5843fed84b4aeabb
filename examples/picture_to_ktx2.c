// picture_to_ktx2.c — encodes one picture to a .ktx2, in C11:
//     picture_to_ktx2 WIDTH HEIGHT FILE.ktx2 [FORMAT [DEVICE]] < picture.rgba
#include <stdio.h>
#include <stdlib.h>
#include <texcast/c/texcast.h>

// Encodes the frame, and writes the texture. On an error, `error` has the message.
static texcast_status write_texture(const texcast_frame* frame, const texcast_encoder_settings* settings,
                                    const char* path, texcast_error* error) {
  texcast_encoder* encoder = NULL;
  texcast_writer* writer = NULL;
  texcast_texture texture = {.struct_size = sizeof texture};
  const texcast_writer_settings how = {.struct_size = sizeof how, .if_exists = TEXCAST_IF_EXISTS_OVERWRITE};
  texcast_status status = texcast_encoder_create(frame, settings, &encoder, error);
  if (status == TEXCAST_OK) status = texcast_encoder_submit(encoder, frame, error);
  if (status == TEXCAST_OK) status = texcast_encoder_next(encoder, &texture, error);
  if (status == TEXCAST_OK) status = texcast_writer_open(path, &texture, &how, &writer, error);
  if (status == TEXCAST_OK) status = texcast_writer_write(writer, &texture, error);
  if (status == TEXCAST_OK) status = texcast_writer_finish(writer, NULL, error);
  if (status == TEXCAST_OK)
    printf("%s: %zu bytes of %s, encoded on %s\n", path, texture.bytes, texcast_format_name(texture.format),
           texcast_encoder_device_name(encoder));
  texcast_writer_close(writer);
  texcast_encoder_destroy(encoder);
  return status;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "picture_to_ktx2: give WIDTH HEIGHT FILE.ktx2 [FORMAT [DEVICE]], and pixels to standard input\n");
    return TEXCAST_USAGE;
  }
  const texcast_encoder_settings settings = {
      .struct_size = sizeof settings,
      .format = argc > 4 ? texcast_format_from_name(argv[4]) : TEXCAST_FORMAT_BC7,
      .device = argc > 5 ? argv[5] : NULL,
  };
  texcast_frame frame = {
      .struct_size = sizeof frame,
      .pixel_format = TEXCAST_PIXELS_RGBA,
      .width = (int32_t)strtol(argv[1], NULL, 10),
      .height = (int32_t)strtol(argv[2], NULL, 10),
  };
  const size_t row = texcast_frame_row_bytes(frame.pixel_format, frame.width, frame.height, 0);
  const size_t bytes = row * (size_t)(frame.height > 0 ? frame.height : 0);
  void* pixels = calloc(bytes > 0 ? bytes : 1, 1);
  if (!pixels || fread(pixels, 1, bytes, stdin) != bytes) {
    fprintf(stderr, "picture_to_ktx2: standard input has less than %zu bytes\n", bytes);
    free(pixels);
    return TEXCAST_INPUT;
  }
  frame.plane[0] = pixels;
  frame.stride[0] = (ptrdiff_t)row;
  texcast_error error = TEXCAST_ERROR_INIT;
  const texcast_status status = write_texture(&frame, &settings, argv[3], &error);
  if (status > 0) fprintf(stderr, "picture_to_ktx2: %s\n", error.message);
  free(pixels);
  return status;
}
