// Preloaded into a program (LD_PRELOAD), makes the time of day jump back an hour every few calls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static long asked = 0;

static long jumped(void) { return __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED) / 5 * 3600; }

int clock_gettime(clockid_t clock, struct timespec* now) {
  int failed = ((int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
  if (!failed && clock == CLOCK_REALTIME) now->tv_sec -= jumped();
  return failed;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  int failed = ((int (*)(struct timeval*, void*))dlsym(RTLD_NEXT, "gettimeofday"))(now, zone);
  if (!failed) now->tv_sec -= jumped();
  return failed;
}

time_t time(time_t* out) {
  time_t now = ((time_t(*)(time_t*))dlsym(RTLD_NEXT, "time"))(NULL) - jumped();
  if (out) *out = now;
  return now;
}
