package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// The beginning of a comment that is cut off a long line still makes a comment of what
// follows: it proves nothing.
func TestACommentThatBeginsBehindWhatIsShown(t *testing.T) {
	t.Parallel()
	const guard = "if (!user.isAdmin) throw new Forbidden();"
	f := &looked{path: "auth.ts", language: "TypeScript", lines: []string{"x = " + strings.Repeat("1 + ", 200) + "1; /*", guard, "*/", "return allowedForEverybody(user);"}}
	s := newSheet(claimTokens)
	s.show(f, "", 1, len(f.lines), 300)
	if text := s.String(); strings.Contains(text, "/*") || !strings.Contains(text, guard) || len(s.seen) != 1 {
		t.Fatalf("%d pieces: %s", len(s.seen), text)
	}
	if e := s.seen[0]; e.Proves(guard, e.Bare, false) || e.Proves(guard, e.Code, false) {
		t.Error("a comment proves something")
	}
	if e := s.seen[0]; !e.Proves("return allowedForEverybody(user);", e.Bare, false) {
		t.Error("code proves nothing")
	}
}

// Code that the change has removed from another file is shown as such, and proves
// nothing about code that is there.
func TestRemovedCodeOfAnotherFile(t *testing.T) {
	t.Parallel()
	const check = "if len(all) == 0 { return errNothing }"
	removed := domain.Evidence{Kind: "code", Path: "gone.go", Start: 3, End: 3, Quote: check}
	c := claimOn(t, divides, domain.Right, removed)
	if !strings.Contains(c.Text, "gone.go:1-4 (before the change, no longer there)") {
		t.Errorf("the claim does not say that it is gone: %s", c.Text)
	}
	if c.refutes(check) || c.confirms(check) {
		t.Error("removed code proves something")
	}
	if !c.confirms("return sum(items) / len(items)") {
		t.Error("the claimed line proves nothing")
	}
	if c := claimOn(t, 5, domain.Left, removed); !c.confirms(check) {
		t.Error("removed code does not confirm a claim about removed lines")
	}
}
