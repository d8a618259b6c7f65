/* EP_INTERNAL marks what several files share but the module must not export:
 * a plain `cc -shared *.c` then shows its entry points alone, and a program
 * that links these files statically sees only names that begin with ep_. */
#ifndef EP_SYMBOLS_H
#define EP_SYMBOLS_H

#if defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
#define EP_INTERNAL __attribute__((visibility("hidden")))
#else
#define EP_INTERNAL
#endif

#endif
