#include "os/clock.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int waiting;      // threads
static double since;     // when the first of them began
static double waited;    // before that

double ks_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void ks_sleep(double seconds)
{
    if (!(seconds > 0))
        return;
    struct timespec rest = {.tv_sec = (time_t)seconds};
    rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
}

double ks_now_own(void)
{
    pthread_mutex_lock(&mutex);
    double own = (waiting > 0 ? since : ks_now()) - waited;
    pthread_mutex_unlock(&mutex);
    return own;
}

void ks_wait_begins(void)
{
    pthread_mutex_lock(&mutex);
    if (waiting++ == 0)
        since = ks_now();
    pthread_mutex_unlock(&mutex);
}

void ks_wait_ends(void)
{
    pthread_mutex_lock(&mutex);
    if (--waiting == 0)
        waited += ks_now() - since;
    pthread_mutex_unlock(&mutex);
}

void ks_utc_text(char out[32])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
