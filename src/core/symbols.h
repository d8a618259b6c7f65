/* EP_INTERNAL marks functions that several files share but the module must not export, and
 * EP_HIDDEN constants of that kind: a plain `cc -shared *.c` then shows its entry points alone,
 * and a program that links these files statically sees only names that begin with ep_. Where all
 * sources are one file, EP_INTERNAL is static. */
#ifndef EP_SYMBOLS_H
#define EP_SYMBOLS_H

#if defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
#define EP_HIDDEN __attribute__((visibility("hidden")))
#else
#define EP_HIDDEN
#endif

#ifndef EP_INTERNAL
#define EP_INTERNAL EP_HIDDEN
#endif

#endif
