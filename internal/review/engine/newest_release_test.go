package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// releasing is a source whose newest release has some files.
type releasing struct {
	grepped
	version string
	files   map[string]string
	failed  error
	reads   atomic.Int64
}

func (r *releasing) Released(ctx context.Context, path string) (string, []byte, error) {
	r.reads.Add(1)
	if r.failed != nil || r.version == "" {
		return "", nil, r.failed
	}
	if content, ok := r.files[path]; ok {
		return r.version, []byte(content), ctx.Err()
	}
	return r.version, nil, fs.ErrNotExist
}

// A claim about a removed name says whether the newest release has it.
func TestTheNewestReleaseOfARemovedName(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"price.go": "package p\n\nfunc RoundUp(n int) int {\n\treturn n + 1\n}\n\nfunc Other() {}\n"}
	head := enginetest.Tree{"price.go": "package p\n\nfunc Other() {}\n"}
	for name, tt := range map[string]struct {
		release *releasing
		want    string
	}{
		"it has the name":     {&releasing{version: "v1.4.0", files: base}, "v1.4.0 defines RoundUp at price.go:3\n"},
		"it has another name": {&releasing{version: "v1.4.0", files: head}, "v1.4.0 does not define RoundUp in price.go\n"},
		"it uses the name":    {&releasing{version: "v1.4.0", files: map[string]string{"price.go": "package p\n\nvar a = RoundUp(1)\n"}}, "v1.4.0 does not define RoundUp in price.go\n"},
		"a method":            {&releasing{version: "v1.4.0", files: map[string]string{"price.go": "package p\n\nfunc (t T) RoundUp() {}\n"}}, "v1.4.0 does not define RoundUp in price.go\n"},
		"no such file":        {&releasing{version: "v1.4.0"}, "v1.4.0 does not have the file price.go\n"},
		"no release":          {&releasing{}, ""},
		"no answer":           {&releasing{failed: errors.New("PRIVATE")}, "[the newest release could not be read]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prompt := ""
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(candidate{Path: "price.go", Side: "LEFT", Start: 3, End: 3, Quote: "func RoundUp(n int) int {", Category: "bug",
				RuleKey: "contract-break", Severity: "high", Title: "RoundUp is gone", Explanation: "Callers do not compile.", Trigger: "always", Evidence: []citation{}}),
				verify: func(_ int, user string) (llm.Response, error) {
					prompt += user
					return judged("unproven", "func RoundUp(n int) int {")
				}})
			in.shows(base, head, nil)
			tt.release.grepped = grepped{in.Source.(enginetest.Files), &[]snapshot.Query{}}
			in.Source = tt.release
			review(t, in, Deps{})
			want := "in the newest release:\n```\n" + tt.want + "```\n"
			if !strings.Contains(prompt, "claim") || strings.Contains(prompt, want) != (tt.want != "") || tt.want == "" && strings.Contains(prompt, "newest release") || strings.Contains(prompt, "PRIVATE") {
				t.Errorf("the verifier gets:\n%s", prompt)
			}
			testkit.Equal(t, "reads", tt.release.reads.Load(), 1)
		})
	}
}

func TestFilesOfTheNewestReleaseAreBounded(t *testing.T) {
	t.Parallel()
	src := &releasing{version: "cart/v1.0.0\u202e", files: map[string]string{"f0.go": "package p\n\nfunc A() {}\n"}}
	n := &newestRelease{src: src, logger: slog.New(slog.DiscardHandler), files: map[string]*releasedFile{}}
	var got []string
	for i := range maxReleased + 1 {
		s := &around.Symbol{File: &diff.File{Path: fmt.Sprintf("f%d.go", i), Status: diff.Modified, Language: "Go"}}
		for _, s.Name = range []string{"A", "B"} {
			s.Lines[0] = structure.Symbol{Name: s.Name}
			got = append(got, n.defines(t.Context(), s))
		}
	}
	testkit.Equal(t, "reads", src.reads.Load(), maxReleased)
	testkit.Equal(t, "the first", got[0], "cart/v1.0.0 defines A at f0.go:3\n")
	testkit.Equal(t, "its other name", got[1], "cart/v1.0.0 does not define B in f0.go\n")
	testkit.Equal(t, "beyond the bound", got[2*maxReleased], "[not looked up for A: a review reads 4 files of the newest release]\n")
}
