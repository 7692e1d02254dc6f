package local

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/testkit"
)

// reviewed runs a review of a checkout with variables of the environment, and returns the
// paths with findings and the exit code.
func reviewed(t *testing.T, o Options, vars ...string) (string, int, error) {
	t.Helper()
	o.Checks, o.Environ = checker, append([]string{"HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}, vars...)
	r, err := Run(t.Context(), o)
	if err != nil {
		return "", report.ExitError, err
	}
	low := domain.Low
	return strings.Join(slices.Sorted(maps.Keys(paths(r))), " "), r.ExitCode(&low), nil
}

// pullRequest makes a repository whose main moved on after a branch with a defect left it.
func pullRequest(t *testing.T) (dir, fork string) {
	t.Helper()
	dir = repo(t)
	fork = testkit.Git(t, dir, "rev-parse", "HEAD")
	testkit.Git(t, dir, "branch", "release/1.x")
	testkit.Git(t, dir, "switch", "--quiet", "-c", "topic")
	write(t, dir, "bug.go", conflict("B"))
	commit(t, dir, "a defect")
	testkit.Git(t, dir, "switch", "--quiet", "main")
	write(t, dir, "later.go", "package shop\n")
	commit(t, dir, "later")
	return dir, fork
}

// The pipeline names the target of a pull request. If the target is not in the clone, the error names
// the variable, the attempts and a remedy.
func TestTheTargetOfAPullRequest(t *testing.T) {
	t.Parallel()
	src, fork := pullRequest(t)
	dir := filepath.Join(t.TempDir(), "ci")
	testkit.Git(t, src, "clone", "-q", src, dir)
	testkit.Git(t, dir, "checkout", "-q", "--detach", "origin/topic")
	testkit.Git(t, dir, "remote", "set-head", "origin", "--delete")
	for _, vars := range [][]string{
		{"GITHUB_BASE_REF=release/1.x"}, {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main"}, {"SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/release/1.x"}, {"SYSTEM_PULLREQUEST_TARGETBRANCHNAME=main"},
		{"BITBUCKET_PR_DESTINATION_BRANCH=main"}, {"CHANGE_TARGET=main"}, {"CHANGE_TARGET=origin/main"}, {"DRONE_TARGET_BRANCH=main",
			"DRONE_BUILD_EVENT=pull_request"}, {"BUILDKITE_PULL_REQUEST_BASE_BRANCH=main"},
		{"CI_MERGE_REQUEST_DIFF_BASE_SHA=" + fork}, {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME=gone",
			"CI_MERGE_REQUEST_DIFF_BASE_SHA=" + fork}, {"CI_COMMIT_TARGET_BRANCH=main"},
		{"CODEBUILD_WEBHOOK_BASE_REF=refs/heads/main"}, {"TRAVIS_BRANCH=main",
			"TRAVIS_PULL_REQUEST=7"}, {"PULL_BASE_SHA=" + fork}, {"ghprbTargetBranch=main"}, {"gitlabTargetBranch=main"},
	} {
		if got, code, err := reviewed(t, Options{Dir: dir}, append(vars, "CI=true")...); got != "bug.go" || code != report.ExitFindings {
			t.Errorf("%v: findings in %q, exit code %d, %v", vars, got, code, err)
		}
		name, _, _ := strings.Cut(vars[0], "=")
		value := "gone"
		if strings.HasSuffix(name, "_SHA") {
			value = strings.Repeat("1", 40)
		}
		_, _, err := reviewed(t, Options{Dir: dir}, append(vars[1:len(vars):len(vars)], name+"="+value)...)
		if len(vars) == 1 && (err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(),
			"--base") || !strings.Contains(err.Error(), value)) {
			t.Errorf("%s names something missing: %v", name, err)
		}
	}
	if got, _, err := reviewed(t, Options{Dir: dir, Base: "HEAD~1"}, "GITHUB_BASE_REF=gone"); got != "bug.go" || err != nil {
		t.Errorf("--base is stronger than a variable: %q, %v", got, err)
	}
	testkit.Git(t, dir, "checkout", "-q", "--detach", "origin/main")
	for _, vars := range [][]string{{"GITHUB_BASE_REF=main"}, {"CI=true"},
		{"DRONE_TARGET_BRANCH=topic", "DRONE_BUILD_EVENT=push", "DRONE=true"}, {"CI=1", "GITHUB_BASE_REF="}, {"TRAVIS_BRANCH=topic",
			"TRAVIS_PULL_REQUEST=false", "CI=true"}} {
		if _, _, err := reviewed(t, Options{Dir: dir}, vars...); err == nil || !strings.Contains(err.Error(), "--base") {
			t.Errorf("%v: the base itself is checked out: %v", vars, err)
		}
	}
	testkit.Git(t, dir, "checkout", "-q", "--detach", fork) // main has all of it
	if _, _, err := reviewed(t, Options{Dir: dir}, "GITHUB_BASE_REF=main"); err == nil || !strings.Contains(err.Error(),
		"check out the head") {
		t.Errorf("a commit of the base is checked out: %v", err)
	}
	write(t, dir, "made.txt", "by the job\n")
	testkit.Git(t, dir, "checkout", "-q", "--detach", "origin/main")
	if _, code, err := reviewed(t, Options{Dir: dir}, "CI=true"); code != report.ExitError || err != nil {
		t.Errorf("only the job's own files were looked at: exit code %d, %v", code, err)
	}
}

// A job that has checked out the base is not clean because of files that are not committed.
func TestAJobThatCheckedOutTheBase(t *testing.T) {
	t.Parallel()
	src, fork := pullRequest(t)
	for name, vars := range map[string][]string{
		"GitHub": {"GITHUB_BASE_REF=main"}, "GitHub in a job": {"GITHUB_BASE_REF=main", "CI=true"}, "GitLab": {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main"},
		"a commit": {"CI_MERGE_REQUEST_DIFF_BASE_SHA=" + fork}, "Azure": {"SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main", "TF_BUILD=True"}, "Bitbucket": {"BITBUCKET_PR_DESTINATION_BRANCH=main"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "ci")
			testkit.Git(t, src, "clone", "-q", src, dir)
			testkit.Git(t, dir, "checkout", "-q", "--detach", fork)
			for _, of := range []func(){
				func() { write(t, dir, "junk.txt", "made by the job\n") },
				func() { testkit.Git(t, dir, "add", "junk.txt") },
				func() {
					testkit.Git(t, dir, "rm", "-q", "-f", "junk.txt")
					write(t, dir, "shop.go", before+"\n// changed by the job\n")
				},
			} {
				of()
				for _, paths := range [][]string{nil, {"shop.go"}} {
					if _, code, err := reviewed(t, Options{Dir: dir, Paths: paths}, vars...); code != report.ExitError || err != nil {
						t.Errorf("%v: exit code %d, %v", paths, code, err)
					}
				}
			}
			write(t, dir, "bug.go", conflict("U"))
			if got, code, _ := reviewed(t, Options{Dir: dir}, vars...); got != "bug.go" || code != report.ExitFindings {
				t.Errorf("a finding of a file that is not committed: %q, exit code %d", got, code)
			}
			if _, code, err := reviewed(t, Options{Dir: dir, Base: "HEAD", Paths: []string{"shop.go"}}, vars...); code != report.ExitClean || err != nil {
				t.Errorf("--base asks for uncommitted changes: exit code %d, %v", code, err)
			}
		})
	}
}

// Without a base the review is not called clean, unless the checkout has nothing to compare.
func TestNoBaseIsKnown(t *testing.T) {
	t.Parallel()
	src, _ := pullRequest(t)
	into := func(name string, args ...string) string {
		dir := filepath.Join(t.TempDir(), name)
		testkit.Git(t, src, append(append([]string{"clone", "-q"}, args...), "file://"+src, dir)...)
		return dir
	}
	single := into("single", "--single-branch", "--branch", "release/1.x")
	clean := into("clean")
	other := into("other", "--origin", "upstream")
	testkit.Git(t, other, "checkout", "-q", "-b", "mine", "upstream/topic")
	testkit.Git(t, other, "branch", "-q", "-D", "main")
	shallow := into("shallow", "--depth", "1", "--branch", "topic")
	for name, dir := range map[string]string{"a single branch": single, "the default branch": clean, "a shallow clone": shallow} {
		_, code, err := reviewed(t, Options{Dir: dir})
		if code != report.ExitError || err == nil || !strings.Contains(err.Error(), "--base") || !strings.Contains(err.Error(),
			"origin/HEAD, origin/main, origin/master") {
			t.Errorf("%s: exit code %d, %v", name, code, err)
		}
		if err != nil && strings.Contains(err.Error(), "shallow") != (dir == shallow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nothing := t.TempDir()
	testkit.Git(t, nothing, "init", "-q", "-b", "main")
	testkit.Git(t, nothing, "remote", "add", "origin", "file://"+src)
	testkit.Git(t, nothing, "fetch", "-q", "origin")
	for name, vars := range map[string][]string{"nothing is checked out": nil,
		"nothing is checked out in a job": {"GITHUB_BASE_REF=main", "CI=true"}} {
		if _, code, err := reviewed(t, Options{Dir: nothing}, vars...); code != report.ExitError || err == nil || !strings.Contains(err.Error(),
			"--range") {
			t.Errorf("%s: exit code %d, %v", name, code, err)
		}
	}
	if got, code, err := reviewed(t, Options{Dir: other}); got != "bug.go" || code != report.ExitFindings {
		t.Errorf("another name of the remote: %q, exit code %d, %v", got, code, err)
	}
	if _, code, err := reviewed(t, Options{Dir: src}); code != report.ExitClean || err != nil {
		t.Errorf("main of a repository without a remote: exit code %d, %v", code, err)
	}
	write(t, single, "bug.go", conflict("U"))
	if got, code, err := reviewed(t, Options{Dir: single}); got != "bug.go" || code != report.ExitFindings {
		t.Errorf("uncommitted changes are reviewed: %q, exit code %d, %v", got, code, err)
	}
	if got, code, err := reviewed(t, Options{Dir: single, Paths: []string{"shop.go"}}); got != "" || code != report.ExitClean || err != nil {
		t.Errorf("paths without a change in a tree with one: %q, exit code %d, %v", got, code, err)
	}
	if _, code, err := reviewed(t, Options{Dir: clean, Paths: []string{"shop.go"}}); code != report.ExitError || err == nil {
		t.Errorf("paths in a clean tree: exit code %d, %v", code, err)
	}
	testkit.Git(t, shallow, "fetch", "-q", "--depth", "1", "origin", "+main:refs/remotes/origin/main")
	for name, o := range map[string]Options{"base": {Base: "origin/main"}, "range": {Range: "origin/main..HEAD"}, "none": {}} {
		o.Dir = shallow
		if _, _, err := reviewed(t, o); err == nil || !strings.Contains(err.Error(), "shallow") || !strings.Contains(err.Error(), "--unshallow") {
			t.Errorf("%s: two ends of a shallow clone: %v", name, err)
		}
	}
	testkit.Git(t, shallow, "fetch", "-q", "--unshallow", "origin")
	if got, _, err := reviewed(t, Options{Dir: shallow}); got != "bug.go" || err != nil {
		t.Errorf("after the advice: %q, %v", got, err)
	}
}

// A branch without a commit is compared with the empty tree. A branch without a common ancestor is
// compared with it if the user asks for it.
func TestTheFirstCommit(t *testing.T) {
	t.Parallel()
	for format, empty := range map[string]string{"sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
		"sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			testkit.Git(t, dir, "init", "-q", "-b", "main", "--object-format="+format)
			if _, code, err := reviewed(t, Options{Dir: dir}); code != report.ExitClean || err != nil {
				t.Errorf("an empty repository: exit code %d, %v", code, err)
			}
			write(t, dir, "staged.go", conflict("S"))
			testkit.Git(t, dir, "add", "-A")
			write(t, dir, "new.go", conflict("N"))
			for want, o := range map[string]Options{"new.go staged.go": {}, "staged.go": {Staged: true}} {
				o.Dir = dir
				if got, code, err := reviewed(t, o); got != want || code != report.ExitFindings {
					t.Errorf("%q, want %q, exit code %d, %v", got, want, code, err)
				}
			}
			if _, err := Guidelines(t.Context(), Options{Dir: dir}, "new.go"); err != nil {
				t.Error(err)
			}
			commit(t, dir, "first")
			testkit.Git(t, dir, "checkout", "-q", "--orphan", "apart")
			testkit.Git(t, dir, "rm", "-q", "-rf", ".")
			write(t, dir, "apart.go", conflict("A"))
			if got, _, err := reviewed(t, Options{Dir: dir}); got != "apart.go" || err != nil {
				t.Errorf("an orphan branch without a commit: %q, %v", got, err)
			}
			commit(t, dir, "apart")
			if _, _, err := reviewed(t, Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), empty) {
				t.Errorf("an orphan branch: %v", err)
			}
			for _, o := range []Options{{Base: empty}, {Range: empty + "..HEAD"}, {Staged: true, Base: empty}} {
				o.Dir = dir
				if got, _, err := reviewed(t, o); got != "apart.go" || err != nil {
					t.Errorf("%+v: %q, %v", o.Range, got, err)
				}
			}
		})
	}
}

