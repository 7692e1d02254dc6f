package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// An installation that is placed by hand brings six repositories at once. They are treated according to
// the tenant's setting for new ones.
func TestPlacementObeysTheTenant(t *testing.T) {
	in(t, journeys, bare, func(t *testing.T, w *world) {
		w.up()
		admin := w.admin()
		w.installed("acme")
		defaults := "/api/tenants/" + admin.tenant() + "/repository-defaults"
		for _, c := range []struct{ account, says, intake, state string }{
			{"nothing", "", "on", "completed"},
			{"off", "off", "off", "skipped"},
			{"on", "on", "on", "completed"},
			{"onboarding", "onboarding", "onboarding", ""},
		} {
			if c.says != "" {
				admin.send(http.MethodPut, defaults, map[string]string{"reviewNewRepositories": c.says})
			}
			w.account(c.account, 6)
			w.installed(c.account)
			admin.place()
			for _, r := range w.query(`SELECT name, intake FROM repositories WHERE owner = '` + c.account + `'`) {
				if r[1] != c.intake {
					t.Errorf("%s: %s has the intake %s, want %s", c.account, r[0], r[1], c.intake)
				}
			}
			w.repo = c.account + "/repo3"
			w.open("bug", buggy())
			w.quiet()
			got := w.query(`SELECT r.state, r.reason FROM review_runs r JOIN repositories p ON p.id = r.repository_id WHERE p.owner = '` + c.account + `'`)
			if c.state == "" && len(got) > 0 || c.state != "" && (len(got) != 1 || got[0][0] != c.state) {
				t.Errorf("%s: runs %v, want one that is %q, or none where that is empty", c.account, got, c.state)
			}
		}
		w.verify()
	})
}

// A command places an installation while the service runs, and its repositories are there immediately,
// before any event about them.
func TestPlacementByCommand(t *testing.T) {
	in(t, journeys, bare, func(t *testing.T, w *world) {
		w.up()
		w.installed("acme")
		w.account("other", 3)
		w.installed("other")
		command := w.start("place", nil, "admin", "place-installation", "other", "--tenant", w.admin().tenant())
		if code := command.Wait(patience); code != 0 || !strings.Contains(strings.Join(command.Lines(), "\n"), "3 repositories") {
			t.Fatalf("place-installation ended with %d: %s", code, strings.Join(command.Lines(), "\n"))
		}
		testkit.Equal(t, "repositories", w.count(`SELECT COUNT(*) FROM repositories WHERE owner = 'other'`), 3)
		w.repo = "other/repo1"
		w.reviewed(w.open("bug", buggy()).Number, 1)
		w.verify()
	})
}

func bare(t *testing.T, s storage) *world { return bareWorld(t, s, "acme", most(0)) }
