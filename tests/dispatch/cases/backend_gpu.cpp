// On a GPU kernels run, and nobody plays.
#include <cstdlib>

#include "play.h"

Geometry played_geometry()
{
    abort();
}
void play_host(const void *, const PlayerBase *)
{
}
void play_variant(const char *, const PlayerBase *)
{
}
