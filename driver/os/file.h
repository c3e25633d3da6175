// Files: whole reads with a cap, atomic publication, directories, walking upward.
#ifndef KS_FILE_H
#define KS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/str.h"

// Reads a whole regular file into the arena, terminated; KS_E_LIMIT above `max` bytes.
enum ks_status ks_file_read(struct ks_arena *arena, const char *path, size_t max,
                            struct ks_slice *out, struct ks_err *err);
// The same in steps, for who reads hundreds. Opens a regular file below the open folder `dir`
// (AT_FDCWD: the current one) and tells of it in *info; -1 with errno: EISDIR for what is no file.
int ks_file_open_at(int dir, const char *name, struct stat *info);
// Reads `n` bytes, or up to the end where that comes first; -1 with errno.
ssize_t ks_fd_read(int fd, void *data, size_t n);
// Publishes by temporary file in the same directory and rename(2); fsync first if `durable`.
// Parent directories must exist. Mode is 0644 & ~umask unless `mode` is not 0.
enum ks_status ks_file_write(const char *path, const void *data, size_t n, bool durable,
                             mode_t mode, struct ks_err *err);
// As ks_file_write, but leaves the file (and its mtime) alone when it already holds these bytes.
enum ks_status ks_file_update(const char *path, const void *data, size_t n, struct ks_err *err);
enum ks_status ks_file_copy(const char *from, const char *to, struct ks_err *err);
enum ks_status ks_dir_make(const char *path, struct ks_err *err); // with parents, 0777 & ~umask
// What tells one state of a file from another, whatever the clock says: each write moves one of them.
struct ks_file_id {
    int64_t device, inode, size, modified[2], changed[2]; // seconds, nanoseconds
};
struct ks_file_id ks_file_identify(const struct stat *info);
bool ks_file_is_still(const char *path, const struct ks_file_id *id);
bool ks_file_exists(const char *path);
bool ks_is_dir(const char *path);
// realpath(3) into the arena; NULL if it does not resolve.
char *ks_path_real(struct ks_arena *arena, const char *path);
// Absolute but symlinks kept: cwd joined, "." and ".." left alone.
char *ks_path_absolute(struct ks_arena *arena, const char *path);
// Names in a directory without "." and "..", sorted bytewise. Absent directory: KS_E_ABSENT.
enum ks_status ks_dir_list(struct ks_arena *arena, const char *path, struct ks_strv *names,
                           struct ks_err *err);
// Removes a file or a whole tree below `path` (which must be absolute); absent is fine.
enum ks_status ks_tree_remove(const char *path, struct ks_err *err);
// A fresh private directory (0700) below $TMPDIR or /tmp; the caller removes it with
// ks_tree_remove. One whose process is gone without that is removed by a later call.
enum ks_status ks_dir_temp(struct ks_arena *arena, const char *stem, char **path,
                           struct ks_err *err);
// This program's own directory (from /proc/self/exe).
char *ks_program_dir(struct ks_arena *arena);

#endif
