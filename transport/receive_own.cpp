// receive_own.cpp — texcast's own datagrams, which are no RTP: 'T' 'C', version, type.
#include "receive_state.h"

namespace texcast::transport {

void ReceiveSession::State::on_own(const OwnDatagram& datagram, SteadyTime /*now*/, WallTime /*wall_now*/) {
  switch (datagram.type) {
    default: ++counters.foreign;
  }
}

}  // namespace texcast::transport
