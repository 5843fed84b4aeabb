// udp_offload.h — the options with which the kernel cuts and joins trains of datagrams, also where the system's headers
// are older than they.
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103  // linux/udp.h, since 4.18
#endif
#ifndef UDP_GRO
#define UDP_GRO 104  // since 5.0
#endif
