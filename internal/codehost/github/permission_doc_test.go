package github

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

// The documentation page lists every permission and event of the table with its reason, and no others.
func TestGitHubAppPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../docs/github-app.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(string(raw), "## Addresses")
	want := 0
	for _, n := range slices.Concat(neededPermissions(), optionalPermissions(), neededEvents()) {
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

// The page marks an event with "Later" if the adapter does not read it, or if the service does not act on its
// kind.
func TestEventsWithoutAnEffectAreMarked(t *testing.T) {
	t.Parallel()
	acted := []codehost.EventKind{codehost.KindPullRequest, codehost.KindComment, codehost.KindCheck, codehost.KindPush,
		codehost.KindRepository, codehost.KindMembership} // intake.Service.Deliver
	for _, n := range neededEvents() {
		later := strings.HasPrefix(n.Why, "Later: ")
		if known, ok := usedEvents[n.Name]; (ok && slices.Contains(acted, known.kind)) == later {
			t.Errorf("%s: later is %v", n.Name, later)
		}
	}
}
