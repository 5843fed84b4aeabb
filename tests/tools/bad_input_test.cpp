// Every error is one line that says what to do, and the documented exit code.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "program.h"
#include "texcast/quality.h"
#include "transport/udp_socket.h"

using namespace texcast;
using namespace texcast::test;

namespace {

struct Case {
  const char* what;
  std::string command;  // in the test's folder
  int exit_code;
  const char* says;  // a part of the message
};

void check(const Case& c, const Folder& folder) {
  const Outcome outcome =
      needs_no_shell(c.command) ? run(c.command, folder) : shell("cd '" + folder.file("") + "'\n" + c.command);
  INFO(c.what << ": " << c.command << "\n" << outcome.err);
  CHECK(outcome.exit_code == c.exit_code);
  const auto lines = outcome.complaints();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("texcast: "));
  CHECK(lines[0].find(c.says) != std::string::npos);
}

}  // namespace

TEST_CASE("a truncated input is used up to its end, then reported with one line and the exit code of damage") {
  const Folder folder;
  REQUIRE(shell("texcast encode test '" + folder.file("whole.mkv") + "' --frames 20 --size 64x64").exit_code == 0);
  const std::string whole = read_file(folder.file("whole.mkv"));
  write_file(folder.file("half.mkv"), whole.substr(0, whole.size() / 2));
  for (const std::string command : {"encode half.mkv a.mov", "send half.mkv pcap:a.pcap"})
    check({"half a file", "texcast " + command, 7, "damaged or missing"}, folder);
  REQUIRE(shell("texcast verify '" + folder.file("a.mov") + "'").exit_code == 0);
}

