package arch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// maxPage is how many bytes a page for people may have: about what a person reads in ten minutes.
const maxPage = 12 << 10

// overlong returns a sentence that names the page and its size if the page is
// above maxPage, and "" otherwise. Decisions record one choice each and have no bound.
func overlong(page, content string) string {
	if len(content) <= maxPage || strings.HasPrefix(page, "docs/decisions/") {
		return ""
	}
	return fmt.Sprintf("%s has %d bytes, at most %d are allowed: split it by the questions that it answers", page, len(content), maxPage)
}

// TestPagesAreShort bounds every page of docs/ and the pages at the root of the repository.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		if path.Ext(page) != ".md" || path.Dir(page) != "." && !strings.HasPrefix(page, "docs/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		if why := overlong(page, string(content)); why != "" {
			t.Error(why)
		}
	}
}

func TestOverlong(t *testing.T) {
	t.Parallel()
	for page, c := range map[string]struct {
		size int
		want string
	}{
		"docs/a.md":           {maxPage, ""},
		"docs/b.md":           {maxPage + 1, "docs/b.md has 12289 bytes, at most 12288 are allowed: split it by the questions that it answers"},
		"docs/c/d.md":         {20_000, "docs/c/d.md has 20000 bytes, at most 12288 are allowed: split it by the questions that it answers"},
		"docs/decisions/1.md": {20_000, ""},
	} {
		if got := overlong(page, strings.Repeat("x", c.size)); got != c.want {
			t.Errorf("%s: %q, want %q", page, got, c.want)
		}
	}
}
