// Conversions between float16 and wider types, by the instructions for it.

__device__ inline float half_to_float(unsigned short bits) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

__device__ inline unsigned short float_to_half(float x) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

__device__ inline unsigned short double_to_half(double x) {
    unsigned short bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
    return bits;
}
