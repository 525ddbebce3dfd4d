// Compiled with NVRTC 13.5 for sm_90 into corpus.ptx and corpus.cubin beside this file.
struct Pair { float a; double b; };
struct alignas(32) Wide { char c[40]; };
__device__ void meet() { __syncthreads(); }
__device__ __noinline__ void meet_far(int* p) { __shared__ int inside[64]; inside[threadIdx.x] = *p; __syncthreads(); *p = inside[0]; }
extern "C" __global__ void scale(float* x, float factor, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= factor; }
extern "C" __global__ void unguarded(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
extern "C" __global__ void __launch_bounds__(128) mixed(const double* __restrict__ x, Pair p, char c, bool q, float4 f, Wide w, short s, long long l, int* y) { *y = x[0] + p.a + p.b + c + q + f.x + w.c[3] + s + l; }
extern "C" __global__ void dynamic(int* y) { extern __shared__ int s[]; s[threadIdx.x] = y[threadIdx.x]; meet(); y[threadIdx.x] = s[0]; }
extern "C" __global__ void fixed(int* y) { __shared__ double t[32]; t[threadIdx.x % 32] = y[threadIdx.x]; y[threadIdx.x] = t[0]; }
extern "C" __global__ void calls(int* y) { if (y[0]) meet_far(y); }
extern "C" __global__ void plane(int* y, int w) { y[blockIdx.y * w + threadIdx.x] = 1; }
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(int* y) { if (threadIdx.x == 0) y[blockIdx.x] = 1; }
extern "C" __global__ void empty() {}
typedef void (*callee)(int*);
extern "C" __global__ void indirect(callee f, int* y) { if (y[0]) f(y); }
