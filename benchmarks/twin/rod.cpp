// The rod kernel of the solver once more, in plain C++: one rod of any order, its first node clamped, one iteration a
// substep. Same algorithm: implicit gyroscopic prediction, geometric stiffness from the last multipliers, strains with
// exact Jacobians, elimination element by element on 3x3 tiles from the tip to the clamp, all in double.
// It is the reference for speed of `dev.py bench`, and checked to give the solver's positions.
#include <vector>

#include "algebra.hpp"

constexpr int PAIRS = 7;           // highest order
constexpr int ROWS = 2 * PAIRS;    // tile rows of an element

struct Jacobian { Mat a, b, d; };  // dv/dp, dv/dtheta, du/dtheta of one Gauss point and node

struct Rod {                       // what Python hands over; see twin.py
    long order, elements;
    const double *basis, *inverse_length, *rest, *compliance, *mass, *inertia, *gravity;
    double *x, *q, *v, *w, *lambda;
};

struct Scratch {                   // of one element, kept for the way back
    std::vector<Jacobian> jacobian;
    std::vector<Mat> factor, y;
    std::vector<Vec> z, inverse, unit;
    std::vector<double> c;
};

INLINE int tile(int r, int s) { return r * (r + 1) / 2 + s; }

INLINE Vec free_spin(Vec w, Vec inertia, double dt) {
    double h = 0.5 * dt, x = w.x, y = w.y, z = w.z;
    if (inertia.x == inertia.y) {
        double k = h * (inertia.z - inertia.x) / inertia.x * w.z, s = 1 / (1 + k * k), c = (1 - k * k) * s;
        k *= 2 * s;
        return {c * w.x - k * w.y, c * w.y + k * w.x, w.z};
    }
    double a = h * (inertia.z - inertia.y) / inertia.x, b = h * (inertia.x - inertia.z) / inertia.y,
           c = h * (inertia.y - inertia.x) / inertia.z;
    for (int i = 0; i < 2; ++i) {
        double mx = 0.5 * (w.x + x), my = 0.5 * (w.y + y), mz = 0.5 * (w.z + z);
        double f = x - w.x + 2 * a * my * mz, g = y - w.y + 2 * b * mx * mz, e = z - w.z + 2 * c * mx * my;
        double xx = b * c * mx * mx, yy = a * c * my * my, zz = a * b * mz * mz;
        double det = 1 - xx - yy - zz + 2 * a * b * c * mx * my * mz;
        if (!(det > 0.1)) return w;
        double s = 1 / det;
        x -= s * ((1 - xx) * f + a * (c * mx * my - mz) * g + a * (b * mx * mz - my) * e);
        y -= s * (b * (c * mx * my - mz) * f + (1 - yy) * g + b * (a * my * mz - mx) * e);
        z -= s * (c * (b * mx * mz - my) * f + c * (a * my * mz - mx) * g + (1 - zz) * e);
    }
    return {x, y, z};
}

INLINE void strain(const int m, const Rod& rod, long node, double inverse_length, const double* rest, double* c, Jacobian* jac) {
    const int n = m + 1;
    Vec theta[PAIRS + 1];
    Mat inverse[PAIRS + 1];
    Quat q1 = load4(rod.q + 4 * node);
    for (int j = 1; j < n; ++j) {
        theta[j] = minus(load4(rod.q + 4 * (node + j)), q1);
        inverse[j] = gamma_inverse(theta[j]);
    }
    for (int g = 0; g < m; ++g) {
        const double *phi = rod.basis + 2 * n * g, *slope = phi + n;
        Vec t{0, 0, 0}, bend{0, 0, 0}, tangent = slope[0] * inverse_length * load3(rod.x + 3 * node);
        Mat h = zero(), hp = zero();
        for (int j = 1; j < n; ++j) {
            double f = phi[j], fp = slope[j] * inverse_length;
            t = t + f * theta[j];
            bend = bend + fp * theta[j];
            tangent = tangent + fp * load3(rod.x + 3 * (node + j));
            h = h + f * inverse[j];
            hp = hp + fp * inverse[j];
        }
        double xx = dot(t, t), a = gamma_a(xx), b = gamma_b(xx), a1 = gamma_a_slope(xx, a, b), b1 = gamma_b_slope(xx, a, b);
        Mat gamma = hat_polynomial(t, xx, -a, b);
        Vec ct = cross(t, bend), ht = cross(t, ct);
        Mat k = outer(b1 * ht - a1 * ct - b * bend, t) + hat(a * bend - b * ct) + diagonal(b * dot(t, bend) * Vec{1, 1, 1});
        Quat turn = exponential(t);
        Mat frame = transpose(matrix(q1 * turn));
        Vec v = frame * tangent, u = gamma * bend;
        store3(c + 6 * g, v - load3(rest + 6 * g));
        store3(c + 6 * g + 3, u - load3(rest + 6 * g + 3));
        Jacobian* o = jac + g * n;
        h = transpose(h);
        hp = transpose(hp);
        o[0].a = slope[0] * inverse_length * frame;
        o[0].b = hat_times(v, transpose(matrix(turn)) - gamma * h);
        o[0].d = -1.0 * (k * h + gamma * hp);
        for (int j = 1; j < n; ++j) {
            double f = phi[j], fp = slope[j] * inverse_length;
            Mat gg = gamma * inverse[j];
            o[j].a = fp * frame;
            o[j].b = hat_times(v, f * gg);
            o[j].d = f * (k * inverse[j]) + fp * gg;
        }
    }
}

