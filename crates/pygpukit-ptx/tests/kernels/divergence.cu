// Branches that lanes take differently.
extern "C" __global__ void collatz(const unsigned* start, unsigned* steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = start[i];
    unsigned count = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        ++count;
    }
    steps[i] = count;
}

extern "C" __global__ void mandelbrot(unsigned* out, int width, int height, int limit)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float x0 = column * 3.0f / width - 2.0f, y0 = row * 2.0f / height - 1.0f, x = 0.0f, y = 0.0f;
    int k = 0;
    for (; k < limit && x * x + y * y <= 4.0f; ++k) {
        float next = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = next;
    }
    out[row * width + column] = k;
}

extern "C" __global__ void cases(const int* kind, int* out)
{
    int i = threadIdx.x;
    int value = 0;
    switch (kind[i]) {
    case 0: value = i; break;
    case 1: value = i * i; break;
    case 2: value = -i; // falls through
    case 3: value += 1000; break;
    case 4: for (int k = 0; k < i; ++k) value += k ^ i; break;
    case 5: { unsigned m = __activemask(); value = __shfl_sync(m, i, __ffs(m) - 1); break; }
    case 6: return;
    default: value = 77;
    }
    out[i] = value;
}

extern "C" __global__ void nested(int* out, int n)
{
    int i = threadIdx.x, value = 0;
    for (int a = 0; a < i % 5; ++a) {
        for (int b = 0; b < i % 7; ++b) {
            if ((a ^ b ^ i) & 1) { value += a * b + 1; continue; }
            if (value > n) break;
            value += 3;
        }
        if (value % 11 == 4) break;
    }
    out[i] = value;
}
