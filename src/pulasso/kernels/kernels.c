/* The hot loops: block coordinate descent, the loss of observed labels, products with few vectors, moments and Gram
 * matrices of columns.
 *
 * Each has a twin in numpy_kernels.py or rows.py that says the same in Python, and a test that holds the two equal.
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

/* AVX2 or AVX-512 where the machine has it, chosen when the library is loaded, by what it can do: "arch=haswell" would
 * leave out other makers' processors. Levels bring fused products, which "avx2" does not. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#if __GNUC__ >= 12
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define CLONES
#endif

/* -- block descent -----------------------------------------------------------------------------------------
 *
 *     minimise over b   r0'(b - b0) + 0.5 (b - b0)' H (b - b0) + sum_j threshold_j ||b_j|| + sum_k l1_k |b_k|
 *
 * The gradient r = r0 + H (b - b0) is kept up to date, so that a block that stays at zero costs next to nothing
 * and one that moves costs as many rows of H as it has entries. Without l1 every block is minimised exactly, in the
 * eigenbasis of its diagonal block of H; with it a block takes a proximal step, as long as its curvature allows.
 *
 * H is in single precision: it is a model of the loss, and reading it is what a sweep costs. Everything else is double.
 */

#define MAX_NEWTON 50
#define NEGLIGIBLE 0.1
#define DIVERGED 1e6

static double soft(double value, double threshold)
{
    const double excess = fabs(value) - threshold;
    return excess > 0.0 ? copysign(excess, value) : 0.0;
}

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

/* Write the minimiser of one block into `best`. With the eigenvectors in the rows of `basis`, Q, the gradient of the
 * quadratic with the block at zero is Q'c, c = Q r - eigenvalues * Q b. Where the curvature has changed since it was
 * decomposed, this is a step of another length to the same minimum. */
static inline __attribute__((always_inline)) void minimise_block(int64_t size, const double *r, const double *b, double threshold, const double *eigenvalue,
                           const double *basis, double *c, double *best)
{
    double square = 0.0, norm_now = 0.0;
    for (int64_t k = 0; k < size; ++k) {
        double along_r = 0.0, along_b = 0.0;
#pragma omp simd reduction(+ : along_r, along_b)
        for (int64_t l = 0; l < size; ++l) {
            along_r += basis[k * size + l] * r[l];
            along_b += basis[k * size + l] * b[l];
        }
        c[k] = along_r - eigenvalue[k] * along_b;
        square += c[k] * c[k];
        norm_now += b[k] * b[k];
        best[k] = 0.0;
    }
    if (square <= threshold * threshold)
        return;
    const double rho = threshold > 0.0 ? radius(size, c, eigenvalue, threshold, sqrt(norm_now)) : 1.0;
    for (int64_t k = 0; k < size; ++k) {
        const double value = -rho * c[k] / (eigenvalue[k] * rho + threshold);
#pragma omp simd
        for (int64_t l = 0; l < size; ++l)
            best[l] += value * basis[k * size + l];
    }
}

/* Write a proximal step of one block into `best`: no longer than 1 / the largest curvature, which is the last. */
static void prox_block(int64_t size, const double *r, const double *b, double threshold, const double *l1,
                       double curvature, double *best)
{
    double square = 0.0;
    for (int64_t k = 0; k < size; ++k) {
        best[k] = soft(b[k] - r[k] / curvature, l1[k] / curvature);
        square += best[k] * best[k];
    }
    const double excess = sqrt(square) - threshold / curvature;
    const double keep = excess > 0.0 ? excess / sqrt(square) : 0.0;
    for (int64_t k = 0; k < size; ++k)
        best[k] *= keep;
}

/* Write where a block goes into `best`: its minimiser, or with l1 the end of a proximal step. */
static inline __attribute__((always_inline)) void move_block(int64_t size, const double *r, const double *b, double threshold, const double *l1,
                       const double *eigenvalue, const double *basis, double *rotated, double *best)
{
    if (size == 1)
        best[0] = soft(eigenvalue[0] * b[0] - r[0], threshold + (l1 ? l1[0] : 0.0)) / eigenvalue[0];
    else if (l1)
        prox_block(size, r, b, threshold, l1, eigenvalue[size - 1], best);
    else
        minimise_block(size, r, b, threshold, eigenvalue, basis, rotated, best);
}

