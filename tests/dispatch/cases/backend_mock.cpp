// Players of the suite's kernels, for the mock runtime.
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <typeinfo>
#include <vector>

#include "../mock_cudart.h"
#include "play.h"

namespace
{

std::map<const void *, const PlayerBase *> &originals()
{
    static std::map<const void *, const PlayerBase *> all;
    return all;
}
std::vector<std::pair<std::string, const PlayerBase *>> &variants()
{
    static std::vector<std::pair<std::string, const PlayerBase *>> all;
    return all;
}
thread_local Geometry playing;

// A variant's kernel is registered under a mangled name: ...ks_<id>...<length><name>E...
void *copy(const char *name, const void *host, void **args)
{
    if (strstr(name, "ks_") == nullptr) {
        auto found = originals().find(host);
        return found == originals().end() ? nullptr : found->second->copy(args);
    }
    for (const auto &variant : variants())
        if (strstr(name, variant.first.c_str()) != nullptr)
            return variant.second->copy(args);
    return nullptr;
}
void run(void *work, mock_dims grid, mock_dims block, size_t shared)
{
    playing.grid = dim3(grid.x, grid.y, grid.z);
    playing.block = dim3(block.x, block.y, block.z);
    playing.shared = (unsigned)shared;
    ((Work *)work)->run();
}
void drop(void *work)
{
    delete (Work *)work;
}

} // namespace

Geometry played_geometry()
{
    return playing;
}
void play_host(const void *host, const PlayerBase *player)
{
    mock_copy = copy;
    mock_run = run;
    mock_drop = drop;
    originals()[host] = player;
}
void play_variant(const char *kernel, const PlayerBase *player)
{
    for (const auto &variant :
         variants()) // two units may hold one variant, but not two of one name
        if (variant.first == std::to_string(strlen(kernel)) + kernel + "E" &&
            typeid(*variant.second) != typeid(*player))
            abort();
    variants().push_back({std::to_string(strlen(kernel)) + kernel + "E", player});
}
