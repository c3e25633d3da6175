#include "key/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

const char *ks_number_text(double value, char out[KS_NUMBER_TEXT])
{
    if (isnan(value))
        return strcpy(out, "nan");
    if (isinf(value))
        return strcpy(out, value < 0 ? "-inf" : "inf");
    if (fabs(value) < 1e15 && ks_is_whole(value)) { // "20", not "2e+01"
        snprintf(out, KS_NUMBER_TEXT, "%.0f", value);
        return out;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, KS_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    char *comma = strchr(out, ',');
    if (comma != NULL)
        *comma = '.';
    return out;
}
