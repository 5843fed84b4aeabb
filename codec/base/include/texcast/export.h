// export.h — TEXCAST_API: what libtexcast exports. All else in it is hidden, and so are parts of exported classes that
// say TEXCAST_LOCAL.
#pragma once

#define TEXCAST_API __attribute__((visibility("default")))
#define TEXCAST_LOCAL __attribute__((visibility("hidden")))
