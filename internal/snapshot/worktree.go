package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// maxWorktree bounds the files that are read because they may have changed.
const maxWorktree = 20_000

// Bounds of new files that git does not track yet, because files that collect beside the source are not
// reviewed.
const (
	MaxNew     = 200
	MaxNewSize = 1 << 20 // bytes
)

// maxFiltered bounds the paths that a note names.
const maxFiltered = 10

// worktree stores the files of the checkout as a tree, as git add would. Files beyond a bound stay as in
// the index.
func (l *Local) worktree(ctx context.Context, paths []string) (*stage, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	// Only the commit of a submodule counts: git would start itself there to look further.
	out, err := s.run(ctx, nil, append([]string{"diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=dirty", "--"},
		paths...)...)
	if err != nil {
		return nil, listingError(err)
	}
	changed := slices.Compact(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
	fresh, err := s.untracked(ctx, paths)
	if err != nil {
		return nil, err
	}
	take, gone, err := s.classifyPaths(ctx, append(slices.DeleteFunc(changed, l.apart), fresh...))
	if err != nil {
		return nil, err
	}
	if err := s.updateIndex(ctx, gone...); err != nil {
		return nil, err
	}
	if err := s.addFiles(ctx, take); err != nil {
		return nil, err
	}
	if err := s.filtered(ctx, take); err != nil {
		return nil, err
	}
	return s, s.write(ctx)
}

func listingError(err error) error {
	if _, failed := errors.AsType[*gitError](err); failed {
		return fmt.Errorf("list the files of the checkout: %w", err)
	}
	return err
}

// classifyPaths divides paths into those to read and those that no longer exist. Links that lead to a folder are not
// followed.
func (s *stage) classifyPaths(ctx context.Context, paths []string) (take, removals []string, err error) {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return nil, nil, fmt.Errorf("open the checkout: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if diff.CheckPath(p) != nil {
			if p != "" {
				s.leaveOut(p, "its path cannot be shown", true)
			}
			continue
		}
		info, err := root.Lstat(p)
		switch {
		case err != nil || !s.isInside(root, path.Dir(p)) || !info.IsDir() && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
			removals = append(removals, removal(p))
		case len(take) == maxWorktree:
			s.leaveOut(p, fmt.Sprintf("beyond the first %d changed files", maxWorktree), true)
		case info.Size() > defaultMaxDiff:
			s.leaveOut(p, largerReason(defaultMaxDiff), s.text(root, p))
		default:
			take = append(take, p)
		}
	}
	return take, removals, nil
}

// isInside reports whether a path and its parents are folders and not links.
func (s *stage) isInside(root *os.Root, folder string) bool {
	is, known := s.folders[folder]
	if !known {
		info, err := root.Lstat(folder)
		is = err == nil && info.IsDir() && s.isInside(root, path.Dir(folder))
		s.folders[folder] = is
	}
	return is
}

// addFiles puts files into the index as git converts them. A file that git cannot convert, such as a text with
// another encoding than its attribute, is taken unchanged from the disk, as git diff shows it.
func (s *stage) addFiles(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := s.run(ctx, []byte(strings.Join(paths, "\x00")+"\x00"), "update-index", "-z", "--add", "--remove", "--replace", "--stdin")
	if _, failed := errors.AsType[*gitError](err); !failed {
		return err
	}
	if half := len(paths) / 2; half > 0 {
		if err := s.addFiles(ctx, paths[:half]); err != nil {
			return err
		}
		return s.addFiles(ctx, paths[half:])
	}
	return s.addUnconverted(ctx, paths[0], func(content []byte) []byte { return content })
}

// addUnconverted puts a file into the index without git's conversions.
func (s *stage) addUnconverted(ctx context.Context, path string, convert func([]byte) []byte) error {
	unreadable := func(err error) error {
		return errs.Wrap(err, errs.Unavailable, "unreadable_file", "The file %s of the checkout cannot be read.", diff.QuotePath(path))
	}
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return fmt.Errorf("open the checkout: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	f, err := root.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return unreadable(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return unreadable(err)
	}
	content, err := io.ReadAll(io.LimitReader(f, defaultMaxDiff+1))
	if err != nil {
		return unreadable(err)
	}
	if len(content) > defaultMaxDiff { // it grew meanwhile
		s.leaveOut(path, largerReason(defaultMaxDiff), true)
		return nil
	}
	out, err := s.run(ctx, convert(content), "hash-object", "-w", "--no-filters", "--stdin")
	if err != nil {
		return fmt.Errorf("store a working file: %w", err)
	}
	mode := "100644"
	if info.Mode()&0o111 != 0 {
		mode = "100755"
	}
	if known, err := s.run(ctx, nil, "ls-files", "--stage", "-z", "--", path); err != nil {
		return listingError(err)
	} else if m, _, ok := strings.Cut(string(known), " "); ok && slices.Contains(s.own.compare, [2]string{"core.filemode", "false"}) {
		mode = m
	}
	return s.updateIndex(ctx, fmt.Sprintf("%s %s\t%s\x00", mode, bytes.TrimSpace(out), path))
}

