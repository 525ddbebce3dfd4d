// `-x`. Define: TARGET.

typedef TARGET Target;
typedef TARGET Left;
typedef uint8 Right;  // there is none: the host passes the scalar 0

namespace op {
template <class T>
__device__ inline T negative(T x) {
    return (T)(0 - (typename Wrapping<T>::type)x);
}
__device__ inline float negative(float x) { return -x; }
__device__ inline double negative(double x) { return -x; }
template <class Real>
__device__ inline Complex<Real> negative(Complex<Real> x) {
    return Complex<Real>{-x.re, -x.im};
}
}  // namespace op

__device__ inline Target apply(Left left, Right) {
    return Cast<Target>::of(op::negative(widen(left)));
}
