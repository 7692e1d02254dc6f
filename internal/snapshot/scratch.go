package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// Scratch is a temporary store for composing versions that no repository has. It may borrow the objects of
// a repository on this machine, to which it never writes. It reads that repository's commit names, and
// nothing that could run a program. Its methods are safe for concurrent use, except that only one of
// Commit, Unbundle and Bundle may run at a time. It is valid until Close.
type Scratch struct {
	*Repo
	tmp    string
	lender string // git directory of the lending repository, "" without one
	alloc  string // see maxAlloc
}

// maxAlloc bounds a single allocation of git while it reads a bundle (GIT_ALLOC_LIMIT, wrapper.c). A larger
// object was made to exhaust memory.
const maxAlloc = "256m"

// NewScratch creates an empty store, or one that borrows the objects of a repository: the top folder of a
// checkout, or a bare repository. Errors are of kind NotFound if the folder is neither, and Unavailable if
// git is missing. The caller must call Close.
func NewScratch(ctx context.Context, repository string) (*Scratch, error) {
	git, err := findGit("")
	if err != nil {
		return nil, err
	}
	git.bounds = &bounds{} // the content may be untrusted, and no launcher is available here
	tmp, err := os.MkdirTemp("", "assay-scratch-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	dir := filepath.Join(tmp, "store.git")
	s := &Scratch{tmp: tmp, alloc: maxAlloc, Repo: &Repo{git: git, dir: dir, cat: &catFile{git: git, dir: dir},
		done: func() { _ = os.RemoveAll(tmp) }}}
	if repository == "" {
		_, err = prepare(ctx, git, dir)
	} else {
		err = s.lend(ctx, repository)
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Scratch) lend(ctx context.Context, repository string) error {
	abs, err := filepath.Abs(repository)
	if err != nil {
		return fmt.Errorf("absolute path of the folder: %w", err)
	}
	s.lender = abs
	if _, err := os.Lstat(filepath.Join(abs, ".git")); err == nil {
		s.lender = filepath.Join(abs, ".git")
	}
	out, err := s.git.run(ctx, call{dir: s.lender, args: []string{"rev-parse", "--path-format=absolute", "--git-common-dir",
		"--show-object-format"}, what: "repository"})
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if _, failed := errors.AsType[*gitError](err); failed || err == nil && len(lines) != 2 {
		return errs.New(errs.NotFound, "no_checkout", "The folder is not the top of a git checkout or a bare repository.")
	}
	if err != nil {
		return err
	}
	_, err = borrow(ctx, s.git, s.dir, lines[1], lines[0], filepath.Join(lines[0], "objects"))
	return err
}

// Resolve resolves a name such as a branch, tag, hash or HEAD~2 to a commit of the lending repository. The
// error is of kind NotFound if there is no such commit, or if its files are missing.
func (s *Scratch) Resolve(ctx context.Context, name string) (string, error) {
	sha, err := s.git.commit(ctx, nil, "--git-dir="+s.lender, name)
	if err == nil && !s.has(ctx, []string{sha}) {
		return "", errs.New(errs.NotFound, "no_revision", "The repository has the commit, but not its files.")
	}
	return sha, err
}

// Between returns the change from one commit to another, like [Local.Range].
func (s *Scratch) Between(ctx context.Context, base, head string) (*Change, error) {
	return s.change(ctx, base, head)
}

// MergeBase returns the merge base of two commits of the store. The error is of kind NotFound if their
// histories have no common commit.
func (s *Scratch) MergeBase(ctx context.Context, base, head string) (string, error) {
	if err := errors.Join(checkSHA(base), checkSHA(head)); err != nil {
		return "", err
	}
	return s.mergeBase(ctx, base, head)
}

// Version is a state of all files that [Scratch.Commit] composes.
type Version struct {
	From  string            // initial commit or tree; "" for no files
	Take  []Entry           // objects of the store by path; mode 0 removes the path
	Files map[string]string // contents by path, as plain files; applied last
}

// commitAuthor is the author and time of a scratch store's commits, so that the same versions have the same
// names on every machine.
const commitAuthor = "assay <assay@example.invalid> 946684800 +0000"

// Commit makes a commit of each version, each the child of the one before, and returns their names. The
// error is of kind Malformed for a path that a tree cannot hold, and NotFound if the store lacks an object
// of a version.
func (s *Scratch) Commit(ctx context.Context, versions ...Version) ([]string, error) {
	var in bytes.Buffer
	for i, v := range versions {
		fmt.Fprintf(&in, "commit refs/assay/v%d\nmark :%d\ncommitter %s\ndata 0\n", i+1, i+1, commitAuthor)
		if i > 0 {
			fmt.Fprintf(&in, "from :%d\n", i)
		}
		in.WriteString("deleteall\n")
		if err := s.write(ctx, &in, v); err != nil {
			return nil, err
		}
	}
	marks := filepath.Join(s.tmp, "marks")
	// With the default limit of 100, git writes few objects one by one in another process (git-config
	// manual, fastimport.unpackLimit).
	_, err := s.git.run(ctx, call{dir: s.dir, args: []string{"fast-import", "--quiet", "--force", "--export-marks=" + marks},
		config: [][2]string{{"fastimport.unpackLimit", "0"}},
		stdin:  in.Bytes(), what: "version"})
	if failed, ok := errors.AsType[*gitError](err); ok {
		return nil, errs.Wrap(failed, errs.NotFound, "no_version", "The version cannot be put together: the repository lacks a part of it.")
	}
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(marks)
	if err != nil {
		return nil, fmt.Errorf("read the names of the versions: %w", err)
	}
	out := make([]string, len(versions))
	for line := range strings.Lines(string(raw)) {
		var n int
		var sha string
		if _, err := fmt.Sscanf(line, ":%d %s", &n, &sha); err == nil && n > 0 && n <= len(out) {
			out[n-1] = sha
		}
	}
	for _, sha := range out {
		if err := checkSHA(sha); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// write encodes a version for git fast-import.
func (s *Scratch) write(ctx context.Context, in *bytes.Buffer, v Version) error {
	if v.From != "" {
		if err := checkSHA(v.From); err != nil {
			return err
		}
		out, err := s.git.run(ctx, call{dir: s.dir, args: []string{"rev-parse", "--verify", "--quiet", v.From + "^{tree}"}, what: "tree"})
		if err != nil {
			return errs.Wrap(err, errs.NotFound, "no_version", "The version cannot be put together: the repository lacks a part of it.")
		}
		fmt.Fprintf(in, "M 040000 %s \"\"\n", strings.TrimSpace(string(out)))
	}
	for _, e := range v.Take {
		if diff.CheckPath(e.Path) != nil || e.Mode != 0 && checkSHA(e.OID) != nil {
			return badPath
		}
		if e.Mode == 0 {
			fmt.Fprintf(in, "D %s\n", quoted(e.Path))
		} else {
			fmt.Fprintf(in, "M %06o %s %s\n", e.Mode, e.OID, quoted(e.Path))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(v.Files)) {
		if diff.CheckPath(path) != nil {
			return badPath
		}
		fmt.Fprintf(in, "M 100644 inline %s\ndata %d\n%s\n", quoted(path), len(v.Files[path]), v.Files[path])
	}
	return nil
}

var badPath = errs.New(errs.Malformed, "bad_path", "A path of a version must stay inside the repository.")

// quoted returns a path in double quotes, as git fast-import reads it.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// Unbundle reads the objects of a bundle (git-bundle manual), and returns the commits of its references by
// name. The error is of kind Malformed if the file is not a bundle or is incomplete by itself.
func (s *Scratch) Unbundle(ctx context.Context, file string) (map[string]string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("absolute path of the bundle: %w", err)
	}
	inner, cancel := context.WithTimeout(ctx, defaultReadTimeout)
	defer cancel()
	out, err := s.git.run(inner, call{dir: s.dir, args: []string{"bundle", "unbundle", abs},
		env: []string{"GIT_ALLOC_LIMIT=" + s.alloc}, what: "bundle"})
	if failed, ok := errors.AsType[*gitError](err); ok {
		return nil, errs.Wrap(failed, errs.Malformed, "bad_bundle", "The file is not a complete git bundle.")
	}
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		sha, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || checkSHA(sha) != nil {
			continue
		}
		if commit, err := s.git.commit(ctx, nil, "--git-dir="+s.dir, sha); err == nil {
			refs[name] = commit
		}
	}
	return refs, nil
}

// Bundle writes commits of the store with everything that they need into a file, under branches of the
// given names.
func (s *Scratch) Bundle(ctx context.Context, file string, branches map[string]string) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("absolute path of the bundle: %w", err)
	}
	args := []string{"bundle", "create", "--quiet", "--version=2", abs}
	var in bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		fmt.Fprintf(&in, "update refs/heads/%s %s\n", name, branches[name])
		args = append(args, "refs/heads/"+name)
	}
	if _, err := s.git.run(ctx, call{dir: s.dir, args: []string{"update-ref", "--stdin"}, stdin: in.Bytes(), what: "branches"}); err != nil {
		return fmt.Errorf("name the commits of the bundle: %w", err)
	}
	if _, err := s.git.run(ctx, call{dir: s.dir, args: args, what: "bundle"}); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}
