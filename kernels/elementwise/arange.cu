// `start + i * step`, each computed from its own i. Define: TARGET.

typedef TARGET Target;

struct Arange {
    uint64 start[2], step[2];
    Target *target;
    int64 size;
};

// The sum in the type itself: integers wrap, floats round the product, then the sum.
template <class T>
__device__ inline T at(T start, T step, int64 i) {
    typedef typename Wrapping<T>::type W;
    return (T)((W)start + (W)i * (W)step);
}
__device__ inline bool at(bool start, bool step, int64 i) { return start || (step && i != 0); }
__device__ inline float at(float start, float step, int64 i) { return start + (float)i * step; }
__device__ inline double at(double start, double step, int64 i) { return start + (double)i * step; }
template <class Real>
__device__ inline Complex<Real> at(Complex<Real> start, Complex<Real> step, int64 i) {
    return Complex<Real>{at(start.re, step.re, i), at(start.im, step.im, i)};
}

extern "C" __global__ void __launch_bounds__(256) arange(const __grid_constant__ Arange p) {
    const int64 threads = gridDim.x * (int64)blockDim.x;
    const Target start = *(const Target *)p.start, step = *(const Target *)p.step;
    for (int64 i = blockIdx.x * (int64)blockDim.x + threadIdx.x; i < p.size; i += threads)
        p.target[i] = Cast<Target>::of(at(widen(start), widen(step), i));
}
