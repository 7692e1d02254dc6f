package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A file and the file that it uses are in the same call, even if other files stand between them in the
// diff.
func TestFilesThatReferToEachOtherShareACall(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var calls []string
	m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
		var paths []string
		for l := range strings.Lines(user) {
			if p, ok := strings.CutPrefix(l, "=== "); ok {
				paths = append(paths, strings.TrimSpace(p))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, strings.Join(paths, " "))
		return findings()(0, "")
	}}
	in := sampleChange(t)
	in.Models = models(m)
	filler := func(n string) string {
		return strings.Repeat(fmt.Sprintf("var _ = %q\n", n+" some text that takes room"), 700)
	}
	in.Tier = tierT2 // one pass over each part
	in.shows(enginetest.Tree{}, enginetest.Tree{"a/cart.go": "package a\n\nfunc Total() int { return 1 }\n" + filler("a"), "b/mail.go": "package b\n" + filler("b"), "c/page.go": "package c\n\nvar sum = a.Total()\n" + filler("c")}, nil)
	review(t, in, Deps{})
	slices.Sort(calls)
	if got := strings.Join(calls, " | "); got != "a/cart.go c/page.go | b/mail.go" {
		t.Errorf("calls about %s", got)
	}
}
