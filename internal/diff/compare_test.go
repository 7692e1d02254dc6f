package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// Applying the hunks to the old text gives the new text, and the lines that they do not show are the same on
// both sides.
func TestCompareIsACompleteDiff(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%d\n", r.IntN(4))
		}
		return strings.TrimSuffix(b.String(), strings.Repeat("\n", r.IntN(2)))
	}
	for range 3000 {
		a, b := text(r.IntN(30)), text(r.IntN(30))
		f := &File{Path: "a", Status: Modified}
		f.Rewrite([]byte(a), []byte(b))
		before, after := textLines([]byte(a)), textLines([]byte(b))
		var got []string
		at := 0
		for _, h := range f.Hunks {
			for ; at+1 < h.OldStart || h.OldLines == 0 && len(got)+1 < h.NewStart; at++ {
				got = append(got, before[at])
			}
			for _, l := range h.Lines {
				if l.Old > 0 {
					if l.Old != at+1 || strings.TrimSuffix(before[at], "\n") != l.Text {
						t.Fatalf("%q to %q: line %d is out of place", a, b, l.Old)
					}
					at++
				}
				if l.New > 0 {
					if l.New != len(got)+1 {
						t.Fatalf("%q to %q: new line %d is out of place", a, b, l.New)
					}
					got = append(got, after[l.New-1])
				}
			}
		}
		got = append(got, before[at:]...)
		if strings.Join(got, "") != b {
			t.Fatalf("%q to %q gives %q", a, b, strings.Join(got, ""))
		}
	}
}

// Comparing two versions without a common line takes time and memory proportional to their lines.
func TestCompareIsBounded(t *testing.T) {
	t.Parallel()
	var a, b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
	}
	f := &File{Path: "a", Status: Modified}
	f.Rewrite([]byte(a.String()), []byte(b.String()))
	if f.Additions != 50_000 || f.Deletions != 50_000 || len(f.Hunks) != 1 {
		t.Errorf("%d added, %d removed, %d hunks", f.Additions, f.Deletions, len(f.Hunks))
	}
}

func TestNoCommentStandsInABinaryFile(t *testing.T) {
	t.Parallel()
	f := &File{Path: "a", Status: Added, Binary: true}
	f.Rewrite(nil, []byte("a\nb"))
	if f.Additions != 2 || !f.Hunks[0].Lines[1].NoEOL {
		t.Errorf("hunks %+v", f.Hunks)
	}
	if _, ok := f.Commentable(domain.Right, 1); ok {
		t.Error("the host shows no line of it")
	}
}
