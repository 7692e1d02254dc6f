package review

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/engine"
)

const placesDiff = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,3 +1,4 @@
 package a
+// new

 // end
@@ -40,2 +41,3 @@
 x
+y
 z
`

// If the host keeps a part of a refused create, lines are checked first.
func TestPlaces(t *testing.T) {
	t.Parallel()
	in := engine.Input{Diff: []byte(placesDiff)}
	w := &work{can: codehost.CapabilitiesOf(domain.Gitea)}
	placed, err := w.places(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		at   codehost.DraftComment
		want bool
	}{
		"a changed line":       {codehost.DraftComment{Path: "a.go", Side: "RIGHT", Line: 2}, true},
		"several in one hunk":  {codehost.DraftComment{Path: "a.go", Side: "RIGHT", StartLine: 1, Line: 4}, true},
		"over two hunks":       {codehost.DraftComment{Path: "a.go", Side: "RIGHT", StartLine: 2, Line: 42}, false},
		"the old side":         {codehost.DraftComment{Path: "a.go", Side: "LEFT", Line: 41}, true},
		"beyond the hunks":     {codehost.DraftComment{Path: "a.go", Side: "RIGHT", Line: 20}, false},
		"beyond the file":      {codehost.DraftComment{Path: "a.go", Side: "RIGHT", Line: 9999}, false},
		"another file":         {codehost.DraftComment{Path: "b.go", Side: "RIGHT", Line: 2}, false},
		"no line":              {codehost.DraftComment{Path: "a.go", Side: "RIGHT"}, false},
		"begins before a hunk": {codehost.DraftComment{Path: "a.go", Side: "RIGHT", StartLine: 30, Line: 42}, false},
	} {
		if got := placed(publish.Comment{DraftComment: tc.at}); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	w.can = codehost.CapabilitiesOf(codehost.GitHub)
	if placed, err = w.places(t.Context(), in); err != nil || !placed(publish.Comment{}) {
		t.Error("where nothing is left of a refused create, the host says it")
	}
}
