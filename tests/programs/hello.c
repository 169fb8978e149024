/* hello.c -- a program that has nothing to do with ONNX Runtime, to be built
 * in every odd way: it shows its arguments and exits with 7. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        puts(argv[i]);
    puts(getenv("HOME") ? "home" : "no home");
    return 7;
}
