#include "os/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/proc.h"
#include "os/spawn.h"

// What a stand-in catches, and whether it does: it leaves alone what was ignored from the start.
static const int caught[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
static bool caught_here[sizeof caught / sizeof *caught];

static volatile sig_atomic_t stop; // the signal's number
static int child_signal;
static _Atomic double stop_at; // on the clock of budgets; 0: never

static void on_stop(int number)
{
    if (stop) {
        signal(number, SIG_DFL);
        raise(number); // delivered when the handler returns
    }
    stop = number;
}

void ks_stop_on_signals(void)
{
    // SA_RESTART: stdio does not expect EINTR; our own waits poll the flag.
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void ks_stop_at(double when)
{
    atomic_store(&stop_at, when);
}

bool ks_stop_expired(void)
{
    double when = atomic_load(&stop_at);
    return stop == 0 && when > 0 && ks_now_own() >= when;
}

bool ks_stop_requested(void)
{
    return stop != 0 || ks_stop_expired();
}

int ks_signals_stop(void)
{
    return stop;
}

static void on_request(int number)
{
    stop = number; // however often: the compiler that is waited for decides
}

static void on_write_error(int number)
{
    (void)number; // the call fails with EPIPE or EFBIG
}

void ks_stand_in(void)
{
    ks_spawn_hold_stdio(O_CLOEXEC);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        bool is_error = caught[i] == SIGPIPE || caught[i] == SIGXFSZ;
        struct sigaction old, action = {.sa_flags = SA_RESTART};
        action.sa_handler = is_error ? on_write_error : on_request;
        sigemptyset(&action.sa_mask);
        caught_here[i] = sigaction(caught[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
                         sigaction(caught[i], &action, NULL) == 0;
    }
}

void ks_signals_default(void)
{
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        if (caught_here[i])
            signal(caught[i], SIG_DFL);
}

void ks_signals_child_end(int number)
{
    child_signal = number;
}

static _Noreturn void end_by(int number)
{
    struct rlimit none = {0, 0}; // a core, if there is one, is the child's
    sigset_t only;
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    _exit(128 + number); // it is blocked for good, or only stops
}

void ks_exit_as_child(int status)
{
    if (child_signal > 0 && status == 128 + child_signal)
        end_by(child_signal);
    exit(status);
}

void ks_exit_stopped(void)
{
    end_by(stop);
}
