// ks: everything that is not compiling. One verb a run; `ks help VERB` explains it.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/verb.h"
#include "base/log.h"

static const struct ks_verb verbs[] = {
    {"tune", "FILE.cu[:KERNEL] [--budget=TIME] [--again] [--device NAME] [--agent=BACKEND] [-- NVCC OPTIONS] | --replay LOG [KERNEL]",
     "find, verify and store a faster variant of each marked kernel",
     "Profiles the marked kernels of FILE.cu on this machine's GPU, proposes variants, verifies each\n"
     "against the original and stores the one that is confirmed faster, or the decision that the\n"
     "original stays. Give the nvcc options of the kernel's own build behind --: architecture and\n"
     "code generation options are part of what is verified. With none, the GPU's architecture.\n"
     "  --budget=TIME  for each kernel: 90, 90s, 5m (default: the mark's budget(), KS_BUDGET, 60s)\n"
     "  --shares=RECORDING  that time is for all kernels of the file together, by their share of the GPU's time in a\n"
     "                 recording (`ks record`), the largest first; what one leaves goes to those behind\n"
     "  --again        judge again what earlier runs judged, and decide anew\n"
     "  --device NAME  `cuda`, or `emu`: verified on the emulated device, where speed is modelled, not\n"
     "                 measured (docs/emulator.md); default KS_DEVICE, else a GPU, else the emulated one\n"
     "  --agent=BACKEND  models to ask as well, `openai:MODEL`, `anthropic:MODEL`, `command:PROGRAM`,\n"
     "                 `mailbox:DIR`, `replay:FILE` (docs/agents.md); with\n"
     "                 --record=FILE to keep what was said, --no-engine to ask them alone\n"
     "  --offline      no server or command is asked, and no internet socket can be opened\n"
     "  --print-prompt  what they would be asked, word for word; nobody is asked, nothing decided\n"
     "  --replay=LOG   no tuning: plays searches back on a recorded log, of all its kernels or of KERNEL\n"
     "                 (docs/search.md), with --seed=N and without the part of each --without=PART;\n"
     "                 one that is packed is unpacked first: gunzip -k LOG.gz\n"
     "An interrupted run goes on where it stopped.\n"
     "Exit status: 0 also when nothing is faster; 1 when an original kernel is itself at fault.\n",
     verb_tune},
    {"warm", "[--budget=TIME [--shares=RECORDING]]", "tune every kernel that builds met and found undecided",
     "A build in consume mode notes the marked kernels it has no decision for. `ks warm` tunes those\n"
     "of this GPU's architecture, one after another, with the options of their own compiles.\n"
     "  --budget=TIME  for each kernel; with --shares for all together, by their share of the GPU's time in a\n"
     "                 recording (`ks record`), the largest first; what one leaves goes to those behind\n"
     "Exit status: the worst of `ks tune`'s for each.\n",
     verb_warm},
    {"verify", "FILE.cu[:KERNEL] [--variant P.yaml] [--set NAME=VALUE] [--device NAME] [--draw N] [--seed N] [-- NVCC OPTIONS] | --suite DIR",
     "judge stored variants, a proposal, or a folder of fixtures",
     "Judges what is stored for the marked kernels of FILE.cu as a search would: gates, correctness on\n"
     "every shape and family, timing, confirmation (docs/judging.md). Nothing is stored.\n"
     "  --variant P.yaml  a proposal (or the proposal of a variant file) instead; FILE.cu:KERNEL where\n"
     "                    the file marks several kernels. Or the ID of one that a search on this machine\n"
     "                    judged, as `ks show` lists them; 4 digits or more\n"
     "  --set NAME=VALUE  another size for a let() of the workloads; may come several times\n"
     "  --device NAME     where kernels run: `cuda`, `emu` (docs/emulator.md); default KS_DEVICE, else a\n"
     "                    GPU, else the emulated device\n"
     "  --draw N          the sizes, values and addresses of the judgement whose report names N: the\n"
     "                    same verdict again, for what runs alike; of several variants, the first's.\n"
     "                    Of a suite: those of the whole of it, under the same words\n"
     "  --seed N          on the emulated device every run under this schedule: what a failure names\n"
     "                    (`race under --seed 7: ...`), for originals and candidates\n"
     "  --suite DIR       every fixture in DIR (docs/suite.md), and whether it got its verdict\n"
     "  --only A,B        of these alone whose names begin so\n"
     "  --no-sandbox      P.yaml or DIR are text whose author you know. Otherwise it is compiled and run\n"
     "                    where it reaches no file and no network, or refused where that cannot be done\n"
     "With KS_DEVICE=none the gates alone judge. With none behind --: the device's architecture.\n"
     "Exit status: 0 when all are CORRECT and FASTER (on an emulated device: CORRECT); of a suite, when\n"
     "each that can be judged here got its verdict; else 1. 100 when there is no device to tell.\n",
     verb_verify},
    {"bench", "FILE.cu[:KERNEL] [--variant A] [--variant B] [-- NVCC OPTIONS] | [--runs N] -- PROGRAM ...",
     "time variants of a kernel, or a whole program with and without them",
     "Times two arms in turn, A B B A, so that whatever drifts hits both, and says what the exact bounds of\n"
     "the median ratio show, no more (docs/judging.md). Nothing is stored.\n"
     "FILE.cu: the original against the stored variant, or those named, in this order; each is found\n"
     "correct before it is timed, in one process and one compile.\n"
     "  --variant A   a proposal's file, 4 or more digits of a stored variant's id, or `original`\n"
     "  --device NAME, --no-sandbox   as for `ks verify`\n"
     "PROGRAM: wall time of runs with the originals (KS_DISABLE=1) against runs with what was\n"
     "substituted; its input is empty, what it prints is not shown. One run of each is not counted; a\n"
     "further one is recorded (ks help record) and tells whether variants ran.\n"
     "  --runs N      pairs (11); 6 is the least that can show anything\n"
     "Exit status: 0 when times were taken, whatever they show; 1 when an arm is not correct or fails,\n"
     "or the two exit with different statuses. 100 where no time can be taken.\n",
     verb_bench},
    {"run", "FILE.cu[:KERNEL] [--workload N] [--set NAME=VALUE] [--seed N] [-- NVCC OPTIONS]",
     "run a workload on the emulated device, and see what a GPU does not show",
     "Runs one workload of a marked kernel, without a GPU, with every access checked: bounds to the\n"
     "byte, memory that nothing was written to, races in shared and global memory, barriers, deadlocks,\n"
     "endless loops (docs/emulator.md). Each finding names thread, block and source line.\n"
     "  --workload N      which of the mark's workload lines (1)\n"
     "  --set NAME=VALUE  another size for a let() of the workload; may come several times\n"
     "  --seed N          the schedule of blocks and warps: 0 in order; others random, backwards or\n"
     "                    with one warp starved\n"
     "  --strict-races    races also where both sides store the same value\n"
     "  --no-costs        neither what it cost nor the dear lines; faster\n"
     "  --no-races        races are not looked for; faster\n"
     "  --cores N         at most so many (all); finds and counts the same on any number\n"
     "  --gpu NAME        the GPU that times are modelled for, of share/ks/devices: h200 ...\n"
     "  --device emu      the only one so far\n"
     "Exit status: 1 when there are findings, 100 when the emulator lacks an instruction.\n",
     verb_run},
    {"profile", "FILE.cu[:KERNEL] [--lines] [--workload N] [--device NAME] [-- NVCC OPTIONS]",
     "what a kernel's time is spent on, and what could be done about it",
     "Runs each marked kernel of FILE.cu on its workload with the most weight, under the GPU's counters, and\n"
     "prints a page: time, distance from what this card reaches, the bottleneck with the counters that say\n"
     "so, registers, shared memory, spills, what limits occupancy, and the skills that `ks tune` would try\n"
     "(docs/profile.md). Nothing is stored. Where counters are refused the rest is told, with the reason.\n"
     "  --lines           also where in the source warps wait, and for what\n"
     "  --workload N      another of the mark's workload lines\n"
     "  --set NAME=VALUE  another size for a let() of the workloads; may come several times\n"
     "  --device NAME     `cuda`, or `emu`: counted on the emulated device, times modelled, nothing\n"
     "                    measured; default KS_DEVICE, else a GPU, else the emulated one\n"
     "With none behind --: the device's architecture.\n"
     "Exit status: 1 when an original kernel is itself at fault, or none could be profiled.\n",
     verb_profile},
    {"record", "[-o FILE] [--capture WHAT] [--suggest [--write]] -- PROGRAM ... | --report FILE",
     "which kernels of a program take the GPU's time",
     "Runs PROGRAM as it is and records every kernel that it launches, in streams and in graphs, in it and\n"
     "in the processes that it starts: name, time, grid, block, registers, shared memory, occupancy. Then a\n"
     "table of kernels by their share of GPU time, each with its launches by geometry; launches of\n"
     "variants are marked. The program's output, input and exit status stay its own; with --json its\n"
     "standard output goes to stderr. Needs CUPTI of the CUDA Toolkit, no rights to counters (docs/record.md).\n"
     "  -o FILE            keep the recording\n"
     "  --report FILE      the table of one that was kept\n"
     "  --capture WHAT     keep real launches, with their arguments and memory, as workloads that a mark\n"
     "                     names by capture(ID): of KERNEL, of the kernels `marked` in this project, or of\n"
     "                     the N that take most time (top:N; the program is run twice)\n"
     "  --max-bytes=SIZE   memory to capture, before and after together (1G): bytes, 500M, 2G\n"
     "  --suggest          the marks that are worth writing, by what they could save, and why the other\n"
     "                     kernels are not worth one; of FILE with --suggest FILE. --write inserts them\n"
     "Exit status: the program's own. Of --report: 1 when no launch was recorded.\n",
     verb_record},
    {"requalify", "[FILE.cu[:KERNEL]] [--again] [-- NVCC OPTIONS]",
     "judge stored variants anew, after a change of toolkit or options",
     "A new toolkit, other ptxas options or a change of the kernel make a new key, under which nothing is\n"
     "stored. This takes the variants of the same kernel, contract and architecture under other keys,\n"
     "judges them on this machine's GPU, the fastest claim first, and stores the first that is\n"
     "confirmed faster. Nothing is searched for: what is left pending is for `ks tune`.\n"
     "Without FILE.cu: every kernel that builds left pending, with the options of their own compiles.\n"
     "  --again  also kernels that have a decision\n"
     "Exit status: 0 also when none verifies; 1 when an original kernel is itself at fault.\n",
     verb_requalify},
    {"list", "", "decisions in the stores of this project and this user",
     "One line a decision: kernel, architecture, gain with its lower bound, evidence, tier, signer,\n"
     "key and variant (their first digits serve as names). Files that are not used follow, with the\n"
     "reason (docs/reasons.md). The project is the one that the current folder belongs to.\n",
     verb_list},
    {"show", "[--trajectory] FILE.cu[:KERNEL] | KERNEL | KEY | VARIANT [-- NVCC OPTIONS]",
     "one kernel: profile, variant, evidence, attempts",
     "Prints time, counters, bottleneck and distance from the measured ceilings as they were when\n"
     "the kernel was tuned on this machine, then the stored decision with its evidence and what else\n"
     "was tried. KEY and VARIANT may be cut to 4 digits or more. Options behind -- are those of\n"
     "FILE.cu's compile; with none, the architectures that the stores have decisions for and those that\n"
     "the memory has attempts for, or the options of the last build that left it pending.\n"
     "  --trajectory  only what was judged, as a tree: each attempt below the one that it adds to\n"
     "Exit status: 1 when nothing is stored; with --trajectory, when nothing was tried.\n",
     verb_show},
    {"diff", "FILE.cu[:KERNEL] [--variant=ID] [-- NVCC OPTIONS]", "original against variant, unified",
     "What is compiled in beside the original, as a unified diff, with its launch plan and domain.\n"
     "  --variant=ID  only this one (4 digits or more), or one that a search on this machine judged\n"
     "Exit status: 1 when no variant is stored.\n",
     verb_diff},
    {"explain", "[--why] [--device NAME] FILE.cu[:KERNEL] | KERNEL [-- NVCC OPTIONS]",
     "why a kernel is, or is not, substituted",
     "Compiles FILE.cu as the build would and names the decision for each marked kernel, with the\n"
     "reason (docs/reasons.md) and its key; for one without a decision, in what the keys of stored\n"
     "variants differ. A KERNEL alone is looked for among what builds left pending and what is stored.\n"
     "With no options behind --: those of the last build that left FILE.cu pending, else the\n"
     "architectures that the stores have decisions for.\n"
     "--device emu: with what was decided on the emulated device, as builds with KS_ACCEPT=modelled take it.\n"
     "--why: which skills a tuning would try and why: for each its score, every condition with the\n"
     "fact's value and whether it is true, what the memory knows, how many candidates its action gives\n"
     "or why it refuses the kernel; and which condition keeps the others out. Counters are those that\n"
     "the last tuning on this machine measured.\n",
     verb_explain},
    {"stats", "[--build=FOLDER] [--zero]", "outcomes by reason, and how the skills have done",
     "Counts what became of marked kernels, by reason (docs/reasons.md): in all compiles of this user,\n"
     "and for each build as its objects were compiled last; and the long-term memory's record of each\n"
     "skill. A build is the folder above the object that CMake, Ninja or configure made its own, else\n"
     "the folder that the compiler ran in; KS_BUILD_ID names one otherwise.\n"
     "  --build=FOLDER  the kernels of this build, one a line\n"
     "  --zero          begin to count anew, after printing\n",
     verb_stats},
    {"doctor", "", "what works on this machine, and how to mend what does not",
     "Checks toolkit, driver, GPU, counter permissions, installed files, project, directories, memory,\n"
     "keys and the models to ask (nobody is called). `note` is worth knowing, `no` is to be mended.\n"
     "Exit status: 1 when something is to be mended.\n",
     verb_doctor},
    {"inspect", "OBJECT | ARCHIVE | LIBRARY | PROGRAM",
     "which kernels were replaced in a binary, by what",
     "Lists the variants that were compiled in, from the notes that substituted objects carry: gain,\n"
     "evidence, and whether the signature is trusted by the stores and keys here and now. Says where\n"
     "a program cannot dispatch, and where the linker kept another unit's stub of a kernel. Notes\n"
     "survive `strip`; which unit they are from, and whose stub was kept, does not.\n",
     verb_inspect},
    {"skills", "list | show ID | facts | stats | lint [FOLDER] [--cover] | add FILE | ...",
     "the optimisations that are known",
     "list: one line a skill; show: its conditions and advice in full; facts: what conditions may\n"
     "speak of; stats: how each has done; lint: reads every file of FOLDER (default: the installed\n"
     "skills) and says all that is wrong, file:line, and whether there is a profile for which no skill\n"
     "speaks, which is wrong of the installed skills, and of a FOLDER with --cover. add FILE: a skill of your own, checked beside the others and on probation; disable ID,\n"
     "retire ID [REASON], enable ID: whether it is tried; merge ID INTO: its lessons go to another.\n"
     "adopt ID FILE.cu:KERNEL ... [--budget=T] [--device=NAME] [-- NVCC OPTIONS]: tunes three kernels or\n"
     "more with the skill and without it, and adopts it where that shows a gain. No decision is stored.\n"
     "distill FILE.cu:KERNEL [-- NVCC OPTIONS]: what won a kernel here and no skill does at once becomes one,\n"
     "on probation.\n"
     "export FILE, import FILE: what was learned, and your skills, for another machine (docs/skills.md).\n"
     "Exit status: 1 when a skill is not adopted, 2 when one is wrong or not known.\n",
     verb_skills},
    {"export", "--out=FILE | --to=DIR [--project | --user] [NAME ...] | --trajectories --out=FILE [--transcript=FILE]",
     "decisions into one signed file, or a shared folder",
     "Takes what builds here would take: of the project and the user, or of one of them; all, or that\n"
     "of the kernels, keys or variants named (keys and variants may be cut to 4 digits or more).\n"
     "  --out=FILE  one file for `ks import`: a tar with a list that your key signs; every decision\n"
     "              keeps its own signature. The same decisions always give the same bytes.\n"
     "  --to=DIR    into a folder that builds elsewhere name in KS_STORE_DIR; what is there and better,\n"
     "              or pinned here, stays\n"
     "  --replace   with --to: put these in its place all the same;  --dry-run: only tell\n"
     "  --trajectories  instead of decisions what was tried, a line of JSON a step, as training data\n"
     "              (docs/agents.md); paths and secrets are left out\n"
     "  --transcript=FILE  with it: what was asked and answered, from a transcript of --record\n"
     "Exit status: 1 when there is nothing to export, or not everything may go into the folder.\n",
     verb_export},
    {"import", "FILE [--project | --user] [--dry-run] [--replace]",
     "decisions from a file that `ks export` made",
     "Into the project's .ks, or your own store where there is no project. The whole file is checked\n"
     "before anything is written: one that is damaged, or signed by a key that is not trusted for that\n"
     "store, is refused as it stands; of the others those decisions are taken whose own signer is\n"
     "trusted. The lines that would change that are printed (`ks trust add ...`).\n"
     "What is there and better, or pinned, stays.\n"
     "  --replace  put the file's decisions in its place\n"
     "  --dry-run  only tell\n"
     "Exit status: 1 when a signer is not trusted; 2 when the file is not as it should be.\n",
     verb_import},
    {"trust", "list | add KEY | remove KEY [--project | --user]", "whose decisions builds take",
     "list: every trusted key, who says so (own, project, user, system), and how many decisions it\n"
     "signs where it counts; then the keys of decisions that nobody trusts.\n"
     "add, remove: KEY is a public key's text (`ks doctor` prints one's own), a file that holds it, or\n"
     "for remove its id. What a removed key signed is not used by the next build (reason `untrusted`).\n"
     "  --project  in this project's ks.yaml, for its .ks alone; the rest of the file is left as it is\n"
     "  --user     in your trusted.keys, for your own store and shared folders (KS_STORE_DIR)\n"
     "Exit status: 1 when ks.yaml has to be edited by hand: the line is printed.\n",
     verb_trust},
    {"gc", "[--dry-run] [--max-size=SIZE] [--keep=DAYS] | --pin=NAME | --unpin=NAME",
     "keep the cache directory below its size",
     "Drops from the cache directory, until it fits, what was not used for longest: first what a\n"
     "compile makes again, then decisions. It never drops a decision that is pinned, that a build whose\n"
     "files are unchanged refers to, or that was used within 30 days; nor anything of a project or a\n"
     "shared folder. `ks tune`, `ks warm` and `ks import` do the same once the limit is passed.\n"
     "  --dry-run        only tell\n"
     "  --max-size=SIZE  instead of KS_CACHE_MAX (1G): bytes, 500M, 2G\n"
     "  --keep=DAYS      instead of 30\n"
     "  --pin=NAME       keep the decisions of this kernel, key or variant whatever happens; --unpin\n"
     "                   lets them go. Both drop nothing by themselves.\n",
     verb_gc},
    {"agent", "list DIR | serve DIR --agent=BACKEND [--watch] | evolve ROLE.SECTION FILE.cu:KERNEL ... [--budget=TIME] [--device NAME] [-- NVCC OPTIONS]",
     "answer the questions that a mailbox holds; mend prompts",
     "`ks tune --agent mailbox:DIR` writes its questions to models as files into DIR, for machines without\n"
     "a network, and looks for the answers when it is run again (docs/agents.md).\n"
     "list: each question, whether it is open, answered or done. serve: asks BACKEND, where it can be\n"
     "reached, all that is open, and writes the answers; --watch: and goes on looking for new ones.\n"
     "evolve: a model mends a section of a role's prompt from what came of it here; it is kept where tuning\n"
     "three kernels and more with it and without it shows that no fewer are won.\n"
     "Exit status: 1 when something was not answered, or the section is not kept.\n",
     verb_agent},
    {"config", "list | get NAME | set NAME VALUE | unset NAME", "settings, and where each comes from",
     "list: every setting with its value, the option, variable, file or default that says so, and the\n"
     "variable that would. get: one value alone. set, unset: one line of your config.yaml\n"
     "(`ks config get config_dir` says where); the rest of the file stays as it is.\n",
     verb_config},
};

