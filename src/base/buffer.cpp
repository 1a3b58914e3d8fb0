#include "base/buffer.hpp"

#include <memory>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace vicinal::inline VICINAL_API {

void advise_huge_pages(void* data, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Advise only on whole huge pages inside the allocation. Refused advice does no harm.
    void* begin = data;
    std::size_t inside = bytes;
    if (std::align(huge_page, huge_page, begin, inside) != nullptr)
        madvise(begin, inside & ~(huge_page - 1), MADV_HUGEPAGE);
#else
    (void)data;
    (void)bytes;
#endif
}

}  // namespace vicinal::inline VICINAL_API
