#include "collect/empty_run.h"

static void no_runtime(struct buf *out, const struct empty_run *a)
{
    /* What was seen comes before what the program's file lets us guess. */
    if (a->refused)
        buf_text(out,
                "The program, or one that it started, could not leave its "
                "records for the meter, so whether it ran an inference is not "
                "known.");
    else if (a->unreadable)
        buf_text(out,
                "A program left records of another version of ortmeter: it is "
                "linked to, or preloads, another libortmeter.so than this "
                "one.");
    else if (a->kind == PROGRAM_STATIC)
        buf_printf(out,
                "%s is statically linked, so the meter's hook cannot be loaded "
                "into it. Use a build that is linked dynamically.",
                a->name);
    else if (a->kind == PROGRAM_FOREIGN)
        buf_printf(out,
                "%s is a 32-bit program or one for another kind of machine; "
                "the meter's hook is for 64-bit programs of this one.",
                a->name);
    else if (a->privileged)
        buf_printf(out,
                "%s is set-user-id, so the system ignores the meter's hook. "
                "Run it as the user that it changes to.",
                a->name);
    else if (a->web)
        buf_printf(out,
                "%s loaded no ONNX Runtime library, but has onnxruntime-web "
                "(%s), which runs it as WebAssembly, where there is no library "
                "to enter: use onnxruntime-node.%s",
                a->name, a->web,
                a->failed ? " It ended with an error, which may be why." : "");
    else
        buf_printf(out,
                "Neither %s nor a program that it started was seen to load an "
                "ONNX Runtime library.%s Either it did not get that far; or "
                "ONNX Runtime is linked into it statically, as in Rust's "
                "default build: then use the dynamic library; or it runs as "
                "WebAssembly (onnxruntime-web), where there is no library to "
                "enter: then use onnxruntime-node; or it was started by a "
                "program that the hook could not come into: then start the "
                "meter behind that.",
                a->name,
                a->failed ? " It ended with an error, which may be why." : "");
}

/* Where the hook cannot come, others can tell. */
static void offer(struct buf *out)
{
    buf_text(out,
            " Without the hook: let ONNX Runtime write its own profile "
            "(enable_profiling in the session's options) and ortmeter import "
            "it, or measure the model alone: ortmeter bench MODEL --ort "
            "LIBRARY.");
}

static void explain(struct buf *out, const struct empty_run *a)
{
    if (a->static_libraries && !a->libraries)
        buf_printf(out,
                "ONNX Runtime was loaded, but could not be measured where it "
                "lies: %s. What can be measured is its own library in a C, "
                "C++, node, C# or Java program, and Python with the usual "
                "onnxruntime and a usual CPython.",
                a->static_reason ? a->static_reason
                                 : "it is one that the hook does not know");
    else if (!a->libraries)
        no_runtime(out, a);
    else if (a->sessions_failed && a->sessions_failed == a->sessions)
        buf_text(out,
                "ONNX Runtime was loaded, but no session could be made: see "
                "the errors of the sessions.");
    else if (!a->sessions)
        buf_text(out,
                "ONNX Runtime was loaded, but the program made no session: it "
                "loaded no model while the meter watched.");
    else if (a->refused || a->unhooked)
        buf_text(out,
                "A model was loaded, and no inference was recorded; not all "
                "of the processes could be followed, so that may not be all.");
    else
        buf_text(out,
                "A model was loaded, but the program ran no inference with "
                "it.");
}

void empty_run_explain(struct buf *out, const struct empty_run *a)
{
    explain(out, a);
    if (!a->libraries)
        offer(out);
}
