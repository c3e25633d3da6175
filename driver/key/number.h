// Numbers in files that are signed and compared: the shortest text that reads back as the same
// double, with a point whatever the locale says.
#ifndef KS_NUMBER_H
#define KS_NUMBER_H

#define KS_NUMBER_TEXT 32

// "nan", "inf" and "-inf" for what is not finite.
const char *ks_number_text(double value, char out[KS_NUMBER_TEXT]);

#endif
