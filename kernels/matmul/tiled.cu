// `target[b, m, n] = sum over k of left[b, m, k] * right[b, k, n]`, for any type,
// size and strides. Define: TYPE.
//
// A block of 256 threads makes a tile of 64 x 64 results, 4 x 4 a thread, from
// slices 16 deep in shared memory. What lies beyond the operands is read as
// zero in both, and so adds nothing.

constexpr int TILE = 64, DEPTH = 16, EACH = 4, THREADS = 256;
constexpr int PITCH = TILE + EACH;  // spreads a slice's columns over the banks
constexpr int BATCH_DIMS = 40;

// Strides in bytes. `parameters` in mod.rs writes this struct.
struct Parameters {
    int64 m, n, k, batches;
    TYPE *target;
    const char *left, *right;
    int64 left_row, left_column, right_row, right_column;
    int64 batch_ndim;
    int64 batch_shape[BATCH_DIMS], left_batch[BATCH_DIMS], right_batch[BATCH_DIMS];
};

// What sums are kept in: float32 for the halves, unsigned integers that wrap.
template <class T>
struct Sum {
    typedef typename Wrapping<T>::type type;
};
template <>
struct Sum<boolean> {
    typedef bool type;
};
template <>
struct Sum<float16> {
    typedef float type;
};
template <>
struct Sum<bfloat16> {
    typedef float type;
};
template <>
struct Sum<float> {
    typedef float type;
};
template <>
struct Sum<double> {
    typedef double type;
};
template <class Real>
struct Sum<Complex<Real>> {
    typedef Complex<Real> type;
};
typedef Sum<TYPE>::type Acc;

template <class T>
__device__ inline void accumulate(T &sum, T a, T b) {
    sum += a * b;
}
__device__ inline void accumulate(bool &sum, bool a, bool b) { sum = sum || (a && b); }
template <class Real>
__device__ inline void accumulate(Complex<Real> &sum, Complex<Real> a, Complex<Real> b) {
    sum.re += a.re * b.re;
    sum.re -= a.im * b.im;
    sum.im += a.re * b.im;
    sum.im += a.im * b.re;
}

// Sums of one slice, added to the rest at its end: a long chain of float32
// additions would lose a digit more.
template <class T>
struct Chained {
    static constexpr bool value = true;
};
template <>
struct Chained<float> {
    static constexpr bool value = false;
};
constexpr bool CHAINED = Chained<Acc>::value;
template <class T>
__device__ inline void merge(T &, T) {}
__device__ inline void merge(float &sum, float part) { sum += part; }

// Fetches a slice: TILE elements along `outer` by DEPTH along k, from element
// (first_outer, first_k). Neighbouring threads take neighbours in memory.
__device__ inline void fetch(Acc (&slice)[DEPTH][PITCH], const char *source, int64 outer_stride,
                             int64 k_stride, int64 first_outer, int64 first_k, int64 outer_end,
                             int64 k_end) {
    const bool along_k = (k_stride < 0 ? -k_stride : k_stride) <
                         (outer_stride < 0 ? -outer_stride : outer_stride);
#pragma unroll
    for (int part = 0; part < TILE * DEPTH / THREADS; ++part) {
        const int at = part * THREADS + (int)threadIdx.x;
        const int k = along_k ? at % DEPTH : at / TILE;
        const int outer = along_k ? at / DEPTH : at % TILE;
        Acc value = Acc();
        if (first_outer + outer < outer_end && first_k + k < k_end)
            value = (Acc)widen(*(const TYPE *)(source + (first_outer + outer) * outer_stride +
                                               (first_k + k) * k_stride));
        slice[k][outer] = value;
    }
}

__device__ inline void tile(const Parameters &p, const char *left, const char *right, TYPE *target,
                            int64 first_row, int64 first_column) {
    alignas(16) __shared__ Acc left_slice[DEPTH][PITCH];
    alignas(16) __shared__ Acc right_slice[DEPTH][PITCH];
    const int row = (int)threadIdx.x / (TILE / EACH) * EACH;
    const int column = (int)threadIdx.x % (TILE / EACH) * EACH;
    Acc sums[EACH][EACH] = {};
    for (int64 first_k = 0; first_k < p.k; first_k += DEPTH) {
        fetch(left_slice, left, p.left_row, p.left_column, first_row, first_k, p.m, p.k);
        fetch(right_slice, right, p.right_column, p.right_row, first_column, first_k, p.n, p.k);
        __syncthreads();
        Acc parts[EACH][EACH] = {};
        Acc(&into)[EACH][EACH] = CHAINED ? sums : parts;
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            Acc a[EACH], b[EACH];
#pragma unroll
            for (int i = 0; i < EACH; ++i) a[i] = left_slice[k][row + i];
#pragma unroll
            for (int j = 0; j < EACH; ++j) b[j] = right_slice[k][column + j];
#pragma unroll
            for (int i = 0; i < EACH; ++i)
#pragma unroll
                for (int j = 0; j < EACH; ++j) accumulate(into[i][j], a[i], b[j]);
        }
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < EACH; ++j) merge(sums[i][j], parts[i][j]);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < EACH; ++j) {
            const int64 m = first_row + row + i, n = first_column + column + j;
            if (m < p.m && n < p.n) target[m * p.n + n] = Cast<TYPE>::of(sums[i][j]);
        }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const __grid_constant__ Parameters p) {
    const int64 tiles_across = (p.n + TILE - 1) / TILE;
    const int64 tiles = (p.m + TILE - 1) / TILE * tiles_across;
    for (int64 batch = blockIdx.z; batch < p.batches; batch += gridDim.z) {
        int64 rest = batch;
        const char *left = p.left, *right = p.right;
        for (int axis = (int)p.batch_ndim - 1; axis >= 0; --axis) {
            const int64 at = rest % p.batch_shape[axis];
            left += at * p.left_batch[axis];
            right += at * p.right_batch[axis];
            rest /= p.batch_shape[axis];
        }
        for (int64 index = blockIdx.x; index < tiles; index += gridDim.x)
            tile(p, left, right, p.target + batch * p.m * p.n, index / tiles_across * TILE,
                 index % tiles_across * TILE);
    }
}
