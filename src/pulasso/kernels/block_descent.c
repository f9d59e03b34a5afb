/* Block coordinate descent on a dense quadratic with a group lasso penalty.
 *
 *     minimise over b   r0'(b - b0) + 0.5 (b - b0)' H (b - b0) + sum_j threshold_j ||b_j||
 *
 * The gradient r = r0 + H (b - b0) is kept up to date, so that a block that stays at zero costs next to nothing
 * and one that moves costs as many rows of H as it has entries. Every block is minimised exactly, in the
 * eigenbasis of its diagonal block of H. The NumPy twin in numpy_kernels.py says the same in Python.
 *
 * H is in single precision: it is a model of the loss, and reading it is what a sweep costs. Everything else is double.
 *
 * No global state, no allocation, no I/O: safe to run in many threads at once.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* AVX2 where the machine has it, chosen when the library is loaded. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define CLONES
#endif

#define MAX_NEWTON 50
#define NEGLIGIBLE 0.1
#define DIVERGED 1e6

/* Solve sum_k (c_k / (eigenvalue_k rho + threshold))^2 = 1 for rho = ||b_j||, by Newton on the reciprocal norm,
 * which is nearly linear in rho. Called only when ||c|| > threshold, so that a positive root exists. */
static double radius(int64_t size, const double *c, const double *eigenvalue, double threshold, double rho)
{
    for (int it = 0; it < MAX_NEWTON; ++it) {
        double square = 0.0, slope = 0.0;
        for (int64_t k = 0; k < size; ++k) {
            const double scale = eigenvalue[k] * rho + threshold;
            const double ratio = c[k] / scale;
            square += ratio * ratio;
            slope += ratio * ratio * eigenvalue[k] / scale;
        }
        const double norm = sqrt(square);
        const double next = rho + (norm - 1.0) * square / slope;
        const double change = fabs(next - rho);
        rho = next > 0.0 ? next : 0.0;
        if (change <= 1e-14 * rho)
            break;
    }
    return rho;
}

/* Write the minimiser of one block into `best`. `gradient` is that of the quadratic with the block at zero. */
static void minimise_block(int64_t size, const double *gradient, double threshold, double norm_now,
                           const double *eigenvalue, const double *basis, double *rotated, double *best)
{
    double square = 0.0;
    for (int64_t k = 0; k < size; ++k)
        square += gradient[k] * gradient[k];
    if (square <= threshold * threshold) {
        for (int64_t k = 0; k < size; ++k)
            best[k] = 0.0;
        return;
    }
    for (int64_t k = 0; k < size; ++k) { /* basis holds one eigenvector in each row */
        double sum = 0.0;
        for (int64_t l = 0; l < size; ++l)
            sum += basis[k * size + l] * gradient[l];
        rotated[k] = sum;
    }
    const double rho = threshold > 0.0 ? radius(size, rotated, eigenvalue, threshold, norm_now) : 1.0;
    for (int64_t l = 0; l < size; ++l)
        best[l] = 0.0;
    for (int64_t k = 0; k < size; ++k) {
        const double value = -rho * rotated[k] / (eigenvalue[k] * rho + threshold);
        for (int64_t l = 0; l < size; ++l)
            best[l] += value * basis[k * size + l];
    }
}

/* Distance of -r to the subdifferential of threshold * ||b|| : zero where the block is at its minimum. */
static double violation(int64_t size, const double *r, const double *b, double threshold)
{
    double square = 0.0;
    for (int64_t k = 0; k < size; ++k)
        square += b[k] * b[k];
    const double slope = square > 0.0 ? threshold / sqrt(square) : 0.0;
    double residual = 0.0;
    for (int64_t k = 0; k < size; ++k) {
        const double part = r[k] + slope * b[k];
        residual += part * part;
    }
    residual = sqrt(residual);
    return square > 0.0 ? residual : fmax(0.0, residual - threshold);
}

/* Returns the number of sweeps, negative if the last one still met a violation above `tol`, 0 if b diverges.
 * `work` has room for three blocks of the largest size. Where `trail` is given, b and r are written there after
 * every sweep, for the extrapolation that follows. */
EXPORT CLONES int64_t pulasso_block_descent(
    int64_t n, int64_t stride, const float *restrict hessian, double *restrict r, double *restrict b,
    int64_t n_blocks, const int64_t *restrict start, const int64_t *restrict size,
    const double *restrict threshold, const double *restrict eigenvalue, const double *restrict basis,
    const int64_t *restrict basis_start, int64_t max_sweeps, double tol, double *restrict work, int64_t max_size,
    double *restrict trail)
{
    double *gradient = work, *rotated = work + max_size, *best = work + 2 * max_size;
    const double negligible = NEGLIGIBLE * tol;
    double limit = 0.0;
    int64_t sweep = 0;
    while (sweep < max_sweeps) {
        double worst = 0.0;
        ++sweep;
        for (int64_t j = 0; j < n_blocks; ++j) {
            const int64_t first = start[j], length = size[j];
            const double distance = violation(length, r + first, b + first, threshold[j]);
            if (distance <= negligible) /* not worth the rows of H it would cost */
                continue;
            worst = fmax(worst, distance);
            if (length == 1) {
                const double curvature = eigenvalue[first];
                const double target = curvature * b[first] - r[first];
                const double excess = fabs(target) - threshold[j];
                best[0] = excess > 0.0 ? copysign(excess, target) / curvature : 0.0;
            } else {
                double square = 0.0;
                for (int64_t k = 0; k < length; ++k) {
                    const float *row = hessian + (first + k) * stride + first;
                    double sum = 0.0;
                    for (int64_t l = 0; l < length; ++l)
                        sum += row[l] * b[first + l];
                    gradient[k] = r[first + k] - sum;
                    square += b[first + k] * b[first + k];
                }
                minimise_block(length, gradient, threshold[j], sqrt(square), eigenvalue + first,
                               basis + basis_start[j], rotated, best);
            }
            for (int64_t k = 0; k < length; ++k) {
                const double change = best[k] - b[first + k];
                const float *row = hessian + (first + k) * stride;
                b[first + k] = best[k];
#pragma omp simd
                for (int64_t i = 0; i < n; ++i)
                    r[i] += change * row[i];
            }
        }
        if (trail) {
            double *at = trail + 2 * n * (sweep - 1);
            memcpy(at, b, n * sizeof(double));
            memcpy(at + n, r, n * sizeof(double));
        }
        if (worst <= tol)
            return sweep;
        if (sweep == 1)
            limit = DIVERGED * worst;
        if (!(worst <= limit))
            return 0; /* the quadratic has no minimum */
    }
    return -sweep;
}