// git starts an alias at the top of the working tree and passes the folder of the user in a variable.
func TestPathsOfAnAlias(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "sub/new.go", conflict("N"))
	write(t, dir, "sub/shop.go", conflict("S"))
	write(t, dir, "other.go", conflict("O"))
	for name, c := range map[string]struct {
		paths []string
		vars  []string
		want  string
	}{
		"below":                {[]string{"new.go"}, []string{"GIT_PREFIX=sub/"}, "sub/new.go"},
		"from the top":         {[]string{"sub/new.go"}, []string{"GIT_PREFIX=sub/"}, "sub/new.go"},
		"in both":              {[]string{"shop.go"}, []string{"GIT_PREFIX=sub/"}, ""},
		"no prefix":            {[]string{"other.go"}, []string{"GIT_PREFIX="}, "other.go"},
		"an absolute one":      {[]string{filepath.Join(dir, "sub", "new.go")}, []string{"GIT_PREFIX=sub/"}, "sub/new.go"},
		"all":                  {nil, []string{"GIT_PREFIX=sub/"}, "other.go sub/new.go sub/shop.go"},
		"the folder of a hook": {[]string{"sub"}, []string{"GIT_PREFIX=sub/"}, "sub/new.go sub/shop.go"},
	} {
		if got, _, err := reviewed(t, Options{Dir: dir, Paths: c.paths}, c.vars...); got != c.want || err != nil {
			t.Errorf("%s: %q, want %q, %v", name, got, c.want, err)
		}
	}
	if _, _, err := reviewed(t, Options{Dir: dir, Paths: []string{"new.go"}}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a path that is not there: %v", err)
	}
	if _, _, err := reviewed(t, Options{Dir: dir, Paths: []string{"new.go"}}, "GIT_PREFIX=../"); err == nil || !strings.Contains(err.Error(),
		"GIT_PREFIX") {
		t.Errorf("a prefix that leads out: %v", err)
	}
	elsewhere := t.TempDir()
	at := []string{"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_WORK_TREE=" + dir}
	if got, _, err := reviewed(t, Options{Dir: elsewhere, Paths: []string{filepath.Join(dir, "sub", "new.go")}},
		at...); got != "sub/new.go" || err != nil {
		t.Errorf("from another folder: %q, %v", got, err)
	}
	if _, _, err := reviewed(t, Options{Dir: elsewhere, Paths: []string{"sub"}}, at...); err == nil || !strings.Contains(err.Error(),
		"not inside the working tree") {
		t.Errorf("a path of another folder: %v", err)
	}
}

func TestCommandLinesThatAmend(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]bool{
		"commit --amend": {true, true}, "commit -q --amend -m x": {true, true}, "commit --am": {true, true}, "commit --ame --no-edit": {true,
			true}, "-c a.b=c commit --amend": {true, true}, "-C /x commit --amend": {true, true},
		"commit": {true, false}, "commit -m --amend": {true, false}, "commit -- --amend": {true, false}, "commit --a": {true,
			false}, "commit --amend --no-amend": {true, false}, "commit --message --amend": {true, false},
		"rebase -i": {false, false}, "--no-pager commit --amend": {true, true}, "merge --amend": {false, false}, "": {false,
			false}, "ci --amend": {false, false},
	} {
		if is, amends := commitArguments(strings.Fields(line)); is != want[0] || amends != want[1] {
			t.Errorf("%q: %v, %v", line, is, amends)
		}
	}
	if (Options{Environ: os.Environ()}).isAmending() {
		t.Error("a test is not a hook")
	}
}
