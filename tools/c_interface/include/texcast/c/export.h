// export.h — what all headers of the C interface share: visibility, and the linkage for C++ programs.
//
// C11 and later, and C++20. Only headers of the C standard library are included.
#pragma once

#if defined(__GNUC__)
#define TEXCAST_C_API __attribute__((visibility("default")))
#else
#define TEXCAST_C_API
#endif

#ifdef __cplusplus
#define TEXCAST_C_BEGIN extern "C" {
#define TEXCAST_C_END }
#else
#define TEXCAST_C_BEGIN
#define TEXCAST_C_END
#endif
