// Captures: launches that a program really made, as workloads. `ks record --capture` makes them of what libks-record
// spooled (cupti_probe/record/capture.h); capture(ID) in a mark names one.
//
// <folder>/ID.json describes the launch; the folder is a store tier's captures/. ID is a name and 16 digits of a
// hash of that file's bytes, so that an ID in a kernel's contract stands for what is in it:
//   {"capture":1,"kernel":"ns::scale<float>","symbol":"_ZN2ns5scaleIfEEvPT_PKS1_fi","grid":[64,1,1],
//    "block":[256,1,1],"shared":0,                                            shared in bytes
//    "params":[{"offset":0,"hex":"..."}],                                     as the kernel takes them
//    "pointers":[{"param":0,"at":0,"allocation":0,"offset":256}],             which bytes of them point where
//    "allocations":[{"size":4096,"align":512,"before":"HASH","after":"HASH"}]}    contents, bytes
// Without "after", others wrote there before it could be read.
// Launches in a graph and cooperative ones have "graph":true, "cooperative":true as well, for the reader.
// <folder>/data/HASH.zst holds contents once each, whatever launches show them, as one zstd frame (HASH.raw: as
// they are). HASH is that of the plain bytes.
//
// As a workload: integers and floats that are no pointers are set to their values, never varied as sizes are.
// A struct by value keeps its bytes; a word of it that is an address in an allocation is a pointer, whatever its type.
// Each pointer is an array from where it points to the next place that another parameter points to, or to the
// allocation's end; what is const is `in`, all else `inout`; equal pointers are aliases.
#ifndef KS_CAPTURE_H
#define KS_CAPTURE_H

#include "base/vec.h"
#include "fmt/hash.h"
#include "source/mark.h"
#include "source/signature.h"

#define KS_CAPTURE_FORMAT 1
#define KS_CAPTURE_ID_DIGITS 16

struct ks_capture_param {
    size_t offset, size;       // bytes in the parameter block
    unsigned char *bytes;
};
struct ks_capture_pointer {
    size_t param, at;          // which parameter, at which of its bytes
    size_t allocation, offset; // to where, bytes
};
struct ks_capture_memory {     // one allocation
    int64_t size, align;       // align: the largest power of two that divides its address, at most 2 MiB
    struct ks_digest before, after;
    bool lost;                 // what it was after is not known: others wrote there before anybody could look
};
struct ks_capture {
    const char *id, *kernel, *symbol;
    int64_t grid[3], block[3], shared;
    bool graph, cooperative;
    KS_VEC(struct ks_capture_param) params;
    KS_VEC(struct ks_capture_pointer) pointers;
    KS_VEC(struct ks_capture_memory) memory;
};

// Contents, kept once in `dir` under their hash. KS_E_IO when they cannot be written.
enum ks_status ks_capture_keep(const char *dir, const void *bytes, size_t n, struct ks_digest *hash,
                               struct ks_err *err);
// New bytes (malloc; the caller frees) of contents of `n` bytes. KS_E_ABSENT: not there; KS_E_FORMAT: they are
// not what their name says.
enum ks_status ks_capture_contents(const char *dir, const struct ks_digest *hash, size_t n, void **bytes,
                                   struct ks_err *err);

// Writes the description; capture->id is set. The contents are there already.
enum ks_status ks_capture_write(struct ks_arena *arena, const char *dir, struct ks_capture *capture,
                                struct ks_err *err);
// KS_E_ABSENT: no such capture in `dir`; KS_E_FORMAT: damaged, altered, or of a newer format.
enum ks_status ks_capture_read(struct ks_arena *arena, const char *dir, const char *id,
                               struct ks_capture *capture, struct ks_err *err);
// Makes a capture of a spooled launch, its kernel's name given: contents kept, description written.
enum ks_status ks_capture_spooled(struct ks_arena *arena, const char *dir, const char *spool,
                                  const char *kernel, struct ks_capture *capture, struct ks_err *err);
// The symbol of a spooled launch, to choose by.
enum ks_status ks_capture_spooled_symbol(struct ks_arena *arena, const char *spool, const char **symbol,
                                         struct ks_err *err);

// A copy of the mark in which each capture(ID) is written out as clauses, for one instance of its kernel.
// `dirs` are looked through in order. One that cannot be keeps its capture(ID) and says why in capture_problem: no
// such capture, of another kernel, or with pointers into unknown memory. ks_problem_make fails with that. `text`:
// preprocessed, for the types of what structs by value point to; without it those are compared bit by bit.
struct ks_mark *ks_capture_expand(struct ks_arena *arena, const struct ks_strv *dirs,
                                  const struct ks_mark *mark, const struct ks_kernel_decl *decl,
                                  const struct ks_signature *signature, struct ks_slice text);
// Contents of a KS_INIT_CAPTURE array: `n` bytes from init->skip on, of the contents that init->path names.
enum ks_status ks_capture_fill(void *out, const struct ks_init *init, size_t n, struct ks_err *err);

#endif
