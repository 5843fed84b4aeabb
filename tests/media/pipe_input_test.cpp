// Inputs that can be read only once: pipes and FIFOs, whose sound the reader of the pictures keeps. The writer is the
// ffmpeg program.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "media/audio_reader.h"
#include "media/frame_source.h"
#include "media/recorder.h"
#include "media/sound_queue.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using namespace std::chrono_literals;

namespace {

// The picture turns white at one second, and a tone begins there.
const std::string kFlashAndTone =
    "-f lavfi -i \"color=black:s=64x48:r=25:d=2,drawbox=color=white:t=fill:enable='gte(t,1)'\" "
    "-f lavfi -i \"aevalsrc='gte(t,1)*0.5*sin(2000*PI*t)|gte(t,1)*0.5*sin(2000*PI*t)':s=48000:d=2\" ";

// The output of a command, as an input by its descriptor.
class Writer {
 public:
  explicit Writer(const std::string& command) : pipe_(popen(command.c_str(), "r"), pclose) { REQUIRE(pipe_); }
  std::string input() const { return "pipe:" + std::to_string(fileno(pipe_.get())); }

 private:
  std::unique_ptr<FILE, int (*)(FILE*)> pipe_;
};

struct Heard {
  size_t frames = 0;
  double flash = -1, tone = -1;  // seconds
};

// Reads pictures and sound by turns, as a sender does.
Heard flash_and_tone(media::FrameSource& source) {
  const auto audio = media::open_audio(source.sound(), source.begin().value());
  REQUIRE(audio);
  audio->seek({});
  Heard heard;
  size_t samples = 0;
  while (const auto frame = source.next()) {
    ++heard.frames;
    const double time = in_seconds(frame->times.pts);
    DecodedImage image;
    convert_to_rgb(frame->view, image);
    if (heard.flash < 0 && image.pixels[0] > 128) heard.flash = time;
    std::vector<float> block(2 * (static_cast<size_t>((time + 0.04) * 48000) - samples));
    for (size_t i = 0, count = audio->read(block); i < count; ++i, ++samples)
      if (heard.tone < 0 && std::abs(block[2 * i]) > 0.1F) heard.tone = static_cast<double>(samples) / 48000;
  }
  return heard;
}

media::PacketPtr packet_of(int64_t pts, int bytes) {
  media::PacketPtr packet = media::make_packet();
  REQUIRE(av_new_packet(packet.get(), bytes) == 0);
  packet->pts = pts;
  return packet;
}

media::SoundQueue some_queue() {
  std::vector<media::SoundTrack> tracks(1);
  tracks[0].parameters.reset(avcodec_parameters_alloc());
  tracks[0].time_base = {1, 1000};
  return {std::move(tracks), "some.ts"};
}

}  // namespace

TEST_CASE("a pipe gives every picture, and its sound in sync, in each container that can be streamed") {
  for (const char* how : {"-c:v rawvideo -c:a pcm_s16le -f nut", "-c:v libx264 -c:a aac -f nut",
                          "-c:v libx264 -c:a aac -f matroska", "-c:v libx264 -c:a aac -f mpegts",
                          "-c:v flv -c:a aac -f flv", "-c:v libx264 -c:a aac -movflags frag_keyframe+empty_moov -f mp4",
                          "-c:v mpeg2video -c:a mp2 -f mpeg", "-c:v mjpeg -c:a pcm_s16le -f avi"}) {
    CAPTURE(std::string(how));
    const Writer writer("ffmpeg -v error " + kFlashAndTone + how + " -");
    const auto source = media::open_source({.input = writer.input(), .sound = true});
    CHECK_FALSE(source->is_live());
    const Heard heard = flash_and_tone(*source);
    CHECK(heard.frames == 50);
    CHECK(source->damaged_frames() == 0);
    CHECK(std::abs(heard.flash - 1) < 0.001);
    MESSAGE(std::string(how), ": tone minus flash ", (heard.tone - heard.flash) * 1000, " ms");
    CHECK(std::abs(heard.tone - heard.flash) < 0.002);
  }
}

TEST_CASE("pictures without sound are read from a pipe: y4m, and images one after the other") {
  for (const char* how : {"-pix_fmt yuv420p -f yuv4mpegpipe", "-c:v png -f image2pipe"}) {
    CAPTURE(std::string(how));
    const Writer writer("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=1 " + std::string(how) + " -");
    const auto source = media::open_source({.input = writer.input(), .sound = true});
    CHECK(source->sound() == nullptr);
    size_t frames = 0;
    while (source->next()) ++frames;
    CHECK(frames == 25);
    CHECK_FALSE(source->seek({}));
  }
}

