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
      .screens = [](const cli::ScreensOptions&) { return note("screens"); },
      .encode = [](const cli::EncodeOptions& options) { return said().encode = options, note("encode"); },
      .decode = [](const cli::DecodeOptions&) { return note("decode"); },
      .farm = [](const cli::FarmOptions& options) { return said().farm = options, note("farm"); },
      .send = [](const cli::SendOptions& options) { return said().send = options, note("send"); },
      .play = [](const cli::PlayOptions& options) { return said().play = options, note("play"); },
      .receive = [](const cli::StreamOptions&) { return note("receive"); },
      .serve = [](const cli::ServeOptions&) { return note("serve"); },
      .relay = [](const cli::RelayOptions&) { return note("relay"); },
      .list = [](const cli::ListOptions&) { return note("list"); },
      .info = [](const cli::InfoOptions&) { return note("info"); },
      .verify = [](const cli::VerifyOptions&) { return note("verify"); },
      .join = [](const cli::JoinOptions&) { return note("join"); },
      .recover = [](const cli::RecoverOptions&) { return note("recover"); },
      .bench = [](const cli::BenchOptions&) { return note("bench"); },
      .latency = [](const cli::LatencyOptions&) { return note("latency"); },
      .ctl = [](const cli::CtlOptions& options) { return said().ctl = options, note("ctl"); },
      .wall = [](const cli::WallOptions& options) { return said().wall = options, note("wall"); },
      .doctor = [](const cli::DoctorOptions& options) { return said().doctor = options, note("doctor"); },
  };
  return kCommands;
}

}  // namespace texcast::test
