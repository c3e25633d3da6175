// Folders for one process, for os/ only (ks_dir_temp is in os/file.h).
#ifndef KS_SCRATCH_H
#define KS_SCRATCH_H

// The folder that ks_dir_temp made under this path is gone; any other path is fine.
void ks_dir_temp_forget(const char *path);

#endif
