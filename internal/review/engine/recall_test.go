package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// aCase is a change of a public repository with the definitions that its changed
// lines use and its hunks do not show.
type aCase struct {
	ID, Kind, Repo, Direction string
	Source                    struct{ Commit, HeadTreeOf, BaseTreeOf string }
	Definitions               []struct {
		Name, Path string
		Line       int
	}
}

// copied is a case in a git copy of its repository.
type copied struct {
	dir, base, head string
	changed         []string
}

func (c copied) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", c.dir}, args...)...) //nolint:gosec // a measurement on one's own copies
	out, err := cmd.Output()
	return string(out), err
}

// Blob implements [Source]: the base has the changed files of another commit.
func (c copied) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	at := c.head
	if side == domain.Left && slices.Contains(c.changed, path) {
		at = c.base
	}
	out, err := c.git("show", at+":"+path)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return []byte(out), nil
}

// Search implements [snapshot.Searcher].
func (c copied) Search(_ context.Context, expressions []string, limit int) (out []snapshot.Match, err error) {
	args := []string{"grep", "-I", "-n", "-E"}
	for _, e := range expressions {
		args = append(args, "-e", e)
	}
	raw, _ := c.git(append(args, c.head)...)
	for l := range strings.Lines(raw) {
		parts := strings.SplitN(strings.TrimSuffix(strings.TrimPrefix(l, c.head+":"), "\n"), ":", 3)
		if n, err := strconv.Atoi(parts[1]); err == nil && len(out) < limit {
			out = append(out, snapshot.Match{Path: parts[0], Line: n, Text: parts[2]})
		}
	}
	return out, nil
}

// open finds the two versions of a case, false where the copy does not have them.
func (a aCase) open(folder string) (c copied, ok bool) {
	c = copied{dir: filepath.Join(folder, strings.ReplaceAll(a.Repo, "/", "+"), "repo"), head: a.Source.HeadTreeOf, base: a.Source.BaseTreeOf}
	switch {
	case c.head == "":
		c.head = a.Source.Commit
	case c.base == "" && a.Direction == "reversed":
		c.base = a.Source.Commit
	}
	if c.base == "" {
		c.base = c.head + "^"
	}
	list, err := c.git("diff", "--name-only", c.base, c.head)
	for p := range strings.Lines(list) {
		p = strings.TrimSuffix(p, "\n")
		if class, _ := diff.Classify(p, nil); class == diff.ClassSource {
			c.changed = append(c.changed, p)
		}
	}
	return c, err == nil && len(c.changed) > 0
}

// TestContextRecall measures how many of the definitions that a change uses, and
// that its hunks do not show, stand in the prompts: 95 of a hundred in changed files,
// 75 in others. It needs a list of cases (ASSAY_CASES, JSON lines) and a folder of
// git copies (ASSAY_REPOS, owner+name/repo), which no repository holds for it.
func TestContextRecall(t *testing.T) {
	list, folder := os.Getenv("ASSAY_CASES"), os.Getenv("ASSAY_REPOS")
	if list == "" || folder == "" {
		t.Skip("ASSAY_CASES and ASSAY_REPOS name no cases and git copies to measure with")
	}
	f, err := os.Open(list) //nolint:gosec // named by who measures
	testkit.OK(t, err)
	defer f.Close()
	cases, tokens := 0, 0
	total, shown := map[bool]int{}, map[bool]int{} // by whether the definition is in a changed file
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var a aCase
		testkit.OK(t, json.Unmarshal(lines.Bytes(), &a))
		c, ok := a.open(folder)
		if !ok || len(a.Definitions) == 0 {
			continue
		}
		raw, err := c.git(append([]string{"diff", "-M", c.base, c.head, "--"}, c.changed...)...)
		testkit.OK(t, err)
		m := &scripted{generate: findings(), verify: confirmAll}
		in := change(t)
		in.Diff, in.Source, in.Models = []byte(raw), c, models(m)
		review(t, in, Deps{})
		cases++
		seen := map[string]bool{}
		for _, r := range m.requests {
			_, user := prompt(r)
			tokens += len(user) * 2 / 7
			linesShown(user, seen)
		}
		for _, d := range a.Definitions {
			same := slices.Contains(c.changed, d.Path)
			total[same]++
			if seen[d.Path+":"+strconv.Itoa(d.Line)] {
				shown[same]++
			} else if testing.Verbose() {
				t.Logf("%s: %s at %s:%d is not shown (changed: %v)", a.ID, d.Name, d.Path, d.Line, c.changed)
			}
		}
	}
	testkit.OK(t, lines.Err())
	t.Logf("%d cases, %d tokens: in changed files %d of %d, in other files %d of %d", cases, tokens, shown[true], total[true], shown[false], total[false])
	if cases == 0 {
		t.Error("no case has a git copy")
	}
	for same, want := range map[bool]int{true: 95, false: 75} { // of a hundred
		if 100*shown[same] < want*total[same] {
			t.Errorf("in changed files (%v): %d of %d, want %d of a hundred", same, shown[same], total[same], want)
		}
	}
}

var numberedLine = regexp.MustCompile(`^ *(\d+) [ +]`)

// linesShown notes which lines of which files a prompt shows.
func linesShown(user string, seen map[string]bool) {
	path := ""
	for l := range strings.Lines(user) {
		switch {
		case strings.HasPrefix(l, "=== "):
			path = strings.TrimSpace(l[4:])
		case strings.HasPrefix(l, "--- "):
			path, _, _ = strings.Cut(strings.TrimSpace(l[4:]), " ")
		default:
			if m := numberedLine.FindStringSubmatch(l); m != nil {
				seen[path+":"+m[1]] = true
			}
		}
	}
}
