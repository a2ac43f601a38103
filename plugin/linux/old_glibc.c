/* Lets the shared library run with glibc 2.28 though it is linked with a newer one.
 *
 * A few functions got another version when glibc changed them (exp, log and pow lost their global error handling in 2.29)
 * or moved them (threads came from libpthread into libc in 2.34), and a linker takes the newest. Here the oldest is named
 * instead; newer glibc keep it, with the same code behind it. The linker leads every call in the library to these
 * functions (--wrap, see CMakeLists.txt); tools/check_exports fails when another one is missing here. */
#include <pthread.h>

#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5" /* the glibc that the machine was first supported by */
#elif defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#endif

/* The first version of a function, as first_NAME. */
#define FIRST_OF(name) __asm__(".symver first_" #name "," #name "@" FIRST)

FIRST_OF(exp);
FIRST_OF(log);
FIRST_OF(pow);
double first_exp(double x), first_log(double x), first_pow(double x, double y);
double __wrap_exp(double x), __wrap_log(double x), __wrap_pow(double x, double y);

double __wrap_exp(double x) { return first_exp(x); }

double __wrap_log(double x) { return first_log(x); }

double __wrap_pow(double x, double y) { return first_pow(x, y); }

typedef void *(*Start)(void *);
typedef void (*Once)(void);
typedef void (*Destructor)(void *);

FIRST_OF(pthread_create);
FIRST_OF(pthread_join);
FIRST_OF(pthread_once);
FIRST_OF(pthread_key_create);
FIRST_OF(pthread_key_delete);
FIRST_OF(pthread_setspecific);
int first_pthread_create(pthread_t *, const pthread_attr_t *, Start, void *);
int first_pthread_join(pthread_t, void **);
int first_pthread_once(pthread_once_t *, Once);
int first_pthread_key_create(pthread_key_t *, Destructor);
int first_pthread_key_delete(pthread_key_t);
int first_pthread_setspecific(pthread_key_t, const void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, Start, void *);
int __wrap_pthread_join(pthread_t, void **);
int __wrap_pthread_once(pthread_once_t *, Once);
int __wrap_pthread_key_create(pthread_key_t *, Destructor);
int __wrap_pthread_key_delete(pthread_key_t);
int __wrap_pthread_setspecific(pthread_key_t, const void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, Start start,
                          void *argument) {
    return first_pthread_create(thread, attributes, start, argument);
}

int __wrap_pthread_join(pthread_t thread, void **result) {
    return first_pthread_join(thread, result);
}

int __wrap_pthread_once(pthread_once_t *control, Once routine) {
    return first_pthread_once(control, routine);
}

int __wrap_pthread_key_create(pthread_key_t *key, Destructor destructor) {
    return first_pthread_key_create(key, destructor);
}

int __wrap_pthread_key_delete(pthread_key_t key) { return first_pthread_key_delete(key); }

int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
    return first_pthread_setspecific(key, value);
}
