// Functions of the module and of the system, and variables of the module.
__constant__ float weights[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__device__ int counter = 5;
__device__ unsigned short table[3] = {7, 8, 9};
struct Pair { float a; int b; };

__device__ __noinline__ float scaled(float x, int k) { return x * weights[k & 3] + k; }
__device__ __noinline__ Pair both(Pair p, int n) { Pair q = {p.a * n, p.b + n}; if (n > 3) q.b = -q.b; return q; }

extern "C" __global__ void calls(float* out)
{
    int i = threadIdx.x;
    Pair p = both(Pair{i * 0.5f, i}, i % 7);
    out[i] = scaled(p.a, p.b) + table[i % 3];
    atomicAdd(&counter, 1);
}

extern "C" __global__ void prints(int n)
{
    if (threadIdx.x < n) printf("thread %d of %5.2f: %s %c %llx %%\n", threadIdx.x, n * 0.5, "text", 'A' + threadIdx.x, 0x1234567890ull);
}

extern "C" __global__ void local_array(const int* x, int* out)
{
    int values[16];
    for (int k = 0; k < 16; ++k) values[k] = x[(threadIdx.x + k) % 64];
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum = sum * 3 + values[values[k] & 15];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void reductions(int* out)
{
    int i = threadIdx.x;
    out[i * 3] = __syncthreads_count(i % 3 == 0);
    out[i * 3 + 1] = __syncthreads_and(i < 100);
    out[i * 3 + 2] = __syncthreads_or(i == 77);
}
