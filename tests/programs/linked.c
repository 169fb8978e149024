/* linked.c -- a program linked to ONNX Runtime: linked MODEL COUNT. */
#include "ort_host.h"

const struct ort_api_base *OrtGetApiBase(void);

int main(int argc, char **argv)
{
    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);
    host_session(OrtGetApiBase(), "linked", argv[1], number(argv[2]));
    return 0;
}
