package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Commit describes one commit.
type Commit struct {
	SHA, Tree                     string
	Parents                       []string
	AuthorName, AuthorEmail       string
	CommitterName, CommitterEmail string
	AuthoredAt, CommittedAt       time.Time
	Message                       string
}

// Change describes a commit to make.
type Change struct {
	// Branch gets the commit (short name).
	Branch string
	// From is the parent: a branch or object name. Empty means the branch's own tip, or no parent if the
	// branch does not exist.
	From string
	// Merge is a second parent. Its files are not merged automatically. Empty means no second parent.
	Merge string
	// Files maps paths to whole contents; Delete lists paths to remove.
	Files  map[string]string
	Delete []string
	// Message, Name, Email and At describe the commit and its author.
	Message, Name, Email string
	At                   time.Time
}

// ValidPath reports whether a file path may be committed: relative, clean, and without a ".git" part.
func ValidPath(p string) bool {
	if p == "" || path.IsAbs(p) || path.Clean(p) != p || strings.ContainsAny(p, "\x00\n\"") {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." || part == "." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// ValidBranch reports whether a short branch name is valid for git and safe on a command line.
func ValidBranch(name string) bool {
	return name != "" && !strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "/") && !strings.HasSuffix(name, "/") &&
		!strings.HasSuffix(name, ".lock") && !strings.HasSuffix(name, ".") && !strings.Contains(name, "..") && !strings.Contains(name, "//") &&
		!strings.Contains(name, "@{") && !strings.ContainsAny(name, " ~^:?*[\\\x7f\x00\n\t\"'<>")
}

// Commit makes a commit and moves its branch there, also if that is not a fast-forward. It returns the new
// object name. The same change on the same parent always gives the same name.
func (r *Repo) Commit(ctx context.Context, c Change) (string, error) {
	if !ValidBranch(c.Branch) {
		return "", fmt.Errorf("branch: not a valid branch name")
	}
	parent := ""
	from := c.From
	if from == "" {
		from = c.Branch
	}
	parent, err := r.Resolve(ctx, from)
	if err != nil && c.From != "" {
		return "", fmt.Errorf("from: no such branch or commit: %w", ErrNotFound)
	}
	var in bytes.Buffer
	ref := "refs/heads/" + c.Branch
	// Without this reset, an existing branch would become the parent automatically.
	fmt.Fprintf(&in, "reset %s\n\ncommit %s\nmark :1\n", ref, ref)
	who := fmt.Sprintf("%s <%s> %d +0000", cleanIdent(c.Name), cleanIdent(c.Email), c.At.Unix())
	fmt.Fprintf(&in, "author %s\ncommitter %s\ndata %d\n%s\n", who, who, len(c.Message), c.Message)
	if parent != "" {
		fmt.Fprintf(&in, "from %s\n", parent)
	}
	if c.Merge != "" {
		second, err := r.Resolve(ctx, c.Merge)
		if err != nil {
			return "", fmt.Errorf("merge: no such branch or commit: %w", ErrNotFound)
		}
		fmt.Fprintf(&in, "merge %s\n", second)
	}
	for _, p := range slices.Sorted(slices.Values(c.Delete)) {
		if !ValidPath(p) {
			return "", fmt.Errorf("delete: not a valid path")
		}
		fmt.Fprintf(&in, "D %s\n", p)
	}
	paths := make([]string, 0, len(c.Files))
	for p := range c.Files {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		if !ValidPath(p) {
			return "", fmt.Errorf("files: not a valid path")
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", p, len(c.Files[p]), c.Files[p])
	}
	in.WriteString("\nget-mark :1\n")
	out, err := r.git(ctx, in.Bytes(), "fast-import", "--quiet", "--force", "--cat-blob-fd=1")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

func cleanIdent(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r == '\n' || r == 0 {
			return -1
		}
		return r
	}, s)
}

const logFormat = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x00%x1e"

// Lookup reads one commit by its object name.
func (r *Repo) Lookup(ctx context.Context, sha string) (Commit, error) {
	out, err := r.read(ctx, []string{sha}, "log", "-1", "-z", logFormat, "--end-of-options", sha)
	if err != nil {
		return Commit{}, ErrNotFound
	}
	list := parseLog(out)
	if len(list) == 0 {
		return Commit{}, ErrNotFound
	}
	return list[0], nil
}

// Between lists the commits that are in head and not in base, oldest first; ErrNotFound if base is not a
// commit.
func (r *Repo) Between(ctx context.Context, base, head string) ([]Commit, error) {
	if base == ZeroSHA {
		return nil, ErrNotFound
	}
	out, err := r.read(ctx, []string{base, head}, "log", "--reverse", "--topo-order", logFormat, base+".."+head)
	if err != nil {
		return nil, err
	}
	return parseLog(out), nil
}

// Log lists the newest commits of a revision, at most n.
func (r *Repo) Log(ctx context.Context, rev string, n int) ([]Commit, error) {
	out, err := r.read(ctx, []string{rev}, "log", "-n", strconv.Itoa(n), logFormat, "--end-of-options", rev)
	if err != nil {
		return nil, err
	}
	return parseLog(out), nil
}

func parseLog(out []byte) []Commit {
	var list []Commit
	for record := range strings.SplitSeq(string(out), "\x00\x1e") {
		f := strings.Split(strings.TrimLeft(record, "\n\x00"), "\x00")
		if len(f) < 10 {
			continue
		}
		c := Commit{SHA: f[0], Tree: f[1], Parents: strings.Fields(f[2]), AuthorName: f[3], AuthorEmail: f[4],
			CommitterName: f[6], CommitterEmail: f[7], Message: strings.TrimRight(f[9], "\n")}
		c.AuthoredAt, c.CommittedAt = unix(f[5]), unix(f[8])
		list = append(list, c)
	}
	return list
}

func unix(s string) time.Time {
	n, _ := strconv.ParseInt(s, 10, 64)
	return time.Unix(n, 0).UTC()
}

// Count returns the number of commits that are in head and not in base.
func (r *Repo) Count(ctx context.Context, base, head string) (int, error) {
	out, err := r.read(ctx, []string{base, head}, "rev-list", "--count", base+".."+head)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}