#define N_VERBS (sizeof verbs / sizeof *verbs)

static const struct ks_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static void print_help(FILE *out)
{
    fprintf(out, "usage: ks VERB [ARGUMENTS] [--json]\n\n");
    for (size_t i = 0; i < N_VERBS; i++)
        fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
    fprintf(out, "\n`ks help VERB` explains one. Settings: docs/environment.md, --json: docs/json.md,\n"
                 "exit statuses: docs/exit.md.\n");
}

static int unknown_verb(const char *name)
{
    const char *names[N_VERBS + 3] = {"help", "version"};
    for (size_t i = 0; i < N_VERBS; i++)
        names[i + 2] = verbs[i].name;
    const char *near = ks_nearest_word(name, names);
    fprintf(stderr, "ks: no verb `%s`%s%s%s; see `ks help`\n", name,
            near != NULL ? "; do you mean `" : "", near != NULL ? near : "",
            near != NULL ? "`?" : "");
    return EXIT_USAGE;
}

static int help(const char *name)
{
    if (name == NULL) {
        print_help(stdout);
        return EXIT_OK;
    }
    const struct ks_verb *verb = find_verb(name);
    if (verb == NULL)
        return unknown_verb(name);
    printf("usage: ks %s%s%s [--json]\n\n%s", verb->name, verb->arguments[0] != '\0' ? " " : "",
           verb->arguments, verb->help);
    return EXIT_OK;
}

