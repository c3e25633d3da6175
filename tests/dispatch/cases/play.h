// How the mock runtime "runs" a kernel: a player takes the launch's arguments by their types and
// calls a host function with them. A program for a GPU links the same objects and never plays.
#pragma once
#include "record.cuh"

// One launch, its arguments copied as a real launch copies them.
struct Work {
    virtual void run() = 0;
    virtual ~Work()
    {
    }
};
struct PlayerBase {
    virtual Work *copy(void **args) const = 0;
    virtual ~PlayerBase()
    {
    }
};
// Of an original by its host address; of a variant's kernel by its name.
void play_host(const void *host, const PlayerBase *player);
void play_variant(const char *kernel, const PlayerBase *player);

// An argument array points at values; for a parameter of reference type, at a pointer.
template <class T> struct Held {
    T value;
    explicit Held(void *at) : value(*(T *)at)
    {
    }
    T &get()
    {
        return value;
    }
};
template <class T> struct Held<T &> {
    T *value;
    explicit Held(void *at) : value(*(T **)at)
    {
    }
    T &get()
    {
        return *value;
    }
};
template <class... A> struct HeldAll {
    explicit HeldAll(void **)
    {
    }
    template <class P, class... G> void call(const P &player, G &...got)
    {
        player.play(got...);
    }
};
template <class F, class... R> struct HeldAll<F, R...> {
    Held<F> first;
    HeldAll<R...> rest;
    explicit HeldAll(void **at) : first(*at), rest(at + 1)
    {
    }
    template <class P, class... G> void call(const P &player, G &...got)
    {
        rest.call(player, got..., first.get());
    }
};

template <class... A> struct Player : PlayerBase {
    typedef void (*Body)(A...);
    const char *who;
    Body body; // NULL: it only records its arguments

    Player(const char *name, Body function) : who(name), body(function)
    {
    }

    struct Launch : Work {
        const Player *player;
        HeldAll<A...> args;
        Launch(const Player *p, void **at) : player(p), args(at)
        {
        }
        void run()
        {
            args.call(*player);
        }
    };
    void play(A... args) const
    {
        body ? body(args...) : recorded(args...);
    }
    template <class... R> void recorded(Log *log, const R &...rest) const
    {
        record(log, who, rest...);
    }
    void recorded() const
    {
    }
    Work *copy(void **args) const
    {
        return new Launch(this, args);
    }
};

template <class T> struct Just { // nothing is deduced from it: a lambda may convert to it
    typedef T type;
};
struct Played {
    template <class... A>
    explicit Played(void (*kernel)(A...), typename Just<void (*)(A...)>::type body = nullptr)
    {
        play_host((const void *)kernel, new Player<A...>("o", body));
    }
};
template <class F> struct PlayedVariant;
template <class... A> struct PlayedVariant<void(A...)> {
    explicit PlayedVariant(const char *kernel, void (*body)(A...) = nullptr)
    {
        play_variant(kernel, new Player<A...>(kernel, body));
    }
};
#define PLAY_NAME(n) PLAY_PASTE(played_, n)
#define PLAY_PASTE(a, b) a##b
// PLAY(kernel) or PLAY(kernel, body).
#define PLAY(...) static const Played PLAY_NAME(__COUNTER__)(__VA_ARGS__)
// RAN(scale4): what the variant's kernel scale4(Log *, int n) calls, since the text of a proposal
// has no strings: ran_scale4(log, n). It has to stand before the original.
#define RAN(name)                                                                                  \
    template <class... A> __host__ __device__ inline void ran_##name(Log *log, const A &...args)   \
    {                                                                                              \
        record(log, #name, args...);                                                               \
    }
// VARIANT(scale4, Log *, int): the same, and the kernel's player.
#define VARIANT(name, ...)                                                                         \
    RAN(name) static const PlayedVariant<void(__VA_ARGS__)> played_##name(#name)
// VARIANT_BODY(name, body): the variant's kernel calls body, a function of its parameters.
#define VARIANT_BODY(name, body)                                                                   \
    static const PlayedVariant<decltype(body)> played_##name(#name, body)
