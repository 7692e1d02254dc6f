package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxParents bounds the parent processes that are examined. A hook, a shell and a tool that runs hooks are
// a few.
const maxParents = 16

// isAmending reports whether this process runs in a hook of `git commit --amend`. Only git's own command line
// shows that, and it is readable only on systems with /proc.
func (o Options) isAmending() bool {
	if o.variable("GIT_INDEX_FILE") == "" { // git sets it for every hook of a commit
		return false
	}
	pid := os.Getppid()
	for range maxParents {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			return false
		}
		if args := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"); strings.HasPrefix(filepath.Base(args[0]), "git") {
			if is, amends := commitArguments(args[1:]); is {
				return amends
			}
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // proc(5): the name may contain ")"
		if len(fields) < 2 {
			return false
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil || pid <= 1 {
			return false
		}
	}
	return false
}

// optionsWithValue are options of git commit whose value is the next argument.
var optionsWithValue = map[string]bool{"-m": true, "-F": true, "-C": true, "-c": true, "-t": true, "--message": true, "--file": true,
	"--author": true, "--date": true,
	"--reuse-message": true, "--reedit-message": true, "--template": true, "--fixup": true, "--squash": true, "--trailer": true,
	"--cleanup": true, "--pathspec-from-file": true}

// commitArguments reports whether git arguments belong to a commit, and whether that commit amends.
func commitArguments(args []string) (is, amends bool) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !is && (a == "-c" || a == "-C"): // an option of git itself
			i++
		case !is:
			is = a == "commit"
			if !is && !strings.HasPrefix(a, "-") {
				return false, false // another command, or an alias, which starts the command itself
			}
		case a == "--":
			return true, amends
		case optionsWithValue[a]:
			i++
		case len(a) >= len("--am") && strings.HasPrefix("--amend", a): // git accepts every unique beginning
			amends = true
		case a == "--no-amend":
			amends = false
		}
	}
	return is, amends
}
