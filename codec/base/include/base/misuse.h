// misuse.h — REQUIRE_USE(condition, "what was wrong"): checks what a public header requires of its caller. Always
// checked; throws Error{misuse}, so that a program that links the library survives. ENSURE (ensure.h) checks texcast
// itself.
#pragma once

namespace texcast {
[[noreturn]] void misused(const char* function, const char* what);
}

#define REQUIRE_USE(condition, what) ((condition) ? static_cast<void>(0) : ::texcast::misused(__func__, what))
