/* File operations that fail, for file_faults.rs: a library that is loaded in front of the C library. It counts the operations of
   a tree of processes on files below a folder. One of them, which a number chooses, fails or ends its process.

   TALLY_FAULT        MODE NUMBER, see `modes`
   TALLY_FAULT_BELOW  the folder
   TALLY_FAULT_STATE  a file of `struct state`, which all processes share, and which is locked as long as one lives */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* What an operation does. */
enum { READS = 1, CHANGES = 2, MAKES = 4, WRITES = 8, LOCKS = 16 };

/* What happens to the chosen operation, and which ones are counted. */
enum mode { OFF, ERROR, FULL, BEFORE, WITHIN, AFTER };
static const struct { const char *name; int counted; } modes[] = {
    [OFF] = { "off", READS | CHANGES | MAKES | WRITES | LOCKS },
    [ERROR] = { "error", READS | CHANGES | MAKES | WRITES | LOCKS },
    [FULL] = { "full", MAKES | WRITES },
    [BEFORE] = { "before", CHANGES | MAKES | WRITES | LOCKS },
    [WITHIN] = { "within", WRITES },
    [AFTER] = { "after", CHANGES | MAKES | WRITES | LOCKS },
};

struct state {
    _Atomic unsigned long count;
    _Atomic unsigned int hit;
    char what[1000];
};

/* As which all processes have the file with the state open. */
enum { INHERITED = 900 };

static struct state *state;
static enum mode mode;
static unsigned long chosen;
static char below[PATH_MAX];
static size_t below_length;

#define RAW(number, ...) syscall(SYS_##number, __VA_ARGS__)

__attribute__((constructor)) static void start(void)
{
    const char *file = getenv("TALLY_FAULT_STATE"), *text = getenv("TALLY_FAULT");
    const char *folder = getenv("TALLY_FAULT_BELOW");
    char program[PATH_MAX], name[16];
    if (!file || !text || !folder)
        return;
    /* The first process locks it; the others inherit the open file, and with it the lock. */
    int fd = INHERITED;
    if (RAW(fcntl, fd, F_GETFD, 0) < 0) {
        int opened = RAW(openat, AT_FDCWD, file, O_RDWR, 0);
        if (opened < 0)
            return;
        RAW(flock, opened, LOCK_SH);
        RAW(dup3, opened, INHERITED, 0);
        RAW(close, opened);
    }
    /* What git does with its files is its own affair. */
    ssize_t length = RAW(readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = 0;
    const char *last = strrchr(program, '/');
    if (!last || strcmp(last, "/tally"))
        return;
    void *shared = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED || sscanf(text, "%15s %lu", name, &chosen) != 2)
        return;
    for (int one = OFF; one <= AFTER; one++)
        if (!strcmp(name, modes[one].name))
            mode = one;
    below_length = strlen(folder);
    memcpy(below, folder, below_length + 1);
    state = shared;
}

static int is_below(const char *path)
{
    return !strncmp(path, below, below_length) && (path[below_length] == '/' || !path[below_length]);
}

