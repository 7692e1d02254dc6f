package prepush

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Bounds of what git tells a hook that is looked at (design choices).
const (
	MaxPushed = 10       // branches of one push
	maxInput  = 64 << 10 // bytes
)

// Pushed is a branch that is about to be pushed.
type Pushed struct {
	Branch string // at the remote, without refs/heads/
	Base   string // commit, or name of one, to compare with
	Head   string // commit
}

// Range is what [Pushed] adds, as git writes it.
func (p Pushed) Range() string { return p.Base + ".." + p.Head }

// Read reads what git tells a pre-push hook (githooks(5)): a line for each reference,
// "local-ref local-commit remote-ref remote-commit". Branches that are deleted and
// references that are no branches are left out, and so is what is beyond [MaxPushed];
// left says how many branches that were. remote is the name that git gave the hook.
//
// A branch is compared with what the remote has of it. Where that is nothing, or not
// here, it is compared with the remote's default branch, and where that is not known
// either it is left out.
func Read(ctx context.Context, dir, remote string, in io.Reader) (all []Pushed, left int, err error) {
	lines := bufio.NewScanner(io.LimitReader(in, maxInput))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) != 4 || !isID(f[1]) || !isID(f[3]) {
			return nil, 0, fmt.Errorf("git told the hook something that is no list of references")
		}
		branch, is := strings.CutPrefix(f[2], "refs/heads/")
		if !is || isZero(f[1]) {
			continue
		}
		base := ""
		if len(all) < MaxPushed {
			base = baseOf(ctx, dir, remote, f[3])
		}
		switch {
		case base == "":
			left++
		case base != f[1]:
			all = append(all, Pushed{branch, base, f[1]})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, 0, fmt.Errorf("read what git tells the hook: %w", err)
	}
	return all, left, nil
}

// baseOf is the commit to compare with, "" for none.
func baseOf(ctx context.Context, dir, remote, sha string) string {
	names := []string{sha}
	if isZero(sha) {
		names = nil
	}
	for _, n := range []string{"HEAD", "main", "master"} {
		names = append(names, "refs/remotes/"+remote+"/"+n)
	}
	for _, n := range names {
		if id, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", n+"^{commit}"); err == nil {
			return id
		}
	}
	return ""
}

func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func isZero(s string) bool { return strings.Trim(s, "0") == "" }