TEST_CASE("every kind of bad input gives one line and its exit code") {
  const Folder folder;
  write_file(folder.file("text.txt"), "this is no video, and no capture either\n");
  write_file(folder.file("empty.mov"), "");
  REQUIRE(shell("texcast encode test '" + folder.file("good.mov") + "' --frames 5 --size 64x64").exit_code == 0);
  const std::string good = read_file(folder.file("good.mov"));
  write_file(folder.file("truncated.mov"), good.substr(0, good.size() / 2));
  const std::string clip = data("clip.mp4");
  const std::string send = "texcast send test rtp://127.0.0.1:9 ";

  const std::vector<Case> cases = {
      {"missing file", "texcast encode missing.mp4 o.mov", 5, "missing.mp4"},
      {"missing file", "texcast send missing.mp4 rtp://127.0.0.1:9", 5, "missing.mp4"},
      {"missing file", "texcast play missing.mov --no-window", 5, "missing.mov"},
      {"missing file", "texcast info missing.mov", 5, "missing.mov"},
      {"missing file", "texcast decode missing.mov o.png", 5, "missing.mov"},
      {"missing capture", "texcast play pcap:missing.pcap --no-window", 5, "missing.pcap"},
      {"text as video", "texcast encode text.txt o.mov", 5, "text.txt"},
      {"text as recording", "texcast play text.txt --no-window", 5, "text.txt"},
      {"text as capture", "texcast play pcap:text.txt --no-window", 5, "text.txt"},
      {"empty file", "texcast info empty.mov", 5, "empty.mov"},
      {"folder", "texcast info .", 5, "'.'"},
      {"truncated recording", "texcast play truncated.mov --no-window", 5, "truncated"},
      {"truncated recording", "texcast decode truncated.mov o.png", 5, "truncated"},
      {"truncated as video", "texcast encode truncated.mov o.mov", 5, "truncated"},
      {"a texture from a FIFO", "mkfifo p.dds; texcast info p.dds", 5, "'p.dds': it is a FIFO, not a file"},
      {"options from a FIFO", "mkfifo p.toml; texcast info good.mov --config p.toml", 5,
       "'p.toml' (--config): it is a"},
      {"options from a device", "texcast info good.mov --config /dev/zero", 5, "it is a device, not a file"},
      {"options from a folder", "texcast info good.mov --config .", 5, "it is a folder, not a file"},
      {"no such options", "texcast info good.mov --config gone.toml", 5, "No such file or directory"},
      {"too many options", "head -c 2000000 /dev/zero > big.toml; texcast info good.mov --config big.toml", 5,
       "1048576"},
      {"ordinary video", "texcast play '" + clip + "' --no-window", 5, "texcast encode"},
      {"ordinary video whose name has blanks",
       "cp '" + clip + "' 'my clip.mp4'; texcast play 'my clip.mp4' --no-window", 5,
       "`texcast encode 'my clip.mp4' 'my clip.mov'`"},
      {"FFmpeg's address", "texcast play udp://@239.1.1.1:5000?ttl=2 --offscreen", 2,
       "Did you mean rtp://239.1.1.1:5000?"},
      {"another network input", "texcast play srt://host:1 --offscreen", 2, "`texcast send 'srt://host:1' rtp://HOST`"},
      {"a start of streams", "texcast play rtp://127.0.0.1:0 --no-window --start 5", 2, "--start is for files"},
      {"a start after the end", "texcast play good.mov --no-window --start 1:00:00", 2, "'good.mov' ends after"},
      {"a screenshot's display without a display", "texcast play good.mov --no-window --screenshot-osd", 2,
       "--offscreen"},
      {"unknown format", "texcast encode test o.mov --format bc99", 2, "choose one of bc1, ycocg-bc4"},
      {"black of a method without it", "texcast encode test o.mov --quality high --black", 2,
       "applies to --quality best"},
      {"black of another format", "texcast encode test o.mov --format ycocg-bc4 --black", 2, "cluster-search"},
      {"layout of another format", "texcast encode test o.mov --layout planes", 2, "--layout is for ycocg-bc4"},
      {"layout of no recording", "texcast play rtp://127.0.0.1:0 --no-window --layout planes", 2, "--record"},
      {"unknown quality", "texcast encode test o.mov --quality ultra", 2, "choose fast, normal"},
      {"passes of another method", "texcast encode test o.mov --method lspiro1 --passes 2", 2, "lspiro2 or lspiro3"},
      {"passes of a quality", "texcast send test rtp://127.0.0.1:9 --passes 2", 2, "lspiro2 or lspiro3"},
      {"radius of another method", "texcast encode test o.mov --method lspiro2 --radius 2", 2, "--method lspiro3"},
      {"unknown device", "texcast encode test o.mov --device nosuchdevice", 3, "nosuchdevice"},
      {"device twice", "texcast encode test o.mov --device cpu-reference,cpu-reference", 2, "twice"},
      {"no device after a comma", "texcast send test rtp://127.0.0.1:9 --device cpu-reference,", 2, "comma"},
      {"one of several unknown", "texcast encode test o.mov --device cpu-reference,nosuchdevice", 3, "nosuchdevice"},
      {"no OpenCL", "export OCL_ICD_VENDORS=/nonexistent\ntexcast devices --device all", 3, "cpu-reference"},
      {"no OpenCL", "export OCL_ICD_VENDORS=/nonexistent\ntexcast encode test o.mov", 3, "cpu-reference"},
      {"no OpenCL", "export OCL_ICD_VENDORS=/nonexistent\ntexcast send test rtp://127.0.0.1:9", 3, "cpu-reference"},
      {"bench: unknown device", "texcast bench --device nosuchdevice", 3, "nosuchdevice"},
      {"bench: no OpenCL device", "texcast bench --device cpu-reference", 2, "texcast devices"},
      {"bench: no OpenCL", "export OCL_ICD_VENDORS=/nonexistent\ntexcast bench", 3, "pocl-opencl-icd"},
      {"bench: no measurement", "texcast bench speed", 2, "the measurements are kernels, pipeline"},
      {"bench: no pictures", "texcast bench psnr", 2, "needs pictures"},
      {"bench: too many words", "texcast bench kernels good.mov", 2, "takes no pictures"},
      {"bench: missing picture", "texcast bench missing.png", 5, "missing.png"},
      {"bench: text as picture", "texcast bench psnr text.txt", 5, "text.txt"},
      {"bench: no size", "texcast bench --size 0x0", 2, "1 to 16384"},
      {"bench: no source", "texcast bench --source nv99", 2, "choose one of yuv420p, nv12"},
      {"bench: no rounds", "texcast bench --rounds 0", 2, "--rounds"},
      {"bench: no such kernel", "texcast bench kernels --only nothing", 2, "'nothing'"},
      {"bench: no such quality", "texcast bench pipeline --only nothing", 2, "'nothing'"},
      {"bench: no such method", "texcast bench psnr '" + data("kodim05_127x95.png") + "' --only nothing", 2,
       "'nothing'"},
      {"no OpenCL", "export OCL_ICD_VENDORS=/nonexistent\ntexcast devices", 3, "cpu-reference"},
      {"no display", "texcast play good.mov", 4, "--offscreen"},
      {"no display", "texcast play rtp://127.0.0.1:0", 4, "--offscreen"},
      {"unknown extension", "texcast encode test o.xyz", 2, ".mov"},
      {"all frames of one name", "texcast encode test x%99999999d.dds --frames 2 --size 64x64", 2, "for example %05d"},
      {"all frames of one name", "texcast decode good.mov x%19d.png", 2, "for example %05d"},
      {"all frames of one name", "texcast info x%0200000000000000000000d.dds", 2, "for example %05d"},
      {"value given twice", "texcast encode test o.mov --frames 1 --frames 2", 2, "--frames was given twice"},
      {"flag given twice", "texcast info good.mov --json --json", 2, "--json was given twice"},
      {"no value", "texcast encode test o.mov --frames", 2, "--frames needs a value"},
      {"one name too many", "texcast info good.mov -- -surplus", 2, "unexpected argument '-surplus'"},
      {"a name behind --", "texcast info -- --json", 5, "'--json'"},
      {"recovered onto itself", "texcast recover good.mov -o ./good.mov", 2, "is the recording itself"},
      {"size of a file", "texcast encode '" + clip + "' o.mov --size 64x64", 2, "has a size of its own"},
      {"size of a file", "texcast send '" + clip + "' rtp://127.0.0.1:9 --size 64x64", 2, "has a size of its own"},
      {"size of a region", "texcast encode screen:64x64+0+0 o.mov --size 32x32", 2, "has a size of its own"},
      {"start of a window", "texcast encode window:any o.mov --start 5", 2, "is live or generated"},
      {"cursor of a file", "texcast encode '" + clip + "' o.mov --cursor off", 2, "--cursor is for screens"},
      {"a cursor beside a file", "texcast encode screen o.mov --cursor overlay", 2, "for a file choose picture or off"},
      {"a cursor beside a capture", "texcast send screen pcap:o.pcap --cursor overlay", 2, "with capture files alone"},
      {"cursor nowhere", "texcast encode screen o.mov --cursor elsewhere", 2, "choose picture or off"},
      {"turned screen", "texcast encode screen o.mov --rotate 90", 2, "x11grab"},
      {"no screen", "texcast screens", 5, "DISPLAY is not set"},
      {"start of what begins now", "texcast encode test o.mov --start 5 --frames 1", 2, "is live or generated"},
      {"no ASTC", "texcast encode test o.astc --format bc1 --frames 1 --device cpu-reference", 2,
       ".astc cannot hold bc1, only astc-4x4, astc-5x5, "},
      {"levels of .astc", "texcast encode test o.astc --format bc1 --frames 1 --mips box", 2,
       "--mips is for .dds and .ktx2"},
      {"start of a picture", "texcast encode '" + data("kodim05_127x95.png") + "' o.dds --start 5", 2,
       "a single picture"},
      {"sound of nothing", "texcast encode test o.mov --frames 1 --audio copy", 2, "has no audio"},
      {"tuning of no device", "texcast encode test o.mov --tune again --device cpu-reference", 2, "--tune"},
      {"ttl to one host", "texcast send test rtp://127.0.0.1:9 --ttl 2", 2, "--ttl is for multicast"},
      {"capture that exists", "touch e.pcap; texcast send test pcap:e.pcap --frames 1", 1, "'e.pcap' exists already"},
      {"overwrite of a stream", "texcast send test rtp://127.0.0.1:9 --frames 1 --overwrite", 2, "no destination"},
      {"ttl of a capture", "texcast send test pcap:o.pcap --frames 1 --ttl 2", 2, "--ttl is for streams"},
      {"interface of a capture", "texcast send test pcap:o.pcap --frames 1 --interface lo", 2, "--interface"},
      {"interface of a file", "texcast play good.mov --no-window --interface lo", 2, "--interface is for streams"},
      {"timeout of a file", "texcast play good.mov --no-window --timeout 2", 2, "--timeout is for streams"},
      {"device of no recording", "texcast play good.mov --no-window --device pocl", 2, "--record"},
      {"zstd of no recording", "texcast play rtp://127.0.0.1:0 --no-window --zstd on", 2, "--record"},
      {"parts of no recording", "texcast play rtp://127.0.0.1:0 --no-window --split 1h", 2, "--record"},
      {"files of no recording", "texcast play rtp://127.0.0.1:0 --no-window --max-files 9", 2, "--record"},
      {"no files at all", "texcast receive rtp://127.0.0.1:0 o.mov --max-files 0", 2, "a whole number from 1"},
      {"sound of a capture", "texcast play pcap:no.pcap --mute", 2, "captures are played without audio"},
      {"two words on the sound", "texcast send test rtp://127.0.0.1:9 --frames 1 --audio none --audio-source test", 2,
       "--audio none excludes --audio-source"},
      {"live sound for a capture", "texcast send test pcap:no.pcap --frames 1 --audio-source alsa:null", 2,
       "as fast as"},
      {"sound that is not there", "texcast send test rtp://127.0.0.1:9 --frames 1 --audio-source no.wav", 5, "no.wav"},
      {"timeout of a capture", "texcast receive pcap:a.pcap o.mov --timeout 2", 2, "the source is a capture"},
      {"interface of a capture", "texcast play pcap:a.pcap --no-window --interface lo", 2, "--interface"},
      {"bench: size of pictures", "texcast bench psnr '" + data("kodim05_127x95.png") + "' --size 64x64", 2, "kernels"},
      {"bench: rounds of no kernel", "texcast bench pipeline --rounds 3", 2, "--rounds is for bench kernels"},
      {"bench: passes of the tuner", "texcast bench tune --passes 2", 2, "is for bench kernels"},
      {"no such folder", "texcast encode test /nonexistent/o.mov", 1, "/nonexistent/o.mov"},
      {"input is output", "texcast encode good.mov good.mov", 2, "good.mov"},
      {"no destination", "texcast send test nowhere", 6, "HOST:PORT"},
      {"an address without a host", "texcast send test :5006", 2, "the host to send to is missing"},
      {"a host that does not exist", "texcast send test no-such-host.invalid:5006 --frames 1", 6,
       "cannot resolve host 'no-such-host.invalid'"},
      {"a file for a name", "texcast send test out.pcap", 2, "pcap:FILE"},
      {"a name for a file",
       "texcast encode test a.dds --frames 1 --size 16x16 && texcast play a.dds --no-window --name b", 2,
       "--name is for streams"},
      {"a name of nothing", "texcast send test rtp://192.0.2.1 --name ''", 2, "1 to 63 bytes"},
      {"a name that controls the terminal", "texcast send test rtp://192.0.2.1 --name $'a\\eb'", 2, "--name 'ab'"},
      {"a name for nobody", "texcast send test rtp://192.0.2.1 --name a --no-announce", 2, "--no-announce"},
      {"endless capture", "texcast send test pcap:o.pcap", 2, "--frames"},
      {"bad address", "texcast send test rtp://", 2, "rtp://HOST:PORT"},
      {"bad source", "texcast receive good.mov o.mov", 2, "give [ADDR]:PORT"},
      {"record a file", "texcast play good.mov --no-window --record o.mov", 2, "--record"},
      {"nothing drawn", "texcast play good.mov --no-window --screenshot o.png", 2, "--offscreen"},
      {"no speed of streams", "texcast play rtp://127.0.0.1:0 --speed 2", 2, "--speed"},
      {"a delay of no schedule", "texcast play rtp://127.0.0.1:0 --delay 50", 2, "--clock system"},
      {"a time of no schedule", "texcast play good.mov --at 20:00:00", 2, "--clock system"},
      {"a schedule without a beginning", "texcast play good.mov --clock system --offscreen", 2, "--at"},
      {"a schedule of a list", "texcast play good.mov good.mov --clock system --loop", 2, "exactly one source"},
      {"two delays", "texcast play rtp://127.0.0.1:0 --clock system --latency 9", 2, "--latency"},
      {"a bezel of a rectangle", "texcast play good.mov --part 1,2,3,4 --bezel 9", 2, "'COLUMN,ROW of COLUMNSxROWS'"},
      {"a part outside", "texcast play good.mov --offscreen --part 9000,0,8,8", 2, "has no pixel"},
      {"record a list", "texcast play rtp://127.0.0.1:0 good.mov --record o.mov", 2, "--record"},
      {"list with a hole", "texcast play good.mov missing.mov good.mov --no-window", 5, "1 source"},
      {"list of nothing", "texcast play missing.mov text.txt --no-window", 5, "2 sources"},
      {"encryption without passphrase", "texcast send test rtp://127.0.0.1:9 --crypto texcast", 2, "--key-file FILE"},
      {"for UltraGrid, sealed as it cannot read", send + "--for ultragrid --key-file text.txt --crypto texcast", 2,
       "--crypto ultragrid-gcm"},
      {"for UltraGrid, sealed somehow", send + "--for ultragrid --key-file text.txt", 2, "needs a --crypto"},
      {"for UltraGrid, parity that it does not read", send + "--for ultragrid --fec 10%", 2, "ultragrid-rs:K:N"},
      {"for UltraGrid, answers", send + "--for ultragrid --retransmit on", 2, "sends no NACKs"},
      {"for UltraGrid, a format of texcast's", send + "--for ultragrid --format bc3", 2, "bc1 and ycocg-dxt5, not bc3"},
      {"for somebody else", send + "--for vlc", 2, "texcast, ultragrid, desktop"},
      {"a bit rate of a raw stream", send + "--plain --bitrate 30M", 2, "--bitrate excludes --plain"},
      {"a bit rate of a raw stream", send + "--format astc-6x6 --bitrate 30M", 2,
       "--bitrate excludes --format astc-6x6: astc-6x6 has no coded stream"},
      {"a bit rate of a format that is only lossless", send + "--format bc7 --bitrate 30M", 2,
       "--bitrate excludes --format bc7: bc7 cannot be sent lossy; leave out one of them, or choose one of bc1, "},
      {"a bit rate of a format that cannot be lossy", send + "--format ycocg-dxt5 --bitrate 30M", 2,
       "choose one of bc1, ycocg-bc4, ycocg-bc4-422, ycocg-bc4-444, bc3, bc4, bc5"},
      {"a rate that is none", send + "--bitrate 30M:4M", 2, "4M:30M"},
      {"a rate for hardly a packet", send + "--bitrate 200k --device cpu-reference", 2, "too few for"},
      {"refresh of a raw stream", send + "--plain --refresh 2", 2, "--refresh excludes --plain"},
      {"refresh of a raw stream", send + "--fec mult:2 --refresh 2", 2, "--refresh excludes --fec mult:2"},
      {"a preset's bit rate, raw", send + "--for wifi --plain", 2, "--for wifi excludes --plain"},
      {"key frames of a recording that has no others", "texcast encode test o.mov --keyframe-interval 2", 2,
       "--keyframe-interval needs a coded stream"},
      {"a lossy recording of a format that has none", "texcast encode test o.mkv --format bc7 --crf 23", 2,
       "--crf excludes --format bc7"},
      {"an option with a typing error", "texcast encode test --qualty high", 2,
       "unknown option --qualty; did you mean --quality?"},
      {"an option with a typing error", "texcast send test --qualty=high", 2,
       "unknown option --qualty; did you mean --quality?"},
      {"an option of nothing", "texcast devices --colour", 2, "unknown option --colour (see: texcast devices --help)"},
      {"a word too much", "texcast devices now", 2, "unexpected argument 'now'"},
      {"a subcommand with a typing error", "texcast sned test rtp://h", 2,
       "'sned' is not a subcommand; did you mean send?"},
      {"help on nothing", "texcast help sned", 2, "did you mean send?"},
      {"the help of a program that does not run", "texcast ctl nosocket help", 6, "no program listens at 'nosocket'"},
      {"refreshed all the time", send + "--refresh 0.01", 2, "0.1 to 86400 seconds"},
      {"unknown encryption", "texcast send test rtp://127.0.0.1:9 --crypto rot13", 2, "give one of texcast"},
      {"missing key file", "texcast send test rtp://127.0.0.1:9 --key-file missing.key", 5, "missing.key"},
      {"empty key file", "chmod 600 empty.mov\ntexcast receive rtp://:0 o.mov --key-file empty.mov", 5,
       "passphrase there"},
      {"a cipher that nobody asked for",
       "chmod 600 text.txt\ntexcast receive 'pcap:" + data("ultragrid_cbc.pcap") + "' o.dds --key-file text.txt", 2,
       "give --crypto ultragrid-cbc"},
      {"a cipher without a key", "texcast receive rtp://:0 o.mov --crypto ultragrid-cbc", 2,
       "--crypto needs a passphrase"},
      {"an age without a key", "texcast play rtp://:0 --max-age 5", 2, "--max-age needs a passphrase"},
      {"no network", "texcast receive rtp://:0 o.mov --from 10.0.0.0/33", 2, "IPv4 has 32 bits"},
      {"a picture that is too large",
       "texcast receive 'pcap:" + data("ultragrid_dxt1.pcap") + "' o.mov --max-size 64x64", 2, "give --max-size"},
      {"another host's", "texcast receive 'pcap:" + data("ultragrid_dxt1.pcap") + "' o.mov --from 192.0.2.1", 2,
       "from hosts that --from does not list"},
      {"key of a recording", "texcast play good.mov --no-window --key-file text.txt", 2, "--key-file is for streams"},
      {"encrypted", "texcast play 'pcap:" + data("ultragrid_cbc.pcap") + "' --no-window", 2, "give --key-file"},
      {"another passphrase",  // besides the warning that such a stream can be forged
       "chmod 600 text.txt\ntexcast receive 'pcap:" + data("ultragrid_cbc.pcap") +
           "' o.dds --key-file text.txt --crypto ultragrid-cbc 2> said\nstatus=$?\ngrep -v 'can be forged' said "
           ">&2\n"
           "exit $status",
       5, "another passphrase"},
      {"in the clear",
       "chmod 600 text.txt\ntexcast play 'pcap:" + data("ultragrid_dxt1.pcap") + "' --no-window --key-file text.txt", 2,
       "not encrypted"},
      {"nobody sends", "texcast play rtp://127.0.0.1:0 --no-window --timeout 0.3", 6, "nothing was received"},
      {"nobody sends", "texcast receive rtp://127.0.0.1:0 o.mov --timeout 0.3", 6, "open these UDP ports"},
      {"an IPv6 address without brackets", "texcast receive ::1 o.mov --timeout 0.3", 2, "needs square brackets"},
      {"a port that is none", "texcast play :99999 --no-window", 2, "'99999' is not a port"},
  };
  for (const Case& c : cases) check(c, folder);
  // Messages about kernels that are not built yet.
  for (const TextureFormat format : encoded_formats())
    for (const Quality quality : {Quality::fast, Quality::normal, Quality::high, Quality::best}) {
      if (has_quality(format, quality)) continue;
      const std::string command = "texcast encode test o.mov --format " + std::string(name(format)) + " --quality " +
                                  std::string(name(quality));
      check({"quality not built", command, 2, "it has fast"}, folder);
    }
  CHECK(read_file(folder.file("good.mov")) == good);  // no failed command has overwritten it
}