// filtered finds files that a filter of the person's configuration converts. The conversion of Git LFS is
// done here, because its result is known without the program. Files of other filters are taken unchanged
// from the disk, and named in a note.
func (s *stage) filtered(ctx context.Context, paths []string) error {
	if len(paths) == 0 || len(s.own.filters) == 0 {
		return nil
	}
	out, err := s.run(ctx, []byte(strings.Join(paths, "\x00")+"\x00"), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return listingError(err)
	}
	var named []string
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		name, filter := fields[i], fields[i+2]
		info, err := os.Lstat(filepath.Join(s.Root, filepath.FromSlash(name)))
		switch {
		case !s.own.filters[filter] || err != nil || !info.Mode().IsRegular():
		case filter == "lfs":
			if err := s.addUnconverted(ctx, name, pointer); err != nil {
				return err
			}
		default:
			named = append(named, fmt.Sprintf("%s (%s)", diff.QuotePath(name), filter))
		}
	}
	if n := len(named); n > maxFiltered {
		named = append(named[:maxFiltered], fmt.Sprintf("and %d more", n-maxFiltered))
	}
	if len(named) > 0 {
		s.notes = append(s.notes, "Compared as they lie on the disk, because assay starts no filter: "+strings.Join(named, ", ")+".")
	}
	return nil
}

// pointer returns the text that Git LFS keeps in place of a content (git-lfs/docs/spec.md).
func pointer(content []byte) []byte {
	if len(content) == 0 || len(content) < 1024 && bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/spec/v1\n")) {
		return content
	}
	return fmt.Appendf(nil, "version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sha256.Sum256(content), len(content))
}

// untracked lists the untracked files that neither the checkout nor the person ignores, and notes those
// that it leaves out.
func (s *stage) untracked(ctx context.Context, paths []string) (list []string, err error) {
	if !s.own.untracked {
		s.notes = append(s.notes, "New files were not looked at, because status.showUntrackedFiles is no: git add what should be reviewed.")
		return nil, nil
	}
	args := []string{"ls-files", "-z", "--full-name", "--others", "--exclude-per-directory=.gitignore"}
	for _, file := range []string{s.own.excludes, s.at.exclude} { // the later one wins, as with git
		if info, err := os.Stat(file); file != "" && err == nil && info.Mode().IsRegular() {
			args = append(args, "--exclude-from="+file)
		}
	}
	out, err := s.run(ctx, nil, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, listingError(err)
	}
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return nil, fmt.Errorf("open the checkout: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	for path := range strings.SplitSeq(string(out), "\x00") {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if path == "" || s.apart(path) {
			continue
		}
		info, err := root.Lstat(path)
		switch {
		case strings.HasSuffix(path, "/"): // git lists an inner repository like this
			s.leaveOut(path, "a repository of its own", false)
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			s.leaveOut(path, "cannot be read", true)
		case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
			s.leaveOut(path, "neither a file nor a link", false)
		case info.Size() > MaxNewSize:
			s.leaveOut(path, largerReason(MaxNewSize), s.text(root, path))
		case len(list) == MaxNew:
			s.leaveOut(path, fmt.Sprintf("beyond the first %d new files", MaxNew), true)
		default:
			list = append(list, path)
		}
	}
	return list, nil
}

// leaveOut notes a file that is left out.
func (s *stage) leaveOut(path, why string, written bool) {
	s.leftOut = append(s.leftOut, LeftOut{path, why, written})
}

// largerReason returns the reason for leaving out a file above a bound, which is a number of MiB.
func largerReason(bound int) string { return fmt.Sprintf("larger than %d MiB", bound>>20) }

// textSample is the length of a file's beginning that shows whether it is text.
const textSample = 64 << 10

// text reports whether a file begins as text, or cannot be read.
func (s *stage) text(root *os.Root, path string) bool {
	f, err := root.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }() // it was only read
	begin, err := io.ReadAll(io.LimitReader(f, textSample))
	if err != nil {
		return true
	}
	_, is := diff.Text(begin)
	return is
}
