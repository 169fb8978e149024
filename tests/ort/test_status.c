/* What is left of ONNX Runtime's messages.  They are its own, as versions 1.20
 * and 1.23 gave them. */
#include "ort/status.h"

#include "base/compiler.h"
#include "test.h"

static const struct {
    const char *message, *gist;
} cases[] = {
    { "Invalid rank for input: x", "Invalid rank for input: x" },
    { "two\n  lines", "two lines" },
    { "Load model from /a b/m.onnx failed:/onnxruntime_src/onnxruntime/core/"
      "graph/model_load_utils.h:46 void onnxruntime::ValidateOpsetForDomain("
      "const std::unordered_map<std::basic_string<char>, int>&, bool (*)(int)) "
      "ONNX Runtime only *guarantees* support for models stamped with official "
      "released onnx opset versions. Opset 22 is under development and support "
      "for this is limited. The operator schemas may change. Current official "
      "support for domain ai.onnx is till opset 21.",
            "ONNX Runtime only *guarantees* support for models stamped wi ... "
            "urrent official support for domain ai.onnx is till opset 21." },
    { "Load model from m.onnx failed:This is an invalid model. In Node, "
      "(\"/attn\", GroupQueryAttention, \"com.microsoft\", -1) : (\"x\": "
      "tensor(float),\"\",) -> (\"y\": tensor(float),) , Error Node (/attn) "
      "has input size 11 not in range [min=7, max=9].",
            "Node (/attn) has input size 11 not in range [min=7, max=9]." },
    { "Exception during initialization: /onnxruntime_src/graph_utils.cc:29 int "
      "GetIndexFromName(const Node&, bool) itr != node_args.end() was false. "
      "No such name:x",
            "itr != node_args.end() was false. No such name:x" },
    { "/src/a.cc:1 f( never closed", "/src/a.cc:1 f( never closed" },
    { "/not/a/source file", "/not/a/source file" },
    { "", "" },
};

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        struct buf out = { 0 };

        status_gist(&out, cases[i].message);
        CHECK(str_is(buf_str(&out), cases[i].gist));
        if (!str_is(buf_str(&out), cases[i].gist))
            (void)fprintf(stderr, "%s\n", buf_cstr(&out));
        buf_release(&out);
    }
    return test_result();
}
