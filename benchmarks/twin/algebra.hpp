// so(3) and 3x3 algebra in plain C++, for the twin of the rod kernel. Quaternions are w x y z, body to world.
#pragma once
#include <cmath>

#define INLINE static inline __attribute__((always_inline))

struct Vec { double x, y, z; };
struct Quat { double w, x, y, z; };
struct Mat { double a[9]; };

INLINE Vec load3(const double* p) { return {p[0], p[1], p[2]}; }
INLINE Quat load4(const double* p) { return {p[0], p[1], p[2], p[3]}; }
INLINE void store3(double* p, Vec v) { p[0] = v.x; p[1] = v.y; p[2] = v.z; }
INLINE void store4(double* p, Quat q) { p[0] = q.w; p[1] = q.x; p[2] = q.y; p[3] = q.z; }

INLINE Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
INLINE Vec times(Vec a, Vec b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
INLINE double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

INLINE Mat operator+(const Mat& a, const Mat& b) { Mat c; for (int i = 0; i < 9; ++i) c.a[i] = a.a[i] + b.a[i]; return c; }
INLINE Mat operator-(const Mat& a, const Mat& b) { Mat c; for (int i = 0; i < 9; ++i) c.a[i] = a.a[i] - b.a[i]; return c; }
INLINE Mat operator*(double s, const Mat& a) { Mat c; for (int i = 0; i < 9; ++i) c.a[i] = s * a.a[i]; return c; }
INLINE Mat zero() { return {{0, 0, 0, 0, 0, 0, 0, 0, 0}}; }
INLINE Mat diagonal(Vec d) { return {{d.x, 0, 0, 0, d.y, 0, 0, 0, d.z}}; }
INLINE Mat transpose(const Mat& m) { const double* a = m.a; return {{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}}; }

INLINE Mat operator*(const Mat& p, const Mat& q) {
    Mat c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.a[3 * i + j] = p.a[3 * i] * q.a[j] + p.a[3 * i + 1] * q.a[3 + j] + p.a[3 * i + 2] * q.a[6 + j];
    return c;
}
INLINE Mat times_transpose(const Mat& p, const Mat& q) { return p * transpose(q); }
INLINE Mat scale_columns(const Mat& m, Vec d) {
    const double* a = m.a;
    return {{a[0] * d.x, a[1] * d.y, a[2] * d.z, a[3] * d.x, a[4] * d.y, a[5] * d.z, a[6] * d.x, a[7] * d.y, a[8] * d.z}};
}
INLINE Vec operator*(const Mat& m, Vec v) {
    const double* a = m.a;
    return {a[0] * v.x + a[1] * v.y + a[2] * v.z, a[3] * v.x + a[4] * v.y + a[5] * v.z, a[6] * v.x + a[7] * v.y + a[8] * v.z};
}
INLINE Vec transpose_times(const Mat& m, Vec v) {
    const double* a = m.a;
    return {a[0] * v.x + a[3] * v.y + a[6] * v.z, a[1] * v.x + a[4] * v.y + a[7] * v.z, a[2] * v.x + a[5] * v.y + a[8] * v.z};
}
INLINE Mat outer(Vec u, Vec v) { return {{u.x * v.x, u.x * v.y, u.x * v.z, u.y * v.x, u.y * v.y, u.y * v.z, u.z * v.x, u.z * v.y, u.z * v.z}}; }
INLINE Mat hat(Vec v) { return {{0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0}}; }
INLINE Mat hat_times(Vec v, const Mat& m) {
    Mat c;
    for (int j = 0; j < 3; ++j) {
        c.a[j] = v.y * m.a[6 + j] - v.z * m.a[3 + j];
        c.a[3 + j] = v.z * m.a[j] - v.x * m.a[6 + j];
        c.a[6 + j] = v.x * m.a[3 + j] - v.y * m.a[j];
    }
    return c;
}

INLINE Quat operator*(Quat p, Quat q) {
    return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
            p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}
INLINE Mat matrix(Quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx),
             2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}

