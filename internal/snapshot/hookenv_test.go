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

// A variable that git sets for a hook is used after a check. A variable that cannot be used is an
// error.
func TestLocalTakesWhatAHookIsTold(t *testing.T) {
	t.Parallel()
	env := person(t, "")
	dir := t.TempDir()
	git := func(args ...string) string { return as(t, env, dir, args...) }
	git("init", "-q", "-b", "main")
	write(t, dir, "sub/a", sixLines)
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	write(t, dir, "sub/a", "changed\n")
	other := filepath.Join(t.TempDir(), "index")
	withIndex := as(t, append(slices.Clone(env), "GIT_INDEX_FILE="+other), dir, "add", "sub/a")
	if withIndex != "" {
		t.Fatal(withIndex)
	}
	quarantine := filepath.Join(t.TempDir(), "objects")
	testkit.OK(t, os.MkdirAll(quarantine, 0o700))
	hidden := append(slices.Clone(env), "GIT_OBJECT_DIRECTORY="+quarantine,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(dir, ".git", "objects"))
	commit := as(t, hidden, dir, "commit-tree", as(t, append(slices.Clone(hidden), "GIT_INDEX_FILE="+other), dir, "write-tree"), "-p",
		"HEAD", "-m", "hidden")
	detachedDir := filepath.Join(t.TempDir(), "git")
	testkit.OK(t, os.CopyFS(detachedDir, os.DirFS(filepath.Join(dir, ".git"))))
	elsewhere := t.TempDir()
	testkit.OK(t, os.CopyFS(elsewhere, os.DirFS(dir)))
	testkit.OK(t, os.RemoveAll(filepath.Join(elsewhere, ".git")))

	staged := func(l *Local) (*Change, error) { return l.Staged(t.Context(), "") }
	worktree := func(l *Local) (*Change, error) { return l.Worktree(t.Context(), "") }
	span := func(l *Local) (*Change, error) { return l.Range(t.Context(), "HEAD", commit) }
	for name, c := range map[string]struct {
		dir  string
		vars []string
		make func(*Local) (*Change, error)
		want string
	}{
		"nothing":                           {dir, nil, staged, ""},
		"an index":                          {dir, []string{"GIT_INDEX_FILE=" + other}, staged, "sub/a"},
		"an index by its place in the tree": {filepath.Join(dir, "sub"), []string{"GIT_INDEX_FILE=.git/index"}, staged, ""},
		"a git directory from below":        {filepath.Join(dir, "sub"), []string{"GIT_DIR=" + filepath.Join(dir, ".git")}, worktree, "sub/a"},
		"a git directory elsewhere":         {elsewhere, []string{"GIT_DIR=" + detachedDir}, worktree, "sub/a"},
		"and a working tree":                {t.TempDir(), []string{"GIT_DIR=" + detachedDir, "GIT_WORK_TREE=" + elsewhere}, worktree, "sub/a"},
		"objects in quarantine": {dir, []string{"GIT_OBJECT_DIRECTORY=" + quarantine,
			"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(dir, ".git", "objects") + ":/nowhere"}, span, "sub/a"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := OpenLocal(t.Context(), c.dir, LocalOptions{Environ: append(slices.Clone(env), c.vars...)})
			testkit.OK(t, err)
			defer l.Close()
			change, err := c.make(l)
			if got := strings.Join(seen(t, change, err), " "); got != c.want {
				t.Errorf("%q differ, want %q", got, c.want)
			}
		})
	}
	for name, want := range map[string]string{
		"GIT_DIR=/nowhere": "GIT_DIR", "GIT_INDEX_FILE=" + dir: "GIT_INDEX_FILE", "GIT_INDEX_FILE=/nowhere/index": "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY=/nowhere": "GIT_OBJECT_DIRECTORY",
		"GIT_OBJECT_DIRECTORY=" + other: "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + other: "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_ATTR_SOURCE=HEAD": "GIT_ATTR_SOURCE", "GIT_GRAFT_FILE=x": "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE=refs/x": "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE=x": "GIT_SHALLOW_FILE",
	} {
		if _, err := OpenLocal(t.Context(), dir, LocalOptions{Environ: append(slices.Clone(env), name)}); !errs.Is(err,
			errs.Invalid) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "unset it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A checkout that another user owns is refused with instructions, unless the person trusts it.
func TestLocalOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a file to another user")
	}
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "sub/a", "x")
	testkit.OK(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, 12345, 12345)
	}))
	mine := filepath.Join(t.TempDir(), "index")
	write(t, filepath.Dir(mine), "index", "")
	testkit.OK(t, os.Chown(mine, 54321, 54321))
	for name, c := range map[string]struct {
		config string
		vars   []string
		trust  bool
		want   string // of the error
	}{
		"no word":              {"", nil, false, "safe.directory " + dir},
		"trusted by a flag":    {"", nil, true, ""},
		"by the configuration": {"[safe]\n\tdirectory = " + dir + "\n", nil, false, ""},
		"by a variable": {"", []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory",
			"GIT_CONFIG_VALUE_0=" + dir}, false, ""},
		"another one is trusted": {"[safe]\n\tdirectory = /elsewhere\n", nil, false, "--trust-owner"},
		"by sudo":                {"", []string{"SUDO_UID=12345"}, false, ""},
		"named, no word": {"", []string{"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_WORK_TREE=" + dir}, false,
			"--trust-owner"},
		"named, by the configuration": {"[safe]\n\tdirectory = " + dir + "\n",
			[]string{"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_WORK_TREE=" + dir}, false, ""},
		"named, all are trusted": {"[safe]\n\tdirectory = *\n", []string{"GIT_DIR=" + filepath.Join(dir, ".git"),
			"GIT_WORK_TREE=" + dir}, false, ""},
		"named, trust is taken back": {"[safe]\n\tdirectory = *\n\tdirectory =\n",
			[]string{"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_WORK_TREE=" + dir}, false, "--trust-owner"},
		"named, by a flag":                    {"", []string{"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_WORK_TREE=" + dir}, true, ""},
		"an index of a third user":            {"[safe]\n\tdirectory = *\n", []string{"GIT_INDEX_FILE=" + mine}, false, "GIT_INDEX_FILE"},
		"an index of a third user, by a flag": {"", []string{"GIT_INDEX_FILE=" + mine}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := OpenLocal(t.Context(), filepath.Join(dir, "sub"), LocalOptions{Environ: append(person(t, c.config), c.vars...),
				TrustOwner: c.trust})
			if c.want == "" {
				testkit.OK(t, err)
				testkit.OK(t, l.Close())
			} else if !errs.Is(err, errs.Forbidden) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want an error with %q", err, c.want)
			}
		})
	}
	as(t, append(person(t, ""), "GIT_DIR="+filepath.Join(dir, ".git")), dir, "config", "safe.directory", "*")
	if _, err := OpenLocal(t.Context(), dir, LocalOptions{Environ: append(person(t, ""), "GIT_DIR="+filepath.Join(dir, ".git"),
		"GIT_WORK_TREE="+dir)}); !errs.Is(err, errs.Forbidden) {
		t.Errorf("the checkout says itself that it is safe: %v", err)
	}
}

func TestSplitPaths(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{"": nil, "/a": {"/a"}, "/a:/b": {"/a", "/b"}, `"/a:b":/c`: {"/a:b", "/c"}, ":/a::": {"/a"}, `"open`: {`"open`}, `"a\"b"`: {`a"b`}} {
		if got := splitPaths(list); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}
