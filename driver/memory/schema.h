// The tables of the memory, version by version.
#ifndef KS_SCHEMA_H
#define KS_SCHEMA_H

#define KS_SCHEMA 7

// The statements that bring version `from` to the next.
const char *ks_schema_step(int from);

#endif
