// Half precision, as the compiler's built-in instructions write it.
extern "C" __global__ void halves(const unsigned short* x, const unsigned short* y, unsigned short* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned short a = x[i], b = y[i], *o = out + i * 8;
    float wide; unsigned short r;
    asm("add.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); o[0] = r;
    asm("mul.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); o[1] = r;
    asm("fma.rn.f16 %0, %1, %2, %1;" : "=h"(r) : "h"(a), "h"(b)); o[2] = r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(a));
    wide = wide * 1.1f;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(wide)); o[3] = r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(wide)); o[4] = r;
    asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u16 %0, 1, 2, p; }" : "=h"(r) : "h"(a), "h"(b)); o[5] = r;
    asm("min.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); o[6] = r;
    asm("{ .reg .b32 t, u; mov.b32 t, {%1, %2}; add.rn.f16x2 u, t, t; mov.b32 {%0, _}, u; }" : "=h"(r) : "h"(a), "h"(b)); o[7] = r;
}
