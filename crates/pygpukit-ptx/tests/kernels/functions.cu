// The functions of the mathematics library, single and double.
extern "C" __global__ void single(const float* x, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], a = fabsf(v) + 1e-3f;
    float* o = out + i * 24;
    o[0] = sinf(v); o[1] = cosf(v); o[2] = tanf(v); o[3] = expf(v); o[4] = logf(a); o[5] = sqrtf(a);
    o[6] = rsqrtf(a); o[7] = powf(a, v * 0.1f); o[8] = tanhf(v); o[9] = atan2f(v, a); o[10] = erff(v);
    o[11] = floorf(v); o[12] = ceilf(v); o[13] = rintf(v); o[14] = truncf(v); o[15] = fmodf(v, 1.5f);
    o[16] = cbrtf(v); o[17] = log1pf(a); o[18] = expm1f(v * 0.1f); o[19] = hypotf(v, a);
    o[20] = v / a; o[21] = asinf(v / (a + 1.0f)); o[22] = sinhf(v * 0.1f); o[23] = lgammaf(a);
}

extern "C" __global__ void fast(const float* x, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], a = fabsf(v) + 1e-3f;
    float* o = out + i * 8;
    o[0] = __sinf(v); o[1] = __cosf(v); o[2] = __expf(v * 0.1f); o[3] = __logf(a);
    o[4] = __fdividef(v, a); o[5] = __powf(a, 1.7f); o[6] = __frcp_rn(a); o[7] = __saturatef(v);
}

extern "C" __global__ void wide(const double* x, double* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i], a = fabs(v) + 1e-3;
    double* o = out + i * 12;
    o[0] = sin(v); o[1] = cos(v); o[2] = exp(v); o[3] = log(a); o[4] = sqrt(a); o[5] = pow(a, v * 0.1);
    o[6] = tanh(v); o[7] = floor(v) + rint(v * 3.0); o[8] = v / a; o[9] = rsqrt(a); o[10] = cbrt(v); o[11] = atan(v);
}

extern "C" __global__ void rounded(const float* x, const float* y, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i];
    float* o = out + i * 12;
    o[0] = __fadd_rz(a, b); o[1] = __fadd_ru(a, b); o[2] = __fadd_rd(a, b); o[3] = __fmul_rz(a, b);
    o[4] = __fmul_ru(a, b); o[5] = __fmaf_rd(a, b, a); o[6] = __fdiv_rz(a, b); o[7] = __fsqrt_ru(fabsf(a));
    o[8] = __int2float_rz(__float_as_int(a)); o[9] = __double2float_rd((double)a * b);
    o[10] = (float)__float2int_ru(a * 100.0f); o[11] = __frcp_rd(b);
}
