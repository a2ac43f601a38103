/* What the code itself takes for granted, written down where it counts: indices in their range, lists in their
 * order, patterns that are symmetric. Wrong input of a caller is never one of these; it is told by a status.
 *
 * In a debug build a condition that does not hold stops the program in the debugger, on that line. In every other
 * build the condition is compiled, so that it cannot rot, but never evaluated: the library must not end its host. */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#ifdef MUSLIN_DEBUG
#define INVARIANT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define INVARIANT(condition) ((void)(0 && (condition)))
#endif

#endif
