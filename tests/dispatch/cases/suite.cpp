// suite RESULTS EFFECTS [LIBRARY]: runs all cases (of LIBRARY too, which it loads), or those that
// SUITE_ONLY and SUITE_SKIP leave, and writes two lines of each: "name TAB told TAB ran" to
// RESULTS, "name TAB effects" to EFFECTS. Exit 1 if a check failed. KS_TRACE must name a file.
#include "suite.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace suite
{
namespace
{

struct Known {
    std::string name;
    void (*run)();
    bool first;
};
std::vector<Known> &cases()
{
    static std::vector<Known> all;
    return all;
}
std::string effects, current;
Log fetched;
bool any_order, lost;
Log *on_device;
int failures, checks;

void must(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "suite: %s: %s: error %d\n", current.c_str(), what, (int)e);
    exit(2);
}

std::string dims(const dim3 &d)
{
    std::ostringstream out;
    out << d.x;
    if (d.y > 1 || d.z > 1)
        out << "." << d.y;
    if (d.z > 1)
        out << "." << d.z;
    return out.str();
}

// "a a a b" is told as "a*3 b".
std::string join(std::vector<std::string> words)
{
    if (any_order)
        std::sort(words.begin(), words.end());
    std::string out;
    for (size_t i = 0, n; i < words.size(); i += n) {
        for (n = 1; i + n < words.size() && words[i + n] == words[i]; n++)
            ;
        out += (i ? " " : "") + words[i] + (n > 1 ? "*" + std::to_string(n) : "");
    }
    return out.empty() ? "-" : out;
}

// What the trace gained since the last call.
std::vector<std::string> told()
{
    static std::streamoff at;
    std::vector<std::string> words;
    std::ifstream in(getenv("KS_TRACE"));
    in.seekg(at);
    for (std::string line; std::getline(in, line); at += (std::streamoff)line.size() + 1) {
        size_t why = line.find(" -> original (");
        words.push_back(why == std::string::npos ? "variant" : line.substr(why + 4));
        words.back().erase(std::remove(words.back().begin(), words.back().end(), ' '),
                           words.back().end());
    }
    return words;
}

std::vector<std::string> what_ran()
{
    std::vector<std::string> words;
    for (unsigned i = 0; i < ran(); i++) {
        const Entry &e = fetched.at[i];
        words.push_back(e.who + std::string("<") + dims(e.grid) + "," + dims(e.block) +
                        (e.shared ? "," + std::to_string(e.shared) : "") + ">");
    }
    return words;
}

void run(const Known &known, FILE *results, FILE *told_effects)
{
    any_order = false;
    effects.clear();
    current = known.name;
    if (!known.first) {
        told();
        must(cudaMemset(&log()->n, 0, sizeof log()->n), "reset");
    }
    known.run();
    effect("last", (long)cudaGetLastError()); // before a call of ours
    std::vector<std::string> now = what_ran();
    fprintf(results, "%s\t%s\t%s\n", known.name.c_str(), join(told()).c_str(), join(now).c_str());
    fprintf(told_effects, "%s\t%s\n", known.name.c_str(), effects.c_str());
}

} // namespace

Case::Case(const char *name, void (*function)(), bool first)
{
    cases().push_back(Known{name, function, first});
}

Log *log()
{
    if (on_device == nullptr) {
        must(cudaMalloc((void **)&on_device, sizeof(Log)), "the log");
        must(cudaMemset(on_device, 0, sizeof(Log)), "the log");
    }
    return on_device;
}
void in_threads(int n, void (*run)())
{
    std::vector<std::thread> threads;
    log(); // is not made by all of them at once
    for (int i = 0; i < n; i++)
        threads.emplace_back(run);
    for (std::thread &thread : threads)
        thread.join();
}

unsigned ran()
{
    if (lost)
        return 0;
    must(cudaDeviceSynchronize(), "wait");
    must(cudaMemcpy(&fetched, log(), sizeof fetched, cudaMemcpyDeviceToHost), "fetch");
    return std::min(fetched.n, (unsigned)LOG_ENTRIES);
}

const Entry &entry(unsigned i)
{
    return fetched.at[i];
}

void check(bool ok, const char *what, const char *file, int line)
{
    checks++;
    if (ok)
        return;
    failures++;
    printf("%s: %s:%d: FAILED: %s; ran: %s\n", current.c_str(), file, line, what,
           join(what_ran()).c_str());
}

void effect(const char *what, long value)
{
    effects += (effects.empty() ? "" : " ") + std::string(what) + "=" + std::to_string(value);
}

void unordered()
{
    any_order = true;
}

void lose_device()
{
    lost = true;
}

void forget_log()
{
    on_device = nullptr;
}

} // namespace suite

int main(int argc, char **argv)
{
    using namespace suite;
    if (argc < 3 || getenv("KS_TRACE") == nullptr) {
        fprintf(stderr, "usage: KS_TRACE=FILE suite RESULTS EFFECTS [LIBRARY]\n");
        return 2;
    }
    if (argc > 3 && dlopen(argv[3], RTLD_NOW) == nullptr) {
        fprintf(stderr, "suite: %s\n", dlerror());
        return 2;
    }
    FILE *results = fopen(argv[1], "w"), *told_effects = fopen(argv[2], "w");
    if (results == nullptr || told_effects == nullptr) {
        perror("suite");
        return 2;
    }
    // Those whose names begin with SUITE_ONLY, and not with SUITE_SKIP; a capital one if it is
    // named.
    const char *only = getenv("SUITE_ONLY"), *skip = getenv("SUITE_SKIP");
    std::stable_sort(cases().begin(), cases().end(), [](const Known &a, const Known &b) {
        return a.first != b.first ? a.first : a.name < b.name;
    });
    int n = 0;
    for (const Known &known : cases()) {
        bool alone = known.name[0] >= 'A' && known.name[0] <= 'Z';
        if (only == nullptr || *only == '\0' ? alone
                                             : known.name.compare(0, strlen(only), only) != 0)
            continue;
        if (skip != nullptr && known.name.compare(0, strlen(skip), skip) == 0)
            continue;
        run(known, results, told_effects);
        n++;
    }
    fclose(results);
    fclose(told_effects);
    printf("%d cases, %d checks, %d failed\n", n, checks, failures);
    return failures != 0 || n == 0;
}
