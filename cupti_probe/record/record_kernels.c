#include "record_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "record_file.h"

#define LONGEST_LINE (16 << 10)  // of launches, bytes
#define MOST_CLASSES (1u << 16)  // held at once; then all are named anew

struct shape { // what makes two launches of one kernel alike; no padding: compared as bytes
    int32_t grid[3], block[3];
    uint32_t cluster[3], device, local, registers, graph;
    int32_t static_shared, dynamic_shared;
};

struct class_ {
    uint64_t hash;
    const char *name; // points into a struct name; NULL: free
    struct shape shape;
    int64_t id;
};

struct name {
    uint64_t hash;
    char *text; // owned; NULL: free
    int64_t id;
};

static struct class_ *classes; // open addressing, twice as many places as MOST_CLASSES
static struct name *names;
static struct class_ *last; // the one of the launch before, which most are alike; NULL: none
static uint32_t held;
static int64_t next_class, next_name, launches, last_start;
static bool in_line;

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3); // FNV-1a
    return hash;
}

static bool have_tables(void)
{
    if (classes == NULL)
        classes = calloc(2 * MOST_CLASSES, sizeof *classes);
    if (names == NULL)
        names = calloc(2 * MOST_CLASSES, sizeof *names);
    return classes != NULL && names != NULL;
}

// A program that makes ever new geometries does not make the library grow: numbers go on, names are told
// again.
static void forget(void)
{
    for (size_t i = 0; i < 2 * MOST_CLASSES; i++)
        free(names[i].text);
    memset(names, 0, 2 * MOST_CLASSES * sizeof *names);
    memset(classes, 0, 2 * MOST_CLASSES * sizeof *classes);
    last = NULL;
    held = 0;
}

static void put_triple(const char *word, int64_t x, int64_t y, int64_t z)
{
    record_text(word);
    record_number(x);
    record_text(",");
    record_number(y);
    record_text(",");
    record_number(z);
    record_text("]");
}

static void put_field(const char *word, int64_t value)
{
    record_text(word);
    record_number(value);
}

static const struct name *name_of(const char *text, uint64_t hash)
{
    size_t at = hash % (2 * MOST_CLASSES);
    while (names[at].text != NULL && (names[at].hash != hash || strcmp(names[at].text, text) != 0))
        at = (at + 1) % (2 * MOST_CLASSES);
    struct name *name = &names[at];
    if (name->text == NULL) {
        char *copy = strdup(text);
        if (copy == NULL)
            return NULL;
        *name = (struct name){hash, copy, next_name++};
        record_launches_end();
        record_begin();
        put_field(",\"kernel\":", name->id);
        record_text(",\"name\":");
        record_string(text);
        record_end();
    }
    return name;
}

static void put_class(const struct class_ *c, int64_t kernel)
{
    const struct shape *s = &c->shape;
    record_launches_end();
    record_begin();
    put_field(",\"class\":", c->id);
    put_field(",\"kernel\":", kernel);
    put_triple(",\"grid\":[", s->grid[0], s->grid[1], s->grid[2]);
    put_triple(",\"block\":[", s->block[0], s->block[1], s->block[2]);
    put_triple(",\"cluster\":[", s->cluster[0], s->cluster[1], s->cluster[2]);
    put_field(",\"static\":", s->static_shared);
    put_field(",\"dynamic\":", s->dynamic_shared);
    put_field(",\"local\":", s->local);
    put_field(",\"registers\":", s->registers);
    put_field(",\"device\":", s->device);
    record_text(s->graph ? ",\"graph\":true" : ",\"graph\":false");
    record_end();
}

// -1: no memory.
static int64_t class_of(const char *text, const struct shape *shape)
{
    if (last != NULL && memcmp(&last->shape, shape, sizeof *shape) == 0 && strcmp(last->name, text) == 0)
        return last->id;
    if (!have_tables())
        return -1;
    if (held == MOST_CLASSES)
        forget();
    uint64_t name_hash = hash_bytes(UINT64_C(0xcbf29ce484222325), text, strlen(text));
    uint64_t hash = hash_bytes(name_hash, shape, sizeof *shape);
    size_t at = hash % (2 * MOST_CLASSES);
    while (classes[at].name != NULL &&
           (classes[at].hash != hash || memcmp(&classes[at].shape, shape, sizeof *shape) != 0 ||
            strcmp(classes[at].name, text) != 0))
        at = (at + 1) % (2 * MOST_CLASSES);
    struct class_ *c = &classes[at];
    if (c->name == NULL) {
        const struct name *name = name_of(text, name_hash);
        if (name == NULL)
            return -1;
        *c = (struct class_){hash, name->text, *shape, next_class++};
        held++;
        put_class(c, name->id);
    }
    last = c;
    return c->id;
}

void record_launches_end(void)
{
    if (in_line) {
        record_text("]");
        record_end();
    }
    in_line = false;
}

int64_t record_launches(void)
{
    return launches;
}

void record_kernel(const CUpti_ActivityKernel10 *k)
{
    struct shape shape = {
        .grid = {k->gridX, k->gridY, k->gridZ}, .block = {k->blockX, k->blockY, k->blockZ},
        .cluster = {k->clusterX, k->clusterY, k->clusterZ}, .device = k->deviceId,
        .local = k->localMemoryPerThread, .registers = k->registersPerThread,
        .graph = k->graphNodeId != 0, .static_shared = k->staticSharedMemory,
        .dynamic_shared = k->dynamicSharedMemory};
    int64_t id = class_of(k->name != NULL ? k->name : "?", &shape);
    if (id < 0)
        return;
    int64_t start = (int64_t)k->start;
    if (in_line && record_length() > LONGEST_LINE)
        record_launches_end();
    if (!in_line) {
        record_begin();
        put_field(",\"at\":", start);
        record_text(",\"launches\":[");
        last_start = start;
    } else {
        record_text(",");
    }
    in_line = true;
    record_number(id);
    put_field(",", k->streamId);
    put_field(",", start - last_start);
    put_field(",", k->end > k->start ? (int64_t)(k->end - k->start) : k->end == k->start && k->end > 0 ? 0 : -1);
    last_start = start;
    launches++;
}

void record_device(const CUpti_ActivityDevice5 *d)
{
    record_launches_end();
    record_begin();
    put_field(",\"device\":", d->id);
    record_text(",\"name\":");
    record_string(d->name != NULL ? d->name : "?");
    put_field(",\"arch\":", 10 * (int64_t)d->computeCapabilityMajor + d->computeCapabilityMinor);
    put_field(",\"sms\":", d->numMultiprocessors);
    put_field(",\"threads\":", (int64_t)d->maxWarpsPerMultiprocessor * d->numThreadsPerWarp);
    put_field(",\"blocks\":", d->maxBlocksPerMultiprocessor);
    put_field(",\"registers\":", d->maxRegistersPerMultiprocessor);
    put_field(",\"shared\":", d->maxSharedMemoryPerMultiprocessor);
    put_field(",\"memory\":", (int64_t)(d->globalMemoryBandwidth / 1000000)); // kB/s to GB/s
    record_end();
}
