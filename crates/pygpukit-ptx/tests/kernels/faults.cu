// Kernels that do what they must not.
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
extern "C" __global__ void past_the_end(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x + 1]; }
extern "C" __global__ void misaligned(char* x) { *(int*)(x + 1 + threadIdx.x * 4) = 1; }
extern "C" __global__ void shared_past(int* x) { __shared__ int s[32]; s[threadIdx.x] = x[0]; __syncthreads(); x[threadIdx.x] = s[threadIdx.x + x[1]]; }
extern "C" __global__ void diverges(int* x) { if (threadIdx.x < 16) { x[0] = 1; __syncthreads(); x[1] = 2; } else { x[2] = 3; __syncthreads(); x[3] = 5; } }
extern "C" __global__ void endless(volatile int* x) { while (x[0] == 0) { } x[1] = 1; }
extern "C" __global__ void traps(int* x) { if (x[threadIdx.x] == 7) __trap(); }
extern "C" __global__ void waits_for_nobody(int* x) { if (threadIdx.x < 8) x[threadIdx.x] = __shfl_sync(0xffffffffu, x[threadIdx.x], 0); else { __syncthreads(); } }
extern "C" __global__ void asserts(int* x) { if (!(x[threadIdx.x] < 5)) __assertfail("x < 5", "file.cu", 12, "asserts", 1); }
extern "C" __global__ void null(int* x) { x[threadIdx.x] = 1; }
