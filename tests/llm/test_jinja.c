#include "llm/jinja/jinja.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static const char context[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":\" hi \"},"
        "{\"role\":\"assistant\",\"content\":\"yo\"}],\"bos_token\":\"<s>\"}";

static void renders(const char *template, const char *want)
{
    struct buf out = { 0 };
    struct error e = { 0 };

    CHECK_INT(
            jinja_render(&out, str_of(template), str_of(context), "today", &e),
            0);
    if (strcmp(buf_cstr(&out), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "%s gives '%s', not '%s' %s\n", template,
                buf_cstr(&out), want, e.text);
    }
    buf_release(&out);
}

static void refuses(const char *template, int code, const char *why)
{
    struct buf out = { 0 };
    struct error e = { 0 };

    CHECK_INT(
            jinja_render(&out, str_of(template), str_of(context), "today", &e),
            code);
    CHECK(strstr(e.text, why));
    CHECK_INT(out.len, 0);
    buf_release(&out);
}

int main(void)
{
    renders("{{ bos_token }}{% for m in messages %}[{{ m.role }}:"
            "{{ m['content'] | trim }}]{% endfor %}",
            "<s>[user:hi][assistant:yo]");
    /* A block's own newline goes, and the blanks before it. */
    renders("a\n  {% if true %}\nb\n  {% endif %}\nc\n", "a\nb\nc");
    renders("a  {{- 1 -}}  b", "a1b");
    renders("{% set ns = namespace(n=0) %}{% for m in messages %}"
            "{% set ns.n = ns.n + loop.index %}{% endfor %}{{ ns.n }}",
            "3");
    renders("{{ messages[::-1][0].role[:2] ~ (7 // 2) ~ -7 % 3 }}", "as32");
    renders("{{ {'a': [1, true, none]} | tojson }}",
            "{\"a\": [1, true, null]}");
    renders("{{ [1, 'b'] }}{{ missing }}{{ strftime_now('%Y') }}",
            "[1, 'b']today");
    renders("{% macro f(x, y=2) %}{{ x * y }}{% endmacro %}{{ f(3) }}", "6");
    refuses("{{ raise_exception('no ' + messages[0].role) }}", -EPROTO,
            "no user");
    refuses("{{ 1 | frobnicate }}", -ENOTSUP, "frobnicate");
    refuses("{% include 'x' %}", -ENOTSUP, "include");
    refuses("{{ missing.member }}", -EINVAL, "not defined");
    refuses("{% if 1 %}", -EINVAL, "line 1");
    refuses("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}"
            "{% endfor %}",
            -E2BIG, "takes too much memory");
    return test_result();
}
