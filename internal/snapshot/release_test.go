package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestTheNewestReleaseForAFile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tags, path, want string
	}{
		"numbers, not letters":          {"v1.9.0 v1.10.0 v1.2.0", "a.go", "v1.10.0"},
		"without a v, and short":        {"1.9 1.10", "a.go", "1.10"},
		"not before a release":          {"v1.0.0 v2.0.0-rc.1 v2.0.0-beta nightly latest v3", "a.go", "v1.0.0"},
		"words before the number":       {"release-1.0 release/1.2 rel_1.1", "a.go", "release/1.2"},
		"the folder's own":              {"v9.0.0 cart/v1.0.0 cart/price/v0.1.0 other/v8.0.0", "cart/price/sum.go", "cart/price/v0.1.0"},
		"the folder above":              {"v1.0.0 cart/v1.0.0 cart/v1.1.0", "cart/sum.go", "cart/v1.1.0"},
		"another folder's do not count": {"cart/v1.0.0 car/v1.0.0", "cargo/sum.go", ""},
		"four numbers":                  {"1.2.3.4 1.2.3.10", "a.go", "1.2.3.10"},
		"more than four":                {"1.2.3.4.5", "a.go", ""},
		"numbers beyond any version":    {"99999999999999999999.1 1.0", "a.go", "1.0"},
		"equal versions":                {"v1.0.0 1.0.0", "a.go", "1.0.0"},
		"no tags":                       {"", "a.go", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tags := Tags{}
			for _, tag := range strings.Fields(tt.tags) {
				tags[tag] = "object of " + tag
			}
			got, object := tags.Newest(tt.path)
			testkit.Equal(t, "tag", got, tt.want)
			if got != "" && object != "object of "+got {
				t.Errorf("the object is %q", object)
			}
		})
	}
}

func TestTheTagsOfARemote(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	testkit.Git(t, u.dir, "tag", "v1.0.0", u.base)
	testkit.Git(t, u.dir, "tag", "-a", "-m", "x", "v1.1.0", u.head)
	tags, err := (&Cache{Dir: t.TempDir()}).Tags(t.Context(), u.remote())
	testkit.OK(t, err)
	testkit.Equal(t, "tags", fmt.Sprint(tags), fmt.Sprint(Tags{"v1.0.0": u.base, "v1.1.0": u.head}))
}

func TestAFileOfTheNewestReleaseOfACheckout(t *testing.T) {
	t.Parallel()
	dir, base, head := newRepo(t)
	before := testkit.Git(t, dir, "show", base+":main.go") + "\n"
	released := func(path string) (string, string, error) {
		l, err := OpenLocal(t.Context(), dir, LocalOptions{})
		testkit.OK(t, err)
		defer func() { testkit.OK(t, l.Close()) }()
		c, err := l.Worktree(t.Context(), "")
		testkit.OK(t, err)
		version, content, err := c.Released(t.Context(), path)
		return version, string(content), err
	}
	version, content, err := released("main.go")
	testkit.OK(t, err)
	testkit.Equal(t, "without tags", version+content, "")
	testkit.Git(t, dir, "tag", "-a", "-m", "x", "v1.0.0", base)
	version, content, err = released("main.go")
	testkit.OK(t, err)
	testkit.Equal(t, "with a tag", version+": "+content, "v1.0.0: "+before)
	testkit.Git(t, dir, "tag", "v1.1.0", head)
	l, err := OpenLocal(t.Context(), dir, LocalOptions{})
	testkit.OK(t, err)
	defer func() { testkit.OK(t, l.Close()) }()
	for from, want := range map[string]string{base: "v1.0.0", head: "v1.1.0"} {
		ranged, err := l.Range(t.Context(), from, head)
		testkit.OK(t, err)
		present, err := l.Worktree(t.Context(), from)
		testkit.OK(t, err)
		for _, c := range []*Change{ranged, present} {
			version, _, err = c.Released(t.Context(), "main.go")
			testkit.OK(t, err)
			testkit.Equal(t, "a tag of the head", version, want)
		}
	}
	testkit.Git(t, dir, "tag", "-d", "v1.1.0")
	if version, _, err := released("absent.go"); version != "v1.0.0" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that the release does not have: %q %v", version, err)
	}
}

// A partial clone may lack the files of a release, so that a missing one says nothing about the release.
func TestTheNewestReleaseOfAPartialClone(t *testing.T) {
	t.Parallel()
	from, base, _ := newRepo(t)
	testkit.Git(t, from, "config", "uploadpack.allowFilter", "true")
	testkit.Git(t, from, "tag", "v1.0.0", base)
	dir := filepath.Join(t.TempDir(), "clone")
	testkit.Git(t, t.TempDir(), "clone", "-q", "--filter=blob:none", "file://"+from, dir)
	l, err := OpenLocal(t.Context(), dir, LocalOptions{})
	testkit.OK(t, err)
	defer func() { testkit.OK(t, l.Close()) }()
	c, err := l.Worktree(t.Context(), "")
	testkit.OK(t, err)
	if version, _, err := c.Released(t.Context(), "main.go"); version != "v1.0.0" || !errs.Is(err, errs.Unavailable) {
		t.Errorf("%q %v", version, err)
	}
}
