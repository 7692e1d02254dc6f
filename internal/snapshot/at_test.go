package snapshot

import (
	"strings"
	"testing"
)

// A version lists the given paths, folders with all their files. Names are literal: neither patterns
// nor options.
func TestFilesOfAVersion(t *testing.T) {
	t.Parallel()
	s := scratch(t, "")
	commits, err := s.Commit(t.Context(), Version{Files: map[string]string{"AGENTS.md": "a", "x/AGENTS.md": "b", ".cursor/rules/a/b.mdc": "c",
		"a[b]*/AGENTS.md": "d", "ab/AGENTS.md": "e", "--long": "f"}})
	if err != nil {
		t.Fatal(err)
	}
	at := s.At(commits[0])
	got, err := at.List(t.Context(), ".cursor/rules", "AGENTS.md", "a[b]*/AGENTS.md", "x/CLAUDE.md", "--long")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range got {
		names = append(names, e.Path)
	}
	if strings.Join(names, " ") != "--long .cursor/rules/a/b.mdc AGENTS.md a[b]*/AGENTS.md" || got[2].Size != 1 {
		t.Errorf("listed %+v", got)
	}
	if b, err := at.Blob(t.Context(), "x/AGENTS.md"); err != nil || string(b) != "b" {
		t.Errorf("read %q, %v", b, err)
	}
}
