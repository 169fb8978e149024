#include "analyse/absence.h"

static void no_runtime(struct buf *out, const struct absence *a)
{
    /* What was seen comes before what the program's file lets us guess. */
    if (a->refused)
        buf_text(out,
                "ONNX Runtime was loaded, but there was no room to record it: "
                "the memory for shared files (/dev/shm) is full, or the "
                "program may not write files that large (ulimit -f). Free "
                "some, or give a smaller --buffer.");
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
    else
        buf_printf(out,
                "Neither %s nor a program that it started was seen to load an "
                "ONNX Runtime library.%s Either it did not get that far; or "
                "ONNX Runtime is linked into it statically, as in Rust's "
                "default build: then use the dynamic library; or it cleared "
                "its environment or changed its user, and with that the hook "
                "was gone: then start the meter behind that.",
                a->name,
                a->failed ? " It ended with an error, which may be why." : "");
}

void absence_explain(struct buf *out, const struct absence *a)
{
    if (a->static_libraries && !a->libraries)
        buf_text(out,
                "Python's onnxruntime was loaded: it has ONNX Runtime built "
                "into its own extension, where the hook cannot enter. This "
                "version of ortmeter cannot measure it; a C, C++, node, C# or "
                "Java program on the same model can be measured.");
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
    else
        buf_text(out,
                "A model was loaded, but the program ran no inference with "
                "it.");
}
