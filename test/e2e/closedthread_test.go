package e2e

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A person closes the thread of a finding on a code host with a connection.
func TestHostsClosedThread(t *testing.T) {
	onHosts(t, domain.Gitea, func(t *testing.T, w *world) { closedThread(t, w, "elsewhere", "dev") })
}

// The same scenario on GitHub.
func TestClosedThread(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.people()
		w.worked()
		closedThread(t, w, "reader", "writer")
	})
}

// closedThread closes the thread of a finding: the next review does not report it again, and the decision is
// recorded. A person who may not write to the repository dismisses nothing.
func closedThread(t *testing.T, w *world, reader, writer string) {
	pr := w.open("bug", buggy())
	w.told(pr.Number, 1)
	w.quiet()
	thread := func(actor string, closed bool) {
		must(t, w.host.EditComment(w.ctx, w.repo, w.firstShown(pr.Number).id, shared.EditSpec{Actor: actor, Resolve: &closed}))
	}
	thread(reader, true)
	head := w.push("bug", map[string]string{"some.txt": "more\n"})
	w.told(pr.Number, 2)
	w.says(head, func(check string) bool { return strings.Contains(check, "1 open finding") })
	w.quiet()
	testkit.Equal(t, "open after a stranger", w.count(`SELECT COUNT(*) FROM findings WHERE state = 'open'`), 1)
	thread(writer, false)
	thread(writer, true)
	head = w.push("bug", map[string]string{"other.txt": "more\n"})
	w.told(pr.Number, 3)
	w.says(head, func(check string) bool { return check != "" && !strings.Contains(check, "open finding") })
	testkit.Equal(t, "dismissed", w.count(`SELECT COUNT(*) FROM findings WHERE state = 'dismissed'`), 1)
	testkit.Equal(t, "recorded", w.count(`SELECT COUNT(*) FROM audit_entries WHERE action = 'finding.dismiss'`), 1)
	w.checked(pr.Number)
}