TEST_CASE("a port in use is reported as a network error") {
  const Folder folder;
  const transport::UdpReceiver taken({.address = transport::resolve_address("rtp://127.0.0.1:0", true)});
  check({"port in use", "texcast play rtp://127.0.0.1:" + std::to_string(taken.port()) + " --no-window", 6, "in use"},
        folder);
}

TEST_CASE("a capture of something else is corrupt data") {
  const Folder folder;
  REQUIRE(shell("texcast send test 'pcap:" + folder.file("a.pcap") + "' --frames 2 --size 32x32").exit_code == 0);
  std::string capture = read_file(folder.file("a.pcap"));
  // Changes the RTP version of every packet, but not addresses, ports and lengths.
  for (size_t at = 24 + 16 + 42; at < capture.size();) {
    capture[at] = 0;
    const size_t header = at - 42 - 16;
    const auto byte = [&](size_t i) {
      return static_cast<size_t>(static_cast<unsigned char>(capture[header + 8 + i]));
    };
    at += 16 + (byte(0) | byte(1) << 8 | byte(2) << 16);
  }
  write_file(folder.file("a.pcap"), capture);
  check({"foreign capture", "texcast play pcap:a.pcap --no-window", 7, "a.pcap"}, folder);
}

TEST_CASE("damaged frames are skipped and listed, others are decoded, and the exit code is that of corrupt data") {
  const Folder folder;
  REQUIRE(shell("texcast encode test '" + folder.file("a.mov") + "' --frames 20 --size 320x240").exit_code == 0);
  std::string clip = read_file(folder.file("a.mov"));
  const size_t begin = clip.size() / 3;
  for (size_t i = begin; i < begin + 2000; ++i) clip[i] = static_cast<char>(i * 131);
  write_file(folder.file("a.mov"), clip);
  const Outcome outcome = shell("cd '" + folder.file("") + "'; texcast decode a.mov p_%03d.png --json");
  CHECK(outcome.exit_code == 7);
  REQUIRE(outcome.complaints().size() == 1);
  CHECK(outcome.complaints()[0].find("damaged") != std::string::npos);
  REQUIRE(shell("texcast encode test '" + folder.file("b.mkv") + "' --frames 5 --size 64x64").exit_code == 0);
  const Outcome verified = shell("cd '" + folder.file("") + "'; texcast verify a.mov missing.mov b.mkv --json");
  CHECK(verified.exit_code == 7);
  REQUIRE(verified.complaints().size() == 1);
  CHECK(verified.complaints()[0].find("damaged; the first: a.mov: frame ") != std::string::npos);
  CHECK(verified.out.find("\"frames\": 20,") != std::string::npos);
  CHECK(verified.out.find("\"error\": \"cannot open 'missing.mov'") != std::string::npos);
  CHECK(verified.out.find("\"frames\": 5,\n      \"damaged\": 0,\n      \"complete\": true") != std::string::npos);
  CHECK(shell("cd '" + folder.file("") + "'; texcast verify b.mkv").exit_code == 0);
  size_t pictures = 0;
  for (int i = 0; i < 25; ++i) {
    char name[16];
    std::snprintf(name, sizeof name, "p_%03d.png", i);
    pictures += std::filesystem::exists(folder.file(name)) ? 1 : 0;
  }
  CHECK(pictures >= 15);
  CHECK(pictures < 20);
}

