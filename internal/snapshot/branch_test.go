package snapshot

import (
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestTheNewestCommitOfABranch(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	c := &Cache{Dir: t.TempDir()}
	testkit.Git(t, u.dir, "branch", "release/main", u.base)
	for branch, want := range map[string]string{"main": u.head, "release/main": u.base} {
		got, err := c.Branch(t.Context(), u.remote(), branch)
		testkit.OK(t, err)
		testkit.Equal(t, branch, got, want)
	}
	for branch, kind := range map[string]errs.Kind{"none": errs.NotFound, "release": errs.NotFound, "--upload-pack=x": errs.Malformed, "ma*": errs.Malformed, "": errs.Malformed} {
		if got, err := c.Branch(t.Context(), u.remote(), branch); !errs.Is(err, kind) {
			t.Errorf("%q: %q %v, want %v", branch, got, err, kind)
		}
	}
	if got, err := c.DefaultBranch(t.Context(), u.remote()); err != nil || got != "main" {
		t.Errorf("the default branch: %q, %v", got, err)
	}
	testkit.Git(t, u.dir, "symbolic-ref", "HEAD", "refs/heads/none")
	if got, err := c.DefaultBranch(t.Context(), u.remote()); !errs.Is(err, errs.NotFound) {
		t.Errorf("a default branch without commits: %q, %v", got, err)
	}
	wrong := u.remote()
	wrong.Token = secretText("another")
	if _, err := c.Branch(t.Context(), wrong, "main"); !errs.Is(err, errs.Forbidden) {
		t.Errorf("another token: %v", err)
	}
}