// The command line, sorted: --json, --ks-* and --help may stand anywhere before `--`.
struct words {
    const char *verb;    // NULL: none
    bool help, version, json;
    struct ks_strv own;  // --ks-*
    struct ks_strv rest; // behind the verb
};

static void read_words(struct ks_arena *arena, char **argv, struct words *words)
{
    bool behind_dashes = false;
    *words = (struct words){0};
    for (char **at = argv + 1; *at != NULL; at++) {
        behind_dashes |= strcmp(*at, "--") == 0;
        if (behind_dashes)
            ks_strv_add(arena, &words->rest, *at);
        else if (strcmp(*at, "--json") == 0)
            words->json = true;
        else if (strcmp(*at, "--help") == 0 || strcmp(*at, "-h") == 0)
            words->help = true;
        else if (words->verb == NULL && strcmp(*at, "--version") == 0)
            words->version = true;
        else if (ks_starts_with(*at, "--ks-"))
            ks_strv_add(arena, &words->own, *at);
        else if (words->verb == NULL)
            words->verb = *at;
        else
            ks_strv_add(arena, &words->rest, *at);
    }
    if (words->verb != NULL && strcmp(words->verb, "help") == 0) {
        words->help = true;
        words->verb = words->rest.len > 0 ? words->rest.at[0] : NULL;
    }
    if (words->verb != NULL && strcmp(words->verb, "version") == 0)
        words->version = true;
}

