// misuse.h — REQUIRE_USE(condition, "what was wrong"): what a public header asks of its caller. Always checked; throws
// Error{misuse}, so that a program that links the library lives. What texcast asks of itself is ENSURE's (ensure.h).
#pragma once

namespace texcast {
[[noreturn]] void misused(const char* function, const char* what);
}

#define REQUIRE_USE(condition, what) ((condition) ? static_cast<void>(0) : ::texcast::misused(__func__, what))
