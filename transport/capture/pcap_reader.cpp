// pcap_reader.cpp — container, then link, IP and UDP, then trains cut up.
#include "capture_file.h"
#include "capture_walk.h"
#include "train_split.h"
#include "transport/pcap.h"

namespace texcast::transport {

struct PcapReader::Impl {
  explicit Impl(const std::string& path) : file(path) {}
  CaptureFile file;
  CaptureWalk walk;
  CapturedDatagram current;  // its payload is what is left of the train
  size_t segment_bytes = 0;
};

PcapReader::PcapReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
PcapReader::~PcapReader() = default;

std::optional<CapturedDatagram> PcapReader::next() {
  while (impl_->current.payload.empty()) {
    const auto packet = impl_->file.next();
    if (!packet) return std::nullopt;
    const auto udp = impl_->walk.udp_of(packet->bytes, packet->link_type);
    if (!udp || udp->payload.empty()) continue;
    impl_->current = {udp->payload, packet->time, udp->port};
    impl_->segment_bytes = train_segment_bytes(udp->payload);
  }
  CapturedDatagram datagram = impl_->current;
  datagram.payload = datagram.payload.first(std::min(impl_->segment_bytes, datagram.payload.size()));
  impl_->current.payload = impl_->current.payload.subspan(datagram.payload.size());
  return datagram;
}

}  // namespace texcast::transport
