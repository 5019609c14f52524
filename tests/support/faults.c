/* Counts the system calls that change files below a folder, and lets one of them fail or kill the process.
 *
 * Preloaded (LD_PRELOAD) into a Python process, which arms it with fault_arm. It sits between the program and
 * the C library, so SQLite's calls and Python's own come through it; strace counts per thread and cannot be
 * bound to a folder. With a shadow folder it also keeps what a power failure leaves: the content of each file,
 * named by its inode, as of its last fsync.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX], shadow[PATH_MAX], at_call[64];
static long at, seen;
static int error_number; /* 0: kill */
static __thread int inside;

/* Begin or end counting: point n (0: none) fails with an error number, or kills (0). */
void fault_arm(const char *below, const char *keep, long n, int number) {
    snprintf(folder, sizeof folder, "%s", below);
    snprintf(shadow, sizeof shadow, "%s", keep);
    at = n, error_number = number, seen = 0, at_call[0] = 0;
}
long fault_seen(void) { return seen; }
const char *fault_call(void) { return at_call; }

static int below(const char *path) {
    char full[PATH_MAX * 2], place[PATH_MAX];
    size_t n = strlen(folder);
    if (!n || !path) return 0;
    if (path[0] != '/') {
        if (!getcwd(place, sizeof place)) return 0;
        snprintf(full, sizeof full, "%s/%s", place, path);
        path = full;
    }
    return !strncmp(path, folder, n) && path[n] == '/';
}

static int below_fd(int fd) {
    char link[64], path[PATH_MAX];
    struct stat about;
    if (!folder[0] || fstat(fd, &about) || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return below(path) || !strcmp(path, folder);
}

/* Whether the call fails now, with errno set. A removal kills only: what it cannot remove stays, by any program. */
static int fails(int counts, const char *call) {
    if (!counts || inside) return 0;
    long now = __sync_add_and_fetch(&seen, 1);
    if (now != at) return 0;
    snprintf(at_call, sizeof at_call, "%s", call);
    if (error_number && (!strncmp(call, "unlink", 6) || !strcmp(call, "rmdir"))) return 0;
    if (!error_number) kill(getpid(), SIGKILL), pause();
    errno = error_number;
    return 1;
}

static void shadow_path(char *path, const struct stat *about) {
    snprintf(path, PATH_MAX + 32, "%s/%lu", shadow, (unsigned long)about->st_ino);
}

/* Keep what a file holds now: it is on the disk. */
static void keep(int fd) {
    char path[PATH_MAX + 32], link[64], block[65536];
    struct stat about;
    if (!shadow[0] || !below_fd(fd) || fstat(fd, &about) || !S_ISREG(about.st_mode)) return;
    int error = errno;
    inside = 1;
    shadow_path(path, &about);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int from = open(link, O_RDONLY), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t n;
    while (from >= 0 && to >= 0 && (n = read(from, block, sizeof block)) > 0)
        if (write(to, block, n) != n) abort();
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    inside = 0;
    errno = error;
}

/* Forget what an inode held before: this file is new. */
static void forget(int fd) {
    char path[PATH_MAX + 32];
    struct stat about;
    if (fd < 0 || !shadow[0] || !below_fd(fd) || fstat(fd, &about) || about.st_size) return;
    inside = 1;
    shadow_path(path, &about);
    unlink(path);
    inside = 0;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define BY_FD(type, name, parameters, arguments, ...) \
    type name parameters { \
        REAL(type, name, __VA_ARGS__); \
        return fails(below_fd(fd), #name) ? -1 : real arguments; \
    }
BY_FD(ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n), int, const void *, size_t)
BY_FD(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), int, const struct iovec *, int)
BY_FD(ssize_t, pwrite, (int fd, const void *data, size_t n, off_t to), (fd, data, n, to), int, const void *, size_t, off_t)
BY_FD(ssize_t, pwrite64, (int fd, const void *data, size_t n, off64_t to), (fd, data, n, to), int, const void *, size_t, off64_t)
BY_FD(int, ftruncate, (int fd, off_t n), (fd, n), int, off_t)
BY_FD(int, ftruncate64, (int fd, off64_t n), (fd, n), int, off64_t)
BY_FD(ssize_t, sendfile, (int fd, int from, off_t *at, size_t n), (fd, from, at, n), int, int, off_t *, size_t)
BY_FD(ssize_t, sendfile64, (int fd, int from, off64_t *at, size_t n), (fd, from, at, n), int, int, off64_t *, size_t)

#define SYNC(name) \
    int name(int fd) { \
        REAL(int, name, int); \
        if (fails(below_fd(fd), #name)) return -1; \
        int done = real(fd); \
        if (!done) keep(fd); \
        return done; \
    }
SYNC(fsync)
SYNC(fdatasync)

#define BY_PATH(name, parameters, counts, arguments, ...) \
    int name parameters { \
        REAL(int, name, __VA_ARGS__); \
        return fails(counts, #name) ? -1 : real arguments; \
    }
BY_PATH(rename, (const char *a, const char *b), below(a) || below(b), (a, b), const char *, const char *)
BY_PATH(renameat, (int p, const char *a, int q, const char *b), below(a) || below(b) || below_fd(p), (p, a, q, b), int, const char *, int, const char *)
BY_PATH(renameat2, (int p, const char *a, int q, const char *b, unsigned f), below(a) || below(b) || below_fd(p), (p, a, q, b, f), int, const char *, int, const char *, unsigned)
BY_PATH(link, (const char *a, const char *b), below(b), (a, b), const char *, const char *)
BY_PATH(linkat, (int p, const char *a, int q, const char *b, int f), below(b) || below_fd(q), (p, a, q, b, f), int, const char *, int, const char *, int)
BY_PATH(unlink, (const char *a), below(a), (a), const char *)
BY_PATH(unlinkat, (int p, const char *a, int f), below(a) || below_fd(p), (p, a, f), int, const char *, int)
BY_PATH(rmdir, (const char *a), below(a), (a), const char *)
BY_PATH(mkdir, (const char *a, mode_t m), below(a), (a, m), const char *, mode_t)
BY_PATH(mkdirat, (int p, const char *a, mode_t m), below(a) || below_fd(p), (p, a, m), int, const char *, mode_t)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        if (fails(flags & O_CREAT && below(path), #name)) return -1; \
        int fd = real(path, flags, mode); \
        if (flags & O_CREAT && !inside) forget(fd); \
        return fd; \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int at_fd, const char *path, int flags, ...) { \
        REAL(int, name, int, const char *, int, ...); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        int counts = flags & O_CREAT && (path[0] == '/' || at_fd == AT_FDCWD ? below(path) : below_fd(at_fd)); \
        if (fails(counts, #name)) return -1; \
        int fd = real(at_fd, path, flags, mode); \
        if (flags & O_CREAT && !inside) forget(fd); \
        return fd; \
    }
OPENAT(openat)
OPENAT(openat64)
