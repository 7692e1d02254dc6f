// Package prepush has a local checkout reviewed when its owner pushes. It installs a git hook into the
// checkout, removes it, and reads the hook's input from git.
//
// A failure of the hook never blocks a push. Only findings, or more commits than are checked, can block it,
// and only if that was requested. Reviewing does not live here.
package prepush

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// hookMark is the line that identifies a hook as ours.
const hookMark = "# assay-hook: pre-push 1"

// Blocked is the exit code of the command in the hook that blocks the push. Every other code lets the push
// through, even that of a missing program.
const Blocked = 10

// Install writes the hook of the checkout that contains a folder, replaces our earlier hook, and returns
// its path. command is a program with its arguments. It leaves a foreign hook alone; the error then says
// which line to add to it.
func Install(ctx context.Context, dir string, command []string) (string, error) {
	line := shellQuoted(command) + ` "$@"`
	path, err := hookPath(ctx, dir)
	if shared, is := errors.AsType[*sharedHooks](err); is {
		return "", fmt.Errorf("%w: put into %s, which must be executable, the line\n\n    %s || [ $? -ne %d ] || exit 1\n\nwhere the "+
			"hook has not read its input yet, or take the setting away",
			shared, filepath.Join(shared.folder, "pre-push"), line, Blocked)
	}
	if err != nil {
		return "", err
	}
	switch ours, err := isOurs(path); {
	case err != nil:
		return "", err
	case !ours:
		return "", fmt.Errorf("%s is a hook that assay did not make. To keep it, add to it the line\n\n    %s || [ $? -ne %d ] || exit "+
			"1\n\nwhere it has not read its input yet", path, line, Blocked)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as git makes it
		return "", fmt.Errorf("make the folder of hooks: %w", err)
	}
	text := "#!/bin/sh\n" + hookMark + "\n# Made by assay hook install; assay hook remove takes it away.\n" +
		line + fmt.Sprintf("\n[ $? -ne %d ] || exit 1\nexit 0\n", Blocked)
	return path, replace(path, text)
}

// Remove deletes the hook of [Install]. It returns "" if there is no hook, and leaves a foreign hook alone.
func Remove(ctx context.Context, dir string) (string, error) {
	path, err := hookPath(ctx, dir)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	ours, err := isOurs(path)
	if err != nil {
		return "", err
	}
	if !ours {
		return "", fmt.Errorf("%s is a hook that assay did not make: take the line of assay out of it yourself", path)
	}
	return path, os.Remove(path)
}

// hookPath returns the path where git looks for the hook. It refuses a folder of hooks outside the
// checkout, because that serves other repositories too.
func hookPath(ctx context.Context, dir string) (string, error) {
	out, err := git(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	common, folder, two := strings.Cut(out, "\n")
	if !two || strings.Contains(folder, "\n") {
		return "", errors.New("the path of the checkout must not hold a line break")
	}
	if !isWithin(common, folder) {
		top, err := git(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel")
		if err != nil || !isWithin(top, folder) {
			return "", &sharedHooks{folder}
		}
	}
	return filepath.Join(folder, "pre-push"), nil
}

// sharedHooks means that the folder of hooks serves other repositories, too.
type sharedHooks struct{ folder string }

func (e *sharedHooks) Error() string {
	return "core.hooksPath names " + e.folder + ", which serves other repositories too, and assay changes nothing there"
}

// isWithin reports whether a path lies in a folder, or is it.
func isWithin(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// isOurs reports whether a file may be replaced: it is ours or absent.
func isOurs(path string) (bool, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening a named pipe would wait for a writer
		return false, nil
	}
	f, err := os.Open(path) //nolint:gosec // the path is git's
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil { // a dangling link is foreign
			return false, nil
		}
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the hook: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, 4096)
	n, _ := f.Read(head) // an empty or unreadable file is not ours
	return strings.Contains(string(head[:n]), "\n"+hookMark+"\n"), nil
}

// replace writes the file as a whole or not at all.
func replace(path, text string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".assay-hook-")
	if err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	_, err = tmp.WriteString(text)
	err = errors.Join(err, tmp.Chmod(0o755), tmp.Close()) //nolint:gosec // git runs executable hooks only
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the hook: %w", err), os.Remove(tmp.Name()))
	}
	return nil
}

// shellQuoted quotes a command for a shell.
func shellQuoted(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// git runs a git command in the checkout that contains a folder. The commands of this package do not run
// programs that a configuration names.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
	exit, _ := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed")
	case exit != nil && strings.Contains(string(exit.Stderr), "safe.directory"): // the name of the setting is the same in every language
		return "", fmt.Errorf("the checkout belongs to another user: if you trust it, run `git config --global --add safe.directory` " +
			"with the path of its top folder")
	case err != nil:
		return "", fmt.Errorf("%s is not inside a git working tree: change to the folder of a checkout (cd)", dir)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
