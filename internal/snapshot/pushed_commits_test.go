package snapshot

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

// added lists the lines that a change adds.
func added(t *testing.T, c *Change, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(c.Raw)) {
		if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") {
			out = append(out, strings.TrimSpace(line[1:]))
		}
	}
	return strings.Join(out, " ")
}

// A push brings the lines that neither the other side nor a remote of ours is known to have.
func TestBrought(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			env, dir := person(t, ""), t.TempDir()
			git := func(args ...string) string { return as(t, env, dir, args...) }
			commit := func(name, line string) string {
				write(t, dir, name, line+"\n")
				git("add", "-A")
				git("commit", "-q", "-m", line)
				return git("rev-parse", "HEAD")
			}
			git("init", "-q", "-b", "main", "--object-format="+format)
			first := commit("a", "first")
			second := commit("b", "second")
			git("switch", "-q", "-c", "lower", first)
			lower := commit("lower", "lower-line")
			git("switch", "-q", "-c", "upper")
			upper := commit("upper", "upper-line")
			git("switch", "-q", "-c", "updated", "lower")
			git("merge", "-q", "--no-edit", "main")
			updated := git("rev-parse", "HEAD")
			git("switch", "-q", "-c", "left", first)
			left := commit("both", "left-line")
			git("switch", "-q", "-c", "right", first)
			right := commit("both", "right-line")
			git("merge", "-q", "-s", "ours", "--no-edit", "left")
			write(t, dir, "both", "resolved-line\n")
			git("commit", "-qa", "--amend", "--no-edit")
			resolved := git("rev-parse", "HEAD")
			git("switch", "-q", "--orphan", "apart")
			apart := commit("apart", "apart-line")
			git("tag", "-a", "-m", "tag", "v1", upper)
			gone := strings.Repeat("1", len(first))

			l := localAs(t, dir, env)
			brought := func(head string, known ...string) string {
				c, err := l.Brought(t.Context(), head, known)
				return added(t, c, err)
			}
			for name, c := range map[string][2]string{
				"all of a new repository":                    {brought(second), "first second"},
				"lines of one side":                          {brought(upper, lower), "upper-line"},
				"two commits":                                {brought(upper, first), "lower-line upper-line"},
				"all is there":                               {brought(lower, upper), ""},
				"the same commit":                            {brought(lower, lower), ""},
				"a commit that is not here":                  {brought(upper, gone, lower), "upper-line"},
				"a merge of the default branch":              {brought(updated, second), "lower-line"},
				"a merge of two that the other side has":     {brought(updated, second, lower), ""},
				"lines that resolve a conflict":              {brought(resolved, left, right), "resolved-line"},
				"a history of its own":                       {brought(apart, second), "apart-line"},
				"a tag":                                      {brought(git("rev-parse", "v1"), lower), "upper-line"},
				"a name that could be an option is left out": {brought(upper, "--all", lower), "upper-line"},
			} {
				if c[0] != c[1] {
					t.Errorf("%s: %q, want %q", name, c[0], c[1])
				}
			}
			tag, file := git("rev-parse", "v1"), git("hash-object", "-w", filepath.Join(dir, "apart"))
			news, err := l.News(t.Context(), []string{apart, first, upper, lower, tag, file}, []string{second, lower, gone})
			if want := []string{apart, upper, tag, file}; err != nil || !slices.Equal(news, want) {
				t.Errorf("news %q, want %q, %v", news, want, err)
			}
			git("update-ref", "refs/remotes/other/lower", lower) // tracking branches of any remote count
			if got := brought(upper); got != "upper-line" {
				t.Errorf("a branch on top of one that a remote has: %q", got)
			}
			for name, object := range map[string]string{"a file": file, "a folder": git("rev-parse", apart+"^{tree}")} {
				if got := brought(object); !strings.Contains(got, "apart-line") {
					t.Errorf("%s is pushed: %q", name, got)
				}
			}
			if _, err := l.Brought(t.Context(), gone, nil); !errs.Is(err, errs.NotFound) {
				t.Errorf("an object that is not there is pushed: %v", err)
			}
		})
	}
}

