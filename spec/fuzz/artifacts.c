/* Inputs that end a fuzzer go into build/fuzz/, however it is started: by hand libFuzzer would
 * leave them where it runs. */
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  static char prefix[] = "-artifact_prefix=build/fuzz/";
  char **longer = (char **)calloc((size_t)*argc + 2, sizeof *longer);
  if (!longer)
    abort();
  longer[0] = (*argv)[0];
  longer[1] = prefix; /* one that is given comes later and counts */
  memcpy(longer + 2, *argv + 1, (size_t)(*argc - 1) * sizeof *longer);
  ++*argc;
  *argv = longer;
  return 0;
}
