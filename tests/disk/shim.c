// Preloaded into a program (LD_PRELOAD), intercepts every change that it makes to files under the folder DISK_ROOT.
//
// DISK_LOG: the file to which changes and their data are appended, for recording.py.
// DISK_FAIL_FROM, DISK_ERROR: the change with this number (from 0) and all later ones fail with this errno.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum Kind { OPEN = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR, CLOSE };
enum { MOST_FILES = 65536 };

static char root[PATH_MAX];
static int record = -1;
static long fail_from = -1, changes = 0;
static int fail_with = 0;
static unsigned char ours[MOST_FILES];
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
  const char* given = getenv("DISK_ROOT");
  if (given) snprintf(root, sizeof root, "%s", given);
  const char* log = getenv("DISK_LOG");
  if (log) record = REAL(open64)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const char* from = getenv("DISK_FAIL_FROM");
  if (from) fail_from = atol(from);
  const char* with = getenv("DISK_ERROR");
  if (with) fail_with = atoi(with);
}

static int under_root(int folder, const char* path, char* whole) {
  if (!root[0] || !path) return 0;
  if (path[0] == '/') {
    snprintf(whole, PATH_MAX, "%s", path);
  } else {
    char base[PATH_MAX], link[64];
    ssize_t length = -1;
    if (folder != AT_FDCWD) {
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      length = readlink(link, base, sizeof base - 1);
      if (length < 0) return 0;
      base[length] = 0;
    } else if (!getcwd(base, sizeof base)) {
      return 0;
    }
    if (snprintf(whole, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return 0;
  }
  size_t length = strlen(root);
  return !strncmp(whole, root, length) && (whole[length] == '/' || !whole[length]);
}

static void note(enum Kind kind, int file, int64_t number, const char* a, size_t a_size, const char* b, size_t b_size) {
  if (record < 0) return;
  struct {
    int32_t kind, file;
    int64_t number;
    uint64_t a_size, b_size;
  } head = {kind, file, number, a_size, b_size};
  __typeof__(&write) real = REAL(write);
  pthread_mutex_lock(&turn);
  real(record, &head, sizeof head);
  if (a_size) real(record, a, a_size);
  if (b_size) real(record, b, b_size);
  pthread_mutex_unlock(&turn);
}

// Returns whether this change fails. Changes that free space succeed even on a full disk.
static int refused(int makes_room) {
  long number = __atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
  if (fail_from < 0 || number < fail_from || (makes_room && fail_with != EROFS)) return 0;
  errno = fail_with;
  return 1;
}

static int opened(int folder, const char* path, int flags, mode_t mode) {
  char whole[PATH_MAX];
  int seen = under_root(folder, path, whole);
  int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
  int is_new = 0;
  if (seen && writes) {
    struct stat found;
    is_new = (flags & O_CREAT) && REAL(stat)(whole, &found) != 0;
    if ((is_new || fail_with == EROFS) && refused(0)) return -1;
  }
  int file = REAL(openat64)(folder, path, flags, mode);
  if (seen && file >= 0 && file < MOST_FILES) {
    ours[file] = 1;
    note(OPEN, file, (is_new ? 1 : 0) | ((flags & O_TRUNC) ? 2 : 0), whole, strlen(whole), NULL, 0);
  }
  return file;
}

#define MODE                            \
  mode_t mode = 0;                      \
  if (flags & (O_CREAT | O_TMPFILE)) {  \
    va_list more;                       \
    va_start(more, flags);              \
    mode = va_arg(more, mode_t);        \
    va_end(more);                       \
  }

int open(const char* path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char* path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char* path, int flags, ...) { MODE return opened(folder, path, flags, mode); }
int openat64(int folder, const char* path, int flags, ...) { MODE return opened(folder, path, flags, mode); }

static int is_ours(int file) { return file >= 0 && file < MOST_FILES && ours[file]; }

int close(int file) {
  if (is_ours(file)) {
    ours[file] = 0;
    note(CLOSE, file, 0, NULL, 0, NULL, 0);
  }
  return REAL(close)(file);
}

ssize_t write(int file, const void* data, size_t size) {
  if (!is_ours(file)) return REAL(write)(file, data, size);
  if (refused(0)) return -1;
  off64_t at = lseek64(file, 0, SEEK_CUR);
  ssize_t done = REAL(write)(file, data, size);
  if (done > 0) note(WRITE, file, at, data, done, NULL, 0);
  return done;
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  if (!is_ours(file)) return REAL(pwrite64)(file, data, size, at);
  if (refused(0)) return -1;
  ssize_t done = REAL(pwrite64)(file, data, size, at);
  if (done > 0) note(WRITE, file, at, data, done, NULL, 0);
  return done;
}
ssize_t pwrite(int file, const void* data, size_t size, off_t at) { return pwrite64(file, data, size, at); }

int ftruncate64(int file, off64_t size) {
  if (is_ours(file) && refused(1)) return -1;
  int failed = REAL(ftruncate64)(file, size);
  if (!failed && is_ours(file)) note(TRUNCATE, file, size, NULL, 0, NULL, 0);
  return failed;
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

static int synced(int file, int failed) {
  if (!failed && is_ours(file)) note(SYNC, file, 0, NULL, 0, NULL, 0);
  return failed;
}
int fsync(int file) { return synced(file, REAL(fsync)(file)); }
int fdatasync(int file) { return synced(file, REAL(fdatasync)(file)); }

int rename(const char* from, const char* to) {
  char a[PATH_MAX], b[PATH_MAX];
  int seen = under_root(AT_FDCWD, from, a) && under_root(AT_FDCWD, to, b);
  if (seen && refused(0)) return -1;
  int failed = REAL(rename)(from, to);
  if (!failed && seen) note(RENAME, -1, 0, a, strlen(a), b, strlen(b));
  return failed;
}

static int path_change(enum Kind kind, int folder, const char* path, int makes_room, int flags, mode_t mode) {
  char whole[PATH_MAX];
  int seen = under_root(folder, path, whole);
  if (seen && refused(makes_room)) return -1;
  int failed = kind == MKDIR ? REAL(mkdirat)(folder, path, mode) : REAL(unlinkat)(folder, path, flags);
  if (!failed && seen) note(kind, -1, 0, whole, strlen(whole), NULL, 0);
  return failed;
}
int unlink(const char* path) { return path_change(UNLINK, AT_FDCWD, path, 1, 0, 0); }
int rmdir(const char* path) { return path_change(RMDIR, AT_FDCWD, path, 1, AT_REMOVEDIR, 0); }
int mkdir(const char* path, mode_t mode) { return path_change(MKDIR, AT_FDCWD, path, 0, 0, mode); }
int mkdirat(int folder, const char* path, mode_t mode) { return path_change(MKDIR, folder, path, 0, 0, mode); }
int unlinkat(int folder, const char* path, int flags) {
  return path_change(flags & AT_REMOVEDIR ? RMDIR : UNLINK, folder, path, 1, flags, 0);
}