func TestBroughtIsBounded(t *testing.T) {
	t.Parallel()
	l := local(t, func() string { dir, _, _ := newRepo(t); return dir }())
	if _, err := l.mergeCommits(t.Context(), make([]string, maxBorders+1)); !errs.Is(err, errs.TooLarge) {
		t.Errorf("%v", err)
	}
}

// The error of a partial clone names the command that fetches the missing objects. The review does not
// run it, and works after it.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	env, up, marks := person(t, ""), t.TempDir(), t.TempDir()
	as(t, env, up, "init", "-q", "-b", "main")
	for _, text := range []string{"first", "second"} {
		write(t, up, "a", text+"\n"+sixLines)
		write(t, up, "same", "same\n")
		as(t, env, up, "add", "-A")
		as(t, env, up, "commit", "-q", "-m", text)
	}
	as(t, env, up, "config", "uploadpack.allowFilter", "true")
	as(t, env, up, "config", "uploadpack.allowAnySHA1InWant", "true")
	dir := filepath.Join(t.TempDir(), "clone")
	as(t, env, up, "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+up, dir)
	as(t, env, dir, "config", "remote.origin.uploadpack", "touch "+marks+"/fetched; git-upload-pack")
	l := localAs(t, dir, env)
	_, err := l.Range(t.Context(), "HEAD~1", "HEAD")
	if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "partial clone") {
		t.Fatalf("%v", err)
	}
	if _, err := l.Commit(t.Context(), strings.Repeat("1", 40)); !errs.Is(err, errs.NotFound) {
		t.Errorf("a commit that is nowhere: %v", err)
	}
	if _, err := l.Brought(t.Context(), "HEAD", []string{as(t, env, dir, "rev-parse", "HEAD~1"),
		strings.Repeat("1", 40)}); err != nil && !errs.Is(err, errs.Unavailable) {
		t.Errorf("%v", err)
	}
	nothingRan(t, marks)
	_, after, _ := strings.Cut(err.Error(), "`git ")
	command, _, _ := strings.Cut(after, "`")
	as(t, env, dir, strings.Fields(command)...)
	if entries, _ := os.ReadDir(marks); len(entries) == 0 {
		t.Error("the trap does not work")
	}
	c, err := l.Range(t.Context(), "HEAD~1", "HEAD")
	if got := added(t, c, err); got != "second" {
		t.Errorf("%q", got)
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "partial clone") {
		t.Errorf("notes %q", c.Notes)
	}
}

// Objects that are missing for another reason are named as such.
func TestMissingObjects(t *testing.T) {
	t.Parallel()
	dir, base, head := newRepo(t)
	blob := testkit.Git(t, dir, "rev-parse", "HEAD:main.go")
	testkit.OK(t, os.Remove(filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])))
	l := local(t, dir)
	if _, err := l.Range(t.Context(), base, head); !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "git fsck") {
		t.Errorf("%v", err)
	}
}

// A bare repository has ranges, and nothing else.
func TestBareRepository(t *testing.T) {
	t.Parallel()
	dir, base, head := newRepo(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	testkit.Git(t, dir, "clone", "-q", "--bare", dir, bare)
	l := local(t, bare)
	if c, err := l.Range(t.Context(), base, head); err != nil || len(c.Raw) == 0 {
		t.Errorf("%v", err)
	}
	for name, f := range map[string]func() (*Change, error){"working tree": func() (*Change, error) { return l.Worktree(t.Context(), "") },
		"index": func() (*Change, error) { return l.Staged(t.Context(), "") }} {
		if _, err := f(); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "--range") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Paths may begin with characters that have a meaning in the file of alternates.
func TestOddPlaces(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`"quoted"`, "#hash", "ünï", `back\slash`, "sp ace"} {
		dir := filepath.Join(t.TempDir(), name)
		testkit.OK(t, os.CopyFS(dir, os.DirFS(func() string { dir, _, _ := newRepo(t); return dir }())))
		l := local(t, dir)
		if c, err := l.Range(t.Context(), "HEAD~1", "HEAD"); err != nil || len(c.Raw) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// localAs opens a checkout as a person until the test ends.
func localAs(t *testing.T, dir string, env []string) *Local {
	t.Helper()
	l, err := OpenLocal(t.Context(), dir, LocalOptions{Environ: env})
	testkit.OK(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}
