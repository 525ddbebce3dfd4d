// Loops that measure the rate of instructions.
extern "C" __global__ void fused(float* out, float a, float b, int count)
{
    float x = threadIdx.x, y = x + 1.0f, z = x + 2.0f, w = x + 3.0f;
    #pragma unroll 8
    for (int i = 0; i < count; ++i) {
        x = fmaf(x, a, b); y = fmaf(y, a, b); z = fmaf(z, a, b); w = fmaf(w, a, b);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}

extern "C" __global__ void whole(unsigned* out, int count)
{
    unsigned x = threadIdx.x + 1;
    #pragma unroll 8
    for (int i = 0; i < count; ++i) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5; x += i;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
