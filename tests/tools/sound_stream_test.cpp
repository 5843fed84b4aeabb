// Audio through the built program over loopback is recorded as it was sent, at the right time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../patience.h"
#include "media/audio_reader.h"
#include "media/clip_reader.h"
#include "media/test_card.h"
#include "media/test_sound.h"
#include "program.h"
#include "texcast/decoder.h"
#include "texcast/error.h"
#include "transport/audio_packet.h"
#include "transport/packet.h"
#include "transport/rtcp.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::test;
using nlohmann::json;

namespace {

// Sends `input` with `options`, and returns the report of `receive`. The recording is show.mov, or the given name.
json through_loopback(const Folder& folder, const std::string& input, const std::string& options,
                      const std::string& recording, int frames, const std::string& receive_options = "") {
  const std::string port = std::to_string(free_port());
  const Outcome outcome =
      shell("cd '" + folder.file("") + "'\n" + "texcast receive rtp://127.0.0.1:" + port + " " + recording +
                " --overwrite --timeout 4 --frames " + std::to_string(frames) + " --stats-json received.jsonl --json " +
                receive_options + " > receive.json 2> receive.log &\n" +
                "while ! grep -q listening receive.log; do sleep 0.05; done\n" + "texcast send " + input +
                " rtp://127.0.0.1:" + port + " --device cpu-reference --stats-json sent.jsonl --json " + options +
                " > send.json || exit 91\n" + "wait %1 || exit 92\n",
            90);
  INFO(outcome.err);
  INFO(read_file(folder.file("receive.log")));
  REQUIRE(outcome.exit_code == 0);
  return json::parse(read_file(folder.file("receive.json")));
}

json last_line(const Folder& folder, const std::string& file) {
  const std::string lines = read_file(folder.file(file));
  return lines.empty() ? json() : json::parse(lines.substr(lines.rfind('\n', lines.size() - 2) + 1));
}

std::vector<float> sound_of(const std::string& file, int channels) {
  const auto reader = media::open_audio(file);
  REQUIRE(reader);
  reader->set_format({48000, channels});
  reader->seek({});
  std::vector<float> all(size_t{48000} * 20 * static_cast<size_t>(channels));
  all.resize(reader->read(all) * static_cast<size_t>(channels));
  return all;
}

// The number of equal samples of two channels, where times are rounded.
size_t same_samples(const std::vector<float>& sent, const std::vector<float>& received) {
  size_t best = 0;
  for (int shift = -2; shift <= 2; ++shift) {
    size_t same = 0;
    for (size_t i = 8; i + 8 < std::min(sent.size(), received.size()); ++i)
      same += received[i] == sent[static_cast<size_t>(static_cast<int>(i) + 2 * shift)] ? 1 : 0;
    best = std::max(best, same);
  }
  return best;
}

// Two seconds of a test picture with noise as audio.
void make_noisy_clip(const Folder& folder) {
  REQUIRE(shell("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i "
                "'anoisesrc=r=48000:d=2:seed=7:a=0.5,aformat=channel_layouts=stereo' -c:v mpeg4 -c:a pcm_s16le '" +
                folder.file("in.mov") + "'; echo secret words > '" + folder.file("key") + "'")
              .exit_code == 0);
}

// One of a sender's RTP sessions, as seen by a receiver that synchronises audio and video by RTCP.
class HeardSession {
 public:
  // Throws Error{network} if one of its two ports is taken.
  explicit HeardSession(int port) : media_({.address = address(port)}), reports_({.address = address(port + 1)}) {}
  // Waits for a media packet and a report; false: not within `limit`.
  bool listen(SteadyTime limit) {
    while (!(captured_ != WallTime{} && has_report_) && steady_now() < limit) {
      media_.receive(steady_now() + std::chrono::milliseconds(5), [&](Bytes datagram) { on_media(datagram); });
      reports_.receive(steady_now(), [&](Bytes datagram) { on_report(datagram); });
    }
    return has_report_ && captured_ != WallTime{};
  }
  const std::string& cname() const { return cname_; }
  // Difference of the capture times by the report and by the packet itself.
  double error_ms() const {
    const auto since = static_cast<int32_t>(report_timestamp_ - timestamp_);
    const auto ntp = [](uint64_t time) { return static_cast<double>(time) / 4294967296.0; };
    return (ntp(report_ntp_) - ntp(transport::ntp_time(captured_))) * 1000 - since / 90.0;
  }

 private:
  static transport::Address address(int port) {
    return transport::resolve_address("rtp://127.0.0.1:" + std::to_string(port), true);
  }
  void on_media(Bytes datagram) {
    const auto rtp = transport::parse_rtp(datagram);
    if (!rtp || rtp->extension_id != transport::kExtensionId) return;
    timestamp_ = rtp->timestamp;
    if (rtp->payload_type == transport::kAudioPayloadType)
      captured_ = transport::parse_audio_extension(rtp->extension)->captured;
    else
      captured_ = transport::parse_stream_extension(rtp->extension)->available;
  }
  void on_report(Bytes datagram) {
    const auto report = transport::parse_rtcp(datagram);
    if (!report || !report->sender) return;
    has_report_ = true;
    report_ntp_ = report->sender->ntp_time;
    report_timestamp_ = report->sender->rtp_timestamp;
    cname_ = report->cname;
  }

  transport::UdpReceiver media_, reports_;
  uint32_t timestamp_ = 0, report_timestamp_ = 0;
  WallTime captured_{};
  bool has_report_ = false;
  uint64_t report_ntp_ = 0;
  std::string cname_;
};

}  // namespace

