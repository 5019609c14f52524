/* The launcher: the last program before a bot in bubblewrap's sandbox. It drops rights, sets limits, waits for
 * the start, and becomes the bot.
 *
 *     launcher USER FILES LIMITS FOLDER [NAME=VALUE ...] -- -- COMMAND [WORD ...]
 *
 * USER    the number of the user and group to become, or "-" to stay who one is (in a user namespace)
 * FILES   the files below /proc that may be read, separated by blanks, or "-" for no rules (Landlock)
 * LIMITS  bytes of address space, bytes of a file, open files, and processes, separated by commas; the last may
 *         be "-" for no limit
 * FOLDER  the folder to work in, which perhaps only that user may enter
 *
 * Descriptor 7 is the bot's output. An empty line goes there when all is ready; after a line on standard input
 * the bot starts. It replaces a chain of setpriv, Perl and a shell, which does the same where there was no
 * compiler (tourney/bots/sandbox/bubblewrap.py), in one process without libraries: nothing is loaded, nothing
 * is allocated, and what it does is the list of system calls in main().
 *
 * Everything here runs with less and less right, in an order that matters; main() gives the reason of each
 * step. Any failure before the bot's start ends the launcher with a sentence and exit code 125, which is the
 * machine's fault; afterwards with 126 or 127, as a shell would, which is the bot's.
 *
 * There is no C library, because a static one would take forty times the space in each sandbox, and a dynamic one
 * would be read from the sandbox's files. So nothing here may make the compiler call one: no large
 * initialisers, and -ffreestanding.
 */

#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/resource.h>

#if defined(__x86_64__)
#include <asm/unistd_64.h>
#else
#include <asm/unistd.h>
#endif

#define OUTPUT 7          /* of tourney.bots.sandbox.processes */
#define LONGEST_PATH 4096 /* PATH_MAX of the kernel, with the byte at the end */

/* Landlock is younger than some compilers' headers; its calls have these numbers on all machines. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define READ_FILE (1ull << 2)
#define REFER (1ull << 13)
#define BELOW_PATH 1

struct ruleset {
    unsigned long long handled;
};
struct rule {
    unsigned long long rights;
    int folder;
} __attribute__((packed));

struct limit {
    unsigned long long soft, hard;
};

struct entry { /* linux_dirent64 */
    unsigned long long inode;
    long long offset;
    unsigned short length;
    unsigned char kind;
    char name[];
};

/* A system call: the kernel's answer, a negative error number if it fails. */
static long call(long number, long a, long b, long c, long d, long e)
{
#if defined(__x86_64__)
    long answer;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return answer;
#elif defined(__aarch64__)
    register long which __asm__("x8") = number;
    register long answer __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    __asm__ volatile("svc 0"
                     : "+r"(answer)
                     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
                     : "memory");
    return answer;
#else
#error "the launcher knows the system calls of x86_64 and aarch64 only"
#endif
}

static unsigned long length(const char *text)
{
    unsigned long count = 0;
    while (text[count])
        count++;
    return count;
}

static int equal(const char *one, const char *two)
{
    while (*one && *one == *two)
        one++, two++;
    return *one == *two;
}

static void say(const char *text)
{
    /* A full or closed standard error must not keep the launcher from ending. */
    (void)call(__NR_write, 2, (long)text, (long)length(text), 0, 0);
}

static void say_number(unsigned long number)
{
    char digits[24];
    unsigned int place = sizeof digits - 1;
    digits[place] = 0;
    do
        digits[--place] = (char)('0' + number % 10);
    while (number /= 10);
    say(digits + place);
}

__attribute__((noreturn)) static void leave(int code)
{
    for (;;)
        call(__NR_exit_group, code, 0, 0, 0, 0);
}

__attribute__((noreturn)) static void fail(const char *what, long answer)
{
    say("launcher: ");
    say(what);
    say(": error ");
    say_number((unsigned long)-answer);
    say("\n");
    leave(125);
}

static long must(const char *what, long answer)
{
    if (answer < 0)
        fail(what, answer);
    return answer;
}

/* Read a number from digits alone, which ends at this byte, and move past that unless it ends the text. */
static unsigned long number(const char *what, const char **text, char end)
{
    unsigned long value = 0;
    const char *place = *text;
    do {
        if (*place < '0' || *place > '9' || value > (~0ul - 9) / 10)
            fail(what, -EINVAL);
        value = value * 10 + (unsigned long)(*place++ - '0');
    } while (*place && *place != end);
    if (*place != end)
        fail(what, -EINVAL);
    *text = end ? place + 1 : place;
    return value;
}

