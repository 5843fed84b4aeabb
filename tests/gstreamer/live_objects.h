// live_objects.h — GStreamer's objects that are not freed, as its tracer "leaks" counts them.
#pragma once

#include <string>
#include <vector>

namespace texcast::test {

// Begins to count when it is first called. Returns a line for each object that was made since then, by pipelines of
// texcast or others, and lives.
std::vector<std::string> live_objects();

}  // namespace texcast::test
