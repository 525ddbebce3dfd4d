/* A driver library without a GPU, for tests of the code that calls the driver.
 *
 * Memory is the host's, copies are made at once, kernels do nothing. What a
 * query answers is up to the test: FAKE_INIT, FAKE_VERSION, FAKE_DEVICES are
 * results; work is done once FAKE_QUERIES queries have been answered "not yet";
 * kernels of the name in FAKE_FAULT make all later queries fail with 700.
 * Compiled with -DINCOMPLETE, a function is missing.
 *
 * Every call is counted; `fakeCalls("cuEventRecord")` tells.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
enum { NOT_READY = 600, NO_DEVICE = 100, OUT_OF_MEMORY = 2, FAULT = 700 };

static struct {
    const char *name;
    int count;
} calls[64];

static void count(const char *name) {
    for (int i = 0; i < 64; ++i) {
        if (calls[i].name == NULL) calls[i].name = name;
        if (strcmp(calls[i].name, name) == 0) {
            ++calls[i].count;
            return;
        }
    }
}

int fakeCalls(const char *name) {
    for (int i = 0; i < 64 && calls[i].name; ++i)
        if (strcmp(calls[i].name, name) == 0) return calls[i].count;
    return 0;
}

static int setting(const char *name, int otherwise) {
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}

static int faulted;

/* A stream counts what was pushed; an event remembers the count it stands for
 * and how often it may still say "not yet". */
typedef struct {
    int priority;
} Stream;
typedef struct {
    int left;
} Event;
typedef struct {
    char name[64];
} Function;

Result cuInit(unsigned flags) { count(__func__); return setting("FAKE_INIT", 0); }
Result cuDriverGetVersion(int *version) { *version = setting("FAKE_VERSION", 12040); return 0; }
Result cuGetErrorName(unsigned code, const char **text) {
    *text = code == FAULT ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_FAKE";
    return 0;
}
Result cuGetErrorString(unsigned code, const char **text) { *text = "as the test asked"; return 0; }
Result cuDeviceGetCount(int *value) { *value = setting("FAKE_DEVICES", 2); return 0; }
Result cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
Result cuDeviceGetName(char *name, int room, int device) { snprintf(name, room, "Fake %d", device); return 0; }
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
        case 75: *value = 9; break;
        case 76: *value = 0; break;
        case 16: *value = 132; break;
        case 8: *value = 49152; break;
        case 97: *value = 232448; break;
        default: *value = 1024;
    }
    return 0;
}
Result cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)1 << 30; return 0; }
Result cuDevicePrimaryCtxRetain(void **context, int device) { *context = (void *)(intptr_t)(device + 1); return 0; }
Result cuDevicePrimaryCtxRelease_v2(int device) { count(__func__); return 0; }
Result cuCtxSetCurrent(void *context) { return 0; }
Result cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return 0; }
Result cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    if (bytes > (size_t)1 << 30) return OUT_OF_MEMORY;
    *address = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
    return 0;
}
Result cuMemFree_v2(uint64_t address) { count(__func__); free((void *)(uintptr_t)address); return 0; }
Result cuMemGetInfo_v2(size_t *left, size_t *total) { *left = 1000; *total = (size_t)1 << 30; return 0; }
Result cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t bytes, void *stream) {
    memcpy((void *)(uintptr_t)target, source, bytes);
    return faulted ? FAULT : 0;
}
Result cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t bytes, void *stream) {
    memcpy(target, (void *)(uintptr_t)source, bytes);
    return faulted ? FAULT : 0;
}
Result cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    Stream *made = calloc(1, sizeof(Stream));
    made->priority = priority;
    *stream = made;
    return flags == 1 ? 0 : 1;
}
Result cuStreamDestroy_v2(void *stream) { count(__func__); free(stream); return 0; }
Result cuStreamQuery(void *stream) { count(__func__); return faulted ? FAULT : 0; }
Result cuStreamWaitEvent(void *stream, void *event, unsigned flags) { count(__func__); return faulted ? FAULT : 0; }
Result cuEventCreate(void **event, unsigned flags) { count(__func__); *event = calloc(1, sizeof(Event)); return 0; }
Result cuEventDestroy_v2(void *event) { count(__func__); free(event); return 0; }
Result cuEventRecord(void *event, void *stream) {
    count(__func__);
    ((Event *)event)->left = setting("FAKE_QUERIES", 0);
    return faulted ? FAULT : 0;
}
#ifndef INCOMPLETE
Result cuEventQuery(void *event) {
    count(__func__);
    if (faulted) return FAULT;
    return ((Event *)event)->left-- > 0 ? NOT_READY : 0;
}
#endif
Result cuModuleLoadDataEx(void **module, const void *image, unsigned options, int *names, void **values) {
    count(__func__);
    *module = malloc(1);
    return 0;
}
Result cuModuleUnload(void *module) { count(__func__); free(module); return 0; }
Result cuModuleGetFunction(void **function, void *module, const char *name) {
    Function *found = calloc(1, sizeof(Function));
    snprintf(found->name, sizeof found->name, "%s", name);
    *function = found;
    return 0;
}
Result cuFuncGetAttribute(int *value, int attribute, void *function) { *value = attribute == 0 ? 512 : 0; return 0; }
Result cuFuncSetAttribute(void *function, int attribute, int value) { count(__func__); return attribute == 8 && value == 232448 ? 0 : 1; }
Result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, void *shared_of_block, size_t shared, int limit) {
    *grid = 132;
    *block = 512;
    return 0;
}
Result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **parameters, void **extra) {
    count(__func__);
    const char *name = getenv("FAKE_FAULT");
    if (name && strcmp(((Function *)function)->name, name) == 0) faulted = 1;
    return 0;
}