TEST_CASE("the audio of a file arrives sample for sample, in sync with the picture, with and without encryption") {
  const Folder folder;
  make_noisy_clip(folder);
  const std::vector<float> sent = sound_of(folder.file("in.mov"), 2);
  for (const std::string key : {"", "--key-file key"}) {
    CAPTURE(key);
    const json report = through_loopback(folder, "in.mov", "--audio pcm " + key, "show.mov", 50, key);
    CHECK(report["sound"]["lost"] == 0);
    CHECK(report["sound"]["concealed_ms"] == 0);
    CHECK(last_line(folder, "received.jsonl")["sound"] == report["sound"]);
    const json said = json::parse(read_file(folder.file("send.json")))["sound"];
    CHECK(said["packets"] >= report["sound"]["packets"]);
    CHECK(last_line(folder, "sent.jsonl")["sound"]["coding"] == "pcm");
    CHECK(last_line(folder, "sent.jsonl")["sound"]["packets"] > 100);
    const std::vector<float> received = sound_of(folder.file("show.mov"), 2);
    if (report["recording"]["frames"] != 50) continue;  // on a busy machine the recording begins later
    CHECK(received.size() > 2 * 48000 * 19 / 10);
    CHECK(same_samples(sent, received) >=
          std::min(sent.size(), received.size()) - 2000);  // except the first and last 10 ms
  }
}

TEST_CASE("a capture has the audio too, sample for sample, with and without encryption, for receive and play") {
  const Folder folder;
  make_noisy_clip(folder);
  const std::vector<float> sent = sound_of(folder.file("in.mov"), 2);
  const std::string cd = "cd '" + folder.file("") + "'\n";
  for (const std::string key : {"", " --key-file key"})
    for (const std::string& take :
         {"texcast receive pcap:a.pcap show.mov --overwrite --json" + key,
          "texcast play pcap:a.pcap --no-window --record show.mov --overwrite --json" + key}) {
      CAPTURE(take);
      const Outcome outcome = shell(cd + "texcast send in.mov pcap:a.pcap --overwrite --device cpu-reference -q" + key +
                                    " > send.txt\n" + take);
      REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
      const json report = json::parse(outcome.out);
      CHECK(report["recording"]["frames"] == 50);
      CHECK(report["packets"]["foreign"] == 0);  // packets of the video
      CHECK(report["sound"]["lost"] == 0);
      CHECK(report["sound"]["concealed_ms"] == 0);
      const std::vector<float> received = sound_of(folder.file("show.mov"), 2);
      CHECK(received.size() > 2 * 48000 * 199 / 100);  // to the end of the last picture
      CHECK(same_samples(sent, received) >= std::min(sent.size(), received.size()) - 2000);
    }
  CHECK(shell(cd + "texcast send in.mov pcap:b.pcap --audio-source alsa:null").exit_code == 2);
  const Outcome silent = shell(cd +
                               "texcast send in.mov pcap:b.pcap --audio none -q > send.txt && "
                               "texcast receive pcap:b.pcap silent.mov --json");
  CHECK_FALSE(json::parse(silent.out).contains("sound"));
}

TEST_CASE("sender reports of video and audio have one CNAME and one clock, that of the capture") {
  for (const std::string audio : {"pcm", "opus"}) {
    CAPTURE(audio);
    int port = 0;
    std::optional<HeardSession> picture, sound;
    while (!sound) {
      port = free_port();
      try {
        picture.emplace(port);
        sound.emplace(port + transport::kAudioPortOffset);
      } catch (const Error&) {  // one of the four is taken
      }
    }
    const Folder folder;
    std::thread sending([&] {
      shell("\"$program\" send test rtp://127.0.0.1:" + std::to_string(port) +
            " --plain --size 64x64 --fps 25 --device cpu-reference --audio-source test --audio " + audio +
            " & sender=$!\nuntil [ -e '" + folder.file("heard") + "' ]; do sleep 0.02; done\nkill -INT $sender; wait");
    });
    const SteadyTime limit = steady_now() + test::kPatience;
    const bool both = picture->listen(limit) && sound->listen(limit);
    write_file(folder.file("heard"), "");
    sending.join();
    REQUIRE(both);
    CHECK(picture->cname() == sound->cname());
    CHECK(picture->cname().starts_with("texcast@"));
    CHECK(std::abs(picture->error_ms()) < 1);
    CHECK(std::abs(sound->error_ms()) < 1);
  }
}

TEST_CASE("clap test: flash and click are within 10 ms of each other in the recording, with PCM and Opus") {
  const Folder folder;
  for (const std::string audio : {"pcm", "opus"}) {
    CAPTURE(audio);
    const std::string name = audio == "pcm" ? "clap.mov" : "clap.mkv";
    through_loopback(folder, "test", "--size 320x180 --fps 50 --frames 125 --audio-source test --audio " + audio, name,
                     125);
    const std::vector<float> sound = sound_of(folder.file(name), 1);
    const auto clip = media::open_clip(folder.file(name));
    std::vector<double> flashes;
    for (auto frame = clip->next(); frame && *frame; frame = clip->next()) {
      DecodedImage image;
      decode_texture((*frame)->texture, image);
      if (media::shows_flash(image)) flashes.push_back(in_seconds((*frame)->pts));
    }
    REQUIRE(flashes.size() >= 2);
    for (const double flash : flashes) {
      const auto begin = static_cast<size_t>(std::max(0.0, flash - 0.1) * 48000);
      if (begin + 9600 > sound.size()) continue;
      const auto click = media::find_click(std::span(sound).subspan(begin, 9600), 48000);
      REQUIRE(click);
      const double offset_ms = (static_cast<double>(begin) + *click) / 48 - flash * 1000;
      MESSAGE(audio, ": click minus flash ", offset_ms, " ms");
      CHECK(std::abs(offset_ms) < 10);
    }
  }
}
