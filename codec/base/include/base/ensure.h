// ensure.h — ENSURE(condition): our own bug or a caller's misuse. Always checked; prints where and ends the
// program, because going on would mean writing past a buffer. Never used on bytes that came from outside.
#pragma once

namespace texcast {
[[noreturn]] void ensure_failed(const char* condition, const char* file, int line);
}

#define ENSURE(condition) \
  ((condition) ? static_cast<void>(0) : ::texcast::ensure_failed(#condition, __FILE__, __LINE__))
