#include "transport/wire_choice.h"

namespace texcast::transport {

std::unique_ptr<FramePacketizer> make_packetizer(const PacketizerSettings& settings,
                                                 [[maybe_unused]] const WireChoice& choice) {
  return std::make_unique<PlainPacketizer>(settings);
}

}  // namespace texcast::transport
