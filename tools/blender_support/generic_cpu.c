/*
 * Preloaded into Blender on ARM machines: tells Mesa's compiler that the processor is a generic one.
 *
 * Mesa's software renderer translates shaders with LLVM, which knows from the processor's name what it can do. A
 * virtual machine may hide the vector extension SVE of a processor that has it by name; the shaders then die of an
 * illegal instruction. Under the name "generic" only what every ARM processor has is used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <stddef.h>

/* What LLVM's StringRef is made of; returned in registers, as C++ does. */
typedef struct NameView {
    const char *start;
    size_t length;
} NameView;

/* The C++ name of llvm::sys::getHostCPUName(). */
NameView _ZN4llvm3sys14getHostCPUNameEv(void);

NameView _ZN4llvm3sys14getHostCPUNameEv(void) {
    static const char name[] = "generic";
    return (NameView){name, sizeof name - 1};
}
