package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The thread of a fixed finding is closed, and reopened when the finding returns. If the host cannot do
// so or does not permit it, only the comment's text shows the state.
func TestThreadsOfFindingsAreResolved(t *testing.T) {
	for name, tt := range map[string]struct {
		able bool
		err  error
		want string // closed and opened threads, in order
	}{
		"a host that can":         {able: true, want: "resolved true, resolved false"},
		"a host that cannot":      {},
		"an account that may not": {able: true, err: &codehost.Error{Class: codehost.ClassForbidden}},
		"a thread that is gone":   {able: true, err: &codehost.Error{Class: codehost.ClassNotFound}},
		"a comment in no thread":  {able: true, err: &codehost.Error{Class: codehost.ClassInvalid}},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				f.Host.Resolves = tt.able
				f.Host.Fail("resolve", tt.err)
				h.calls("high")
				h.push("a", divides, division)
				h.push("b", "// nothing is left\n")
				testkit.Equal(t, "state", h.known()[0].State, domain.FindingResolved)
				testkit.Equal(t, "outcomes", h.outcomes(0), "fixed")
				if body := f.Host.Comments[0].Body; !strings.Contains(body, "Resolved") {
					t.Errorf("the comment of a finding that is gone: %s", body)
				}
				h.push("c", divides, division)
				testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
				testkit.Equal(t, "outcomes of a finding that is back", h.outcomes(0), "")
				if body := f.Host.Comments[0].Body; !strings.Contains(body, "back") {
					t.Errorf("the comment of a finding that is back: %s", body)
				}
				var got []string
				for _, w := range f.Host.Writes {
					if strings.HasPrefix(w, "resolved") {
						got = append(got, w)
					}
				}
				testkit.Equal(t, "closed and opened", strings.Join(got, ", "), tt.want)
			})
		})
	}
}

// If comments on one line share a thread, it is closed when all our findings there are gone.
func TestAThreadOfSeveralFindings(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		f.Host.Resolves, f.Host.LineThreads = true, true
		share := "\nfunc Share(amount, people int) int {\n\treturn amount / people\n}\n"
		shared := report{quote: "\treturn amount / people", key: "division-by-zero", title: "Share divides by zero for a share of nothing", other: true}
		h.push("a", divides+share, division, shared)
		if len(f.Host.Comments) != 2 {
			t.Fatalf("%d comments, want 2: %+v", len(f.Host.Comments), h.known())
		}
		f.Host.Comments[1].Line = f.Host.Comments[0].Line
		open := func() (n int) {
			for _, c := range f.Host.Comments {
				if c.Open {
					n++
				}
			}
			return n
		}
		h.push("b", share, shared)
		testkit.Equal(t, "open beside a finding that stands", open(), 2)
		h.push("c", "// nothing is left\n")
		testkit.Equal(t, "open once both are gone", open(), 0)
		h.push("d", share, shared)
		testkit.Equal(t, "open as one is back, in its two reviews", open(), 2)
	})
}

// A status that the account may not set does not stop the other updates.
func TestAStatusThatIsRefused(t *testing.T) {
	for _, class := range []codehost.Class{codehost.ClassForbidden, codehost.ClassNotFound} {
		t.Run(string(class), func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				f.Host.Fail("check", &codehost.Error{Class: class})
				h.calls("medium")
				h.push("a", divides, division)
				h.calls("critical")
				h.push("b", dividesMore, editedLine)
				testkit.Equal(t, "severity", h.known()[0].Severity, domain.Critical)
				testkit.Equal(t, "replies", len(f.Host.Said(h.thread())), 1)
			})
		})
	}
}
