// Where calls go, and with what in their headers: an address that is checked, and a key that
// travels encrypted or not at all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "agent/http.h"

static bool is_loopback(const char *host)
{
    return strcmp(host, "127.0.0.1") == 0 || strcasecmp(host, "localhost") == 0 ||
           strcmp(host, "[::1]") == 0;
}

// The part of an address, malloc'ed; "" where it has none. curl reads the address here as it will
// when it calls, so that no spelling is one host to us and another to it.
static char *part_of(CURLU *address, CURLUPart part)
{
    char *text = NULL;
    if (curl_url_get(address, part, &text, 0) != CURLUE_OK)
        text = NULL;
    char *copy = strdup(text != NULL ? text : "");
    KS_ASSERT(copy != NULL);
    curl_free(text);
    return copy;
}

static enum ks_status check(CURLU *address, const char *base, bool keyed, bool *direct,
                            struct ks_err *err)
{
    char *scheme = part_of(address, CURLUPART_SCHEME), *host = part_of(address, CURLUPART_HOST);
    char *user = part_of(address, CURLUPART_USER), *password = part_of(address, CURLUPART_PASSWORD);
    bool plain = strcmp(scheme, "http") == 0;
    enum ks_status status = KS_OK;
    *direct = plain && is_loopback(host);
    if (user[0] != '\0' || password[0] != '\0') // which is not repeated here
        status =
            ks_err_set(err, KS_E_USER,
                       "agent: an address holds no user and no password: they would be kept and "
                       "shown with it; a key is given by KS_AGENT_KEY");
    else if (!plain && strcmp(scheme, "https") != 0)
        status = ks_err_set(err, KS_E_USER, "agent: %s is no http:// or https:// address", base);
    else if (plain && keyed && !*direct)
        status = ks_err_set(err, KS_E_USER,
                            "agent: %s is not encrypted, and the key would be read on the way: use "
                            "https",
                            base);
    free(scheme);
    free(host);
    free(user);
    free(password);
    return status;
}

// The address of the call itself: `path` behind that of the base, in front of what is asked with it
// (?version=2).
static char *extended(CURLU *address, const char *path)
{
    char *base = part_of(address, CURLUPART_PATH);
    size_t len = strlen(base), n = len + strlen(path) + 1;
    while (len > 0 && base[len - 1] == '/')
        len--;
    char *whole = malloc(n);
    KS_ASSERT(whole != NULL);
    snprintf(whole, n, "%.*s%s", (int)len, base, path);
    KS_ASSERT(curl_url_set(address, CURLUPART_PATH, whole, 0) == CURLUE_OK);
    free(base);
    free(whole);
    return part_of(address, CURLUPART_URL);
}

enum ks_status ks_http_address(const struct ks_http_options *options, char **url, bool *direct,
                               struct ks_err *err)
{
    const char *base = options->url != NULL ? options->url
                       : options->anthropic ? "https://api.anthropic.com/v1"
                                            : "https://api.openai.com/v1";
    CURLU *address = curl_url();
    enum ks_status status = KS_OK;
    KS_ASSERT(address != NULL);
    if (curl_url_set(address, CURLUPART_URL, base, 0) != CURLUE_OK)
        status = ks_err_set(err, KS_E_USER, "agent: %s is no http:// or https:// address",
                            strchr(base, '@') == NULL ? base : "this");
    if (status == KS_OK)
        status = check(address, base, options->key != NULL, direct, err);
    if (status == KS_OK)
        *url = extended(address, options->anthropic ? "/messages" : "/chat/completions");
    curl_url_cleanup(address);
    return status;
}

static void add_header(struct curl_slist **headers, const char *name, const char *scheme,
                       const char *value)
{
    size_t n = strlen(name) + strlen(scheme) + strlen(value) + 3;
    char *line = malloc(n);
    KS_ASSERT(line != NULL);
    snprintf(line, n, "%s: %s%s", name, scheme, value);
    *headers = curl_slist_append(*headers, line);
    explicit_bzero(line, n);
    free(line);
    KS_ASSERT(*headers != NULL);
}

struct curl_slist *ks_http_headers(const struct ks_http_options *options)
{
    struct curl_slist *headers = NULL;
    add_header(&headers, "Content-Type", "", "application/json");
    add_header(&headers, "Expect", "", "");
    if (options->anthropic)
        add_header(&headers, "anthropic-version", "", "2023-06-01");
    if (options->key != NULL)
        add_header(&headers, options->anthropic ? "x-api-key" : "Authorization",
                   options->anthropic ? "" : "Bearer ", options->key);
    return headers;
}
