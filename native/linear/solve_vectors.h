/* The vectors of solve_kernels.h: included first with REAL, TIMES and NAME defined, then again to take it all back.
 * TIMES columns lie in a vector side by side, and so do TIMES parts of a sum over columns. */
#ifndef FOUR
#define FOUR NAME(Four)
#define WIDE NAME(Wide)
typedef REAL FOUR __attribute__((vector_size(4 * sizeof(REAL)), aligned(16), may_alias));
typedef REAL WIDE __attribute__((vector_size(TIMES * 4 * sizeof(REAL)), aligned(16), may_alias));

/* ROW(v, k): row k of each column in v, in all the places of that column.
 * A sum s on top of x goes from BEGIN(x) to END(x, s). REPEAT(x): x for each column. */
#define PART(s, p) __builtin_shufflevector(s, s, 4 * (p), 4 * (p) + 1, 4 * (p) + 2, 4 * (p) + 3)
#define TWICE(x) __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7)
#if TIMES == 1
#define ROW(v, k) (v)[k]
#define BEGIN(x) (x)
#define END(x, s) (s)
#define REPEAT(x) (x)
#elif TIMES == 2
#define ROW(v, k) __builtin_shufflevector(v, v, k, k, k, k, 4 + (k), 4 + (k), 4 + (k), 4 + (k))
#define BEGIN(x)                                                                                   \
    (WIDE) { 0 }
#define END(x, s) ((x) + (PART(s, 0) + PART(s, 1)))
#define REPEAT(x) TWICE(x)
#else
#define ROW(v, k)                                                                                  \
    __builtin_shufflevector(v, v, k, k, k, k, 4 + (k), 4 + (k), 4 + (k), 4 + (k), 8 + (k),         \
                            8 + (k), 8 + (k), 8 + (k), 12 + (k), 12 + (k), 12 + (k), 12 + (k))
#define BEGIN(x)                                                                                   \
    (WIDE) { 0 }
#define HALF(s, h)                                                                                 \
    __builtin_shufflevector(s, s, 8 * (h), 8 * (h) + 1, 8 * (h) + 2, 8 * (h) + 3, 8 * (h) + 4,     \
                            8 * (h) + 5, 8 * (h) + 6, 8 * (h) + 7)
#define END(x, s) ((x) + (PART(HALF(s, 0) + HALF(s, 1), 0) + PART(HALF(s, 0) + HALF(s, 1), 1)))
#define REPEAT(x)                                                                                  \
    __builtin_shufflevector(TWICE(x), TWICE(x), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,  \
                            15)
#endif

#else
#undef FOUR
#undef WIDE
#undef PART
#undef ROW
#undef BEGIN
#undef END
#undef TWICE
#undef HALF
#undef REPEAT
#endif
