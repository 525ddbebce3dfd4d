// The element types of arrays: as they are stored, and as they are computed with.
//
// Everything here compiles with NVRTC alone; no header is included. Arrays hold
// the storage types; `widen` gives the value that an operation works on, and
// `Cast<T>::of` stores one. float16 and bfloat16 are worked on in float32.

typedef signed char int8;
typedef short int16;
typedef int int32;
typedef long long int64;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef unsigned long long uint64;
typedef float float32;
typedef double float64;

struct boolean {
    uint8 byte;
};
struct float16 {
    uint16 bits;
};
struct bfloat16 {
    uint16 bits;
};
template <class Real>
struct Complex {
    Real re, im;
};
typedef Complex<float> complex64;
typedef Complex<double> complex128;

// Rounds to the nearest bfloat16, ties to even; a NaN stays a NaN.
__device__ inline bfloat16 round_to_bfloat16(float x) {
    const uint32 bits = __float_as_uint(x);
    if (x != x) return bfloat16{(uint16)((bits >> 16) | 0x40u)};
    return bfloat16{(uint16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

// What a float cannot hold becomes a float whose last bit says that something was
// cut off, so that the second rounding sees what the first one dropped.
__device__ inline bfloat16 round_to_bfloat16(double x) {
    const float cut = __double2float_rz(x);
    const bool exact = (double)cut == x || x != x;
    return round_to_bfloat16(exact ? cut : __uint_as_float(__float_as_uint(cut) | 1u));
}

__device__ inline bfloat16 round_to_bfloat16(int64 x) {
    const float cut = __ll2float_rz(x);
    return round_to_bfloat16((int64)cut == x ? cut : __uint_as_float(__float_as_uint(cut) | 1u));
}
__device__ inline bfloat16 round_to_bfloat16(uint64 x) {
    const float cut = __ull2float_rz(x);
    return round_to_bfloat16((uint64)cut == x ? cut : __uint_as_float(__float_as_uint(cut) | 1u));
}

// What an operation works on.
template <class T>
__device__ inline T widen(T x) {
    return x;
}
// Any byte but 0 is true: memory of other libraries may hold more than 0 and 1.
__device__ inline bool widen(boolean x) { return x.byte != 0; }
__device__ inline float widen(float16 x) { return half_to_float(x.bits); }
__device__ inline float widen(bfloat16 x) { return __uint_as_float((uint32)x.bits << 16); }

// Truncation to a signed integer as x86 does it: what does not fit, and NaN,
// becomes the smallest integer. NumPy's `astype` inherits that.
template <class Real>
__device__ inline int32 truncate32(Real x) {
    return x >= (Real)-2147483648.0 && x < (Real)2147483648.0 ? (int32)x : (int32)0x80000000u;
}
// Between -2147483649 and -2147483648 a double still truncates into range.
template <>
__device__ inline int32 truncate32<double>(double x) {
    return x > -2147483649.0 && x < 2147483648.0 ? (int32)x : (int32)0x80000000u;
}
template <class Real>
__device__ inline int64 truncate64(Real x) {
    const bool fits = x >= (Real)-9223372036854775808.0 && x < (Real)9223372036854775808.0;
    return fits ? (int64)x : (int64)0x8000000000000000ull;
}
template <class Real>
__device__ inline uint64 truncate_unsigned64(Real x) {
    const Real half = (Real)9223372036854775808.0;
    if (x >= half) return (uint64)truncate64(x - half) ^ 0x8000000000000000ull;
    return (uint64)truncate64(x);
}

// `Cast<T>::of(x)`: the T that NumPy's `astype` makes of a widened value. A
// complex number gives its real part to a real type.
template <class To>
struct Cast;

template <>
struct Cast<boolean> {
    template <class From>
    __device__ static boolean of(From x) {
        return boolean{(uint8)(x != (From)0)};
    }
    template <class Real>
    __device__ static boolean of(Complex<Real> x) {
        return boolean{(uint8)(x.re != 0 || x.im != 0)};
    }
};

// Narrow integers are cut from the wider ones that the hardware makes of a float.
#define INTEGER_CAST(To, truncate)                                                      \
    template <>                                                                         \
    struct Cast<To> {                                                                   \
        template <class From>                                                           \
        __device__ static To of(From x) { return (To)x; }                               \
        __device__ static To of(float x) { return (To)truncate(x); }                    \
        __device__ static To of(double x) { return (To)truncate(x); }                   \
        template <class Real>                                                           \
        __device__ static To of(Complex<Real> x) { return of(x.re); }                   \
    };
INTEGER_CAST(int8, truncate32)
INTEGER_CAST(int16, truncate32)
INTEGER_CAST(int32, truncate32)
INTEGER_CAST(int64, truncate64)
INTEGER_CAST(uint8, truncate32)
INTEGER_CAST(uint16, truncate32)
INTEGER_CAST(uint32, truncate64)
INTEGER_CAST(uint64, truncate_unsigned64)
#undef INTEGER_CAST

template <>
struct Cast<float16> {
    template <class From>
    __device__ static float16 of(From x) { return float16{float_to_half((float)x)}; }
    __device__ static float16 of(double x) { return float16{double_to_half(x)}; }
    template <class Real>
    __device__ static float16 of(Complex<Real> x) { return of(x.re); }
};

template <>
struct Cast<bfloat16> {
    template <class From>
    __device__ static bfloat16 of(From x) { return round_to_bfloat16((int64)x); }
    __device__ static bfloat16 of(uint64 x) { return round_to_bfloat16(x); }
    __device__ static bfloat16 of(float x) { return round_to_bfloat16(x); }
    __device__ static bfloat16 of(double x) { return round_to_bfloat16(x); }
    template <class Real>
    __device__ static bfloat16 of(Complex<Real> x) { return of(x.re); }
};

template <>
struct Cast<float> {
    template <class From>
    __device__ static float of(From x) { return (float)x; }
    template <class Real>
    __device__ static float of(Complex<Real> x) { return (float)x.re; }
};

template <>
struct Cast<double> {
    template <class From>
    __device__ static double of(From x) { return (double)x; }
    template <class Real>
    __device__ static double of(Complex<Real> x) { return (double)x.re; }
};

template <class Real>
struct Cast<Complex<Real>> {
    template <class From>
    __device__ static Complex<Real> of(From x) { return Complex<Real>{(Real)x, (Real)0}; }
    template <class Other>
    __device__ static Complex<Real> of(Complex<Other> x) {
        return Complex<Real>{(Real)x.re, (Real)x.im};
    }
};

// The unsigned integer that integers of type T are computed in: it wraps, where
// overflow of a signed one would be undefined.
template <class T>
struct Wrapping {
    typedef uint32 type;
};
template <>
struct Wrapping<int64> {
    typedef uint64 type;
};
template <>
struct Wrapping<uint64> {
    typedef uint64 type;
};