struct Dense { Mat pp, pt, tt; };  // effective inverse mass of a node
struct Pair { Vec p, t; };

// T += J W J^T of node j; W diagonal (w, wr), or dense.
INLINE void add_single(const int m, int j, const Jacobian* jac, double w, Vec wr, bool keep, Mat* t, Mat* y) {
    const int n = m + 1;
    for (int g = 0; g < m; ++g) {
        const Jacobian& jg = jac[g * n + j];
        Mat xa = w * jg.a, xb = scale_columns(jg.b, wr), xd = scale_columns(jg.d, wr);
        for (int h = 0; h <= g; ++h) {
            const Jacobian& jh = jac[h * n + j];
            int vv = tile(2 * g, 2 * h), uv = tile(2 * g + 1, 2 * h);
            t[vv] = t[vv] + (times_transpose(xa, jh.a) + times_transpose(xb, jh.b));
            t[uv] = t[uv] + times_transpose(xd, jh.b);
            t[uv + 1] = t[uv + 1] + times_transpose(xd, jh.d);
            if (h < g) t[vv + 1] = t[vv + 1] + times_transpose(xb, jh.d);
        }
        if (keep) { y[4 * g] = xa; y[4 * g + 1] = xb; y[4 * g + 2] = zero(); y[4 * g + 3] = xd; }
    }
}

INLINE void add_dense(const int m, int j, const Jacobian* jac, const Dense& w, Mat* t) {
    const int n = m + 1;
    Mat tp = transpose(w.pt);
    for (int g = 0; g < m; ++g) {
        const Jacobian& jg = jac[g * n + j];
        Mat vp = jg.a * w.pp + jg.b * tp, vt = jg.a * w.pt + jg.b * w.tt, up = jg.d * tp, ut = jg.d * w.tt;
        for (int h = 0; h <= g; ++h) {
            const Jacobian& jh = jac[h * n + j];
            int vv = tile(2 * g, 2 * h), uv = tile(2 * g + 1, 2 * h);
            t[vv] = t[vv] + (times_transpose(vp, jh.a) + times_transpose(vt, jh.b));
            t[uv] = t[uv] + (times_transpose(up, jh.a) + times_transpose(ut, jh.b));
            t[uv + 1] = t[uv + 1] + times_transpose(ut, jh.d);
            if (h < g) t[vv + 1] = t[vv + 1] + times_transpose(vt, jh.d);
        }
    }
}

INLINE void factorize(const int rows, bool keep, Mat* t, Mat* y, Vec* z, Vec* unit, Vec* inverse) {
    Mat panel[ROWS];
    for (int k = 0; k < rows; ++k) {
        Factor f = factor_tile(t[tile(k, k)]);
        unit[k] = f.m;
        inverse[k] = f.inverse;
        z[k] = lower(f.m, z[k]);
        if (keep) { y[2 * k] = lower(f.m, y[2 * k]); y[2 * k + 1] = lower(f.m, y[2 * k + 1]); }
        for (int r = k + 1; r < rows; ++r) {
            panel[r] = times_lower_transpose(t[tile(r, k)], f.m);
            Mat low = scale_columns(panel[r], f.inverse);
            t[tile(r, k)] = low;
            z[r] = z[r] - low * z[k];
            if (keep) { y[2 * r] = y[2 * r] - low * y[2 * k]; y[2 * r + 1] = y[2 * r + 1] - low * y[2 * k + 1]; }
            for (int s = k + 1; s <= r; ++s) t[tile(r, s)] = t[tile(r, s)] - times_transpose(panel[r], t[tile(s, k)]);
        }
    }
}

