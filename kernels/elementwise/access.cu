// One result element from the elements at the same index: the loops of all
// elementwise kernels.
//
// The file before this one defines the types `Target`, `Left` and `Right` and
// the function `apply(left, right)`; an operation on one operand ignores `right`.
// `parameters` in mod.rs writes the structs below.

// An operand; without an address it is the same `value` everywhere.
struct alignas(16) Operand {
    uint64 value[2];
    char *address;
    uint64 padding;
};

struct Contiguous {
    int64 size;
    int64 ndim;
    Operand target, left, right;
};

// Strides in bytes; the last dimension is the innermost one.
template <int DIMS>
struct Strided {
    Contiguous flat;
    int64 shape[DIMS];
    int64 target[DIMS], left[DIMS], right[DIMS];
};

// As many elements as make up 16 bytes of the largest type.
__device__ constexpr int largest(int a, int b) { return a > b ? a : b; }
constexpr int WIDTH =
    16 / largest(sizeof(Target), largest(sizeof(Left), sizeof(Right)));

template <class T>
struct alignas(sizeof(T) * WIDTH) Pack {
    T items[WIDTH];
};

template <class T>
__device__ inline bool is_aligned(const Operand &operand) {
    return (uint64)operand.address % sizeof(Pack<T>) == 0;
}

template <class T>
__device__ inline T item(const Operand &operand, int64 offset) {
    return operand.address ? *(const T *)(operand.address + offset)
                           : *(const T *)operand.value;
}

template <class T>
__device__ inline Pack<T> pack(const Operand &operand, int64 index) {
    if (operand.address) return ((const Pack<T> *)operand.address)[index];
    Pack<T> same;
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) same.items[i] = *(const T *)operand.value;
    return same;
}

extern "C" __global__ void __launch_bounds__(256) contiguous(const __grid_constant__ Contiguous p) {
    const int64 thread = blockIdx.x * (int64)blockDim.x + threadIdx.x;
    const int64 threads = gridDim.x * (int64)blockDim.x;
    int64 packed = 0;
    if (is_aligned<Target>(p.target) && is_aligned<Left>(p.left) && is_aligned<Right>(p.right)) {
        const int64 packs = p.size / WIDTH;
        for (int64 index = thread; index < packs; index += threads) {
            const Pack<Left> left = pack<Left>(p.left, index);
            const Pack<Right> right = pack<Right>(p.right, index);
            Pack<Target> result;
#pragma unroll
            for (int i = 0; i < WIDTH; ++i)
                result.items[i] = apply(left.items[i], right.items[i]);
            ((Pack<Target> *)p.target.address)[index] = result;
        }
        packed = packs * WIDTH;
    }
    for (int64 index = packed + thread; index < p.size; index += threads) {
        const Left left = item<Left>(p.left, index * (int64)sizeof(Left));
        const Right right = item<Right>(p.right, index * (int64)sizeof(Right));
        ((Target *)p.target.address)[index] = apply(left, right);
    }
}

// Walks all elements, counting them in `Index`, which must hold the number of
// elements plus the number of threads.
template <class Index, int DIMS>
__device__ inline void walk(const Strided<DIMS> &p) {
    const Index size = (Index)p.flat.size;
    const int innermost = (int)p.flat.ndim - 1;
    const Index threads = (Index)gridDim.x * blockDim.x;
    for (Index index = (Index)blockIdx.x * blockDim.x + threadIdx.x; index < size; index += threads) {
        int64 target = 0, left = 0, right = 0;
        Index rest = index;
        for (int axis = innermost; axis >= 0; --axis) {
            const Index length = (Index)p.shape[axis];
            const Index outer = axis == 0 ? 0 : rest / length;
            const int64 at = (int64)(rest - outer * length);
            target += at * p.target[axis];
            left += at * p.left[axis];
            right += at * p.right[axis];
            rest = outer;
        }
        *(Target *)(p.flat.target.address + target) =
            apply(item<Left>(p.flat.left, left), item<Right>(p.flat.right, right));
    }
}

extern "C" __global__ void __launch_bounds__(256) strided(const __grid_constant__ Strided<8> p) {
    walk<uint32>(p);
}

// An array of more than 40 dimensions longer than 1 has more elements than any
// memory holds.
extern "C" __global__ void __launch_bounds__(256)
    strided_large(const __grid_constant__ Strided<40> p) {
    walk<uint64>(p);
}
