// ensure.h — ENSURE(condition): detects a bug of texcast or misuse by a caller. It is always checked; it prints the
// place and ends the program, because going on would mean writing past a buffer. Never used on bytes from outside.
#pragma once

namespace texcast {
[[noreturn]] void ensure_failed(const char* condition, const char* file, int line);
}

#define ENSURE(condition) \
  ((condition) ? static_cast<void>(0) : ::texcast::ensure_failed(#condition, __FILE__, __LINE__))