/* Give up root for good: no groups, no user, no capability, and none to be had again by any program. */
static void become(const char *text)
{
    unsigned long user = number("the user", &text, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    if (user == 0 || user >= 0xffffffff) /* root; and the number that means "as before" */
        fail("the user", -EINVAL);
    /* The bounding set first, as long as there is the right to change it; the kernel ends the list. */
    for (long capability = 0;; capability++) {
        long answer = call(__NR_prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
        if (answer == -EINVAL && capability > 0)
            break;
        must("capabilities cannot be given up", answer);
    }
    must("groups cannot be given up", call(__NR_setgroups, 0, 0, 0, 0, 0));
    /* The group before the user, who may not change it any more. All three numbers each: none to go back to. */
    must("the group cannot be changed", call(__NR_setresgid, (long)user, (long)user, (long)user, 0, 0));
    must("the user cannot be changed", call(__NR_setresuid, (long)user, (long)user, (long)user, 0, 0));
    /* The kernel clears them with the user; said here again, inheritable ones too, in case it was told not to. */
    must("capabilities cannot be cleared", call(__NR_capset, (long)&header, (long)none, 0, 0, 0));
}

static void allow(long rules, unsigned long long rights, const char *path)
{
    struct rule rule = {rights, 0};
    long file = call(__NR_openat, AT_FDCWD, (long)path, O_PATH | O_CLOEXEC, 0, 0);
    if (file < 0)
        return; /* what is not there cannot be read either */
    rule.folder = (int)file;
    must("a rule cannot be added", call(ADD_RULE, rules, BELOW_PATH, (long)&rule, 0, 0));
    call(__NR_close, file, 0, 0, 0, 0);
}

/* Let only the listed files below /proc be read, and all that lies elsewhere. */
static void read_only_listed(const char *files)
{
    static char path[LONGEST_PATH];
    static char entries[8192] __attribute__((aligned(8)));
    struct ruleset handled = {READ_FILE | REFER};
    long rules = must("Landlock", call(CREATE_RULESET, (long)&handled, sizeof handled, 0, 0, 0));
    long root = must("/", call(__NR_openat, AT_FDCWD, (long)"/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0));
    long size;
    allow(rules, REFER, "/"); /* moving a file to another folder is refused without a rule that allows it */
    path[0] = '/';
    while ((size = must("/", call(__NR_getdents64, root, (long)entries, sizeof entries, 0, 0))) > 0)
        for (long place = 0; place < size; place += ((struct entry *)(entries + place))->length) {
            const char *name = ((struct entry *)(entries + place))->name;
            unsigned long end = length(name);
            if (equal(name, ".") || equal(name, "..") || equal(name, "proc") || end + 2 > sizeof path)
                continue;
            for (unsigned long k = 0; k <= end; k++)
                path[k + 1] = name[k];
            allow(rules, READ_FILE, path);
        }
    call(__NR_close, root, 0, 0, 0, 0);
    while (*files) {
        static const char below[] = "/proc/";
        unsigned long end = 0;
        for (; below[end]; end++)
            path[end] = below[end];
        while (*files && *files != ' ' && end + 1 < sizeof path)
            path[end++] = *files++;
        if (*files == ' ')
            files++;
        else if (*files)
            fail("the files of /proc", -ENAMETOOLONG);
        path[end] = 0;
        allow(rules, READ_FILE, path);
    }
    must("Landlock does not hold", call(RESTRICT_SELF, rules, 0, 0, 0, 0));
    call(__NR_close, rules, 0, 0, 0, 0);
}

static void limit(const char *what, int resource, unsigned long value)
{
    struct limit both = {value, value};
    must(what, call(__NR_prlimit64, 0, resource, (long)&both, 0, 0));
}

static void set_limits(const char *text)
{
    unsigned long address = number("the limits", &text, ',');
    unsigned long file = number("the limits", &text, ',');
    unsigned long files = number("the limits", &text, ',');
    limit("the address space cannot be limited", RLIMIT_AS, address);
    limit("the size of files cannot be limited", RLIMIT_FSIZE, file);
    limit("open files cannot be limited", RLIMIT_NOFILE, files);
    limit("core dumps cannot be switched off", RLIMIT_CORE, 0);
    if (!equal(text, "-"))
        limit("processes cannot be limited", RLIMIT_NPROC, number("the limits", &text, 0));
}

/* Say that all is ready, and wait for a line: one byte at a time, because what follows it is the bot's. */
static void wait_for_start(void)
{
    char byte = '\n';
    long answer;
    must("the referee does not listen", call(__NR_write, OUTPUT, (long)&byte, 1, 0, 0));
    do {
        answer = call(__NR_read, 0, (long)&byte, 1, 0, 0);
        if (answer == 0)
            leave(1); /* the match does not take place */
        if (answer < 0 && answer != -EINTR)
            fail("the start cannot be read", answer);
    } while (answer < 0 || byte != '\n');
}

/* Try a file as the program. A text without a first line that names its interpreter is one of the shell's, as
 * everywhere else; the word before the command is free for its name. */
static long run(const char *path, char **command, char **variables)
{
    long answer = call(__NR_execve, (long)path, (long)command, (long)variables, 0, 0);
    if (answer == -ENOEXEC) {
        char *name = command[0];
        command[-1] = "sh";
        command[0] = (char *)path;
        answer = call(__NR_execve, (long)"/bin/sh", (long)(command - 1), (long)variables, 0, 0);
        command[0] = name;
    }
    return answer;
}

/* Become the command, which is looked for in the folders of its own PATH. Returns the error. */
static long start(char **command, char **variables)
{
    static char path[LONGEST_PATH];
    const char *folders = "";
    const char *name = command[0];
    unsigned long size = length(name);
    long error = -ENOENT;
    for (unsigned long k = 0; k < size; k++)
        if (name[k] == '/')
            return run(name, command, variables);
    for (char **variable = variables; *variable; variable++)
        if ((*variable)[0] == 'P' && (*variable)[1] == 'A' && (*variable)[2] == 'T' && (*variable)[3] == 'H' &&
            (*variable)[4] == '=')
            folders = *variable + 5;
    while (*folders && size) {
        unsigned long end = 0;
        while (folders[end] && folders[end] != ':')
            end++;
        if (end && end + size + 2 <= sizeof path) {
            long answer;
            for (unsigned long k = 0; k < end; k++)
                path[k] = folders[k];
            path[end] = '/';
            for (unsigned long k = 0; k <= size; k++)
                path[end + 1 + k] = name[k];
            answer = run(path, command, variables);
            if (answer != -ENOENT && answer != -ENOTDIR)
                error = answer;
        }
        folders += end + (folders[end] == ':');
    }
    return error;
}

__attribute__((noreturn, used)) static void launch(long *stack)
{
    long count = stack[0];
    char **words = (char **)(stack + 1);
    char **variables = words + 5;
    char **command;
    long error;
    if (count < 8)
        fail("too few words", -EINVAL);
    for (command = variables; *command && !equal(*command, "--"); command++)
        continue;
    if (!*command || !equal(command[1], "--") || !command[2])
        fail("no command", -EINVAL);
    *command = 0; /* the end of the variables; the second "--" is the free word of run() */
    command += 2;
    /* 1. The user, while there still is the right to change it. */
    if (!equal(words[1], "-"))
        become(words[1]);
    /* 2. No program that this one becomes gets more rights by being started; the kernel demands it for 3. */
    must("new privileges cannot be given up", call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    /* 3. The files of /proc, which a process can restrict for itself alone. */
    if (!equal(words[2], "-"))
        read_only_listed(words[2]);
    /* 4. The limits, after the user, because processes count by user. */
    set_limits(words[3]);
    /* 5. Up to here failures are the machine's. The referee starts the bot's clock with the line. */
    wait_for_start();
    /* 6. The folder, which perhaps only this user may enter. */
    must("the folder cannot be entered", call(__NR_chdir, (long)words[4], 0, 0, 0, 0));
    /* 7. The bot's output, under no other number. */
    must("the output cannot be set", call(__NR_dup3, OUTPUT, 1, 0, 0, 0));
    must("the output cannot be set", call(__NR_close, OUTPUT, 0, 0, 0, 0));
    error = start(command, variables);
    say(command[0]);
    say(error == -ENOENT ? ": not found\n" : error == -EACCES ? ": Permission denied\n" : ": cannot be run\n");
    leave(error == -ENOENT ? 127 : 126);
}

/* The kernel starts a program with the number of its words on top of the stack, then the words. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call launch\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x0, sp\n bl launch\n");
#endif
