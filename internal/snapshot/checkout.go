package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// LocalOptions are the options for opening a checkout.
type LocalOptions struct {
	// Environ is the person's environment (os.Environ). The variables that git sets for hooks, and the
	// person's git configuration, apply as far as they start no program. nil ignores both.
	Environ []string
	// TrustOwner allows a checkout that belongs to another user.
	TrustOwner bool
}

// personalVariables are the variables that locate the person's configuration.
var personalVariables = []string{"HOME", "XDG_CONFIG_HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "GIT_CONFIG_GLOBAL",
	"GIT_CONFIG_SYSTEM",
	"GIT_CONFIG_NOSYSTEM",
	"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_ATTR_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "SUDO_UID"}

// refusedVariables are variables that change git's comparison in ways that assay does not follow.
var refusedVariables = []string{"GIT_ATTR_SOURCE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE"}

// variable returns a variable of the person's environment; "" if unset.
func (o LocalOptions) variable(name string) string {
	for _, v := range slices.Backward(o.Environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// person returns the environment of commands that read the person's configuration: its location, and no
// variable that could name a program.
func (o LocalOptions) person() []string {
	out := []string{"GIT_TRACE2=0", "GIT_TRACE2_PERF=0", "GIT_TRACE2_EVENT=0"}
	if o.Environ == nil {
		return append(out, isolatedEnv...)
	}
	for _, name := range personalVariables {
		if v := o.variable(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	for _, v := range o.Environ {
		if strings.HasPrefix(v, "GIT_CONFIG_KEY_") || strings.HasPrefix(v, "GIT_CONFIG_VALUE_") {
			out = append(out, v)
		}
	}
	return out
}

// places are the locations of the parts of a checkout.
type places struct {
	root, prefix              string // root is "" for a bare repository
	git, common               string // folders of git
	index, exclude, attribute string // files
	objects                   []string
	format                    string // of the names of objects: sha1 or sha256
	env                       []string
}

// find asks git for the places of a folder's checkout. Variables that git sets for hooks apply after a
// check; an unsupported one is an error.
func (o LocalOptions) find(ctx context.Context, git program, dir, tmp string) (places, error) {
	for _, name := range refusedVariables {
		if o.variable(name) != "" {
			return places{}, errs.New(errs.Invalid, "git_variable",
				"%s is set and changes what git compares, which assay does not follow: unset it.", name)
		}
	}
	env := o.person()
	if o.TrustOwner { // in a file, because older versions of git read it only there
		trust := filepath.Join(tmp, "trust")
		if err := os.WriteFile(trust, []byte("[safe]\n\tdirectory = *\n"), 0o600); err != nil {
			return places{}, fmt.Errorf("write the temporary folder: %w", err)
		}
		env = append(env, "GIT_CONFIG_GLOBAL="+trust)
	}
	var named, namedWithoutDir []string // the environment's places; the second without the git directory
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"} {
		v := o.variable(name)
		if v == "" {
			continue
		}
		if name != "GIT_INDEX_FILE" { // relative to this process; the index is relative to the top of the working tree
			abs, err := filepath.Abs(v)
			if err != nil {
				return places{}, fmt.Errorf("absolute path of %s: %w", name, err)
			}
			v = abs
		}
		if name == "GIT_OBJECT_DIRECTORY" && !isFolder(v) {
			return places{}, errs.New(errs.Invalid, "git_variable", "GIT_OBJECT_DIRECTORY names %s, which is not a folder: unset it.", v)
		}
		named = append(named, name+"="+v)
		if name != "GIT_DIR" {
			namedWithoutDir = append(namedWithoutDir, name+"="+v)
		}
	}
	given := o.variable("GIT_DIR") != ""
	var at places
	var err error
	if given && o.variable("GIT_WORK_TREE") == "" && o.variable("GIT_COMMON_DIR") == "" {
		// A hook that changed its folder is below the top, which only a search finds.
		if found, err := ask(ctx, git, dir, slices.Concat(env, namedWithoutDir)); err == nil {
			if want, err := ask(ctx, git, dir, slices.Concat(env, named)); err == nil && found.git == want.git {
				return o.accept(found)
			}
		}
	}
	if at, err = ask(ctx, git, dir, slices.Concat(env, named)); err != nil {
		if given && errs.Is(err, errs.NotFound) {
			return places{}, errs.New(errs.Invalid, "git_variable", "GIT_DIR names %s, which is not a git directory: unset it, or name one.",
				o.variable("GIT_DIR"))
		}
		return places{}, err
	}
	if given { // git does not check the owner of a named folder
		if err := o.owned(ctx, git, at); err != nil {
			return places{}, err
		}
	}
	return o.accept(at)
}

// ask asks git for the places of a checkout. The command reads configuration, but no index and no file of
// the working tree, and starts no program.
func ask(ctx context.Context, git program, dir string, env []string) (places, error) {
	out, err := git.run(ctx, call{personal: env, args: []string{"-C", dir, "rev-parse", "--path-format=absolute", "--git-dir",
		"--git-common-dir", "--git-path", "index",
		"--git-path", "info/exclude", "--git-path", "info/attributes", "--git-path", "objects", "--show-object-format", "--show-prefix",
		"--is-bare-repository", "--show-toplevel"}, what: "checkout", brief: true})
	failed, is := errors.AsType[*gitError](err)
	if err != nil && !is {
		return places{}, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	bare := is && len(lines) == 9 && lines[8] == "true" // and git stopped at the missing top
	switch {
	case is && strings.Contains(failed.stderr, "ownership"), is && strings.Contains(failed.stderr, "unsafe repository"):
		if _, after, ok := strings.Cut(failed.stderr, " at '"); ok { // git names the top, not the folder below it
			dir, _, _ = strings.Cut(after, "'")
		}
		return places{}, foreignError(dir)
	case is && !bare && (len(lines) > 1 || strings.Contains(failed.stderr, "not a git repository")):
		return places{}, errs.Wrap(failed, errs.NotFound, "no_checkout", "The folder is not inside a git working tree.")
	case is && !bare:
		why, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(failed.stderr), "fatal: "), "\n")
		return places{}, errs.Wrap(failed, errs.Invalid, "bad_checkout", "git cannot open the checkout: %s.", strings.TrimSuffix(why, "."))
	case !bare && len(lines) != 10:
		return places{}, errs.New(errs.NotFound, "no_checkout", "The path of the checkout must not hold a line break.")
	}
	at := places{git: lines[0], common: lines[1], index: lines[2], exclude: lines[3], attribute: lines[4], objects: []string{lines[5]},
		format: lines[6], prefix: lines[7]}
	if !bare {
		at.root = lines[9]
	}
	return at, nil
}

func foreignError(path string) error {
	return errs.New(errs.Forbidden, "foreign_checkout",
		"%s belongs to another user: if you trust it, run `git config --global --add safe.directory %s`, or use --trust-owner.", path, path)
}

// owned refuses a git directory or a working tree of another user, as git does when it searches for one,
// unless the person's configuration lists one of them as safe.
func (o LocalOptions) owned(ctx context.Context, git program, at places) error {
	if o.TrustOwner || o.mine(at.git) && (at.root == "" || o.mine(at.root)) {
		return nil
	}
	out, err := git.run(ctx, call{personal: o.person(), args: []string{"--git-dir=" + at.git, "config", "--null", "--show-scope",
		"--type=path", "--get-all", "safe.directory"}, what: "settings", brief: true})
	if _, failed := errors.AsType[*gitError](err); err != nil && !failed {
		return err
	}
	top := at.root
	if top == "" {
		top = at.git
	}
	safe := false
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope, value := fields[i], fields[i+1]
		if scope == "local" || scope == "worktree" {
			continue // an untrusted repository cannot declare itself safe
		}
		parent, all := strings.CutSuffix(value, "/*")
		safe = value != "" && (safe || value == "*" || value == top || value == at.git || all && strings.HasPrefix(top, parent+"/"))
	}
	if !safe {
		return foreignError(top)
	}
	return nil
}

// mine reports whether a file belongs to the user of this process, or to the user who became root by sudo.
func (o LocalOptions) mine(path string) bool {
	uid, known := owner(path)
	if !known || uid == os.Geteuid() {
		return true
	}
	sudo, err := strconv.Atoi(o.variable("SUDO_UID"))
	return err == nil && os.Geteuid() == 0 && uid == sudo
}

// accept checks the index and the object folders that the environment names: they must belong to the user,
// or to the owner of the repository.
func (o LocalOptions) accept(at places) (places, error) {
	check := func(name, path string, folder bool) error {
		info, err := os.Stat(path)
		switch {
		case err != nil && !folder && errors.Is(err, os.ErrNotExist) && isFolder(filepath.Dir(path)):
			return nil // git takes a missing index as an empty one
		case err != nil:
			return errs.Wrap(err, errs.Invalid, "git_variable", "%s names %s, which cannot be read: unset it, or name what is there.", name, path)
		case info.IsDir() != folder || !folder && !info.Mode().IsRegular():
			return errs.New(errs.Invalid, "git_variable", "%s names %s, which is not what git keeps there: unset it.", name, path)
		}
		uid, known := owner(path)
		of, _ := owner(at.git)
		if known && uid != of && !o.mine(path) && !o.TrustOwner {
			return errs.New(errs.Forbidden, "git_variable", "%s names %s, which belongs to another user: unset it, or use --trust-owner.", name,
				path)
		}
		return nil
	}
	if o.variable("GIT_INDEX_FILE") != "" {
		if err := check("GIT_INDEX_FILE", at.index, false); err != nil {
			return places{}, err
		}
	}
	if o.variable("GIT_OBJECT_DIRECTORY") != "" {
		if err := check("GIT_OBJECT_DIRECTORY", at.objects[0], true); err != nil {
			return places{}, err
		}
		at.env = append(at.env, "GIT_OBJECT_DIRECTORY="+at.objects[0])
	}
	if list := o.variable("GIT_ALTERNATE_OBJECT_DIRECTORIES"); list != "" {
		for _, one := range splitPaths(list) {
			abs, err := filepath.Abs(one)
			if err != nil {
				return places{}, fmt.Errorf("absolute path of GIT_ALTERNATE_OBJECT_DIRECTORIES: %w", err)
			}
			if _, err := os.Stat(abs); err != nil {
				continue // git skips it too
			}
			if err := check("GIT_ALTERNATE_OBJECT_DIRECTORIES", abs, true); err != nil {
				return places{}, err
			}
			at.objects = append(at.objects, abs)
		}
		quotedPaths := make([]string, len(at.objects)-1)
		for i, p := range at.objects[1:] {
			quotedPaths[i] = quoted(p)
		}
		at.env = append(at.env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+strings.Join(quotedPaths, string(os.PathListSeparator)))
	}
	if v := o.variable("GIT_COMMON_DIR"); v != "" {
		at.env = append(at.env, "GIT_COMMON_DIR="+at.common)
	}
	return at, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// splitPaths splits a list of folders. git quotes a folder that begins with a double quote (git manual,
// GIT_ALTERNATE_OBJECT_DIRECTORIES).
func splitPaths(list string) (out []string) {
	for list != "" {
		var one string
		if strings.HasPrefix(list, `"`) {
			if q, err := strconv.QuotedPrefix(list); err == nil {
				one, _ = strconv.Unquote(q)
				list = strings.TrimPrefix(list[len(q):], string(os.PathListSeparator))
			}
		}
		if one == "" {
			one, list, _ = strings.Cut(list, string(os.PathListSeparator))
		}
		if one != "" {
			out = append(out, one)
		}
	}
	return out
}
