// Recordings as libks-record writes them, and as crashes, full disks and other versions leave them.
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/file.h"
#include "profile/recording.h"

static struct ks_arena arena;
static const char *path;

#define SESSION(p) "\n{\"p\":" p ",\"ks\":\"recording\",\"format\":1,\"program\":\"/a/app\",\"cupti\":1,\"t\":5}\n"
#define DEVICE(p)                                                                                  \
    "{\"p\":" p ",\"device\":0,\"name\":\"G\",\"arch\":90,\"sms\":4,\"threads\":2048,\"blocks\":32,"  \
    "\"registers\":65536,\"shared\":233472}\n"
#define KERNEL(p, n, name) "{\"p\":" p ",\"kernel\":" n ",\"name\":\"" name "\"}\n"
#define CLASS(p, n, kernel, grid, registers)                                                       \
    "{\"p\":" p ",\"class\":" n ",\"kernel\":" kernel ",\"grid\":[" grid ",1,1],\"block\":[256,1,1],"   \
    "\"cluster\":[1,1,1],\"static\":0,\"dynamic\":0,\"local\":0,\"registers\":" registers          \
    ",\"device\":0,\"graph\":false}\n"

static enum ks_status read_back(const char *text, struct ks_recording *out)
{
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
    return ks_recording_read(&arena, path, out, NULL);
}

static void test_counts(void **state)
{
    struct ks_recording r;
    (void)state;
    assert_int_equal(read_back(SESSION("7") DEVICE("7") KERNEL("7", "0", "_Z1aPf") KERNEL("7", "1", "_Z1bPf")
                               CLASS("7", "0", "0", "8", "128") CLASS("7", "1", "1", "4", "16")
                               "{\"p\":7,\"at\":100,\"launches\":[0,1,0,10,1,2,50,400,0,1,-20,30,0,1,5,-1]}\n"
                               "{\"p\":7,\"end\":4,\"t\":9}\n", &r), KS_OK);
    assert_int_equal(r.launches, 4);
    assert_int_equal(r.unfinished, 1);
    assert_int_equal(r.streams, 2);
    assert_int_equal(r.torn, 0);
    assert_true(r.total_ns == 440 && r.span_ns == 450); // from 100 to 150 + 400
    assert_string_equal(r.kernels.at[0].name, "b"); // the largest first
    const struct ks_recorded_class *a = &r.classes.at[r.kernels.at[1].classes.at[0]];
    assert_int_equal(a->launches, 3);
    assert_int_equal(a->unfinished, 1);
    assert_true(a->total_ns == 40 && a->min_ns == 10 && a->max_ns == 30);
    // 128 registers a thread: two blocks of 256 of the 65,536 registers, 512 of 2048 threads.
    assert_true(a->occupancy == 0.25);
    assert_string_equal(a->limit, "registers");
    assert_true(r.sessions.at[0].ended);
}

// Two processes with the same kernel under other numbers, and one that execs under its id.
static void test_processes(void **state)
{
    struct ks_recording r;
    (void)state;
    assert_int_equal(read_back(SESSION("7") KERNEL("7", "0", "_Z1aPf") CLASS("7", "0", "0", "8", "16")
                               SESSION("8") KERNEL("8", "0", "_Z1bPf") KERNEL("8", "1", "_Z1aPf")
                               CLASS("8", "0", "1", "8", "16")
                               "{\"p\":8,\"at\":1000,\"launches\":[0,1,0,7]}\n"
                               "{\"p\":7,\"at\":100,\"launches\":[0,1,0,10]}\n"
                               SESSION("7") KERNEL("7", "0", "_Z1bPf") CLASS("7", "0", "0", "8", "16")
                               "{\"p\":7,\"at\":9000,\"launches\":[0,1,0,50]}\n", &r), KS_OK);
    assert_int_equal(r.sessions.len, 3);
    assert_int_equal(r.kernels.len, 2);
    assert_string_equal(r.kernels.at[0].symbol, "_Z1bPf");
    assert_true(r.kernels.at[0].total_ns == 50);
    assert_int_equal(r.kernels.at[1].launches, 2);
    assert_int_equal(r.kernels.at[1].classes.len, 1);
    assert_true(r.span_ns == 67);
    assert_false(r.sessions.at[0].ended);
}

