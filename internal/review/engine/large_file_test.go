package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A new file that is too large for one call is reviewed in parts, also if a model takes less than
// expected. If a part of a hunk stays unreviewed, the next run reviews the whole hunk.
func TestALargeNewFile(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	code.WriteString("package x\n")
	for i := range 700 {
		fmt.Fprintf(&code, "\nfunc f%d() int {\n\treturn compute(%d, \"a text that takes some room\")\n}\n", i, i)
	}
	tooLong := &llm.Error{Class: llm.ClassContextLength, Status: 400}
	for name, c := range map[string]struct {
		answer func(n int, user string) (llm.Response, error)
		lines  int // fewest lines that the model saw
		whole  bool
	}{
		"in parts": {func(int, string) (llm.Response, error) { return findings()(0, "") }, 2801, true},
		"a small context": {func(_ int, user string) (llm.Response, error) {
			if len(user) > 20_000 {
				return llm.Response{}, tooLong
			}
			return findings()(0, "")
		}, 2801, true},
		"one part fails": {func(_ int, user string) (llm.Response, error) {
			if strings.Contains(user, "+ func f3()") {
				return llm.Response{}, tooLong
			}
			return findings()(0, "")
		}, 2000, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]bool{}
			var mu sync.Mutex
			m := &scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
				r, err := c.answer(n, user)
				mu.Lock()
				defer mu.Unlock()
				for l := range strings.Lines(user) {
					if number, _, added := strings.Cut(l, " + "); added && err == nil {
						seen[strings.TrimSpace(number)] = true
					}
				}
				return r, err
			}}
			in := sampleChange(t)
			in.Models = models(m)
			in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": code.String()}, nil)
			res := review(t, in, Deps{})
			if len(seen) < c.lines || (len(res.Hunks) == 1) != c.whole || (res.ModelState == ModelComplete) != c.whole {
				t.Errorf("%d lines were seen, hunks %v, %s: %s", len(seen), res.Hunks, res.ModelState, res.ModelNote)
			}
		})
	}
}
