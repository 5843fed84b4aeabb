// export.h — TEXCAST_API marks what libtexcast exports. Everything else in it is hidden, and so are members of exported
// classes that are marked TEXCAST_LOCAL.
#pragma once

#define TEXCAST_API __attribute__((visibility("default")))
#define TEXCAST_LOCAL __attribute__((visibility("hidden")))
