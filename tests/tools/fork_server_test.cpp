// A process of the fork server behaves like the started program.
#include <doctest/doctest.h>

#include <string>

#include "program.h"

using namespace texcast::test;

TEST_CASE("a forked program prints and returns the same as the built one") {
  const Folder folder;
  const std::string cd = "cd '" + folder.file("") + "'\n";
  for (const std::string command :
       {"--version", "--help", "info missing.mov", "info --frobnicate", "man", "decode missing.mov o.rgb --json"}) {
    CAPTURE(command);
    const Outcome built = shell(cd + "\"$built\" " + command), forked = shell(cd + "texcast " + command);
    CHECK(forked.exit_code == built.exit_code);
    CHECK(forked.out == built.out);
    CHECK(forked.err == built.err);
    CHECK(forked.out.size() + forked.err.size() > 0);
  }
}

TEST_CASE("a forked program has its caller's directory, environment, limits and streams") {
  const Folder folder;
  const Outcome outcome = shell("cd '" + folder.file("") + R"sh('
encode="encode test a.mov --size 64x64 --frames 20 --snappy off --device cpu-reference --overwrite"
for program in "$built" "$program"; do
  (ulimit -S -f 10; "$program" $encode > /dev/null 2>&1); echo $?
  "$program" $encode >&- 2> /dev/null; echo $?
  MESA_EXTENSION_OVERRIDE= OCL_ICD_VENDORS=/nonexistent "$program" devices > /dev/null 2>&1; echo $?
  trap '' HUP; "$program" receive rtp://127.0.0.1:0 b.mov --timeout 1 > /dev/null 2> said & receiver=$!; trap - HUP
  until grep -q listening said; do sleep 0.02; done
  kill -HUP $receiver; wait $receiver; echo $?
done
)sh");
  INFO(outcome.err);
  CHECK(outcome.out == "1\n1\n3\n6\n1\n1\n3\n6\n");
}

TEST_CASE("a forked program ends by a passed signal, and when its caller is killed") {
  const std::string port = std::to_string(free_port());
  const Folder folder;
  const Outcome outcome = shell("cd '" + folder.file("") + "'\nport=" + port + R"sh(
for signal in TERM KILL; do
  "$program" receive rtp://127.0.0.1:$port $signal.mov > /dev/null 2> said & receiver=$!
  until grep -q listening said; do sleep 0.02; done
  kill -$signal $receiver; wait $receiver 2> /dev/null; echo $?
  # Nobody has the port any more.
  texcast receive rtp://127.0.0.1:$port o.mov --timeout 0.1 2>&1 | grep -o 'nothing was received\|in use'
done
)sh");
  INFO(outcome.err);
  CHECK(outcome.out == "143\nnothing was received\n137\nnothing was received\n");
}
