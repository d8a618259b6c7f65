/* The only place of the version. */
#ifndef EP_VERSION_H
#define EP_VERSION_H

#define ENDPOINT_VERSION "1.0.0"

#endif
