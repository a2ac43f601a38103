/* Every allocation of every call fails once, alone and with all that follow: the call says so by its status, has
 * changed nothing that is seen, gives back what it took, and when it is made again all goes on as if nothing had
 * happened, to the last bit.
 *
 * test_memory [--full] [NAME...]: without --full a call is made again and again on one cloth with one allocation after the
 * other failing, which is quick; with it the whole scene runs anew for each. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "failing_memory.h"
#include "scenes.h"

/* Calls with few allocations run the whole scene anew for each, without --full, too: what has grown stays, so that an
 * allocation would be passed over. */
#define FEW 12

typedef struct Trace {
    int count;
    int32_t status[MOST_CALLS];
    int allocations[MOST_CALLS];
    uint64_t after[MOST_CALLS]; /* of where the cloth is */
} Trace;

static Scene scene;
static int tried, wrong;

static uint64_t hash_state(void) {
    static float state[6 * MOST_VERTICES];
    if (!scene.cloth) {
        return 0;
    }
    memset(state, 0, sizeof state);
    muslin_cloth_get_state(scene.cloth, state, state + 3 * MOST_VERTICES);
    uint64_t hash = 1469598103934665603u;
    const unsigned char *bytes = (const unsigned char *)state;
    for (size_t i = 0; i < sizeof state; ++i) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

static void start(const SceneScript *script) {
    memset(&scene, 0, sizeof scene);
    scene.body = -1;
    muslin_default_cloth_def(&scene.def);
    muslin_default_material(&scene.material);
    scene.def.material = &scene.material;
    script->set_up(&scene);
}

static void stop(void) {
    if (scene.cloth) {
        muslin_cloth_destroy(scene.cloth);
    }
}

static void tell(const SceneScript *script, int call, FailKind kind, int at, const char *what) {
    ++wrong;
    printf("%s, call %d, %s allocation %d: %s\n", script->name, call,
           kind == FAIL_ONE ? "without" : "from", at, what);
}

/* Whether a call that has ended with this status did what it did at first. */
static bool is_same(const Trace *trace, int call, int32_t status) {
    return status == trace->status[call] && hash_state() == trace->after[call];
}

/* Makes a call without memory. Returns false if it needed none of what fails; `status` is what it returned. */
static bool fail(const SceneScript *script, int call, FailKind kind, int at, int32_t *status) {
    uint64_t before = hash_state();
    failing_begin(kind, at);
    *status = script->calls[call](&scene);
    bool failed = failing_failed();
    failing_end();
    if (!failed) {
        return false;
    }
    ++tried;
    if (*status != MUSLIN_ERROR_MEMORY) {
        char text[64];
        snprintf(text, sizeof text, "its status is %d", *status);
        tell(script, call, kind, at, text);
    } else if (hash_state() != before) {
        tell(script, call, kind, at, "it changed the state");
    }
    return true;
}

/* The scene as it is with memory. */
static Trace trace_of(const SceneScript *script) {
    Trace trace = {0};
    start(script);
    for (; script->calls[trace.count]; ++trace.count) {
        int c = trace.count;
        failing_begin(FAIL_NEVER, 0);
        trace.status[c] = script->calls[c](&scene);
        trace.allocations[c] = failing_end();
        trace.after[c] = hash_state();
        if (trace.status[c] < 0) {
            char text[MUSLIN_MESSAGE_SIZE];
            muslin_get_message(scene.cloth, text, sizeof text);
            printf("%s, call %d: %d, %s\n", script->name, c, trace.status[c], text);
            ++wrong;
        }
    }
    stop();
    return trace;
}

/* The whole scene, with this allocation of this call failing. */
static void try_anew(const SceneScript *script, const Trace *trace, int call, FailKind kind,
                     int at) {
    long held = failing_held();
    int32_t status;
    bool same = true;
    start(script);
    for (int c = 0; c < trace->count; ++c) {
        if (c != call || (fail(script, call, kind, at, &status) && status < 0)) {
            status = script->calls[c](&scene);
        }
        same = is_same(trace, c, status) && same;
    }
    if (!same) {
        tell(script, call, kind, at, "it goes on differently");
    }
    stop();
    if (failing_held() != held) {
        tell(script, call, kind, at, "memory is lost");
    }
}

/* One allocation after the other of a call fails, until it needs no more of them. Returns its status then. */
static int32_t insist(const SceneScript *script, const Trace *trace, int call, FailKind kind) {
    int32_t status;
    int every = script->every > 1 ? script->every : 1;
    for (int at = 1; at <= trace->allocations[call]; at += every) {
        if (!fail(script, call, kind, at, &status)) {
            return status;
        }
        if (status >= 0) {
            return status; /* it cannot be made twice; what is wrong has been reported */
        }
    }
    return script->calls[call](&scene);
}

static void try_in_place(const SceneScript *script, const Trace *trace, FailKind kind) {
    long held = failing_held();
    start(script);
    for (int c = 0; c < trace->count; ++c) {
        if (!is_same(trace, c, insist(script, trace, c, kind))) {
            tell(script, c, kind, 0, "it goes on differently");
            break;
        }
    }
    stop();
    if (failing_held() != held) {
        tell(script, -1, kind, 0, "memory is lost");
    }
}

/* --- what a step takes ------------------------------------------------------------------------ */

#define STEPS 3

/* After a scene, so that its contacts have been many: steps that were taken before take nothing the second time. */
static void check_promise(const SceneScript *script) {
    start(script);
    for (int c = 0; script->calls[c]; ++c) {
        script->calls[c](&scene);
    }
    prepare(&scene);
    save(&scene);
    for (int s = 0; s < STEPS; ++s) {
        step(&scene);
    }
    uint64_t there = hash_state();
    go_back(&scene);
    failing_begin(FAIL_NEVER, 0);
    for (int s = 0; s < STEPS; ++s) {
        step(&scene);
    }
    int taken = failing_end();
    if (taken > 0 || hash_state() != there) {
        ++wrong;
        printf("%s: steps that were taken before take %d allocations%s\n", script->name, taken,
               hash_state() != there ? ", and lead elsewhere" : "");
    }
    stop();
}

/* --- substeps --------------------------------------------------------------------------------- */

#define SUBSTEPS 6
/* The scene whose contacts grow in later substeps, too, and how many of its calls come before its steps. */
#define DIVIDED "layers"
#define BEFORE_STEPS 3

static void start_divided(const SceneScript *script, int substeps) {
    start(script);
    scene.def.substeps = substeps;
    for (int c = 0; c < BEFORE_STEPS; ++c) {
        script->calls[c](&scene);
    }
}

/* Takes a step of all substeps in which this allocation fails. Returns where it left the cloth: after how many of them,
 * SUBSTEPS if between two; -1 if all of it was taken. */
static int fail_between(const SceneScript *script, const uint64_t *ends, int at) {
    start_divided(script, SUBSTEPS);
    muslin_cloth_prepare(scene.cloth, SUBSTEPS * STEP);
    failing_begin(FAIL_ONE, at);
    int32_t status = muslin_cloth_step(scene.cloth, SUBSTEPS * STEP);
    bool failed = failing_failed();
    failing_end();
    int end = failed ? 0 : -1;
    while (failed && end < SUBSTEPS && ends[end] != hash_state()) {
        ++end;
    }
    stop();
    return failed && status != MUSLIN_ERROR_MEMORY ? SUBSTEPS : end;
}

/* A step of several substeps that fails leaves the cloth where one of them ended. */
static void check_substeps(const SceneScript *script) {
    uint64_t ends[SUBSTEPS];
    start_divided(script, 1);
    for (int s = 0; s < SUBSTEPS; ++s) {
        ends[s] = hash_state();
        step(&scene);
    }
    stop();
    int end, later = 0;
    for (int at = 1; (end = fail_between(script, ends, at)) >= 0; ++at) {
        ++tried;
        later += end > 0;
        if (end == SUBSTEPS) {
            tell(script, -1, FAIL_ONE, at, "a step is left between two substeps");
        }
    }
    if (later == 0) {
        ++wrong;
        printf("%s: only first substeps lack memory\n", script->name);
    }
}

static void try_script(const SceneScript *script, bool full) {
    Trace trace = trace_of(script);
    check_promise(script);
    if (!strcmp(script->name, DIVIDED)) {
        check_substeps(script);
    }
    for (FailKind kind = FAIL_ONE; kind <= FAIL_FROM; ++kind) {
        for (int c = 0; c < trace.count; ++c) {
            bool anew = full || trace.allocations[c] <= FEW;
            for (int at = 1; anew && at <= trace.allocations[c]; ++at) {
                try_anew(script, &trace, c, kind, at);
            }
        }
        try_in_place(script, &trace, kind);
    }
}

int main(int count, char **words) {
    bool full = count > 1 && !strcmp(words[1], "--full");
    bool all = count < 2 + full;
    muslin_mesh_get_report(NULL, NULL, NULL, 0, NULL); /* the thread has its message from now on */
    for (int s = 0; s < scene_script_count; ++s) {
        bool asked = all;
        for (int w = 1 + full; w < count; ++w) {
            asked |= !strcmp(words[w], scene_scripts[s].name);
        }
        if (asked) {
            int tried_before = tried, wrong_before = wrong;
            try_script(&scene_scripts[s], full);
            printf("%s: %d tried, %d wrong\n", scene_scripts[s].name, tried - tried_before,
                   wrong - wrong_before);
        }
    }
    printf("all: %d tried, %d wrong\n", tried, wrong);
    return tried == 0 || wrong > 0;
}
