// Copies to shared memory that run beside the kernel, and half2 comparisons.
__device__ void copy16(void* to, const void* from, int bytes)
{
    unsigned target = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(from), "r"(bytes));
}

extern "C" __global__ void reversed(const float4* x, float4* y, int n)
{
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    // Beyond the end nothing is read, and zeros are written.
    copy16(&tile[threadIdx.x], x + (i < n ? i : 0), i < n ? 16 : 0);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    y[blockIdx.x * 64 + 63 - threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void compared(const unsigned* x, const unsigned* y, unsigned* out)
{
    int i = threadIdx.x;
    asm("set.lt.f16x2.f16x2 %0, %1, %2;" : "=r"(out[i * 3]) : "r"(x[i]), "r"(y[i]));
    asm("set.geu.u32.f16x2 %0, %1, %2;" : "=r"(out[i * 3 + 1]) : "r"(x[i]), "r"(y[i]));
    asm("set.eq.u32.f32 %0, %1, %2;" : "=r"(out[i * 3 + 2]) : "f"(__uint_as_float(x[i])), "f"(__uint_as_float(y[i])));
}
