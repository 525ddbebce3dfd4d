// Elementwise kernels: addresses, guards, arithmetic of every width.
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void widths(const char* a, const unsigned short* b, const long long* c, double* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * 2.0 + b[i] - (double)c[i] / 3.0;
}

extern "C" __global__ void integers(const int* a, const int* b, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i];
    unsigned u = x, v = y;
    int r = x / (y | 1) + x % (y | 1);
    r ^= min(x, y) + max(u, v) + abs(x) - __popc(u) + __clz(v) + __brev(u) + __ffs(v);
    r += __mulhi(x, y) + __umulhi(u, v) + __byte_perm(u, v, 0x3715) + (int)__funnelshift_l(u, v, x);
    r -= (int)((long long)x * y >> 13) + (int)((unsigned long long)u * v % 1000003u);
    r += (x << (y & 31)) + (x >> (v & 31)) + (int)(u >> (v & 31)) + __sad(x, y, u);
    out[i] = r;
}

extern "C" __global__ void pairs(const float4* x, float2* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i];
        y[i] = make_float2(v.x + v.y, v.z * v.w);
    }
}

extern "C" __global__ void histogram(const unsigned char* data, unsigned* bins, int n)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i]) atomicAdd(&bins[i], local[i]);
}
