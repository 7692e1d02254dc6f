package hostile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// bomb is a pull request that costs more than it should.
type bomb struct {
	name string
	base files // before the change
	head files // files that the change adds, replaces or removes
	// make makes the commits before and after with git itself, if files cannot express them.
	make func(r bare) (base, head string)
	pull simapi.PullSpec // its title and description, if they are the bomb
	// says is the review's text about unread parts, "" if it reads everything.
	says string
}

// files are the files of a commit by path.
type files map[string]file

// file is an entry of a tree: the mode "" is an ordinary file, [gone] means that the file is absent.
type file struct{ mode, data string }

const (
	gone      = "gone"
	symlink   = "120000"
	program   = "100755"
	submodule = "160000"
)

// text is one ordinary file.
func text(path, data string) files { return files{path: {data: data}} }

// each makes files by number.
func each(n int, one func(i int) (path string, f file)) files {
	out := make(files, n)
	for i := range n {
		path, f := one(i)
		out[path] = f
	}
	return out
}

// all joins files.
func all(parts ...files) files {
	out := files{}
	for _, p := range parts {
		maps.Copy(out, p)
	}
	return out
}

// joined makes a text of n pieces.
func joined(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(piece(i))
	}
	return b.String()
}

// bare is a repository of the simulated host, changed from outside.
type bare struct {
	*testing.T
	ctx context.Context
	dir string
}

// git runs git in the repository, with an input.
func (r bare) git(input io.Reader, args ...string) string {
	r.Helper()
	out, err := r.try(input, args...)
	if err != nil {
		r.Fatal(err)
	}
	return out
}

func (r bare) try(input io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(r.ctx, "git", append([]string{"--git-dir=" + r.dir}, args...)...)
	cmd.Stdin = input
	cmd.Env = append(gitrepo.Env(), "GIT_AUTHOR_NAME=m", "GIT_AUTHOR_EMAIL=m@example.org", "GIT_COMMITTER_NAME=m", "GIT_COMMITTER_EMAIL=m@example.org",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %v: %w: %s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// object stores an object unchanged, also one that git would not create.
func (r bare) object(kind, data string) string {
	r.Helper()
	return r.git(strings.NewReader(data), "hash-object", "-w", "-t", kind, "--literally", "--stdin")
}

// tree stores a tree of entries "mode kind name<TAB>path".
func (r bare) tree(entries ...string) string {
	r.Helper()
	return r.git(strings.NewReader(strings.Join(entries, "\n")+"\n"), "mktree", "--missing")
}

// commit stores a commit of a tree.
func (r bare) commit(tree string, parents ...string) string {
	r.Helper()
	args := []string{"commit-tree", "-m", "change", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return r.git(nil, args...)
}

// branches sets head and base branch of a pull request.
func (r bare) branches(base, head string) {
	r.Helper()
	r.git(nil, "update-ref", "refs/heads/main", base)
	r.git(nil, "update-ref", "refs/heads/change", head)
}

// plant makes the two commits of a bomb and its branches.
func (b bomb) plant(r bare) {
	r.Helper()
	if b.make != nil {
		base, head := b.make(r)
		r.branches(base, head)
		return
	}
	in, out := io.Pipe()
	go func() { _ = out.CloseWithError(b.stream(out)) }()
	r.git(in, "fast-import", "--quiet", "--force")
	_ = in.Close()
}

// stream writes the commits for git-fast-import(1).
func (b bomb) stream(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<20)
	base := files{"README.md": {data: "# Here\n"}}
	maps.Copy(base, b.base)
	for _, c := range []struct {
		ref, from string
		files
	}{{"main", "", base}, {"change", "from refs/heads/main\n", b.head}} {
		_, err := fmt.Fprintf(w, "reset refs/heads/%[1]s\n\ncommit refs/heads/%[1]s\ncommitter m <m@example.org> 1700000000 +0000\ndata 6\nchange\n%[2]s", c.ref, c.from)
		for _, path := range slices.Sorted(maps.Keys(c.files)) {
			f := c.files[path]
			switch {
			case f.mode == gone:
				_, e := fmt.Fprintf(w, "D %s\n", quoted(path))
				err = errors.Join(err, e)
			case f.mode == submodule:
				_, e := fmt.Fprintf(w, "M %s %s %s\n", f.mode, f.data, quoted(path))
				err = errors.Join(err, e)
			default:
				mode := f.mode
				if mode == "" {
					mode = "100644"
				}
				_, e := fmt.Fprintf(w, "M %s inline %s\ndata %d\n%s\n", mode, quoted(path), len(f.data), f.data)
				err = errors.Join(err, e)
			}
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// quoted writes a path in the form of git-fast-import(1), whatever its bytes.
func quoted(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		if c < ' ' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}
