#include "ort/shape_text.h"

#include "base/compiler.h"
#include "test.h"

static const struct {
    const char *text;
    bool sound;
} cases[] = {
    { "[]", true },
    { "[{\"float\":[]}]", true },
    { "[{\"float\":[1,3,48,192]},{\"int64\":[0]},{\"bool\":[-1]}]", true },
    { "[{\"seq(tensor(float16))\":[2]}]", true },
    { "", false },
    { "[", false },
    { "[{\"float\":[1,3]}", false },
    { "[{\"float\":[1,3]},]", false },
    { "[{\"float\":[1,]}]", false },
    { "[{\"float\":[,1]}]", false },
    { "[{\"float\":[01]}]", false },
    { "[{\"float\":[-]}]", false },
    { "[{\"float\":[1.5]}]", false },
    { "[{\"flo\"at\":[1]}]", false },
    { "[{\"float\\\":[1]}]", false },
    { "[{\"float\":[1]}]]", false },
    { "[{\"float\":[1]}] ", false },
    { "[{\"float\":1}]", false },
    { "{\"float\":[1]}", false },
    { "[{\"a\nb\":[1]}]", false },
};

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        CHECK_INT(shape_text_is_sound(cases[i].text), cases[i].sound);
        if (shape_text_is_sound(cases[i].text) != cases[i].sound)
            (void)fprintf(stderr, "%s\n", cases[i].text);
    }
    return test_result();
}
