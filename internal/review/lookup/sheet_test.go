package lookup

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/testkit"
)

// If the shown part of a line leaves out the beginning of a comment, the lines after it still count as
// a comment, so they prove nothing.
func TestACommentThatBeginsBehindWhatIsShown(t *testing.T) {
	t.Parallel()
	const guard = "if (!user.isAdmin) throw new Forbidden();"
	f := &File{Path: "auth.ts", language: "TypeScript", Lines: []string{"x = " + strings.Repeat("1 + ", 200) + "1; /*", guard, "*/", "return allowedForEverybody(user);"}}
	s := newSheet(ClaimTokens)
	s.show(f, "", 1, len(f.Lines), 300)
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

// Lines that the change added have a mark.
func TestSheetMarksAddedLines(t *testing.T) {
	t.Parallel()
	set, err := diff.Parse([]byte("diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n one\n-two\n+new\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := &File{Path: "a.go", Lines: []string{"one", "new"}, added: addedLines(set.File("a.go"))}
	out := newSheet(1000)
	out.show(f, "", 1, 2, toolWidth)
	testkit.Equal(t, "shown", out.String(), "--- a.go\n    1   one\n    2 + new\n")
}
