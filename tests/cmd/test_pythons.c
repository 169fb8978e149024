#include "cmd/doctor/pythons.h"
#include "tree.h"

static void found_on_path_and_in_the_venv(void)
{
    static const char site[] = "lib/python3.11/site-packages";
    struct tree t = tree_open();
    struct python_found p[PYTHONS_MAX];
    char name[256], venv[128], path[256];

    tree_put(&t, "venv/bin/python3", "");
    (void)snprintf(name, sizeof(name), "venv/%s/%s", site,
            "onnxruntime-1.31.1.dist-info/METADATA");
    tree_put(&t, name, "");
    (void)snprintf(name, sizeof(name), "venv/%s/%s", site,
            "onnxruntime-1.31.1.dist-info.txt");
    tree_put(&t, name, "");
    tree_put(&t, "usr/bin/python3", "");
    tree_put(&t,
            "usr/lib/python3.13t/site-packages/"
            "onnxruntime_gpu-1.10.0.dist-info/METADATA",
            "");
    (void)snprintf(venv, sizeof(venv), "%s/venv", t.root);
    (void)snprintf(path, sizeof(path), ":/nowhere:%s/usr/bin:%s/venv/bin",
            t.root, t.root);

    CHECK_INT(pythons_find(p, NULL, NULL), 0);
    CHECK_INT(pythons_find(p, "", "/nowhere"), 0);
    /* Once, though the venv is on PATH, too. */
    CHECK_INT(pythons_find(p, venv, path), 2);
    CHECK(strcmp(p[0].python, "3.11") == 0);
    CHECK(strcmp(p[0].package, "onnxruntime") == 0);
    CHECK(strcmp(p[0].version, "1.31.1") == 0);
    CHECK(strstr(p[0].program, "venv/bin/python3"));
    CHECK(strcmp(pythons_captured(&p[0]), "sessions, inferences, operators") ==
            0);
    CHECK(strcmp(p[1].python, "3.13t") == 0);
    CHECK(strcmp(p[1].package, "onnxruntime_gpu") == 0);
    CHECK(strstr(pythons_captured(&p[1]), "nothing"));
    tree_close(&t);
}

static void old_ones_have_no_operators(void)
{
    struct python_found p = { .python = "3.8",
        .package = "onnxruntime",
        .version = "1.10.0" };

    CHECK(strstr(pythons_captured(&p), "operators from 1.15 on"));
}

int main(void)
{
    found_on_path_and_in_the_venv();
    old_ones_have_no_operators();
    return test_result();
}
