// encode_picture.cpp — encodes one picture as a .dds of BC1: encode_picture WIDTH HEIGHT < picture.rgba > picture.dds
#include <texcast/container.h>
#include <texcast/encoder.h>

#include <cstdlib>
#include <iostream>
#include <vector>

int main(int argc, char** argv) try {
  const int width = argc > 2 ? std::atoi(argv[1]) : 0, height = argc > 2 ? std::atoi(argv[2]) : 0;
  const texcast::FrameFormat format{
      .pixel_format = texcast::PixelFormat::rgba, .width = width, .height = height, .color = texcast::kFullRange};
  const auto encoder = texcast::make_encoder({.source = format, .quality = texcast::Quality::high});

  std::vector<std::byte> pixels(size_t{4} * width * height);
  std::cin.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
  encoder->submit({.format = format, .planes = {{{pixels.data(), 4 * width}}}}, {});
  const auto file = texcast::pack_still(texcast::StillKind::dds, encoder->next().texture);
  std::cout.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
} catch (const texcast::Error& error) {
  std::cerr << "encode_picture: " << error.what() << '\n';
  return static_cast<int>(error.kind());
}
