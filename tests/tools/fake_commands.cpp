#include "fake_commands.h"

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

const cli::Commands& fake_commands() {
  static constexpr cli::Commands kCommands{
      .devices = [](const cli::DevicesOptions&) { return note("devices"); },
      .encode = [](const cli::EncodeOptions& options) { return said().encode = options, note("encode"); },
      .decode = [](const cli::DecodeOptions&) { return note("decode"); },
      .send = [](const cli::SendOptions& options) { return said().send = options, note("send"); },
      .play = [](const cli::PlayOptions& options) { return said().play = options, note("play"); },
      .receive = [](const cli::StreamOptions&) { return note("receive"); },
      .info = [](const cli::InfoOptions&) { return note("info"); },
      .verify = [](const cli::VerifyOptions&) { return note("verify"); },
      .recover = [](const cli::RecoverOptions&) { return note("recover"); },
      .bench = [](const cli::BenchOptions&) { return note("bench"); },
      .doctor = [](const cli::DoctorOptions&) { return note("doctor"); },
  };
  return kCommands;
}

}  // namespace texcast::test