INLINE void substep(const int m, const Rod& rod, Scratch& scratch, double dt, std::vector<double>& work) {
    const int n = m + 1, rows = 2 * m;
    const long elements = rod.elements, nodes = elements * m + 1;
    double *x_old = work.data(), *q_old = x_old + 3 * nodes, *turn = q_old + 4 * nodes, *force = turn + 3 * nodes;
    for (long i = 0; i < nodes; ++i) {  // prediction; node 0 is held
        for (int e = 0; e < 3; ++e) x_old[3 * i + e] = rod.x[3 * i + e];
        for (int e = 0; e < 4; ++e) q_old[4 * i + e] = rod.q[4 * i + e];
        for (int e = 0; e < 3; ++e) turn[3 * i + e] = rod.inertia[3 * i + e];
        for (int e = 0; e < 6; ++e) force[6 * i + e] = 0;
        if (!i) continue;
        for (int e = 0; e < 3; ++e) rod.x[3 * i + e] += dt * (rod.v[3 * i + e] + dt * rod.gravity[e]);
        Vec w = free_spin(load3(rod.w + 3 * i), load3(rod.inertia + 3 * i), dt);
        store4(rod.q + 4 * i, plus(load4(rod.q + 4 * i), dt * w));
    }
    const double* lumped = rod.basis + 2 * m * n;
    for (long e = 0; e < elements; ++e) {  // geometric stiffness
        double tension = 0;
        for (int g = 0; g < m; ++g) {
            const double *alpha = rod.compliance + 6 * (e * m + g), t = std::fmax(-rod.lambda[6 * (e * m + g) + 2], 0);
            tension += t * (1 + t * (alpha[2] + 2 * alpha[0]) / (dt * dt));
        }
        for (int j = 0; j < n; ++j) {
            turn[3 * (e * m + j)] += tension * lumped[j];
            turn[3 * (e * m + j) + 1] += tension * lumped[j];
        }
    }
    for (long i = 0; i < 3 * nodes; ++i) turn[i] = 1 / turn[i];
    const double scale = 1 / (dt * dt);
    Dense carried{};
    Pair shift{};
    const int tiles = rows * (rows + 1) / 2;
    for (long e = elements - 1; e >= 0; --e) {
        const long first = e * m;
        Jacobian* jac = scratch.jacobian.data() + e * m * n;
        Mat *t = scratch.factor.data() + e * tiles, *y = scratch.y.data() + e * 2 * rows;
        Vec *z = scratch.z.data() + e * rows, *unit = scratch.unit.data() + e * rows, *inverse = scratch.inverse.data() + e * rows;
        double* c = scratch.c.data();
        strain(m, rod, first, rod.inverse_length[e], rod.rest + 6 * m * e, c, jac);
        for (int r = 0; r < rows; ++r) {
            for (int s = 0; s < r; ++s) t[tile(r, s)] = zero();
            t[tile(r, r)] = diagonal(scale * load3(rod.compliance + 6 * m * e + 3 * r));
            z[r] = -1.0 * load3(c + 3 * r);  // lambda is 0 at the start of the only iteration
        }
        const bool keep = e > 0;
        for (int j = keep ? 0 : 1; j < n; ++j) {
            if (j == m && e < elements - 1) {
                add_dense(m, j, jac, carried, t);
                for (int g = 0; g < m; ++g) {
                    const Jacobian& o = jac[g * n + j];
                    z[2 * g] = z[2 * g] - (o.a * shift.p + o.b * shift.t);
                    z[2 * g + 1] = z[2 * g + 1] - o.d * shift.t;
                }
            } else
                add_single(m, j, jac, 1 / rod.mass[first + j], load3(turn + 3 * (first + j)), keep && j == 0, t, y);
        }
        factorize(rows, keep, t, y, z, unit, inverse);
        if (!keep) continue;
        double w = 1 / rod.mass[first];
        carried = {diagonal({w, w, w}), zero(), diagonal(load3(turn + 3 * first))};
        shift = {};
        for (int r = 0; r < rows; ++r) {
            Mat y1 = transpose(y[2 * r]), y2 = transpose(y[2 * r + 1]);
            Mat s1 = scale_columns(y1, inverse[r]), s2 = scale_columns(y2, inverse[r]);
            carried.pp = carried.pp - times_transpose(s1, y1);
            carried.pt = carried.pt - times_transpose(s1, y2);
            carried.tt = carried.tt - times_transpose(s2, y2);
            shift.p = shift.p + s1 * z[r];
            shift.t = shift.t + s2 * z[r];
        }
    }
    for (long e = 0; e < elements; ++e) {  // substitution, from the clamp to the tip
        const long first = e * m;
        const Jacobian* jac = scratch.jacobian.data() + e * m * n;
        const Mat *t = scratch.factor.data() + e * tiles, *y = scratch.y.data() + e * 2 * rows;
        const Vec *z = scratch.z.data() + e * rows, *unit = scratch.unit.data() + e * rows, *inverse = scratch.inverse.data() + e * rows;
        Vec delta[ROWS], fp = load3(force + 6 * first), ft = load3(force + 6 * first + 3);
        for (int r = rows - 1; r >= 0; --r) {
            Vec s = z[r];
            if (e > 0) s = s - (y[2 * r] * fp + y[2 * r + 1] * ft);
            s = times(inverse[r], s);
            for (int k = r + 1; k < rows; ++k) s = s - transpose_times(t[tile(k, r)], delta[k]);
            delta[r] = lower_transpose(unit[r], s);
            store3(rod.lambda + 6 * m * e + 3 * r, delta[r]);
        }
        for (int j = 0; j < n; ++j) {
            double* f = force + 6 * (first + j);
            Vec p = load3(f), o = load3(f + 3);
            for (int g = 0; g < m; ++g) {
                const Jacobian& k = jac[g * n + j];
                p = p + transpose_times(k.a, delta[2 * g]);
                o = o + (transpose_times(k.b, delta[2 * g]) + transpose_times(k.d, delta[2 * g + 1]));
            }
            store3(f, p);
            store3(f + 3, o);
        }
    }
    for (long i = 1; i < nodes; ++i) {
        store3(rod.x + 3 * i, load3(rod.x + 3 * i) + 1 / rod.mass[i] * load3(force + 6 * i));
        store4(rod.q + 4 * i, plus(load4(rod.q + 4 * i), times(load3(turn + 3 * i), load3(force + 6 * i + 3))));
        store3(rod.v + 3 * i, 1 / dt * (load3(rod.x + 3 * i) - load3(x_old + 3 * i)));
        store3(rod.w + 3 * i, 1 / dt * minus(load4(rod.q + 4 * i), load4(q_old + 4 * i)));
    }
}

INLINE void advance(const int m, const Rod& rod, double dt, long substeps) {
    const int n = m + 1, rows = 2 * m;
    Scratch scratch;
    scratch.jacobian.resize(rod.elements * m * n);
    scratch.factor.resize(rod.elements * rows * (rows + 1) / 2);
    scratch.y.resize(rod.elements * 2 * rows);
    for (auto* part : {&scratch.z, &scratch.unit, &scratch.inverse}) part->resize(rod.elements * rows);
    scratch.c.resize(6 * m);
    std::vector<double> work((rod.elements * m + 1) * 16);
    for (long s = 0; s < substeps; ++s) substep(m, rod, scratch, dt, work);
}

// The order is a number at run time, as in the solver.
extern "C" void advance_any_order(const Rod* rod, double dt, long substeps) { advance(int(rod->order), *rod, dt, substeps); }

// The compiler knows the order: what a program made for one order can reach.
extern "C" void advance_fixed_order(const Rod* rod, double dt, long substeps) {
    if (rod->order == 1) advance(1, *rod, dt, substeps);
    else if (rod->order == 2) advance(2, *rod, dt, substeps);
    else if (rod->order == 3) advance(3, *rod, dt, substeps);
}
