// The worker's protocol: requests that break it.
#include "served_device.h"

#include "base/rng.h"
#include "verify/worker/serve.h"

static void test_limits(void **state)
{
    (void)state;
    begin();
    ask("{\"id\":3,\"do\":\"sets\",\"count\":4000}");
    ask(RUN("twice"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":2000000,\"align\":4,"
        "\"role\":\"out\"}]}");
    ask(RUN("twice"));
    serve(fake_open);
    skip_ok(2);
    next_refused("limit", "not enough memory");
    skip_ok(1);
    next_refused("limit", "not enough memory");
    next_refused("usage", "make the buffers before");
    at_end();
}

// A struct by value, with buffers' addresses in it.
#define STRUCT(hex, pointers)                                                                      \
    "{\"do\":\"run\",\"plan\":[{\"module\":\"m0\",\"kernel\":\"twice\",\"grid\":[1,1,1],\"block\":[1,1,1],"         \
    "\"shared\":0,\"args\":[{\"hex\":\"" hex "\",\"pointers\":" pointers "}]}],\"poison\":1}"

static void test_malformed(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "", "garbage", "[]", "{}", "null", "{\"do\":7}", "{\"do\":\"fly\"}", "{\"do\":\"run\"}",
        "{\"id\":\"x\",\"do\":\"module\",\"name\":\"m9\"}",
        "{\"do\":\"module\",\"name\":\"m0\"}",
        "{\"do\":\"module\",\"name\":\"ks\"}",
        "{\"do\":\"function\",\"module\":\"m0\",\"name\":\"absent\"}",
        "{\"do\":\"function\",\"module\":\"m7\",\"name\":\"twice\"}",
        "{\"do\":\"run\",\"plan\":[],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[7],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[{\"memset\":2,\"value\":0}],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[{\"memset\":1,\"value\":256}],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "-1") "],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "1") "],\"poison\":-1}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "1") "],\"poison\":1,\"scrub\":3}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "1") "],\"poison\":1,\"steps\":0}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "1") "],\"poison\":1,\"crowd\":0}",
        "{\"do\":\"run\",\"plan\":[{\"module\":\"m0\",\"kernel\":\"twice\",\"grid\":[1,1,1],\"block\":"
        "[1,1,1],\"shared\":0,\"args\":[{\"hex\":\"0g\"}]}],\"poison\":1}",
        STRUCT("0000000000000000", "[[1,0]]"), STRUCT("0000000000000000", "[[0,2]]"), STRUCT("00", "[[0,0]]"),
        STRUCT("0000000000000000", "[[-1,0]]"), STRUCT("0000000000000000", "[[0]]"),
        STRUCT("0000000000000000", "[7]"), STRUCT("", "[]"),
        "{\"do\":\"read\",\"buffer\":2}", "{\"do\":\"read\",\"buffer\":0,\"set\":1}",
        "{\"do\":\"read\",\"buffer\":1e9}", "{\"do\":\"sets\",\"count\":0}",
        "{\"do\":\"time\",\"a\":[],\"b\":[],\"pairs\":0,\"batch\":1}",
        "{\"do\":\"buffers\",\"flush\":\"sideways\",\"list\":[]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":-1,\"align\":4,\"role\":\"out\"}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":3,\"role\":\"out\"}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":\"in\"}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":\"in\","
        "\"fill\":{\"elem\":\"f32\",\"init\":\"uniform\",\"seed\":1,\"total\":2}}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":\"in\","
        "\"fill\":{\"init\":\"bytes\"}}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":8,\"align\":8,\"role\":\"in\","
        "\"fill\":{\"elem\":\"f32\",\"init\":\"uniform\",\"seed\":1,\"total\":2,\"wide\":true}}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":8,\"align\":8,\"role\":\"in\","
        "\"fill\":{\"elem\":\"i32\",\"init\":\"randint\",\"seed\":1,\"total\":1,\"wide\":true}}]}",
        "{\"do\":\"hello\",\"payload\":-5}", "{\"do\":\"hello\",\"payload\":\"x\"}",
        "{\"do\":\"hello\",\"text\":\"\xff\xfe\"}",
    };
    size_t n = sizeof lines / sizeof *lines;
    begin();
    for (size_t i = 0; i < n; i++)
        ask(lines[i]);
    ask(RUN("twice")); // nothing above touched the buffers
    serve(fake_open);
    skip_ok(2);
    for (size_t i = 0; i < n; i++) {
        json_t *answer = next();
        if (ks_json_bool(answer, "ok", true) ||
            strcmp(ks_json_str(answer, "class", ""), "usage") != 0)
            fail_msg("'%s' was answered %s", lines[i], ks_json_str(answer, "class", "ok"));
        json_decref(answer);
    }
    skip_ok(1);
    at_end();
}

static void test_long_line_and_lost_payload(void **state)
{
    (void)state;
    char *line = malloc(3 << 20);
    memset(line, 'x', (3 << 20) - 1);
    line[(3 << 20) - 1] = '\0';
    ask(line);
    free(line);
    // A refused request's payload is not taken for requests.
    ask_bytes("{\"id\":1,\"do\":\"fly\",\"payload\":22}", "{\"id\":2,\"do\":\"hello\"}\n", 22);
    ask("{\"id\":3,\"do\":\"hello\"}");
    ask("{\"id\":4,\"do\":\"module\",\"name\":\"m\",\"payload\":1000}"); // ends early
    serve(fake_open);
    next_refused("usage", "longer than");
    next_refused("usage", "unknown request");
    json_t *answer = next_ok();
    assert_int_equal(ks_json_int(answer, "id", 0), 3);
    json_decref(answer);
    at_end();
}

// Random bytes, and valid requests with bytes changed: an answer for each line, and no crash.
static void test_fuzz(void **state)
{
    (void)state;
    static const char *const seeds[] = {
        RUN("twice"), "{\"id\":3,\"do\":\"sets\",\"count\":3}", "{\"do\":\"read\",\"buffer\":1}",
        TIME(STEP("twice", "1"), STEP("lazy", "1"), "\"pairs\":2,\"batch\":2"),
        "{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" INOUT "," OUT "]}",
    };
    struct ks_rng rng;
    for (uint64_t round = 0; round < 300; round++) {
        ks_rng_seed(&rng, round);
        begin();
        for (int i = 0; i < 20; i++) {
            char line[2048];
            snprintf(line, sizeof line, "%s", seeds[ks_rng_below(&rng, 5)]);
            size_t n = strlen(line);
            for (uint64_t changes = ks_rng_below(&rng, 6); changes > 0; changes--) {
                char c = "0123456789-{}[]\",:xe\x80"[ks_rng_below(&rng, 22)];
                line[ks_rng_below(&rng, n)] = c == '\0' ? ' ' : c;
            }
            ask(line);
        }
        serve(fake_open);
        assert_true(fake.closed);
        assert_int_equal(fake.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_long_line_and_lost_payload),
        cmocka_unit_test(test_fuzz),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(output);
    return failed;
}
