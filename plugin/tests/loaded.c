/* The only file of the tests that knows how Linux and Windows load a library. */
#include "loaded.h"

#include <stdio.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>

static void *open_library(const char *path) { return LoadLibraryA(path); }

static void *find_function(void *library, const char *name) {
    FARPROC function = GetProcAddress(library, name);
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}
#else
#include <dlfcn.h>

static void *open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *find_function(void *library, const char *name) { return dlsym(library, name); }
#endif

/* One function's place in the table; C has no other way from an object's address to a function's. */
static int fill(void *library, const char *name, void *place) {
    void *address = find_function(library, name);
    if (!address) {
        fprintf(stderr, "the library has no %s\n", name);
        return 0;
    }
    memcpy(place, &address, sizeof address);
    return 1;
}

int load_library(const char *path, Loaded *loaded) {
    void *library = open_library(path);
    if (!library) {
        fprintf(stderr, "%s cannot be loaded\n", path);
        return 0;
    }
    int all = 1;
#define FILL(name) all &= fill(library, #name, &loaded->name);
    EACH_FUNCTION(FILL)
#undef FILL
    return all;
}
