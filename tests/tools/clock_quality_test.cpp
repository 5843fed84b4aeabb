// Answers of chronyc and pmc, and what is made of them.
#include "clock/clock_quality.h"

#include <doctest/doctest.h>

using namespace texcast;
using namespace texcast::clock;
using namespace std::chrono_literals;

namespace {

// As chronyd 4.3 and linuxptp 3.1 print them.
constexpr const char* kTracking =
    "C0A80101,192.168.1.1,3,1701252000.123456789,-0.000012000,-0.000003210,0.000045678,-12.345,0.001,0.123,"
    "0.000600000,0.000100000,64.2,Normal\n";
constexpr const char* kNotTracking =
    "00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,"
    "Not synchronised\n";
constexpr const char* kTimeStatus =
    "sending: GET TIME_STATUS_NP\n"
    "\t001122.fffe.334455-0 seq 0 RESPONSE MANAGEMENT TIME_STATUS_NP \n"
    "\t\tmaster_offset              -37\n"
    "\t\tingress_time               1701252000123456789\n"
    "\t\tcumulativeScaledRateOffset +0.000000000\n"
    "\t\tgmPresent                  true\n"
    "\t\tgmIdentity                 aabbcc.fffe.ddeeff\n";

KernelClock kept(nanoseconds error = 250us) { return {.synchronised = true, .most_error = error}; }

}  // namespace

TEST_CASE("chronyc's tracking: the offset, and the distance to the root as the error") {
  const auto tracking = parse_tracking(kTracking);
  REQUIRE(tracking);
  CHECK(tracking->synchronised);
  CHECK(tracking->source == "192.168.1.1");
  CHECK(tracking->stratum == 3);
  CHECK(tracking->offset == 12us);
  CHECK(tracking->error == 412us);
  REQUIRE(parse_tracking(kNotTracking));
  CHECK_FALSE(parse_tracking(kNotTracking)->synchronised);
  for (const char* odd : {"", "506 Cannot talk to daemon\n", "a,b,c", ",,,,,,,,,,,,,,", "1,2,x,4,5,6,7,8,9,0,1,2,3,4"})
    CHECK_FALSE(parse_tracking(odd));
}

TEST_CASE("pmc's time status: the offset of the network card's clock") {
  const auto status = parse_time_status(kTimeStatus);
  REQUIRE(status);
  CHECK(status->has_grandmaster);
  CHECK(status->grandmaster == "aabbcc.fffe.ddeeff");
  CHECK(status->offset == -37ns);
  for (const char* odd : {"", "sending: GET TIME_STATUS_NP\n", "master_offset x\ngmPresent true\ngmIdentity a"})
    CHECK_FALSE(parse_time_status(odd));
}

TEST_CASE("the kernel says whether the clock is synchronised, and chrony or ptp4l how well") {
  ClockQuality quality{.kernel = kept()};
  CHECK(name_of_source(quality) == "unknown");
  CHECK(quality.error() == 250us);
  quality.chrony = parse_tracking(kTracking);
  CHECK(name_of_source(quality) == "chrony");
  CHECK(quality.error() == 412us);
  CHECK(text_of(quality) == "synchronised by chrony with 192.168.1.1 (stratum 3), 12 µs off, within 412 µs");
  quality.ptp = parse_time_status(kTimeStatus);
  CHECK(name_of_source(quality) == "ptp");
  CHECK(quality.error() == 37ns);
  CHECK(mend_of(quality).empty());
}

TEST_CASE("a machine that is the server of others follows itself") {
  const ClockQuality quality{
      .kernel = kept(),
      .chrony = parse_tracking("7F7F0101,,8,1795951901.181783548,0.000000000,0.000000000,0.000000000,0.000,0.000,"
                               "0.000,0.000000000,0.000000000,0.0,Normal\n")};
  CHECK(text_of(quality) == "synchronised by chrony with the local clock (stratum 8), 0 ns off, within 0 ns");
}

TEST_CASE("a clock that is not synchronised: what to do") {
  ClockQuality quality;
  CHECK(name_of_source(quality) == "none");
  CHECK_FALSE(quality.error());
  CHECK(mend_of(quality).starts_with("apt-get install chrony"));
  quality.has_chrony = true;
  CHECK(mend_of(quality) == "systemctl enable --now chrony");
  quality.chrony = parse_tracking(kNotTracking);
  CHECK(mend_of(quality).starts_with("chronyc sources"));
  quality.ptp = parse_time_status(kTimeStatus);
  CHECK(text_of(quality).find("phc2sys does not run") != std::string::npos);
  CHECK(mend_of(quality).starts_with("phc2sys"));
}
