// send_and_receive.c — sends frames that it draws to a receiver of its own, and compares what arrives, in C11:
//     send_and_receive [FRAMES [DEVICE [FPS]]]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <texcast/c/texcast.h>

enum { kWidth = 320, kHeight = 192 };
static const int64_t kSecond = 1000000000;

// A gray that changes from frame to frame.
static unsigned char gray_of(int n) { return (unsigned char)(n * 24 % 256); }

// Decodes a texture, and says whether it shows the gray of frame n. 5-6-5 bits come within four of it.
static int shows_frame(const texcast_texture* texture, int n, texcast_error* error) {
  texcast_image image = {.struct_size = sizeof image};
  if (texcast_decode_get_image(texture, &image, error) != TEXCAST_OK) return 0;
  unsigned char* pixels = malloc(image.bytes);
  int is_right = pixels && texcast_decode(texture, pixels, image.bytes, error) == TEXCAST_OK;
  for (size_t i = 0; is_right && i < image.bytes; ++i) is_right = abs(pixels[i] - gray_of(n)) <= 4;
  free(pixels);
  return is_right;
}

// Sends frame n until it arrives, and compares it.
static texcast_status pass_frame(texcast_sender* sender, texcast_receiver* receiver, const texcast_frame* frame, int n,
                                 texcast_error* error) {
  texcast_received* received = NULL;
  texcast_status status = TEXCAST_TIMEOUT;
  for (int tries = 0; status == TEXCAST_TIMEOUT && tries < 20; ++tries) {
    do {
      status = texcast_sender_send_frame(sender, frame, error);
    } while (status == TEXCAST_DROPPED);  // the sender has no room yet
    if (status == TEXCAST_OK) status = texcast_receiver_next(receiver, 5 * kSecond, &received, error);
  }
  if (status == TEXCAST_OK) {
    texcast_texture texture = {.struct_size = sizeof texture};
    status = texcast_received_get_texture(received, &texture, error);
    if (status == TEXCAST_OK)
      printf("frame %d: %dx%d %s, %zu bytes, %s\n", n, texture.width, texture.height,
             texcast_format_name(texture.format), texture.bytes, shows_frame(&texture, n, error) ? "right" : "wrong");
  }
  texcast_received_release(received);
  return status;
}

int main(int argc, char** argv) {
  const int frames = argc > 1 ? atoi(argv[1]) : 10;
  const double fps = argc > 3 ? atof(argv[3]) : 30;
  static unsigned char pixels[4 * kWidth * kHeight];
  texcast_frame frame = {.struct_size = sizeof frame,
                         .pixel_format = TEXCAST_PIXELS_RGBA,
                         .width = kWidth,
                         .height = kHeight,
                         .plane = {pixels},
                         .stride = {4 * kWidth}};
  const texcast_receiver_settings where = {.struct_size = sizeof where, .listen = "rtp://127.0.0.1:0"};
  const texcast_encoder_settings encoding = {.struct_size = sizeof encoding, .device = argc > 2 ? argv[2] : NULL};
  texcast_error error = TEXCAST_ERROR_INIT;
  texcast_receiver* receiver = NULL;
  texcast_sender* sender = NULL;
  texcast_status status = texcast_receiver_create(&where, &receiver, &error);
  if (status == TEXCAST_OK) {
    const char* url = texcast_receiver_url(receiver, 0);
    const texcast_sender_settings settings = {
        .struct_size = sizeof settings, .destinations = &url, .destination_count = 1, .fps = fps};
    status = texcast_sender_create(&frame, &encoding, &settings, &sender, &error);
  }
  for (int n = 0; n < frames && status == TEXCAST_OK; ++n) {
    memset(pixels, gray_of(n), sizeof pixels);
    frame.pts_ns = (int64_t)(n * (double)kSecond / fps);
    status = pass_frame(sender, receiver, &frame, n, &error);
  }
  if (status != TEXCAST_OK) fprintf(stderr, "send_and_receive: %s %s\n", texcast_status_name(status), error.message);
  texcast_sender_destroy(sender);
  texcast_receiver_destroy(receiver);
  return status == TEXCAST_OK ? 0 : 1;
}
