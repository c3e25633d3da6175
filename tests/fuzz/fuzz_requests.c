// What a worker may be asked: any bytes on its input are answered line by line, and end nothing but the
// request that they are.
#include <string.h>

#include "fmt/json.h"
#include "fuzz.h"
#include "verify/worker/serve.h"

size_t fuzz_accepted;
const char *const fuzz_seeds[] = {
    "{\"id\":1,\"do\":\"hello\"}\n{\"id\":2,\"do\":\"module\",\"name\":\"m0\",\"payload\":5}\ncubin"
    "{\"id\":3,\"do\":\"function\",\"module\":\"m0\",\"name\":\"k\"}\n",
    "{\"id\":1,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":64,\"align\":4,\"role\":\"in\","
    "\"fill\":{\"elem\":\"f32\",\"init\":\"uniform\",\"a\":0,\"b\":1,\"family\":\"declared\",\"seed\":1,"
    "\"total\":16}},{\"bytes\":64,\"align\":4,\"role\":\"out\"}]}\n{\"id\":2,\"do\":\"run\",\"plan\":[],"
    "\"poison\":1,\"scrub\":true}\n{\"id\":3,\"do\":\"read\",\"buffer\":1}\n",
    "{\"id\":1,\"do\":\"run\",\"plan\":[{\"module\":\"m0\",\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":"
    "[32,1,1],\"shared\":0,\"args\":[{\"buffer\":0},{\"hex\":\"00000000\"}]},{\"memset\":0,\"value\":1}]}\n",
    "{\"id\":1,\"do\":\"fingerprint\",\"buffer\":0,\"set\":1}\n{\"id\":2,\"do\":\"sets\",\"count\":3}\n"
    "{\"id\":3,\"do\":\"time\",\"a\":[],\"b\":[],\"pairs\":2,\"cold\":true,\"batch\":1,\"poison\":1}\n",
    NULL};
const char *const fuzz_words[] = {"\"payload\":", "\"list\":[", "\"bytes\":", "\"alias\":", "\"grid\":[",
                                  "\"hex\":\"", "\"pairs\":", "\"batch\":", "\"count\":", "\"set\":", "{", "}",
                                  "[", "]", ",", "\n", "null", "true", "1e300", "-5", NULL};

// A device that is not there: every request that needs one is refused, those that do not are served.
static enum ks_status no_device(struct ks_device *device, struct ks_err *err)
{
    (void)device;
    return ks_err_set(err, KS_E_ABSENT, "no device");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *answers = NULL;
    size_t n = 0;
    FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    FILE *out = open_memstream(&answers, &n);
    FUZZ_CHECK(in != NULL && out != NULL);
    FUZZ_CHECK(ks_serve(in, out, no_device, NULL));
    fclose(in);
    fclose(out);
    for (const char *at = answers, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        struct ks_err err = {0};
        json_t *answer = ks_json_parse((struct ks_slice){at, (size_t)(end - at)}, &err);
        FUZZ_CHECK(json_is_object(answer) && json_is_boolean(json_object_get(answer, "ok")));
        fuzz_accepted += strcmp(ks_json_str(answer, "class", ""), "absent") == 0;
        json_decref(answer);
    }
    free(answers);
    return 0;
}
