// Operations on two operands of one type, by NumPy's rules.
// Defines: TYPE, TARGET (TYPE, or boolean for comparisons), OPERATION (a name in `op`).
//
// Compiled without contraction into fused multiply-adds, so that each result is
// rounded as often as NumPy rounds it.

typedef TARGET Target;
typedef TYPE Left;
typedef TYPE Right;

namespace op {

// Integers and bool. `a` and `b` are of an integer type T.
#define WRAPPING(name, operator)                                                      \
    template <class T>                                                                \
    __device__ inline T name(T a, T b) {                                              \
        typedef typename Wrapping<T>::type W;                                         \
        return (T)((W)a operator(W) b);                                               \
    }
WRAPPING(add, +)
WRAPPING(subtract, -)
WRAPPING(multiply, *)
#undef WRAPPING

__device__ inline bool add(bool a, bool b) { return a || b; }
__device__ inline bool multiply(bool a, bool b) { return a && b; }

template <class T>
__device__ constexpr bool is_signed() {
    return (T)-1 < (T)0;
}

// Division by zero gives 0; the smallest integer over -1 wraps to itself.
template <class T>
__device__ inline T floor_divide(T a, T b) {
    if (b == 0) return 0;
    if (is_signed<T>() && b == (T)-1) return (T)(0 - (typename Wrapping<T>::type)a);
    const T quotient = a / b;
    const bool rounds_up = is_signed<T>() && (a < 0) != (b < 0) && quotient * b != a;
    return rounds_up ? quotient - 1 : quotient;
}

template <class T>
__device__ inline T remainder(T a, T b) {
    if (b == 0 || (is_signed<T>() && b == (T)-1)) return 0;
    const T rest = a % b;
    return is_signed<T>() && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// By squaring; wraps. A negative exponent leaves 1, -1 or 0 (rounded towards zero).
template <class T>
__device__ inline T power(T base, T exponent) {
    typedef typename Wrapping<T>::type W;
    if (is_signed<T>() && exponent < 0) {
        if (base == 1) return 1;
        if (base == (T)-1) return exponent % 2 == 0 ? 1 : (T)-1;
        return 0;
    }
    W result = 1, square = (W)base;
    for (W rest = (W)exponent; rest != 0; rest >>= 1) {
        if (rest & 1) result *= square;
        square *= square;
    }
    return (T)result;
}

// Real numbers. Source of `//` and `%`: Python's float_divmod, which NumPy follows.
#define REAL(Real)                                                                    \
    __device__ inline Real add(Real a, Real b) { return a + b; }                      \
    __device__ inline Real subtract(Real a, Real b) { return a - b; }                 \
    __device__ inline Real multiply(Real a, Real b) { return a * b; }                 \
    __device__ inline Real true_divide(Real a, Real b) { return a / b; }              \
    __device__ inline Real remainder(Real a, Real b) {                                \
        const Real rest = fmod(a, b);                                                 \
        if (b == 0) return rest;                                                      \
        if (rest == 0) return copysign((Real)0, b);                                   \
        return (b < 0) != (rest < 0) ? rest + b : rest;                               \
    }                                                                                 \
    __device__ inline Real floor_divide(Real a, Real b) {                             \
        if (b == 0) return a / b;                                                     \
        const Real rest = fmod(a, b);                                                 \
        Real quotient = (a - rest) / b;                                               \
        if (rest != 0 && (b < 0) != (rest < 0)) quotient -= (Real)1;                  \
        if (quotient == 0) return copysign((Real)0, a / b);                           \
        const Real whole = floor(quotient);                                           \
        return quotient - whole > (Real)0.5 ? whole + (Real)1 : whole;                \
    }
REAL(float)
REAL(double)
#undef REAL

// The square is so common that it should be exact to the last bit.
__device__ inline double power(double base, double exponent) {
    return exponent == 2 ? base * base : pow(base, exponent);
}
// In double, and so right to half a unit of the last place.
__device__ inline float power(float base, float exponent) {
    return exponent == 2 ? base * base : (float)pow((double)base, (double)exponent);
}

// Complex numbers.
template <class Real>
__device__ inline Complex<Real> add(Complex<Real> a, Complex<Real> b) {
    return Complex<Real>{a.re + b.re, a.im + b.im};
}
template <class Real>
__device__ inline Complex<Real> subtract(Complex<Real> a, Complex<Real> b) {
    return Complex<Real>{a.re - b.re, a.im - b.im};
}
template <class Real>
__device__ inline Complex<Real> multiply(Complex<Real> a, Complex<Real> b) {
    return Complex<Real>{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Source: R. L. Smith, Algorithm 116, 1962: scales by the larger part of the
// divisor, so that squares neither overflow nor vanish.
template <class Real>
__device__ inline Complex<Real> true_divide(Complex<Real> a, Complex<Real> b) {
    const Real re = fabs(b.re), im = fabs(b.im);
    if (re == 0 && im == 0) return Complex<Real>{a.re / re, a.im / re};
    if (re >= im) {
        const Real ratio = b.im / b.re, scale = (Real)1 / (b.re + b.im * ratio);
        return Complex<Real>{(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const Real ratio = b.re / b.im, scale = (Real)1 / (b.im + b.re * ratio);
    return Complex<Real>{(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

// Small whole exponents by squaring, as NumPy does: exact where products are.
// Others as exp(b log a).
__device__ inline Complex<double> power(Complex<double> a, Complex<double> b) {
    if (b.re == 0 && b.im == 0) return Complex<double>{1, 0};
    if (a.re == 0 && a.im == 0) {
        const double undefined = (double)__uint_as_float(0x7fc00000u);
        return b.re > 0 ? Complex<double>{0, 0} : Complex<double>{undefined, undefined};
    }
    if (b.im == 0 && fabs(b.re) < 100 && b.re == floor(b.re)) {
        // Starts with the lowest bit that is set: 1 times infinity is no number.
        int rest = (int)fabs(b.re);
        Complex<double> square = a;
        for (; !(rest & 1); rest >>= 1) square = multiply(square, square);
        Complex<double> result = square;
        while (rest >>= 1) {
            square = multiply(square, square);
            if (rest & 1) result = multiply(result, square);
        }
        return b.re < 0 ? true_divide(Complex<double>{1, 0}, result) : result;
    }
    const double length = log(hypot(a.re, a.im)), angle = atan2(a.im, a.re);
    const double size = exp(b.re * length - b.im * angle);
    const double turn = b.im * length + b.re * angle;
    return Complex<double>{size * cos(turn), size * sin(turn)};
}
__device__ inline Complex<float> power(Complex<float> a, Complex<float> b) {
    const Complex<double> result =
        power(Complex<double>{a.re, a.im}, Complex<double>{b.re, b.im});
    return Complex<float>{(float)result.re, (float)result.im};
}

// Comparisons. NaN is unequal to everything and in no order. Complex numbers
// are ordered by the real part, then the imaginary part.
template <class T>
__device__ inline bool equal(T a, T b) {
    return a == b;
}
template <class T>
__device__ inline bool less(T a, T b) {
    return a < b;
}
template <class T>
__device__ inline bool less_equal(T a, T b) {
    return a <= b;
}
template <class Real>
__device__ inline bool equal(Complex<Real> a, Complex<Real> b) {
    return a.re == b.re && a.im == b.im;
}
template <class Real>
__device__ inline bool less(Complex<Real> a, Complex<Real> b) {
    const bool ordered = a.im == a.im && b.im == b.im;
    return (a.re < b.re && ordered) || (a.re == b.re && a.im < b.im);
}
template <class Real>
__device__ inline bool less_equal(Complex<Real> a, Complex<Real> b) {
    const bool ordered = a.im == a.im && b.im == b.im;
    return (a.re < b.re && ordered) || (a.re == b.re && a.im <= b.im);
}
template <class T>
__device__ inline bool not_equal(T a, T b) {
    return !equal(a, b);
}
template <class T>
__device__ inline bool greater(T a, T b) {
    return less(b, a);
}
template <class T>
__device__ inline bool greater_equal(T a, T b) {
    return less_equal(b, a);
}

}  // namespace op

__device__ inline Target apply(Left left, Right right) {
    return Cast<Target>::of(op::OPERATION(widen(left), widen(right)));
}
