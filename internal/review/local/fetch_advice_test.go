package local

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// The command that a message prints is enough: the same review works after it.
func TestAdviceForClonesWithoutTheBase(t *testing.T) {
	t.Parallel()
	src, _ := pullRequest(t)
	testkit.Git(t, src, "tag", "v1.0", "release/1.x")
	testkit.Git(t, src, "update-ref", "refs/pull/1/merge", testkit.Git(t, src, "commit-tree", "-p", "main", "-p", "topic", "-m", "merge", "topic^{tree}"))
	testkit.Git(t, src, "config", "uploadpack.allowAnySHA1InWant", "true")
	shallow := []string{"--depth", "1", "--branch", "topic"}
	for name, c := range map[string]struct {
		clone []string
		o     Options
		vars  []string
		make  func(dir string)
	}{
		"no flag":    {clone: shallow},
		"a base":     {clone: shallow, o: Options{Base: "origin/main"}},
		"a branch":   {clone: shallow, o: Options{Base: "main"}},
		"a tag":      {clone: shallow, o: Options{Base: "v1.0"}},
		"a range":    {clone: shallow, o: Options{Range: "origin/main..HEAD"}},
		"a pipeline": {clone: shallow, vars: []string{"GITHUB_BASE_REF=main"}},
		"the base is there": {clone: shallow, o: Options{Base: "origin/main"}, make: func(dir string) {
			testkit.Git(t, dir, "fetch", "-q", "--depth", "1", "origin", "+main:refs/remotes/origin/main")
		}},
		"a commit on top":               {clone: shallow, o: Options{Base: "origin/main"}, make: func(dir string) { write(t, dir, "more.go", "package shop\n"); commit(t, dir, "more") }},
		"the default branch":            {clone: append([]string{"--no-single-branch"}, shallow...)},
		"HEAD of the remote":            {clone: append([]string{"--no-single-branch"}, shallow...), o: Options{Base: "origin/HEAD"}},
		"the remote alone":              {clone: append([]string{"--no-single-branch"}, shallow...), o: Options{Base: "origin"}},
		"a range from HEAD":             {clone: append([]string{"--no-single-branch"}, shallow...), o: Options{Range: "origin/HEAD..HEAD"}},
		"HEAD that is not there":        {clone: shallow, o: Options{Base: "origin/HEAD"}},
		"a whole name":                  {clone: shallow, o: Options{Base: "refs/remotes/origin/main"}},
		"a branch by its whole name":    {clone: shallow, o: Options{Base: "refs/heads/main"}},
		"a step behind":                 {clone: shallow, o: Options{Base: "origin/main~0"}},
		"a tag by its whole name":       {clone: shallow, o: Options{Base: "refs/tags/v1.0"}},
		"HEAD, one branch":              {clone: []string{"--single-branch", "--branch", "topic"}, o: Options{Base: "origin/HEAD"}},
		"a branch of the second remote": {clone: shallow, o: Options{Base: "fork/main"}, make: func(dir string) { testkit.Git(t, dir, "remote", "add", "fork", "file://"+src) }},
		"HEAD of the second remote":     {clone: shallow, o: Options{Base: "fork/HEAD"}, make: func(dir string) { testkit.Git(t, dir, "remote", "add", "fork", "file://"+src) }},
		"HEAD, detached": {clone: append([]string{"--no-single-branch"}, shallow...), o: Options{Base: "origin/HEAD"}, make: func(dir string) {
			testkit.Git(t, dir, "checkout", "-q", "--detach")
		}},
		"another remote": {clone: append([]string{"--origin", "upstream"}, shallow...), o: Options{Base: "upstream/main"}},
		"one branch":     {clone: []string{"--single-branch", "--branch", "topic"}, o: Options{Base: "origin/main"}},
		"a merge of a pull request": {clone: []string{"--depth", "1"}, vars: []string{"GITHUB_BASE_REF=release/1.x"}, make: func(dir string) {
			testkit.Git(t, dir, "fetch", "-q", "--depth", "1", "origin", "+refs/pull/1/merge:refs/remotes/pull/1/merge")
			testkit.Git(t, dir, "checkout", "-q", "--detach", "refs/remotes/pull/1/merge")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "clone")
			testkit.Git(t, src, append(append([]string{"clone", "-q"}, c.clone...), "file://"+src, dir)...)
			if c.make != nil {
				c.make(dir)
			}
			o := c.o
			o.Dir = dir
			got, _, err := reviewed(t, o, c.vars...)
			if err == nil {
				t.Fatalf("there is a base: %q", got)
			}
			_, command, _ := strings.Cut(err.Error(), "`")
			command, rest, is := strings.Cut(command, "`")
			if !is {
				t.Fatalf("no command: %v", err)
			}
			cmd := exec.Command("sh", "-c", command) //nolint:gosec // the program's own advice
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			if name, is := strings.CutPrefix(rest, " and write "); is {
				o.Base = strings.TrimSuffix(strings.Fields(name)[0], ",")
			}
			got, _, err = reviewed(t, o, c.vars...)
			if !strings.Contains(got, "bug.go") || err != nil {
				t.Errorf("found in %q, %v", got, err)
			}
		})
	}
}