// Six void-extent blocks of 8x6 (Khronos Data Format 1.3, section 23.23), the last with half floats; the second file
// also has blocks of zeros, which are reserved.
TEST_CASE("ASTC blocks: HDR gives a note and is shown as magenta, reserved bits are damage") {
  using namespace std::string_literals;
  const Folder folder;
  const std::string header = "\x13\xAB\xA1\x5C\x08\x06\x01\x18\0\0\x0C\0\0\x01\0\0"s, rest(6, '\xFF'),
                    color = "\0\x80\0\x40\xFF\xFF\xFF\xFF"s, ldr = "\xFC\xFD" + rest + color,
                    hdr = "\xFC\xFF" + rest + color;
  write_file(folder.file("hdr.astc"), header + ldr + ldr + ldr + ldr + ldr + hdr);
  write_file(folder.file("bad.astc"), header + ldr + std::string(16, '\0') + ldr + ldr + ldr + hdr);
  const auto run = [&](const std::string& command) { return shell("cd '" + folder.file("") + "'\n" + command); };
  const auto has = [](const std::string& text, const std::string& words) {
    INFO(text);
    return text.find(words) != std::string::npos;
  };
  const std::string note = "1 of 6 blocks are HDR and displayed as magenta, the first in column 2, row 1",
                    damage = "1 of 6 blocks are not valid ASTC, the first in column 1, row 0";

  CHECK(has(run("texcast info hdr.astc").out, "note        " + note));
  CHECK(has(run("texcast info hdr.astc").out, "24x12 astc-8x6, 2.67 bits per pixel, 96 bytes per frame"));
  CHECK(has(run("texcast info bad.astc").out, "damage      " + damage));
  const Outcome whole = run("texcast verify hdr.astc");
  CHECK(whole.exit_code == 0);
  CHECK(has(whole.out, "complete    hdr.astc: 1 frame\nnote        1 frame with blocks that are not shown\n"));
  CHECK(has(whole.out, note));
  CHECK(has(run("texcast verify hdr.astc --json").out, "\"unshown\": 1,"));
  const Outcome damaged = run("texcast verify bad.astc");
  CHECK(damaged.exit_code == 7);
  CHECK(
      has(damaged.out, "damaged     bad.astc: 1 frame, 1 of them damaged\n            frame 0 at 0.000 s: " + damage));
  CHECK(damaged.err.empty());  // not a second time

  const Outcome decoded = run("texcast decode hdr.astc out.rgb");
  CHECK(decoded.exit_code == 0);
  CHECK(has(decoded.err, "'hdr.astc': " + note));
  const std::string pixels = read_file(folder.file("out.rgb"));
  REQUIRE(pixels.size() == 3 * 24 * 12);
  CHECK(pixels.substr(0, 3) == "\x80\x40\xFF");
  CHECK(pixels.substr(3 * (24 * 6 + 15), 3) == "\x80\x40\xFF");
  CHECK(pixels.substr(3 * (24 * 6 + 16), 3) == "\xFF\0\xFF"s);
  CHECK(run("texcast play hdr.astc --no-window").exit_code == 0);
}
