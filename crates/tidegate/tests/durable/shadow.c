/*
 * Keeps, beside each file below $SHADOW_OF, a copy of what would be left of it if the machine lost
 * its power: what it was when it was last synced. Preloaded into the gateway by the test.
 *
 * Written data counts when fsync or fdatasync has come back. Names count at once: the test drops
 * contents, not names. A file that was never synced has an empty copy. $SHADOW_PAUSE makes the disk slow:
 * so many milliseconds for each sync.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Files in the shadow folder are named by their inode, which a rename does not change. */
static void keep(int fd) {
    const char *of = getenv("SHADOW_OF"), *to = getenv("SHADOW_TO");
    char link[64], path[PATH_MAX], copy[PATH_MAX], aside[PATH_MAX + 8];
    struct stat about;
    if (!of || !to || fstat(fd, &about) || !S_ISREG(about.st_mode)) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    if (strncmp(path, of, strlen(of))) return;
    snprintf(copy, sizeof copy, "%s/%llu", to, (unsigned long long)about.st_ino);
    snprintf(aside, sizeof aside, "%s.part", copy);
    pthread_mutex_lock(&lock);
    int from = open(link, O_RDONLY | O_CLOEXEC);
    int into = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (from >= 0 && into >= 0) {
        off_t at = 0;
        while (at < about.st_size && sendfile(into, from, &at, (size_t)(about.st_size - at)) > 0) {
        }
        rename(aside, copy);
    }
    if (from >= 0) close(from);
    if (into >= 0) close(into);
    pthread_mutex_unlock(&lock);
}

static void slow(void) {
    const char *pause = getenv("SHADOW_PAUSE");
    if (pause) usleep((useconds_t)atoi(pause) * 1000);
}

int fsync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    slow();
    int done = real(fd);
    if (!done) keep(fd);
    return done;
}

int fdatasync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    slow();
    int done = real(fd);
    if (!done) keep(fd);
    return done;
}
