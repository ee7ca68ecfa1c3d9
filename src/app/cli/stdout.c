/* Notes before `main` whether the caller closed standard output: Rust's runtime opens /dev/null in its place,
   which cannot be told from a caller's own afterwards. Rust of ours runs too late, and C needs no `unsafe` there. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

__attribute__((constructor)) static void look_at_standard_output(void) {
    if (fcntl(1, F_GETFD) == -1 && errno == EBADF) {
        setenv("CUBICLE_STDOUT_CLOSED", "1", 1);
    } else {
        unsetenv("CUBICLE_STDOUT_CLOSED");
    }
}