/* Where an open file is; empty if that is not known. */
static void path_of(int fd, char *path)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = RAW(readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

/* Whether an operation is meant, and where it happens: at a name in a folder, or, without a name, at an open file. */
static int is_meant(int folder, const char *name, char *path)
{
    path[0] = 0;
    if (!state)
        return 0;
    int known = errno;
    if (name && name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        if (folder == AT_FDCWD) {
            if (RAW(getcwd, path, PATH_MAX) < 0)
                path[0] = 0;
        } else {
            path_of(folder, path);
        }
        size_t length = strlen(path);
        if (name && name[0])
            snprintf(path + length, PATH_MAX - length, "/%s", name);
    }
    errno = known;
    return is_below(path);
}

enum fate { GO_ON, FAIL, HALF, DIE_HALFWAY, DIE_AFTERWARDS };

static void die(void)
{
    RAW(kill, getpid(), SIGKILL);
}

static enum fate fate(int does, const char *operation, int folder, const char *name)
{
    char path[PATH_MAX];
    if (!is_meant(folder, name, path) || !(modes[mode].counted & does))
        return GO_ON;
    unsigned long number = atomic_fetch_add(&state->count, 1) + 1;
    if (number != chosen) {
        if (mode == FULL && number > chosen) {
            errno = ENOSPC;
            return FAIL;
        }
        return GO_ON;
    }
    snprintf(state->what, sizeof state->what, "%s %.900s by %d", operation, path, (int)getpid());
    atomic_store(&state->hit, 1);
    switch (mode) {
    case ERROR:
        errno = EIO;
        return FAIL;
    case FULL:
        errno = ENOSPC;
        return does == WRITES ? HALF : FAIL;
    case BEFORE:
        die();
        return FAIL;
    case WITHIN:
        return DIE_HALFWAY;
    case AFTER:
        return DIE_AFTERWARDS;
    default:
        return GO_ON;
    }
}

/* An operation that answers -1 if it fails. */
#define OPERATION(type, does, folder, name, call)                                  \
    do {                                                                           \
        enum fate its = fate(does, __func__, folder, name);                        \
        if (its == FAIL)                                                           \
            return (type)-1;                                                       \
        type answer = (type)(call);                                                \
        if (its == DIE_AFTERWARDS)                                                 \
            die();                                                                 \
        return answer;                                                             \
    } while (0)

/* One that writes `length` bytes, of which it may write fewer. */
#define WRITING(fd, length, call)                                                  \
    do {                                                                           \
        enum fate its = fate(WRITES, __func__, fd, NULL);                          \
        size_t is_half = its == HALF || its == DIE_HALFWAY;                        \
        if (its == FAIL || (its == HALF && length < 2))                            \
            return -1;                                                             \
        if (is_half)                                                               \
            length /= 2;                                                           \
        ssize_t answer = call;                                                     \
        if (its == DIE_AFTERWARDS || its == DIE_HALFWAY)                           \
            die();                                                                 \
        return answer;                                                             \
    } while (0)

static int opened(const char *operation, int folder, const char *name, int flags, mode_t rights)
{
    int is_new = (flags & O_CREAT) && RAW(faccessat, folder, name, F_OK) < 0;
    int changes = (flags & O_ACCMODE) != O_RDONLY && (flags & O_TRUNC);
    enum fate its = fate(is_new ? MAKES : changes ? CHANGES : READS, operation, folder, name);
    if (its == FAIL)
        return -1;
    int answer = RAW(openat, folder, name, flags, rights);
    if (its == DIE_AFTERWARDS)
        die();
    return answer;
}

#define OPEN(symbol)                                                               \
    int symbol(const char *name, int flags, ...)                                   \
    {                                                                              \
        va_list rest;                                                              \
        va_start(rest, flags);                                                     \
        mode_t rights = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;  \
        va_end(rest);                                                              \
        return opened("open", AT_FDCWD, name, flags, rights);                      \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(symbol)                                                             \
    int symbol(int folder, const char *name, int flags, ...)                       \
    {                                                                              \
        va_list rest;                                                              \
        va_start(rest, flags);                                                     \
        mode_t rights = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;  \
        va_end(rest);                                                              \
        return opened("openat", folder, name, flags, rights);                      \
    }
OPENAT(openat)
OPENAT(openat64)

/* A file that cannot be closed is closed nevertheless. */
int close(int fd)
{
    enum fate its = fate(READS, __func__, fd, NULL);
    int known = errno, answer = RAW(close, fd);
    if (its != FAIL)
        return answer;
    errno = known;
    return -1;
}

ssize_t read(int fd, void *to, size_t length)
{
    OPERATION(ssize_t, READS, fd, NULL, RAW(read, fd, to, length));
}
ssize_t pread64(int fd, void *to, size_t length, off_t at)
{
    OPERATION(ssize_t, READS, fd, NULL, RAW(pread64, fd, to, length, at));
}
ssize_t readv(int fd, const struct iovec *to, int count)
{
    OPERATION(ssize_t, READS, fd, NULL, RAW(readv, fd, to, count));
}
ssize_t write(int fd, const void *from, size_t length)
{
    WRITING(fd, length, RAW(write, fd, from, length));
}
ssize_t pwrite64(int fd, const void *from, size_t length, off_t at)
{
    WRITING(fd, length, RAW(pwrite64, fd, from, length, at));
}
ssize_t writev(int fd, const struct iovec *from, int count)
{
    OPERATION(ssize_t, WRITES, fd, NULL, RAW(writev, fd, from, count));
}
ssize_t sendfile64(int to, int from, off_t *at, size_t length)
{
    WRITING(to, length, RAW(sendfile, to, from, at, length));
}
ssize_t copy_file_range(int from, off_t *at, int to, off_t *there, size_t length, unsigned int flags)
{
    WRITING(to, length, RAW(copy_file_range, from, at, to, there, length, flags));
}
off_t lseek64(int fd, off_t by, int from)
{
    OPERATION(off_t, READS, fd, NULL, RAW(lseek, fd, by, from));
}
int fsync(int fd)
{
    OPERATION(int, CHANGES, fd, NULL, RAW(fsync, fd));
}
int fdatasync(int fd)
{
    OPERATION(int, CHANGES, fd, NULL, RAW(fdatasync, fd));
}
int ftruncate64(int fd, off_t length)
{
    OPERATION(int, CHANGES, fd, NULL, RAW(ftruncate, fd, length));
}
int fchmod(int fd, mode_t rights)
{
    OPERATION(int, CHANGES, fd, NULL, RAW(fchmod, fd, rights));
}
int chmod(const char *name, mode_t rights)
{
    OPERATION(int, CHANGES, AT_FDCWD, name, RAW(fchmodat, AT_FDCWD, name, rights));
}
int futimens(int fd, const struct timespec times[2])
{
    OPERATION(int, CHANGES, fd, NULL, RAW(utimensat, fd, NULL, times, 0));
}
int rename(const char *from, const char *to)
{
    OPERATION(int, MAKES, AT_FDCWD, to, RAW(renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int link(const char *from, const char *to)
{
    OPERATION(int, MAKES, AT_FDCWD, to, RAW(linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int symlink(const char *content, const char *name)
{
    OPERATION(int, MAKES, AT_FDCWD, name, RAW(symlinkat, content, AT_FDCWD, name));
}
int mkdir(const char *name, mode_t rights)
{
    OPERATION(int, MAKES, AT_FDCWD, name, RAW(mkdirat, AT_FDCWD, name, rights));
}
int unlink(const char *name)
{
    OPERATION(int, CHANGES, AT_FDCWD, name, RAW(unlinkat, AT_FDCWD, name, 0));
}
int rmdir(const char *name)
{
    OPERATION(int, CHANGES, AT_FDCWD, name, RAW(unlinkat, AT_FDCWD, name, AT_REMOVEDIR));
}
int unlinkat(int folder, const char *name, int flags)
{
    OPERATION(int, CHANGES, folder, name, RAW(unlinkat, folder, name, flags));
}
int flock(int fd, int how)
{
    OPERATION(int, LOCKS, fd, NULL, RAW(flock, fd, how));
}

#define FCNTL(symbol)                                                              \
    int symbol(int fd, int command, ...)                                           \
    {                                                                              \
        va_list rest;                                                              \
        va_start(rest, command);                                                   \
        void *argument = va_arg(rest, void *);                                     \
        va_end(rest);                                                              \
        int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK; \
        if (!locks)                                                                \
            return RAW(fcntl, fd, command, argument);                              \
        OPERATION(int, LOCKS, fd, NULL, RAW(fcntl, fd, command, argument));        \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int access(const char *name, int how)
{
    OPERATION(int, READS, AT_FDCWD, name, RAW(faccessat, AT_FDCWD, name, how));
}
ssize_t readlink(const char *name, char *to, size_t length)
{
    OPERATION(ssize_t, READS, AT_FDCWD, name, RAW(readlinkat, AT_FDCWD, name, to, length));
}
int statx(int folder, const char *name, int flags, unsigned int mask, struct statx *to)
{
    OPERATION(int, READS, folder, name, RAW(statx, folder, name, flags, mask, to));
}
int stat64(const char *name, struct stat64 *to)
{
    OPERATION(int, READS, AT_FDCWD, name, RAW(newfstatat, AT_FDCWD, name, to, 0));
}
int lstat64(const char *name, struct stat64 *to)
{
    OPERATION(int, READS, AT_FDCWD, name, RAW(newfstatat, AT_FDCWD, name, to, AT_SYMLINK_NOFOLLOW));
}
int fstat64(int fd, struct stat64 *to)
{
    OPERATION(int, READS, fd, NULL, RAW(newfstatat, fd, "", to, AT_EMPTY_PATH));
}
int fstatat64(int folder, const char *name, struct stat64 *to, int flags)
{
    OPERATION(int, READS, folder, name, RAW(newfstatat, folder, name, to, flags));
}
void *mmap64(void *at, size_t length, int protection, int flags, int fd, off_t from)
{
    if (fd < 0)
        return (void *)RAW(mmap, at, length, protection, flags, fd, from);
    OPERATION(void *, READS, fd, NULL, RAW(mmap, at, length, protection, flags, fd, from));
}

/* What the C library does by several calls of the system. */
#define NEXT(symbol) ((__typeof__(&symbol))dlsym(RTLD_NEXT, #symbol))

char *realpath(const char *name, char *to)
{
    return fate(READS, __func__, AT_FDCWD, name) == FAIL ? NULL : NEXT(realpath)(name, to);
}
DIR *opendir(const char *name)
{
    return fate(READS, __func__, AT_FDCWD, name) == FAIL ? NULL : NEXT(opendir)(name);
}
struct dirent64 *readdir64(DIR *folder)
{
    return fate(READS, __func__, dirfd(folder), NULL) == FAIL ? NULL : NEXT(readdir64)(folder);
}
