// export.h — TEXCAST_API: what libtexcast exports. All else in it is hidden.
#pragma once

#define TEXCAST_API __attribute__((visibility("default")))
