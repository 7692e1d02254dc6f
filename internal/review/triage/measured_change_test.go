package triage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// change returns a diff that adds the given number of lines to each file.
func change(files map[string]int) *diff.Set {
	set := &diff.Set{}
	for path, n := range files {
		class, language := diff.Classify(path, nil)
		set.Files = append(set.Files, &diff.File{Path: path, Status: diff.Modified, Class: class, Language: language, Additions: n})
	}
	slices.SortFunc(set.Files, func(a, b *diff.File) int { return strings.Compare(a.Path, b.Path) })
	return set
}

func TestLook(t *testing.T) {
	t.Parallel()
	names := []string{"documentation", "kind: bug", "size/M", "area: api", "risk: high", "security", "tests"}
	for name, tc := range map[string]struct {
		files map[string]int
		title string
		want  string // size kind risk areas labels
	}{
		"nothing":                    {nil, "", "xs other low [] []"},
		"a document":                 {map[string]int{"docs/a.md": 8}, "fix: typo", "xs docs low [docs] [documentation]"},
		"tests only":                 {map[string]int{"internal/api/a_test.go": 101}, "", "m test low [internal/api] [size/M area: api tests]"},
		"locks do not count":         {map[string]int{"go.sum": 5000, "go.mod": 2}, "", "xs dependencies low [] []"},
		"a title decides":            {map[string]int{"internal/api/a.go": 150, "b.go": 1}, "Fix the sum", "m fix low [internal/api] [kind: bug size/M area: api]"},
		"a title that is not a word": {map[string]int{"a.go": 1}, "fixture for halves", "xs other low [] []"},
		"with a scope":               {map[string]int{"a.go": 1}, "feat(api)!: more", "xs feature low [] []"},
		"sensitive and long":         {map[string]int{"auth/session.go": 300, "auth/token.go": 1, "auth/login.go": 1, "auth/oauth.go": 1}, "", "m other high [auth] [size/M risk: high security]"},
		"workflows":                  {map[string]int{".github/workflows/ci.yml": 3}, "", "xs ci medium [.github] [security]"},
		"very large":                 {map[string]int{"a/b.go": 1501}, "", "xl other medium [a] []"},
		"hidden characters":          {map[string]int{"a\u202eb/c.go": 1}, "", "xs other low [ab] []"},
	} {
		got := measureChange(change(tc.files), tc.title, names)
		if s := fmt.Sprint(got.Size, " ", got.Kind, " ", got.Risk, " ", got.Areas, " ", got.Labels); s != tc.want {
			t.Errorf("%s: %s, want %s", name, s, tc.want)
		}
	}
}

// Input from outside is bounded: names, their number, and the lines that are not shown.
func TestLookBeyondTheBounds(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	var names []string
	for i := range 300 {
		files[fmt.Sprint("folder", i, strings.Repeat("ü", 300), "/a.go")] = 1
		names = append(names, fmt.Sprint("area: folder", i, strings.Repeat("ü", 30)))
	}
	set := change(files)
	set.Files[0].Omitted = "too large"
	got := measureChange(set, strings.Repeat("fix ", 10_000), append(names, "size: xl", "SIZE/XL", "size-xl", "size:xl", "size :xl", "size / xl", "size/xl"))
	if len(got.Areas) != domain.MaxTriageAreas || len(got.Labels) > domain.MaxTriageLabels || got.Size != domain.SizeXL || !got.Cut {
		t.Errorf("%d areas, %d labels, %s", len(got.Areas), len(got.Labels), got.Size)
	}
	for _, a := range got.Areas {
		if len(a) > domain.MaxTriageArea {
			t.Errorf("an area of %d bytes", len(a))
		}
	}
	var p domain.Policy
	for i := range 1000 {
		names = append(names, fmt.Sprint("type: bug", i), "bug")
	}
	if got := candidates(p, append(names, "", "a\nb", strings.Repeat("x", 51))); len(got) > maxCandidates {
		t.Errorf("%d candidates", len(got))
	}
}

// Labels that start reviews are never suggested.
func TestCandidates(t *testing.T) {
	t.Parallel()
	repository := []string{"bug", "BUG", "automerge", "deploy", "area/api", "good first issue", "review", "size/xs", "ci/cd"}
	var p domain.Policy
	p.Triggers.Labels = []string{"Review"}
	if got := fmt.Sprint(candidates(p, repository)); got != "[bug area/api size/xs ci/cd]" {
		t.Error(got)
	}
	p.TriageLabelNames = []string{"automerge", "review", "mine"}
	if got := fmt.Sprint(candidates(p, repository)); got != "[automerge mine]" {
		t.Error(got)
	}
	// The label that starts reviews is not suggested, even if a folder has its name.
	if got := measureChange(change(map[string]int{"automerge/a.go": 1}), "", []string{"automerge"}); len(got.Labels) != 0 {
		t.Errorf("suggested %q", got.Labels)
	}
}