static void warn_unknown_variables(struct ks_arena *arena)
{
    struct ks_strv names = {0};
    ks_config_unknown_variables(arena, &names);
    if (names.len == 0)
        return;
    struct ks_buf list = KS_BUF(4096);
    for (size_t i = 0; i < names.len; i++)
        ks_buf_printf(&list, "%s%s", i > 0 ? ", " : "", names.at[i]);
    ks_warn("nothing reads %s; see docs/environment.md", ks_buf_text(&list));
    ks_buf_free(&list);
}

// Verbs look into the folder for what may be there, and find nothing where it cannot be: who named a file, or what would
// lie below one, is told so. Who repairs that is not kept from it.
static enum ks_status check_state_dir(const struct ks_config *config, const char *verb, struct ks_err *err)
{
    struct stat found;
    const char *dir = config->state_dir;
    if (dir == NULL || strcmp(verb, "doctor") == 0 || strcmp(verb, "config") == 0)
        return KS_OK;
    if (stat(dir, &found) == 0 ? !S_ISDIR(found.st_mode) : errno == ENOTDIR)
        KS_FAIL(err, KS_E_USER, "KS_STATE_DIR: %s cannot be a folder, since a file stands in its place or above it; name "
                "another, or move that file away", dir);
    return KS_OK;
}

