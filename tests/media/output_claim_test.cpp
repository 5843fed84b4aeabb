#include "media/output_claim.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "media/new_file.h"
#include "media_test.h"

using namespace texcast;
using namespace texcast::test;
using media::OutputClaim;

TEST_CASE("a name belongs to one claim; for the next one it is numbered or refused") {
  const Scratch scratch;
  const std::string base = scratch / "show.mov";
  auto first = OutputClaim::take(base, IfExists::refuse);
  CHECK(first->path() == base);
  CHECK_THROWS_AS(OutputClaim::take(base, IfExists::refuse), NameTaken);
  CHECK_THROWS_AS(OutputClaim::take(base, IfExists::overwrite), NameTaken);
  const auto second = OutputClaim::take(base, IfExists::number);
  CHECK(second->path() == scratch / "show-2.mov");
  CHECK(OutputClaim::take(base, IfExists::number)->part() == 3);
  first.reset();
  CHECK(OutputClaim::take(base, IfExists::refuse)->part() == 1);
}

TEST_CASE("a claim without output leaves nothing behind") {
  const Scratch scratch;
  for (const char* name : {"show.mov", "show.mkv", "f%04d.dds", "one.ktx2"}) OutputClaim::take(scratch / name, {});
  CHECK(std::filesystem::is_empty(scratch / ""));
}

TEST_CASE("a journal that has lost its recording is not overwritten") {
  const Scratch scratch;
  write_file(scratch / "show.mov.journal", "records");
  CHECK_THROWS_AS(OutputClaim::take(scratch / "show.mov", IfExists::refuse), NameTaken);
  CHECK(OutputClaim::take(scratch / "show.mov", IfExists::number)->part() == 2);
  const auto left = media::unfinished_of(scratch / "show.mov");
  REQUIRE(left.size() == 1);
  CHECK(left[0].kind == media::Unfinished::Kind::journal);
  CHECK(read_file(scratch / "show.mov.journal") == "records");
}

TEST_CASE("what killed programs left of an output is found by the names of its parts") {
  const Scratch scratch;
  for (const char* name :
       {"show-12.mov", "show-2.mov", "show.mov", "show-02.mov", "show-x.mov", "shows.mov", "show-3.mkv", "show-.mov"})
    write_file(scratch / (std::string(name) + ".journal"), "");
  write_file(scratch / "show-2.mov", "frames");
  const auto left = media::unfinished_of(scratch / "show.mov");
  REQUIRE(left.size() == 3);
  using Kind = media::Unfinished::Kind;
  CHECK(left[0].path == scratch / "show.mov");
  CHECK(left[0].kind == Kind::claim);
  CHECK(left[1].path == scratch / "show-2.mov");
  CHECK(left[1].kind == Kind::recording);
  CHECK(left[2].path == scratch / "show-12.mov");
  // A killed program's empty claim is taken over.
  CHECK(OutputClaim::take(scratch / "show.mov", IfExists::refuse)->part() == 1);
  CHECK_FALSE(std::filesystem::exists(scratch / "show.mov.journal"));
}

TEST_CASE("a sequence is continued after its highest number") {
  const Scratch scratch;
  const std::string pattern = scratch / "f%04d.dds";
  for (const char* name :
       {"f0003.dds", "f0017.dds", "f18.dds", "f0019.dds.part", "xf0020.dds", "f0021.ktx2", "f-001.dds"})
    write_file(scratch / name, "x");
  CHECK(media::highest_number(pattern) == 17);
  CHECK_THROWS_AS(OutputClaim::take(pattern, IfExists::refuse), NameTaken);
  const auto claim = OutputClaim::take(pattern, IfExists::number);
  CHECK(claim->path() == pattern);
  CHECK(claim->first_number() == 18);
  CHECK(OutputClaim::take(pattern, IfExists::number)->path() == scratch / "f%04d-2.dds");  // it is being recorded
  CHECK(media::highest_number(scratch / "g%04d.dds") == -1);
}

TEST_CASE("a new file appears only when it is complete, and replaces another only on request") {
  const Scratch scratch;
  const std::string bytes = "bytes";
  const Bytes view = std::as_bytes(std::span(bytes));
  media::write_new_file(scratch / "a", {view, view}, false);
  CHECK(read_file(scratch / "a") == "bytesbytes");
  CHECK_THROWS_AS(media::write_new_file(scratch / "a", {view}, false), NameTaken);
  CHECK(read_file(scratch / "a") == "bytesbytes");
  media::write_new_file(scratch / "a", {view}, true);
  CHECK(read_file(scratch / "a") == "bytes");
  std::filesystem::create_symlink(scratch / "there", scratch / "link");  // to a file that does not exist yet
  media::write_new_file(scratch / "link", {view}, false);
  CHECK(read_file(scratch / "there") == "bytes");
  CHECK_THROWS_AS(media::write_new_file(scratch / "no/where", {view}, false), Error);
}
