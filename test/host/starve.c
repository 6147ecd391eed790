/*
 * Loaded before the C library (LD_PRELOAD), it has allocations of redline fail: every n-th of those from a size on,
 * counted from a call of `starve` on. What others allocate is left alone, so that what ends the process is redline's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long from_bytes = 0, first = 0, every = 0, seen = 0, failed = 0;
static _Thread_local bool inside = false;

/* From now on the allocation number `nth` of at least `bytes` fails, and then each `step`-th; a step of 0 is once. */
void starve(long bytes, long nth, long step) {
	from_bytes = bytes;
	seen = failed = 0;
	every = step;
	first = nth;
}

/* Ends it, and returns how many have failed. */
long feed(void) {
	first = 0;
	return failed;
}

static bool fails(size_t size, const void *caller) {
	if (first == 0 || inside || (long)size < from_bytes) return false;
	inside = true;
	Dl_info info;
	bool ours = dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "redline");
	bool now = false;
	if (ours) {
		long number = ++seen - first;
		now = number == 0 || (number > 0 && every > 0 && number % every == 0);
	}
	if (now) {
		failed++;
		errno = ENOMEM;
		if (getenv("STARVE_TRACE")) {
			void *frames[40];
			backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
			(void)!write(STDERR_FILENO, "--\n", 3);
		}
	}
	inside = false;
	return now;
}

void *malloc(size_t size) {
	return fails(size, __builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
	return fails(count * size, __builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
	return fails(size, __builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
	if (fails(size, __builtin_return_address(0))) return ENOMEM;
	*out = __libc_memalign(alignment, size);
	return *out ? 0 : ENOMEM;
}
