// What the lanes of a warp do together.
extern "C" __global__ void total(const float* x, float* out, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

extern "C" __global__ void shuffles(int* out)
{
    int lane = threadIdx.x, base = lane * 4;
    int value = lane * 10 + 1;
    out[base] = __shfl_up_sync(0xffffffffu, value, 3);
    out[base + 1] = __shfl_xor_sync(0xffffffffu, value, 5, 8);
    out[base + 2] = __shfl_sync(0xffffffffu, value, lane * 7, 16);
    out[base + 3] = __shfl_down_sync(0xffffffffu, value, 2, 4);
}

extern "C" __global__ void votes(unsigned* out)
{
    int lane = threadIdx.x;
    out[lane * 4] = __ballot_sync(0xffffffffu, lane % 3 == 0);
    out[lane * 4 + 1] = __any_sync(0xffffffffu, lane == 31) * 2 + __all_sync(0xffffffffu, lane < 31);
    out[lane * 4 + 2] = __match_any_sync(0xffffffffu, lane / 5);
    out[lane * 4 + 3] = __reduce_add_sync(0xffffffffu, lane) + __reduce_max_sync(0xffffffffu, lane ^ 5);
}

extern "C" __global__ void scan(const int* x, int* y, int n)
{
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffffu, value, d);
        if (lane >= d) value += other;
    }
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += other;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    if (warp > 0) value += sums[warp - 1];
    if (i < n) y[i] = value;
}

// Lanes of one warp take a lock in turn: each must get to run.
extern "C" __global__ void lock_in_turn(int* lock, int* count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int*)count = *(volatile int*)count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
