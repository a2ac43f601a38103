/* Sorting many records by a small number first, several times as fast as qsort() for sides of a mesh by their vertex; and
 * sorting short lists. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sorts records that begin with an int from 0 to buckets - 1, which is what `compare` looks at first; the result is
 * that of qsort() with the same comparison, if that calls no two records equal. False, and they are as they were, without
 * memory. */
bool sort_records(void *records, size_t count, size_t size, int buckets,
                  int (*compare)(const void *, const void *));

/* Ascending; most lists are short. */
void sort_ints(int *list, int count);
