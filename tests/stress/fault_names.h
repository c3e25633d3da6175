// Faults as text: "openat:3=ENOSPC", "disk:1+=EROFS", "read:2=SHORT", "any:17=SIGKILL".
#ifndef KS_FAULT_NAMES_H
#define KS_FAULT_NAMES_H

#include "fault.h"

bool fault_parse(char *text, struct fault *fault); // cuts `text` up; fault->call points into it
void fault_print(const struct fault *fault, char *text, size_t size);

#endif
