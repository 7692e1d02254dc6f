package github

import (
	"os"
	"strings"
	"testing"
)

// The page for people has every permission and event of the table, with its reason, and no other line.
func TestGitHubAppPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../docs/github-app.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(string(raw), "## Addresses")
	want := 0
	for _, n := range append(NeededPermissions(), NeededEvents()...) {
		line := "| `" + n.Name + "` | " + n.Level + " | " + n.Why + " |\n"
		if n.Level == "" {
			line = "| `" + n.Name + "` | " + n.Why + " |\n"
		}
		if want++; !strings.Contains(page, line) {
			t.Errorf("docs/github-app.md lacks %s", line)
		}
	}
	if got := strings.Count(page, "\n| `"); got != want {
		t.Errorf("docs/github-app.md has %d lines of permissions and events, want %d", got, want)
	}
}
