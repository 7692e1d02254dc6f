package gitea

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// history answers comparisons of commits. It maps each commit to its parents.
type history map[string][]string

// full returns the id of a commit with a short name.
func full(name string) string { return strings.Repeat("0", 40-len(name)) + name }

// ancestors returns the ancestors of a commit, including the commit.
func (g history) ancestors(of string) map[string]bool {
	out := map[string]bool{of: true}
	for _, p := range g[of] {
		for a := range g.ancestors(p) {
			out[a] = true
		}
	}
	return out
}

// base returns the merge base of two commits that have one.
func (g history) base(a, b string) string {
	of := g.ancestors(a)
	for c := range g.ancestors(b) {
		if !of[c] {
			continue
		}
		best := true
		for other := range g.ancestors(b) {
			best = best && (!of[other] || g.ancestors(c)[other])
		}
		if best {
			return c
		}
	}
	return ""
}

func (g history) serve(f *fake) {
	for a := range g {
		for b := range g {
			base := g.ancestors(g.base(a, b))
			var list []string
			for c := range g.ancestors(b) {
				if base[c] {
					continue
				}
				var parents []string
				for _, p := range g[c] {
					parents = append(parents, `{"sha":"`+full(p)+`"}`)
				}
				list = append(list, `{"sha":"`+full(c)+`","parents":[`+strings.Join(parents, ",")+`]}`)
			}
			f.json("GET /repos/octo/demo/compare/"+full(a)+"..."+full(b), fmt.Sprintf(`{"total_commits":%d,"commits":[%s]}`, len(list), strings.Join(list, ",")))
		}
	}
}

func TestMergeBase(t *testing.T) {
	t.Parallel()
	g := history{"1": nil, "2": {"1"}, "3": {"2"}, "4": {"3"}, // the base branch
		"a": {"2"}, "b": {"a"}, // a branch
		"c": {"b", "3"}, "d": {"c"}, // that merged the base branch
		"e": {"1"}, "e2": {"e"}, "f": {"d", "e2"}, // and a side branch
	}
	f := newFake(t)
	g.serve(f)
	h := f.host(domain.Gitea)
	for _, tc := range []struct{ base, head, want string }{
		{"2", "2", "2"}, {"2", "4", "2"}, {"4", "2", "2"}, {"4", "b", "2"}, {"b", "4", "2"}, {"4", "d", "3"}, {"3", "d", "3"}, {"4", "f", "3"}, {"f", "4", "3"}, {"e2", "4", "1"}, {"4", "e2", "1"},
	} {
		got, err := h.Compare(t.Context(), testRepo, full(tc.base), full(tc.head))
		of := g.ancestors(g.base(tc.base, tc.head))
		ahead, behind := len(g.ancestors(tc.head))-len(of), len(g.ancestors(tc.base))-len(of)
		if err != nil || got != (codehost.Comparison{MergeBase: full(tc.want), AheadBy: ahead, BehindBy: behind}) {
			t.Errorf("%s...%s: %+v, %v; want %s, %d, %d", tc.base, tc.head, got, err, tc.want, ahead, behind)
		}
	}
}

func TestComparisonsThatSayTooLittle(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no parents":     `{"total_commits":1,"commits":[{"sha":"` + full("9") + `"}]}`,
		"cut":            `{"total_commits":2,"commits":[{"sha":"` + full("9") + `"}]}`,
		"not a document": `[]`,
	} {
		f := newFake(t)
		for _, path := range []string{full("1") + "..." + full("2"), full("2") + "..." + full("1")} {
			f.on("GET /repos/octo/demo/compare/"+path, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, body) })
		}
		if got, err := f.host(domain.Gitea).Compare(t.Context(), testRepo, full("1"), full("2")); codehost.ClassOf(err) != codehost.ClassUnavailable {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