// Coefficients as functions of x = angle squared: Taylor series below 0.25, the C library above.
INLINE double half_sine(double x) {
    if (x < 0.25) {
        double rest = 1.0 / 645120.0 - x * (1.0 / 185794560.0 - x * (1.0 / 81749606400.0));
        return 0.5 - x * (1.0 / 48.0 - x * (1.0 / 3840.0 - x * rest));
    }
    double t = std::sqrt(x);
    return std::sin(0.5 * t) / t;
}
INLINE double half_cosine(double x) {
    if (x < 0.25) {
        double rest = 1.0 / 46080.0 - x * (1.0 / 10321920.0 - x * (1.0 / 3715891200.0 - x * (1.0 / 1961990553600.0)));
        return 1.0 - x * (1.0 / 8.0 - x * (1.0 / 384.0 - x * rest));
    }
    return std::cos(0.5 * std::sqrt(x));
}
INLINE double gamma_a(double x) {
    if (x < 0.25) {
        double rest = 1.0 / 40320.0 - x * (1.0 / 3628800.0 - x * (1.0 / 479001600.0 - x * (1.0 / 87178291200.0)));
        return 0.5 - x * (1.0 / 24.0 - x * (1.0 / 720.0 - x * rest));
    }
    return (1 - std::cos(std::sqrt(x))) / x;
}
INLINE double gamma_b(double x) {
    if (x < 0.25) {
        double rest = 1.0 / 362880.0 - x * (1.0 / 39916800.0 - x * (1.0 / 6227020800.0 - x * (1.0 / 1307674368000.0)));
        return 1.0 / 6.0 - x * (1.0 / 120.0 - x * (1.0 / 5040.0 - x * rest));
    }
    double t = std::sqrt(x);
    return (t - std::sin(t)) / (t * x);
}
INLINE double gamma_a_slope(double x, double a, double b) {
    if (x < 0.25) {
        double rest = 1.0 / 453600.0 - x * (1.0 / 47900160.0 - x * (1.0 / 7264857600.0 - x * (1.0 / 1494484992000.0)));
        return -(1.0 / 12.0 - x * (1.0 / 180.0 - x * (1.0 / 6720.0 - x * rest)));
    }
    return (1 - 2 * a - b * x) / x;
}
INLINE double gamma_b_slope(double x, double a, double b) {
    if (x < 0.25) {
        double rest = 1.0 / 4989600.0 - x * (1.0 / 622702080.0 - x * (1.0 / 108972864000.0 - x * (1.0 / 25406244864000.0)));
        return -(1.0 / 60.0 - x * (1.0 / 1260.0 - x * (1.0 / 60480.0 - x * rest)));
    }
    return (a - 3 * b) / x;
}
INLINE double inverse_gamma_c(double x) {
    if (x < 0.25) {
        double rest = 1.0 / 1209600.0 + x * (1.0 / 47900160.0 + x * (691.0 / 1307674368000.0 + x * (1.0 / 74724249600.0)));
        return 1.0 / 12.0 + x * (1.0 / 720.0 + x * (1.0 / 30240.0 + x * rest));
    }
    double h = 0.5 * std::sqrt(x);
    return (1 - h / std::tan(h)) / x;
}
INLINE Quat exponential(Vec t) {
    double x = dot(t, t), s = half_sine(x);
    return {half_cosine(x), s * t.x, s * t.y, s * t.z};
}
INLINE Quat plus(Quat q, Vec t) {
    Quat r = q * exponential(t);
    double d = r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z - 1;
    double s = std::fabs(d) < 1e-6 ? 1 - d * (0.5 - 0.375 * d) : 1 / std::sqrt(1 + d);
    return {s * r.w, s * r.x, s * r.y, s * r.z};
}
INLINE Vec minus(Quat q1, Quat q2) {
    Quat q = Quat{q2.w, -q2.x, -q2.y, -q2.z} * q1;
    if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
    double nn = q.x * q.x + q.y * q.y + q.z * q.z, inverse = 1 / q.w, t = nn * inverse * inverse, s;
    if (t < 0.01) {
        double rest = 1.0 / 9 - t * (1.0 / 11 - t * (1.0 / 13 - t * (1.0 / 15)));
        s = 2 * inverse * (1 - t * (1.0 / 3 - t * (1.0 / 5 - t * (1.0 / 7 - t * rest))));
    } else { double n = std::sqrt(nn); s = 2 * std::atan2(n, q.w) / n; }
    return {s * q.x, s * q.y, s * q.z};
}
INLINE Mat hat_polynomial(Vec t, double x, double f, double g) {  // I + f t^ + g t^ t^
    double d = 1 - g * x, xy = g * t.x * t.y, xz = g * t.x * t.z, yz = g * t.y * t.z;
    return {{d + g * t.x * t.x, xy - f * t.z, xz + f * t.y, xy + f * t.z, d + g * t.y * t.y, yz - f * t.x,
             xz - f * t.y, yz + f * t.x, d + g * t.z * t.z}};
}
INLINE Mat gamma_inverse(Vec t) { double x = dot(t, t); return hat_polynomial(t, x, 0.5, inverse_gamma_c(x)); }

// A = M^-1 diag(d) M^-T of a symmetric tile: M below the diagonal and 1/d.
struct Factor { Vec m, inverse; };
INLINE Factor factor_tile(const Mat& t) {
    const double* a = t.a;
    double d1 = 1 / a[0], l21 = a[3] * d1, l31 = a[6] * d1;
    double d2 = 1 / (a[4] - l21 * a[3]), s32 = a[7] - l31 * a[3], l32 = s32 * d2;
    double d3 = 1 / (a[8] - l31 * a[6] - l32 * s32);
    return {{-l21, l21 * l32 - l31, -l32}, {d1, d2, d3}};
}
INLINE Vec lower(Vec m, Vec v) { return {v.x, m.x * v.x + v.y, m.y * v.x + m.z * v.y + v.z}; }
INLINE Vec lower_transpose(Vec m, Vec v) { return {v.x + m.x * v.y + m.y * v.z, v.y + m.z * v.z, v.z}; }
INLINE Mat lower(Vec m, const Mat& b) {
    const double* a = b.a;
    return {{a[0], a[1], a[2], m.x * a[0] + a[3], m.x * a[1] + a[4], m.x * a[2] + a[5],
             m.y * a[0] + m.z * a[3] + a[6], m.y * a[1] + m.z * a[4] + a[7], m.y * a[2] + m.z * a[5] + a[8]}};
}
INLINE Mat times_lower_transpose(const Mat& b, Vec m) {
    const double* a = b.a;
    return {{a[0], m.x * a[0] + a[1], m.y * a[0] + m.z * a[1] + a[2], a[3], m.x * a[3] + a[4], m.y * a[3] + m.z * a[4] + a[5],
             a[6], m.x * a[6] + a[7], m.y * a[6] + m.z * a[7] + a[8]}};
}
