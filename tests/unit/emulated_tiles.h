// Compute with AVX512-BF16 what the instructions of AMX do, for processors without them.

#include <cstring>
#include <immintrin.h>
#include <unistd.h>

#define syscall(...) 0  // permission to use AMX is given

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbf16ps

namespace {

thread_local __m512i tile[8][16];

inline void _tile_loadconfig(const void*) {}
inline void _tile_release() {}
inline void _tile_zero(int to) { std::memset(tile[to], 0, sizeof tile[to]); }

inline void _tile_loadd(int to, const void* from, long distance) {
    for (int r = 0; r < 16; r++) std::memcpy(&tile[to][r], (const char*)from + r * distance, 64);
}

inline void _tile_stored(int from, void* to, long distance) {
    for (int r = 0; r < 16; r++) std::memcpy((char*)to + r * distance, &tile[from][r], 64);
}

// sums[r, n] += a[r, 2 k] b[k, 2 n] + a[r, 2 k + 1] b[k, 2 n + 1].
inline void _tile_dpbf16ps(int sums, int a, int b) {
    for (int r = 0; r < 16; r++)
        for (int k = 0; k < 16; k++) {
            const __m512i pair = _mm512_set1_epi32(((const int*)&tile[a][r])[k]);
            tile[sums][r] = (__m512i)_mm512_dpbf16_ps((__m512)tile[sums][r], (__m512bh)pair, (__m512bh)tile[b][k]);
        }
}

}  // namespace