static int run(struct ks_arena *arena, const struct words *words)
{
    static const char *const none[] = {NULL};
    const struct ks_verb *verb = find_verb(words->verb);
    if (verb == NULL)
        return unknown_verb(words->verb);
    struct ks_verb_context context = {.arena = arena, .verb = verb->name, .json = words->json,
                                      .argc = (int)words->rest.len, .argv = words->rest.at};
    struct ks_err err = {0};
    warn_unknown_variables(arena);
    if (ks_config_load(arena, words->own.len > 0 ? words->own.at : none, &context.config, &err) !=
        KS_OK)
        return verb_fail(&context, &err);
    if (check_state_dir(&context.config, verb->name, &err) != KS_OK)
        return verb_fail(&context, &err);
    return verb->run(&context);
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct words words;
    int status = EXIT_OK;

    (void)argc;
    ks_log_init("ks", KS_LOG_WARN);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // in one file with what stderr says, lines stay whole
    read_words(&arena, argv, &words);
    if (words.version) {
        printf("ks %s\n", KS_VERSION);
    } else if (words.help) {
        status = help(words.verb);
    } else if (words.verb == NULL) {
        print_help(stderr);
        status = EXIT_USAGE;
    } else {
        status = run(&arena, &words);
    }
    bool whole = fflush(stdout) == 0;
    if (whole && ferror(stdout)) { // an earlier line was lost: one more says why, unless there is room again
        whole = false;
        errno = 0;
        if (putchar('\n') != EOF)
            fflush(stdout);
    }
    if (!whole) {
        fprintf(stderr, "ks: stdout cannot be written%s%s: the answer is not whole\n", errno == 0 ? "" : ": ",
                errno == 0 ? "" : strerror(errno));
        status = EXIT_FAULT;
    }
    ks_arena_free(&arena);
    return status;
}