TEST_CASE("a FIFO is read, and recorded with its sound copied or decoded") {
  const Scratch scratch;
  const std::string fifo = scratch / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(media::is_read_once(fifo));
  for (const auto mode : {media::AudioMode::copy, media::AudioMode::pcm}) {
    const std::unique_ptr<FILE, int (*)(FILE*)> writer(
        popen(("ffmpeg -v error -y " + kFlashAndTone + "-c:v mpeg4 -c:a aac -f nut " + quoted(fifo)).c_str(), "r"),
        pclose);
    const auto source = media::open_source({.input = fifo, .sound = true});
    const TextureDesc texture{.format = TextureFormat::bc1, .width = 64, .height = 48};
    const auto recorder = media::make_recorder(
        {.path = scratch / "show.mov",
         .texture = texture,
         .fps = 25,
         .audio = media::AudioSource{.file = fifo, .queue = source->sound(), .begin = *source->begin(), .mode = mode},
         .split = {.duration = 800ms},
         .if_exists = IfExists::overwrite});
    while (const auto frame = source->next()) recorder->write({texture, some_blocks(texture, 1)}, frame->times.pts);
    const auto files = recorder->finish().files;
    REQUIRE(files.size() == 3);
    const std::string codec = mode == media::AudioMode::copy ? "aac" : "pcm_s16le";
    CHECK(output_of("ffprobe -v error -select_streams a -show_entries stream=codec_name -of csv=p=0 " +
                    quoted(files[1])) == codec + "\n");
    // The second file begins at 0.8 s.
    const auto audio = media::open_audio(files[1]);
    REQUIRE(audio);
    audio->seek({});
    std::vector<float> sound(2 * 48000);
    sound.resize(2 * audio->read(sound));
    CHECK(sound.size() > 2 * 48000 * 79 / 100);
    size_t tone = 0;
    while (tone < sound.size() / 2 && std::abs(sound[2 * tone]) < 0.1F) ++tone;
    CHECK(std::abs(static_cast<double>(tone) / 48000 - 0.2) < 0.002);
  }
}

TEST_CASE("sound that comes far behind its picture is silence, and both go on to their ends") {
  const Scratch scratch;
  // The muxer of nut writes packets as they come: here all pictures of two seconds before the sound of the first.
  output_of("ffmpeg -v error " + kFlashAndTone + "-c:v rawvideo -c:a pcm_s16le " + quoted(scratch / "in.nut"));
  output_of("ffmpeg -v error -i " + quoted(scratch / "in.nut") + " -itsoffset 10 -i " + quoted(scratch / "in.nut") +
            " -map 0:v -map 1:a -c copy -f nut " + quoted(scratch / "late.nut"));
  const Writer writer("cat " + quoted(scratch / "late.nut"));
  const auto source = media::open_source({.input = writer.input(), .sound = true});
  const Heard heard = flash_and_tone(*source);
  CHECK(heard.frames == 50);
  CHECK(heard.tone < 0);
}

TEST_CASE("waiting for the writer of a pipe ends when a stop is requested") {
  int ends[2] = {};
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  std::atomic<bool> stop = false;
  std::thread stopping([&] { stop = true; });
  const Error error =
      error_of([&] { media::open_source({.input = "pipe:" + std::to_string(ends[0]), .stop = &stop}); });
  stopping.join();
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "interrupted"));
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("errors of pipes say what to do") {
  const auto error_of_writer = [](const std::string& command) {
    const Writer writer(command);
    return error_of([&] { media::open_source({.input = writer.input()}); });
  };
  CHECK(says(error_of_writer(":"), "ended before the first byte"));
  const std::string raw = "ffmpeg -v quiet -f lavfi -i testsrc2=s=640x480:d=2 -f rawvideo -";
  CHECK(says(error_of_writer(raw), "raw frames cannot be detected: write nut"));
  const Scratch scratch;
  output_of("ffmpeg -v error -f lavfi -i testsrc2=s=640x480:d=2 -c:v mjpeg " + quoted(scratch / "a.mov"));
  CHECK(says(error_of_writer("cat " + quoted(scratch / "a.mov")), "index of this .mov or .mp4 is at its end"));
  const Error closed = error_of([&] { media::open_source({.input = "pipe:987"}); });
  CHECK(says(closed, "cannot read 'pipe:987'"));
  const int controller = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE((controller >= 0 && grantpt(controller) == 0 && unlockpt(controller) == 0));
  const int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
  const Error typed = error_of([&] { media::open_source({.input = "pipe:" + std::to_string(terminal)}); });
  CHECK(typed.kind() == ErrorKind::usage);
  CHECK(says(typed, "is a terminal"));
  close(terminal);
  close(controller);
}

TEST_CASE("a file as standard input can be read from any place") {
  const Scratch scratch;
  output_of("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v mjpeg " + quoted(scratch / "a.mov"));
  const int file = open((scratch / "a.mov").c_str(), O_RDONLY | O_CLOEXEC);
  const std::string input = "pipe:" + std::to_string(file);
  CHECK_FALSE(media::is_read_once(input));
  const auto source = media::open_source({.input = input, .loop = true, .start = 1s});
  for (int i = 0; i < 60; ++i) REQUIRE(source->next());
  close(file);
}

TEST_CASE("the queue of sound is bounded, and knows what has come") {
  media::SoundQueue queue = some_queue();
  queue.put(0, packet_of(20, 100));
  CHECK(queue.known() == 20ms);
  queue.on_picture(900ms);  // within the second by which tracks may be apart
  CHECK(queue.known() == 20ms);
  queue.on_picture(1500ms);
  CHECK(queue.known() == 500ms);
  for (int64_t i = 1; i <= 100; ++i) queue.put(0, packet_of(20 * i, 1 << 20));  // 100 MiB
  CHECK(queue.known() == 2s);
  int packets = 0;
  while (queue.take()) ++packets;
  CHECK(packets == 1 + 63);
  CHECK_FALSE(queue.ended());
  queue.put(0, packet_of(3000, 1));
  queue.begin_pass();
  queue.put(0, packet_of(0, 1));
  CHECK(queue.take()->packet->pts == 3000);
  CHECK_FALSE(queue.take());
  CHECK(queue.ended());  // the first pass
  queue.go_to_newest_pass();
  CHECK_FALSE(queue.ended());
  CHECK(queue.take()->packet->pts == 0);
  queue.end();
  CHECK(queue.ended());
  queue.wait(1h);  // returns
}
