package tracking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// TrackerCheck is one line of a test.
type TrackerCheck struct {
	Name    string `json:"name" enum:"tracker,account,projects,webhook"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// TrackerChecks is the outcome of a test.
type TrackerChecks struct {
	Checks []TrackerCheck `json:"checks"`
}

// TestTracker asks the tracker of a connection with the stored secrets, and reports the account, its
// visible projects and missing permissions, one line each. The result becomes the state of the connection.
// Errors: NotFound, and Conflict for a kind that is not built.
func (s *Service) TestTracker(ctx context.Context, t domain.Tenant, id string) (TrackerChecks, error) {
	row, answer, err := s.tryTracker(ctx, t, id)
	if err != nil {
		return TrackerChecks{}, err
	}
	out := TrackerChecks{answer.checks(row)}
	return out, s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		act := audit.Act{Tenant: t, Action: "tracker-connection.test", Target: s.trackerOfRow(row).target()}
		if i := slices.IndexFunc(out.Checks, func(c TrackerCheck) bool { return !c.OK }); i >= 0 {
			act.Result, act.Note = audit.Failed, "The first check that failed is "+out.Checks[i].Name+"."
		}
		return act, s.storeTrackerAnswer(ctx, t, row, answer)
	})
}

// AskTracker is [Service.TestTracker] without storing or recording anything. It does not ask a tracker with
// OAuth, because that might replace tokens, and reports the stored state.
func (s *Service) AskTracker(ctx context.Context, t domain.Tenant, id string) (TrackerChecks, error) {
	row, err := s.Store.TrackerConnection(ctx, t, id)
	if err != nil {
		return TrackerChecks{}, err
	}
	if row.AuthKind == authOAuth {
		return TrackerChecks{[]TrackerCheck{storedStateCheck(row)}}, nil
	}
	row, asked, err := s.tryTracker(ctx, t, id)
	if err != nil {
		return TrackerChecks{}, err
	}
	return TrackerChecks{asked.checks(row)}, nil
}

// storedStateCheck returns the line for the stored state of a connection.
func storedStateCheck(row store.TrackerConnection) TrackerCheck {
	switch row.State {
	case domain.ConnectionActive:
		return TrackerCheck{"tracker", true, "It answered when it was asked last, at most about an hour ago while a worker runs."}
	case domain.ConnectionBroken:
		return TrackerCheck{"account", false, row.Message}
	}
	return TrackerCheck{"account", false, "No administrator has signed in to it yet, or the tracker was not asked since."}
}

// maxNamedProjects is how many projects a line of a test names.
const maxNamedProjects = 20

// checks returns the lines of a test.
func (a trackerAnswer) checks(row store.TrackerConnection) []TrackerCheck {
	if a.failed != nil {
		name := "tracker"
		if a.refusal() != nil {
			name = "account"
		}
		_, why := a.state()
		return []TrackerCheck{{name, false, why}}
	}
	out := []TrackerCheck{{"tracker", true, "It answers."}}
	who := clip.Bytes(Line(a.account.Name, secret.Secret{}), maxHostWords)
	out = append(out, TrackerCheck{"account", true, "The account is " + who + "."}, a.projectsCheck())
	for _, m := range a.missing() {
		out = append(out, TrackerCheck{"projects", false, m})
	}
	hook := TrackerCheck{"webhook", true, "There is a webhook secret. The first delivery shows that the tracker sends."}
	if row.SecretUS == 0 {
		hook.Message = "There is no webhook secret, so changes of issues are not noticed. Make one and enter it at the tracker."
	}
	return append(out, hook)
}

// projectsCheck returns the line about the projects that the account sees.
func (a trackerAnswer) projectsCheck() TrackerCheck {
	keys := make([]string, 0, min(len(a.projects), maxNamedProjects))
	for _, p := range a.projects[:min(len(a.projects), maxNamedProjects)] {
		keys = append(keys, clip.Bytes(Line(p.Key, secret.Secret{}), 100))
	}
	text := "The account sees no project."
	switch n := len(a.projects); {
	case a.unbounded():
		text = fmt.Sprintf("The account sees %d projects or more, and issues of those beyond are not known by their keys. Name the "+
			"projects that are meant.", n)
	case n > maxNamedProjects:
		text = fmt.Sprintf("The account sees %d projects, among them %s.", n, strings.Join(keys, ", "))
	case n > 0:
		text = "The account sees " + strings.Join(keys, ", ") + "."
	}
	return TrackerCheck{"projects", len(a.projects) > 0, text}
}
