package snapshot

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// maxAttributes bounds a checkout's own file of attributes.
const maxAttributes = 1 << 20

// stage is a copy of the checkout's index with its own git directory. New objects go to the temporary
// store.
type stage struct {
	*Local
	dir     string
	notes   []string
	leftOut []LeftOut
	tree    string
	folders map[string]bool // whether a path of the checkout is a folder that is not behind a link
}

// stage copies the index, because git must not refresh the checkout's.
func (l *Local) stage(ctx context.Context) (*stage, error) {
	if l.Root == "" {
		return nil, errs.New(errs.Invalid, "bare", "The repository is bare and has no working tree: name commits with --range A..B.")
	}
	s := &stage{Local: l, dir: filepath.Join(l.tmp, "stage.git"), folders: map[string]bool{".": true}}
	_ = os.RemoveAll(s.dir)
	if _, err := prepare(ctx, l.git, s.dir, "--object-format="+l.at.format); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "info"), 0o700); err != nil {
		return nil, fmt.Errorf("write the temporary folder: %w", err)
	}
	copies := map[string]string{l.at.index: "index", l.at.attribute: filepath.Join("info", "attributes")}
	shared, err := sharedIndex(l.at)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	if shared != "" {
		copies[shared] = filepath.Base(shared)
	}
	for from, to := range copies {
		if err := copyFile(from, filepath.Join(s.dir, to)); err != nil {
			return nil, fmt.Errorf("copy the index: %w", err)
		}
	}
	return s, nil
}

// sharedIndex returns the base file of a split index; "" for another index (gitformat-index, "Split
// index").
func sharedIndex(at places) (string, error) {
	raw, _, err := readRegular(at.index)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(at.git)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name, is := strings.CutPrefix(e.Name(), "sharedindex.")
		if id, err := hex.DecodeString(name); is && err == nil && len(id) > 0 && bytes.Contains(raw, id) {
			return filepath.Join(at.git, e.Name()), nil
		}
	}
	return "", nil
}

// copyFile copies a file with its time, which shows git the files that may have changed in the instant of
// the index's writing. A missing file is skipped.
func copyFile(from, to string) error {
	raw, info, err := readRegular(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if strings.HasSuffix(to, "attributes") && len(raw) > maxAttributes {
		return errs.New(errs.TooLarge, "attributes_too_large", "info/attributes of the checkout has more than %d bytes.", maxAttributes)
	}
	return errors.Join(os.WriteFile(to, raw, 0o600), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// run runs a command on the copy of the index, over the files of the checkout. The person's settings and
// attributes for line ends, encodings and modes apply. Filters are not defined here, so none is started.
func (s *stage) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	env := []string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(s.store.dir, "objects")}
	if !s.own.noSystem {
		env = append(env, "GIT_ATTR_NOSYSTEM=0")
	}
	return s.git.run(ctx, call{dir: s.dir, env: env, config: s.own.compare,
		args: append([]string{"--work-tree=" + s.Root, "-C", s.Root}, args...), stdin: stdin, max: defaultMaxTree, what: "listing"})
}

// removal returns the line of update-index --index-info that removes a path.
func removal(path string) string { return "0 " + strings.Repeat("0", 40) + "\t" + path + "\x00" }

// updateIndex changes entries of the index (git update-index, --index-info).
func (s *stage) updateIndex(ctx context.Context, lines ...string) error {
	if len(lines) == 0 {
		return nil
	}
	if s.at.format == "sha256" {
		for i, l := range lines {
			lines[i] = strings.Replace(l, "0 "+strings.Repeat("0", 40)+"\t", "0 "+strings.Repeat("0", 64)+"\t", 1)
		}
	}
	if _, err := s.run(ctx, []byte(strings.Join(lines, "")), "update-index", "-z", "--index-info"); err != nil {
		return fmt.Errorf("store the working files: %w", err)
	}
	return nil
}

// conflicted is one side of a file with a merge conflict.
type conflicted struct{ mode, object, stage, path string }

// unmerged lists the sides of the files with a merge conflict.
func (s *stage) unmerged(ctx context.Context) (list []conflicted, err error) {
	out, err := s.run(ctx, nil, "ls-files", "-z", "--unmerged")
	if err != nil {
		return nil, listingError(err)
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		if f := strings.Fields(meta); ok && len(f) == 3 {
			list = append(list, conflicted{f[0], f[1], f[2], path})
		}
	}
	return list, nil
}

// refuseConflicts returns an error of kind Conflict that names files with a merge conflict.
func (s *stage) refuseConflicts(ctx context.Context) error {
	list, err := s.unmerged(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	var names []string
	for _, e := range list {
		names = append(names, e.path)
	}
	names = slices.Compact(names)
	if n := len(names) - maxFiltered; n > 0 {
		names = append(names[:maxFiltered], fmt.Sprintf("and %d more", n))
	}
	return errs.New(errs.Conflict, "unmerged",
		"The index has a merge conflict, so git makes no commit of it: %s. Resolve it, run `git add` on these files, and review again.",
		strings.Join(names, ", "))
}

// write stores the copy of the index as a tree. For a file with a merge conflict our side counts. A file
// that is only announced (intent to add) is left out.
func (s *stage) write(ctx context.Context) error {
	unmerged, err := s.unmerged(ctx)
	if err != nil {
		return err
	}
	var lines []string
	for i, e := range unmerged {
		if i == 0 || unmerged[i-1].path != e.path {
			lines = append(lines, removal(e.path))
		}
		if e.stage == "2" {
			lines = append(lines, fmt.Sprintf("%s %s\t%s\x00", e.mode, e.object, e.path))
		}
	}
	if err := s.updateIndex(ctx, lines...); err != nil {
		return err
	}
	tree, err := s.run(ctx, nil, "write-tree", "--missing-ok")
	if err != nil {
		return fmt.Errorf("store the working files: %w", err)
	}
	s.tree = strings.TrimSpace(string(tree))
	return checkSHA(s.tree)
}
