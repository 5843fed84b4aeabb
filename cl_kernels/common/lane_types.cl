// lane_types.cl — values of LANES blocks side by side, one lane per block: one source for any number of lanes. With
// LANES=1 every value is a scalar.
//   defines   LANES=1, 4, 8 or 16
//
// Code must suit both kinds of values: it converts by the names below, selects by CHOOSE, and marks loops over texels
// UNROLLED.
#ifndef LANES
#define LANES 16
#endif

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#if LANES == 1
typedef int lane_int;
typedef uint lane_uint;
typedef float lane_float;
#define TO_INT(v) convert_int(v)
#define TO_FLOAT(v) convert_float(v)
#define AS_INT(v) as_int(v)
#define AS_UINT(v) as_uint(v)
#define AS_FLOAT(v) as_float(v)
// b if `sign` is negative, else a.
#define CHOOSE(a, b, sign) ((sign) < 0 ? (b) : (a))
#define ANY_NEGATIVE(v) ((v) < 0)
#define LOAD_LANES(p) (*(p))
#define STORE_LANES(v, p) (*(p) = (v))
#define LOAD_SHORTS(p) convert_uint(*(p))
#else
typedef JOINED(int, LANES) lane_int;
typedef JOINED(uint, LANES) lane_uint;
typedef JOINED(float, LANES) lane_float;
#define TO_INT(v) JOINED(convert_int, LANES)(v)
#define TO_FLOAT(v) JOINED(convert_float, LANES)(v)
#define AS_INT(v) JOINED(as_int, LANES)(v)
#define AS_UINT(v) JOINED(as_uint, LANES)(v)
#define AS_FLOAT(v) JOINED(as_float, LANES)(v)
#define CHOOSE(a, b, sign) select(a, b, sign)
#define ANY_NEGATIVE(v) any(v)
#define LOAD_LANES(p) JOINED(vload, LANES)(0, p)
#define STORE_LANES(v, p) JOINED(vstore, LANES)(v, 0, p)
#define LOAD_SHORTS(p) JOINED(convert_uint, LANES)(JOINED(vload, LANES)(0, p))
#endif

// For loops over texels: scalars are kept in registers only if the loop is unrolled.
#if LANES == 1
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED
#endif
#define EACH_TEXEL UNROLLED for (int i = 0; i < 16; ++i)
