/* empty.c -- a library with nothing in it: what any preload costs. */
extern const char empty_library;
const char empty_library = 0;