static void test_damage(void **state)
{
    struct ks_recording r;
    (void)state;
    // Torn lines, numbers that were never named, a writer without a session; then all is well again.
    assert_int_equal(read_back(SESSION("7") KERNEL("7", "0", "_Z1aPf") "{\"p\":7,\"class\":0,\"ker"
                               "\n\n{\"p\":7,\"at\":1,\"launches\":[0,1,0,10]}\n"
                               "{\"p\":7,\"at\":1,\"launches\":[0,1,0]}\n"
                               "{\"p\":7,\"class\":-1,\"kernel\":-5}\n"
                               "{\"p\":9,\"kernel\":0,\"name\":\"x\"}\n[]\n7\n" CLASS("7", "1", "0", "8", "16")
                               "{\"p\":7,\"at\":1,\"launches\":[1,1,0,10]}\n"
                               "{\"p\":7,\"dropped\":3}\n{\"p\":7,\"to come\":1}\n"
                               CLASS("7", "2", "0", "-8", "16") CLASS("7", "3", "0", "9", "2000000000"), &r),
                     KS_OK);
    assert_int_equal(r.torn, 8);
    assert_true(r.classes.at[1].occupancy == 0);
    assert_int_equal(r.launches, 1);
    assert_int_equal(r.dropped, 3);
    assert_int_equal(read_back("{\"p\":7,\"ks\":\"recording\",\"format\":2}\n", &r), KS_E_FORMAT);
    assert_int_equal(read_back("a text\n", &r), KS_E_FORMAT);
    assert_int_equal(read_back("", &r), KS_E_FORMAT);
    assert_int_equal(ks_recording_read(&arena, "/nonexistent", &r, NULL), KS_E_ABSENT);
}

static void test_refused(void **state)
{
    struct ks_recording r;
    (void)state;
    assert_int_equal(read_back(SESSION("7") "{\"p\":7,\"refused\":\"cupti-absent\",\"text\":\"so\"}\n"
                               "{\"p\":7,\"note\":\"callbacks-refused\",\"text\":\"and so\"}\n", &r), KS_OK);
    assert_string_equal(r.sessions.at[0].refused, "cupti-absent");
    assert_string_equal(r.notes.at[0].text, "and so");
}

static void test_names(void **state)
{
    static const char *const names[][3] = {
        {"_ZN2ns5scaleIfEEvPT_i", "ns::scale<float>", NULL},
        {"plain", "plain", NULL},
        {"_ZN12_GLOBAL__N_15innerEPf", "(anonymous namespace)::inner", NULL},
        {"_Z4tileILi16EEvPf", "tile<16>", NULL},
        {"_ZN19ks_0123456789abcdef3fooEPf", "ks_0123456789abcdef::foo", "0123456789abcdef"},
        {"_ZN2my28ks_0123456789abcdef_01234567IfEEvPf", NULL, "0123456789abcdef"},
        {"_ZN18ks_0123456789abcde3fooEPf", NULL, NULL}, // 15 digits
        {"ks_0123456789abcdef", NULL, NULL}, // a kernel of the user's
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ks_recording r;
        struct ks_buf text = KS_BUF(4096);
        ks_buf_printf(&text, SESSION("7") "{\"p\":7,\"kernel\":0,\"name\":\"%s\"}\n", names[i][0]);
        assert_int_equal(read_back(ks_buf_text(&text), &r), KS_OK);
        if (names[i][1] != NULL)
            assert_string_equal(r.kernels.at[0].name, names[i][1]);
        if (names[i][2] == NULL)
            assert_null(r.kernels.at[0].variant);
        else
            assert_string_equal(r.kernels.at[0].variant, names[i][2]);
        ks_buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_processes),
                                       cmocka_unit_test(test_damage), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_names)};
    char *dir = NULL;
    if (ks_dir_temp(&arena, "test-recording", &dir, NULL) != KS_OK)
        return 1;
    path = ks_path_join(&arena, dir, "recording");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_tree_remove(dir, NULL);
    ks_arena_free(&arena);
    return failed;
}
