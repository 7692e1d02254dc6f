package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of files in a git directory (design choices). The largest known indexes have about 200 MiB.
const (
	maxGitFile  = 256 << 20 // bytes of a file that assay or git reads as a whole
	maxGitText  = 16 << 20  // bytes of HEAD, of a configuration, and of a file that names a folder
	maxSearched = 2_000_000 // files searched for a special one
)

// gitFiles are the files that git reads first, in the git directory and in the common one.
var gitFiles = map[string]int64{
	"HEAD": maxGitText, "config": maxGitText, "config.worktree": maxGitText, "commondir": maxGitText, "gitdir": maxGitText,
	"index": maxGitFile, "packed-refs": maxGitFile, "shallow": maxGitFile, "info/exclude": maxGitFile, "info/attributes": maxGitFile,
	"info/grafts": maxGitFile, "info/refs": maxGitFile, "info/sparse-checkout": maxGitFile, "objects/info/alternates": maxGitText,
}

// checkRegular returns an error if a path is a special file or too large; nil for a regular file or no file.
// Links are followed, because tools link git directories to each other. Nothing is opened.
func checkRegular(path string, maxSize int64) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil //nolint:nilerr // git says what is wrong with it
	case info.IsDir() || info.Mode()&fs.ModeSocket != 0: // neither blocks a reader
		return nil
	case !info.Mode().IsRegular():
		return errs.New(errs.Invalid, "special_file",
			"%s is not a regular file (%s), and git would wait for it or read without end: remove it, and restore the checkout.",
			path, kindOf(info.Mode()))
	case info.Size() > maxSize:
		return tooLargeForGit(path, maxSize)
	}
	return nil
}

func tooLargeForGit(path string, most int64) error {
	return errs.New(errs.Invalid, "large_git_file", "%s has more than %d MiB, which assay does not read: remove it, and restore the checkout.",
		path, most>>20)
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// readRegular reads one of git's own files, at most maxGitFile bytes. The error is of kind Invalid if the
// file is special or larger, and fs.ErrNotExist if it does not exist.
func readRegular(path string) ([]byte, fs.FileInfo, error) {
	if err := checkRegular(path, maxGitFile); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) // a special file that replaces it meanwhile does not block
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errs.New(errs.Invalid, "special_file", "%s is not a regular file: remove it, and restore the checkout.", path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	if err == nil && len(raw) > maxGitFile {
		err = tooLargeForGit(path, maxGitFile)
	}
	return raw, info, err
}

// gitDirectories returns the git directories that git may find from a folder upwards, or that the
// environment names. The search ends at the first one, like git's.
func (o LocalOptions) gitDirectories(dir string) (out []string) {
	for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR"} {
		if v := o.variable(name); v != "" {
			if abs, err := filepath.Abs(v); err == nil {
				out = append(out, abs)
			}
		}
	}
	for len(out) == 0 {
		for _, at := range []string{filepath.Join(dir, ".git"), dir} {
			if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && info.Size() <= maxGitText && at != dir {
				if raw, _, err := readRegular(at); err == nil {
					if named, is := strings.CutPrefix(string(raw), "gitdir: "); is {
						out = append(out, resolveBeside(dir, named))
					}
				}
			} else if isFolder(filepath.Join(at, "objects")) && isFolder(filepath.Join(at, "refs")) {
				out = append(out, at)
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	for _, at := range slices.Clone(out) {
		if raw, _, err := readRegular(filepath.Join(at, "commondir")); err == nil {
			out = append(out, resolveBeside(at, string(raw)))
		}
	}
	return out
}

// resolveBeside resolves a path that a file in a folder names.
func resolveBeside(folder, named string) string {
	named = strings.TrimRight(named, "\r\n")
	if filepath.IsAbs(named) {
		return named
	}
	return filepath.Join(folder, named)
}

// checkOrdinary refuses a checkout with a special file among the files that git reads first, before git is
// started.
func (o LocalOptions) checkOrdinary(dir string) error {
	for _, at := range o.gitDirectories(dir) {
		for name, most := range gitFiles {
			if err := checkRegular(filepath.Join(at, filepath.FromSlash(name)), most); err != nil {
				return err
			}
		}
	}
	return nil
}

// findSpecialFile searches git directories and a working tree for a special file that git may be waiting for. It is
// called once a git command takes longer than usual.
func findSpecialFile(ctx context.Context, directories []string, root string) error {
	seen := 0
	search := func(top string, inside bool) error {
		return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch seen++; {
			case ctx.Err() != nil || seen > maxSearched:
				return fs.SkipAll
			case err != nil:
				return nil //nolint:nilerr // git says what is wrong with it
			case d.IsDir():
				unread := inside && filepath.Dir(path) == top && slices.Contains([]string{"modules", "lfs", "hooks", "annex"}, d.Name())
				if unread || !inside && filepath.Join(root, ".git") == path {
					return fs.SkipDir
				}
				return nil
			case d.Type().IsRegular():
				return nil
			}
			name, within := d.Name(), string(filepath.Separator)+".git"+string(filepath.Separator)
			if inside || name == ".gitignore" || name == ".gitattributes" || strings.Contains(path, within) {
				return checkRegular(path, maxGitFile)
			}
			return nil
		})
	}
	for _, at := range directories {
		if err := search(at, true); err != nil {
			return err
		}
		if err := suspectIncluded(at); err != nil {
			return err
		}
	}
	if root == "" {
		return nil
	}
	return search(root, false)
}

// suspectIncluded checks the files that the configuration of a git directory includes.
func suspectIncluded(at string) error {
	raw, _, err := readRegular(filepath.Join(at, "config"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for line := range strings.Lines(string(raw)) {
		if key, value, ok := strings.Cut(line, "="); ok && strings.EqualFold(strings.TrimSpace(key[strings.LastIndexByte(key, ']')+1:]), "path") {
			if err := checkRegular(resolveBeside(at, strings.Trim(strings.TrimSpace(value), `"`)), maxGitText); err != nil {
				return fmt.Errorf("a file that the configuration includes: %w", err)
			}
		}
	}
	return nil
}
