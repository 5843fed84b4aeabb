#include "fake_commands.h"

#include "cli/commands.h"

namespace texcast::test {

Said& said() {
  static Said said;
  return said;
}

namespace {
int note(const char* command) {
  said().command = command;
  return 0;
}
}  // namespace

}  // namespace texcast::test

namespace texcast::cli {

using test::note;

int run_devices(const DevicesOptions&) { return note("devices"); }
int run_encode(const EncodeOptions& options) {
  test::said().encode = options;
  return note("encode");
}
int run_decode(const DecodeOptions&) { return note("decode"); }
int run_send(const SendOptions&) { return note("send"); }
int run_play(const PlayOptions& options) {
  test::said().play = options;
  return note("play");
}
int run_receive(const StreamOptions&) { return note("receive"); }
int run_info(const InfoOptions&) { return note("info"); }
int run_verify(const VerifyOptions&) { return note("verify"); }
int run_recover(const RecoverOptions&) { return note("recover"); }
int run_bench(const BenchOptions&) { return note("bench"); }
int run_doctor(const DoctorOptions&) { return note("doctor"); }
std::vector<std::string> measurement_names() { return {"kernels"}; }

}  // namespace texcast::cli
