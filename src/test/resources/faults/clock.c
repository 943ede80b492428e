/* Loaded into a process before its libraries: its wall clock is off by CLOCK_SHIFT seconds, its steady clock is not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
    const char *seconds = getenv("CLOCK_SHIFT");
    return seconds ? atol(seconds) : 0;
}

/* The one of the C library needs no system call; a JVM asks very often. */
static int (*own)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find(void) {
    own = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = own ? own(clock, now) : (int) syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += shift();
    }
    return result;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    (void) zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) {
        *now = exact.tv_sec;
    }
    return exact.tv_sec;
}
