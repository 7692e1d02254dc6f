package publish_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/publish"
)

// A comment without a place on a line moves to the body, which says so. No comment is dropped silently.
func TestPlaced(t *testing.T) {
	t.Parallel()
	p := two()
	if got := p.Placed(func(publish.Comment) bool { return true }, 0); len(got.Comments) != 2 || got.Body != p.Body {
		t.Errorf("all have a place: %+v", got)
	}
	onA := func(c publish.Comment) bool { return c.Path == "a.go" }
	got := p.Placed(onA, 0)
	if body := got.Body.String(); len(got.Comments) != 1 || got.Comments[0].Path != "a.go" || !strings.Contains(body, "the body\n\n---\n\n") ||
		!strings.Contains(body, "did not accept") || !strings.Contains(body, "`b.go`\n\nanother comment") || len(p.Comments) != 2 {
		t.Errorf("one has no place: %+v", got)
	}
	if body := p.Placed(onA, 1080).Body.String(); strings.Contains(body, "another comment") || !strings.Contains(body, "More comments did not fit here.") {
		t.Errorf("no room: %s", body)
	}
}