/* Distance of -r to the subdifferential of threshold * ||b|| + sum l1 |b|: zero where the block is at its minimum. */
static double violation(int64_t size, const double *r, const double *b, double threshold, const double *l1)
{
    double square = 0.0;
    for (int64_t k = 0; k < size; ++k)
        square += b[k] * b[k];
    const double slope = square > 0.0 ? threshold / sqrt(square) : 0.0;
    double residual = 0.0;
    for (int64_t k = 0; k < size; ++k) {
        double part = r[k] + slope * b[k];
        if (l1)
            part = b[k] != 0.0 ? part + copysign(l1[k], b[k]) : soft(part, l1[k]);
        residual += part * part;
    }
    residual = sqrt(residual);
    return square > 0.0 ? residual : fmax(0.0, residual - threshold);
}

/* Returns the number of sweeps, negative if the last one still met a violation above its `tol`, 0 if b diverges.
 * `work` has room for two blocks of the largest size. `l1` may be null. Where `trail` is given, b and r are written
 * there after every sweep, for the extrapolation that follows. */
EXPORT CLONES int64_t pulasso_block_descent(
    int64_t n, int64_t stride, const float *restrict hessian, double *restrict r, double *restrict b,
    int64_t n_blocks, const int64_t *restrict start, const int64_t *restrict size,
    const double *restrict threshold, const double *restrict l1, const double *restrict eigenvalue,
    const double *restrict basis, const int64_t *restrict basis_start, int64_t max_sweeps, const double *restrict tol,
    double *restrict work, int64_t max_size, double *restrict trail)
{
    double *rotated = work, *best = work + max_size;
    double limit = 0.0;
    int64_t sweep = 0;
    while (sweep < max_sweeps) {
        double worst = 0.0; /* in units of the tolerance */
        ++sweep;
        for (int64_t j = 0; j < n_blocks; ++j) {
            const int64_t first = start[j], length = size[j];
            const double *own_l1 = l1 ? l1 + first : 0;
            const double distance = violation(length, r + first, b + first, threshold[j], own_l1) / tol[j];
            if (distance <= NEGLIGIBLE) /* not worth the rows of H it would cost */
                continue;
            worst = fmax(worst, distance);
            move_block(length, r + first, b + first, threshold[j], own_l1, eigenvalue + first, basis + basis_start[j],
                       rotated, best);
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
        if (worst <= 1.0)
            return sweep;
        if (sweep == 1)
            limit = DIVERGED * worst;
        if (!(worst <= limit))
            return 0; /* the quadratic has no minimum */
    }
    return -sweep;
}

/* Where plain sweeps do not suffice, every few of them are followed by Anderson extrapolation, kept if it decreases the
 * objective. The gradient is linear in b, so that an extrapolated one costs nothing. */

#define PLAIN_SWEEPS 10 /* before extrapolation sets in */
#define MEMORY 5        /* differences that it combines */
#define NEARLY_SINGULAR 1e-10

static double largest_of(int64_t n, const double *values)
{
    double largest = 0.0;
    for (int64_t i = 0; i < n; ++i)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

static int exceeds(int64_t n, const double *values, double limit)
{
    for (int64_t i = 0; i < n; ++i)
        if (!(fabs(values[i]) <= limit)) /* what is not a number does */
            return 1;
    return 0;
}

/* The objective at a state, b and r one after the other, less that of the quadratic at `origin`. */
static double objective(int64_t n, const double *state, const double *origin, int64_t n_blocks, const int64_t *start,
                        const int64_t *size, const double *threshold, const double *l1)
{
    double value = 0.0;
    for (int64_t i = 0; i < n; ++i)
        value += 0.5 * (state[i] - origin[i]) * (state[n + i] + origin[n + i]) + (l1 ? l1[i] * fabs(state[i]) : 0.0);
    for (int64_t j = 0; j < n_blocks; ++j) {
        double square = 0.0;
        for (int64_t k = start[j]; k < start[j] + size[j]; ++k)
            square += state[k] * state[k];
        value += threshold[j] * sqrt(square);
    }
    return value;
}

/* Write the states after sweeps, combined with weights of sum one that make the combined last step of b shortest. */
static void extrapolate(int64_t n, const double *trail, double *guess)
{
    double gram[MEMORY][MEMORY], weight[MEMORY], size = 0.0, total = 0.0;
    for (int64_t p = 0; p < MEMORY; ++p)
        for (int64_t q = 0; q <= p; ++q) {
            const double *a = trail + 2 * n * p, *b = trail + 2 * n * q;
            double sum = 0.0;
#pragma omp simd reduction(+ : sum)
            for (int64_t i = 0; i < n; ++i)
                sum += (a[2 * n + i] - a[i]) * (b[2 * n + i] - b[i]);
            gram[p][q] = gram[q][p] = sum;
        }
    for (int64_t p = 0; p < MEMORY; ++p)
        size += gram[p][p];
    for (int64_t p = 0; p < MEMORY; ++p) {
        gram[p][p] += NEARLY_SINGULAR * size;
        weight[p] = 1.0;
    }
    for (int64_t p = 0; p < MEMORY; ++p)
        for (int64_t q = p + 1; q < MEMORY; ++q) {
            const double factor = gram[p][p] > 0.0 ? gram[q][p] / gram[p][p] : 0.0;
            for (int64_t k = p; k < MEMORY; ++k)
                gram[q][k] -= factor * gram[p][k];
            weight[q] -= factor * weight[p];
        }
    for (int64_t p = MEMORY - 1; p >= 0; --p) {
        for (int64_t k = p + 1; k < MEMORY; ++k)
            weight[p] -= gram[p][k] * weight[k];
        weight[p] = gram[p][p] > 0.0 ? weight[p] / gram[p][p] : p == MEMORY - 1;
        total += weight[p];
    }
    memset(guess, 0, 2 * n * sizeof(double));
    for (int64_t p = 0; p < MEMORY; ++p) {
        const double *after = trail + 2 * n * (p + 1), share = weight[p] / total;
#pragma omp simd
        for (int64_t i = 0; i < 2 * n; ++i)
            guess[i] += share * after[i];
    }
}

/* Returns what block descent returns. `state` holds b and r, one after the other; `trail` has room for MEMORY + 3 of it. */
EXPORT int64_t pulasso_accelerated_descent(
    int64_t n, int64_t stride, const float *restrict hessian, double *restrict state, int64_t n_blocks,
    const int64_t *restrict start, const int64_t *restrict size, const double *restrict threshold,
    const double *restrict l1, const double *restrict eigenvalue, const double *restrict basis,
    const int64_t *restrict basis_start, int64_t max_sweeps, const double *restrict tol, double *restrict work,
    int64_t max_size, double *restrict trail)
{
    double *origin = trail + 2 * n * (MEMORY + 1), *guess = origin + 2 * n;
    const size_t bytes = 2 * n * sizeof(double);
    memcpy(origin, state, bytes);
    const double limit = DIVERGED * fmax(largest_of(n, state + n), largest_of(n_blocks, threshold));
    int64_t outcome = -1, total = 0;
    while (outcome < 0 && total < max_sweeps) {
        const int64_t count = total ? MEMORY : PLAIN_SWEEPS;
        if (total)
            memcpy(trail, state, bytes);
        outcome = pulasso_block_descent(n, stride, hessian, state + n, state, n_blocks, start, size, threshold, l1,
                                        eigenvalue, basis, basis_start, count, tol, work, max_size,
                                        total ? trail + 2 * n : 0);
        if (total && outcome < 0) {
            extrapolate(n, trail, guess);
            if (objective(n, guess, origin, n_blocks, start, size, threshold, l1) <
                objective(n, state, origin, n_blocks, start, size, threshold, l1))
                memcpy(state, guess, bytes);
        }
        outcome = outcome > 0 ? total + outcome : outcome;
        total += count;
        if (exceeds(n, state + n, limit))
            return 0; /* the quadratic has no minimum */
    }
    return outcome < 0 ? -total : outcome;
}

/* The same with H = G (x) M + L diag(sign) L' + diag(ridge), which is never formed: entry e stands in row[e] of G and in
 * output[e] of M. `state` holds b, G (b - b0) M for all rows and outputs, and sign * L'(b - b0), one after the other.
 * The second is brought up to date for several rows that moved at a time, which reads it once; until then their share
 * is added where it is read. `work` has room for three blocks of the largest size and for PENDING times all outputs. */

#define PENDING 16
#define LANES 16

/* For callers, who make room for so many. */
EXPORT const int64_t pulasso_memory = MEMORY, pulasso_pending = PENDING;

/* pulled[i] += sum_p gram[i, moved_p] spread_p for all rows i. */
static inline __attribute__((always_inline)) void bring_up_to_date(
    int64_t n_rows, int64_t n_outputs, const float *restrict gram, int64_t n_moved, const int64_t *restrict moved,
    const double *restrict spread, double *restrict pulled)
{
    for (int64_t i = 0; i < n_rows; ++i) {
        const float *row = gram + i * n_rows;
        double factor[PENDING];
        for (int64_t p = 0; p < n_moved; ++p)
            factor[p] = row[moved[p]];
        double *to = pulled + i * n_outputs;
        int64_t k = 0;
        for (; k + LANES <= n_outputs; k += LANES) {
            double sum[LANES];
            for (int64_t l = 0; l < LANES; ++l)
                sum[l] = to[k + l];
            for (int64_t p = 0; p < n_moved; ++p)
#pragma omp simd
                for (int64_t l = 0; l < LANES; ++l)
                    sum[l] += factor[p] * spread[p * n_outputs + k + l];
            for (int64_t l = 0; l < LANES; ++l)
                to[k + l] = sum[l];
        }
        for (; k < n_outputs; ++k) {
            double sum = to[k];
            for (int64_t p = 0; p < n_moved; ++p)
                sum += factor[p] * spread[p * n_outputs + k];
            to[k] = sum;
        }
    }
}

EXPORT CLONES int64_t pulasso_kronecker_descent(
    int64_t n, int64_t n_rows, int64_t n_outputs, int64_t rank, const float *restrict gram, const double *restrict mean,
    const double *restrict low, const double *restrict sign, const double *restrict gradient,
    const double *restrict ridge, const int64_t *restrict row, const int64_t *restrict output, double *restrict state,
    int64_t n_blocks, const int64_t *restrict start, const int64_t *restrict size,
    const double *restrict threshold, const double *restrict l1, const double *restrict eigenvalue,
    const double *restrict basis, const int64_t *restrict basis_start, int64_t max_sweeps, const double *restrict tol,
    double *restrict work, int64_t max_size, double *restrict trail)
{
    double *b = state, *pulled = state + n, *along = pulled + n_rows * n_outputs;
    double *rotated = work, *best = work + max_size, *r = best + max_size, *spread = r + max_size;
    const int64_t length_of_state = n + n_rows * n_outputs + rank;
    int64_t moved[PENDING], n_moved = 0;
    double limit = 0.0;
    int64_t sweep = 0;
    while (sweep < max_sweeps) {
        double worst = 0.0; /* in units of the tolerance */
        ++sweep;
        for (int64_t j = 0; j < n_blocks; ++j) {
            const int64_t first = start[j], length = size[j], end = first + length;
            const double *own_l1 = l1 ? l1 + first : 0;
            for (int64_t e = first; e < end; ++e) {
                double slope = gradient[e] + ridge[e] * b[e] + pulled[row[e] * n_outputs + output[e]];
                for (int64_t p = 0; p < n_moved; ++p)
                    slope += gram[row[e] * n_rows + moved[p]] * spread[p * n_outputs + output[e]];
#pragma omp simd reduction(+ : slope)
                for (int64_t t = 0; t < rank; ++t)
                    slope += low[e * rank + t] * along[t];
                r[e - first] = slope;
            }
            const double distance = violation(length, r, b + first, threshold[j], own_l1) / tol[j];
            if (distance <= NEGLIGIBLE)
                continue;
            worst = fmax(worst, distance);
            move_block(length, r, b + first, threshold[j], own_l1, eigenvalue + first, basis + basis_start[j], rotated,
                       best);
            for (int64_t e = first; e < end;) {
                double *own = spread + n_moved * n_outputs;
                const int64_t here = moved[n_moved++] = row[e];
                memset(own, 0, n_outputs * sizeof(double));
                for (; e < end && row[e] == here; ++e) {
                    const double change = best[e - first] - b[e];
                    const double *by_output = mean + output[e] * n_outputs;
                    b[e] = best[e - first];
#pragma omp simd
                    for (int64_t k = 0; k < n_outputs; ++k)
                        own[k] += change * by_output[k];
#pragma omp simd
                    for (int64_t t = 0; t < rank; ++t)
                        along[t] += sign[t] * low[e * rank + t] * change;
                }
                if (n_moved == PENDING) {
                    bring_up_to_date(n_rows, n_outputs, gram, n_moved, moved, spread, pulled);
                    n_moved = 0;
                }
            }
        }
        bring_up_to_date(n_rows, n_outputs, gram, n_moved, moved, spread, pulled);
        n_moved = 0;
        if (trail)
            memcpy(trail + length_of_state * (sweep - 1), state, length_of_state * sizeof(double));
        if (worst <= 1.0)
            return sweep;
        if (sweep == 1)
            limit = DIVERGED * worst;
        if (!(worst <= limit))
            return 0;
    }
    return -sweep;
}

/* Add y y' - h h' to H: what a quadratic must gain and lose to bend along one direction as it was seen to. */
EXPORT CLONES void pulasso_rank_two(int64_t n, int64_t stride, float *restrict hessian, const float *restrict y,
                                    const float *restrict h)
{
    for (int64_t i = 0; i < n; ++i) {
        float *row = hessian + i * stride;
        const float gained = y[i], lost = h[i];
#pragma omp simd
        for (int64_t k = 0; k < n; ++k)
            row[k] += gained * y[k] - lost * h[k];
    }
}

/* -- the loss of observed labels ---------------------------------------------------------------------------- */

#define ROWS_AT_ONCE 256 /* sums of so many rows are added up, which keeps the rounding of long sums small */

/* Add sign * weight * (normalised exp(score)) of classes 1..K to the gradient; return log(sum exp(score)).
 * The scores are log_vector[0] and eta_k + log_vector[k]; `work` has room for them. */
static double log_normalize(int64_t n_positive, int64_t n, const double *eta, const double *log_vector, double weight,
                            double *work, double *grad)
{
    double top = work[0] = log_vector[0], total = 0.0;
    for (int64_t k = 0; k < n_positive; ++k) {
        work[k + 1] = eta[k * n] + log_vector[k + 1];
        /* Not fmax: where a score is not a number, the sum shall not be one either. */
        top = work[k + 1] > top ? work[k + 1] : top;
    }
    if (top == -INFINITY)
        return -INFINITY; /* every term is impossible */
    for (int64_t k = 0; k <= n_positive; ++k) {
        work[k] = work[k] == top ? 1.0 : exp(work[k] - top);
        total += work[k];
    }
    for (int64_t k = 0; k < n_positive; ++k)
        grad[k * n] += weight * (work[k + 1] / total);
    return log(total) + top;
}

/* Mean of log N - eta_z - 1{z = 0} log U over samples, with N = sum_k (a + c)_k e_k and U = sum_k c_k e_k, and its
 * gradient in eta. eta and grad are class-major, (K, n). `log_hidden`, the logs of c, may be null: unlabeled then means
 * class 0. Both vectors are the same for all samples (row_stride 0), or one behind the other (row_stride K + 1). */
EXPORT double pulasso_observed_loss(int64_t n, int64_t n_positive, const double *restrict eta,
                                    const int64_t *restrict code, const double *restrict sample_weight,
                                    const double *restrict log_total, const double *restrict log_hidden,
                                    int64_t row_stride, double *restrict work, double *restrict grad)
{
    double value = 0.0;
    memset(grad, 0, n * n_positive * sizeof(double));
    for (int64_t first = 0; first < n; first += ROWS_AT_ONCE) {
        const int64_t last = first + ROWS_AT_ONCE < n ? first + ROWS_AT_ONCE : n;
        double part = 0.0;
        for (int64_t i = first; i < last; ++i) {
            const int64_t own = i * row_stride;
            const double weight = sample_weight[i];
            double loss = log_normalize(n_positive, n, eta + i, log_total + own, weight, work, grad + i);
            if (code[i] == 0 && log_hidden) {
                loss -= log_normalize(n_positive, n, eta + i, log_hidden + own, -weight, work, grad + i);
            } else if (code[i] > 0 && code[i] <= n_positive) {
                const int64_t at = (code[i] - 1) * n + i;
                loss -= eta[at];
                grad[at] -= weight;
            }
            part += weight * loss;
        }
        value += part;
    }
    return value;
}

/* -- products of rows with few vectors -----------------------------------------------------------------------
 *
 * One reading of the rows serves all vectors, where a product with a vector (BLAS 2) reads them for each, and one with a
 * matrix (BLAS 3) rearranges them first. `which`, the rows in question, may be null: then it is the first ones.
 */

#define ROWS_TOGETHER 4
#define CHUNK 2048 /* so much of the vectors stays in the nearest memory, */
#define ROWS_IN_TURN 32 /* while so many rows are read, which are done with then: X may lie on a disk */

/* Products of four rows with one vector, or with two. */
static inline __attribute__((always_inline)) void four_products(int64_t n, const double *restrict a, const double *restrict b,
                                                                const double *restrict c, const double *restrict d,
                                                                const double *restrict v, const double *restrict w,
                                                                double *restrict out)
{
    double av = 0.0, bv = 0.0, cv = 0.0, dv = 0.0, aw = 0.0, bw = 0.0, cw = 0.0, dw = 0.0;
    if (w) {
#pragma omp simd reduction(+ : av, bv, cv, dv, aw, bw, cw, dw)
        for (int64_t i = 0; i < n; ++i) {
            av += a[i] * v[i];
            bv += b[i] * v[i];
            cv += c[i] * v[i];
            dv += d[i] * v[i];
            aw += a[i] * w[i];
            bw += b[i] * w[i];
            cw += c[i] * w[i];
            dw += d[i] * w[i];
        }
    } else {
#pragma omp simd reduction(+ : av, bv, cv, dv)
        for (int64_t i = 0; i < n; ++i) {
            av += a[i] * v[i];
            bv += b[i] * v[i];
            cv += c[i] * v[i];
            dv += d[i] * v[i];
        }
    }
    const double found[2 * ROWS_TOGETHER] = {av, bv, cv, dv, aw, bw, cw, dw};
    memcpy(out, found, sizeof(found));
}

static inline const double *row_at(const double *x, int64_t stride, const int64_t *which, int64_t r)
{
    return x + (which ? which[r] : r) * stride;
}

/* out[k, r] = sum_i rows[r, i] vectors[k, i] */
EXPORT CLONES void pulasso_row_products(int64_t n, int64_t n_rows, int64_t stride, const double *restrict x,
                                        const int64_t *restrict which, int64_t n_vectors,
                                        const double *restrict vectors, double *restrict out)
{
    memset(out, 0, n_vectors * n_rows * sizeof(double));
    for (int64_t start = 0; start < n_rows; start += ROWS_IN_TURN) {
        const int64_t end = start + ROWS_IN_TURN < n_rows ? start + ROWS_IN_TURN : n_rows;
        for (int64_t first = 0; first < n; first += CHUNK) {
            const int64_t length = n - first < CHUNK ? n - first : CHUNK;
            for (int64_t r = start; r < end; r += ROWS_TOGETHER) {
                const double *row[ROWS_TOGETHER];
                for (int64_t q = 0; q < ROWS_TOGETHER; ++q) /* the last row stands in for those that are not there */
                    row[q] = row_at(x, stride, which, r + q < end ? r + q : end - 1) + first;
                for (int64_t k = 0; k < n_vectors; k += 2) {
                    const double *v = vectors + k * n + first;
                    const int64_t here = k + 1 < n_vectors ? 2 : 1;
                    double found[2 * ROWS_TOGETHER];
                    if (here == 2)
                        four_products(length, row[0], row[1], row[2], row[3], v, v + n, found);
                    else
                        four_products(length, row[0], row[1], row[2], row[3], v, 0, found);
                    for (int64_t q = 0; q < here; ++q)
                        for (int64_t at = 0; at < ROWS_TOGETHER && r + at < end; ++at)
                            out[(k + q) * n_rows + r + at] += found[q * ROWS_TOGETHER + at];
                }
            }
        }
    }
}

/* Add the sums of four rows, or of one. */
static inline __attribute__((always_inline)) void add_rows(int64_t n, int64_t count, const double *const *row,
                                                           const double *restrict by, double *restrict sum)
{
    if (count == ROWS_TOGETHER) {
        const double *restrict a = row[0], *restrict b = row[1], *restrict c = row[2], *restrict d = row[3];
#pragma omp simd
        for (int64_t i = 0; i < n; ++i)
            sum[i] += (by[0] * a[i] + by[1] * b[i]) + (by[2] * c[i] + by[3] * d[i]);
        return;
    }
    for (int64_t q = 0; q < count; ++q) {
        const double *restrict a = row[q];
#pragma omp simd
        for (int64_t i = 0; i < n; ++i)
            sum[i] += by[q] * a[i];
    }
}

/* out[k, i] = sum_r coefficients[k, r] rows[r, i] */
EXPORT CLONES void pulasso_row_sums(int64_t n, int64_t n_rows, int64_t stride, const double *restrict x,
                                    const int64_t *restrict which, int64_t n_vectors,
                                    const double *restrict coefficients, double *restrict out)
{
    memset(out, 0, n_vectors * n * sizeof(double));
    for (int64_t start = 0; start < n_rows; start += ROWS_IN_TURN) {
        const int64_t end = start + ROWS_IN_TURN < n_rows ? start + ROWS_IN_TURN : n_rows;
        for (int64_t first = 0; first < n; first += CHUNK) {
            const int64_t length = n - first < CHUNK ? n - first : CHUNK;
            for (int64_t r = start; r < end; r += ROWS_TOGETHER) {
                const int64_t count = end - r < ROWS_TOGETHER ? end - r : ROWS_TOGETHER;
                const double *row[ROWS_TOGETHER];
                for (int64_t q = 0; q < count; ++q)
                    row[q] = row_at(x, stride, which, r + q) + first;
                for (int64_t k = 0; k < n_vectors; ++k)
                    add_rows(length, count, row, coefficients + k * n_rows + r, out + k * n + first);
            }
        }
    }
}

/* -- moments of columns --------------------------------------------------------------------------------------- */

/* Sums of w (x - origin) and of w (x - origin)^2 in every column, which is contiguous; one reading for both. */
EXPORT CLONES void pulasso_centred_sums(int64_t n, int64_t n_columns, int64_t stride, const double *restrict x,
                                        const double *restrict origin, const double *restrict weight,
                                        double *restrict shift, double *restrict square)
{
    for (int64_t j = 0; j < n_columns; ++j) {
        const double *column = x + j * stride, from = origin[j];
        double first = 0.0, second = 0.0;
        for (int64_t start = 0; start < n; start += ROWS_AT_ONCE) {
            const int64_t end = start + ROWS_AT_ONCE < n ? start + ROWS_AT_ONCE : n;
            double part = 0.0, squares = 0.0;
#pragma omp simd reduction(+ : part, squares)
            for (int64_t i = start; i < end; ++i) {
                const double difference = column[i] - from, weighted = weight[i] * difference;
                part += weighted;
                squares += weighted * difference;
            }
            first += part;
            second += squares;
        }
        shift[j] = first;
        square[j] = second;
    }
}

/* -- Gram matrix of standardised sparse columns --------------------------------------------------------------
 *
 *     out[j, k] = sum_i w_i (x_ij - mean_j) (x_ik - mean_k) / (scale_j scale_k)
 *
 * for columns j of the left (CSC) and k of the right set (CSR): each entry of column j meets the few entries of its own
 * row. `cross` is X'w of the right set, `excess` that of the left one less its mean times the sum of w. */
EXPORT void pulasso_sparse_gram(int64_t n_left, int64_t n_right, const int32_t *restrict start,
                                const int32_t *restrict row, const double *restrict left,
                                const int32_t *restrict row_start, const int32_t *restrict column,
                                const double *restrict right, const double *restrict weight,
                                const double *restrict mean_left, const double *restrict excess,
                                const double *restrict scale_left, const double *restrict mean_right,
                                const double *restrict cross, const double *restrict scale_right,
                                double *restrict work, float *restrict out)
{
    for (int64_t j = 0; j < n_left; ++j) {
        memset(work, 0, n_right * sizeof(double));
        for (int32_t at = start[j]; at < start[j + 1]; ++at) {
            const int32_t i = row[at];
            const double value = left[at] * weight[i];
            for (int32_t other = row_start[i]; other < row_start[i + 1]; ++other)
                work[column[other]] += value * right[other];
        }
        for (int64_t k = 0; k < n_right; ++k)
            out[j * n_right + k] = (float)((work[k] - mean_left[j] * cross[k] - excess[j] * mean_right[k]) /
                                           (scale_left[j] * scale_right[k]));
    }
}
