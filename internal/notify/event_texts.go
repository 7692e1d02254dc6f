package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// eventContext is the place of an event.
type eventContext struct {
	Repository  store.Repository // zero without a repository
	PullRequest int
	Title       string         // of the pull request; text from outside
	URL         string         // of the pull request on its host; "" if unknown
	Zone        *time.Location // of the tenant
}

// clock formats a time in the tenant's zone.
func (a eventContext) clock(t time.Time) string {
	zone := a.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format("2006-01-02 15:04 MST")
}

func (a eventContext) name() string { return a.Repository.Owner + "/" + a.Repository.Name }

// eventPlace is the part of an event's body that names its place.
type eventPlace struct {
	RunID        string `json:"runId"`
	RepositoryID string `json:"repositoryId"`
	PullRequest  int    `json:"pullRequest"`
}

// where reads the place of an event. It omits parts that were deleted since.
func (s *Service) where(ctx context.Context, t domain.Tenant, p eventPlace) (a eventContext, err error) {
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil {
		return a, err
	}
	a.Zone = settings.Location()
	if p.RepositoryID == "" {
		return a, nil
	}
	if a.Repository, err = s.Store.Repository(ctx, t, p.RepositoryID); err != nil {
		return eventContext{Zone: a.Zone}, errs.IgnoreAbsent(err)
	}
	if a.PullRequest = p.PullRequest; p.PullRequest == 0 {
		return a, nil
	}
	if a.URL, err = s.pullURL(ctx, t, a); err != nil {
		return a, err
	}
	run, err := s.Store.Run(ctx, t, p.RunID)
	if err != nil {
		return a, errs.IgnoreAbsent(err)
	}
	pull, err := s.Store.PullRequest(ctx, t, run.PullRequest)
	a.Title = pull.Title
	return a, errs.IgnoreAbsent(err)
}

// pullURL returns the page of a pull request on its host.
func (s *Service) pullURL(ctx context.Context, t domain.Tenant, a eventContext) (string, error) {
	host, err := s.Store.HostOf(ctx, t, a.Repository.ID)
	return codehost.PullRequestPage(domain.ConnectionKind(host.Kind), host.Web, a.Repository.Owner, a.Repository.Name, a.PullRequest),
		errs.IgnoreAbsent(err)
}

// words are the texts of an event.
type words struct{ title, text string }

// eventMessage builds the message of an event without its id. It returns an error for a body that our code did not
// write.
func (s *Service) eventMessage(t domain.Tenant, e store.Event, p eventPlace, a eventContext) (Message, error) {
	say, known := wording(e.Kind)
	if !known {
		return Message{}, fmt.Errorf("notify: there are no words for events of the kind %s", e.Kind)
	}
	w, err := say([]byte(e.Body), a)
	if err != nil {
		return Message{}, fmt.Errorf("notify: the body of the event %s: %w", e.ID, err)
	}
	m := Message{Event: e.Kind, Time: store.Time(e.CreatedUS), Title: s.redactSecrets(w.title), Text: s.redactSecrets(w.text)}
	if base := s.base(); base != "" && p.RunID != "" && p.RepositoryID != "" {
		m.Link = base + "/t/" + t.ID + "/repositories/" + p.RepositoryID + "/runs/" + p.RunID
	}
	m.Data, err = s.data(t, e, a, m.Link)
	return m, err
}

// data returns the data for webhooks: the event's body and the fields of every kind
// (docs/notifications.md).
func (s *Service) data(t domain.Tenant, e store.Event, a eventContext, link string) (map[string]any, error) {
	body := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(e.Body), &body); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for k, v := range body {
		out[k] = v
		var text string
		if (k == "reason" || k == "message" || k == "name") && json.Unmarshal(v, &text) == nil {
			out[k] = s.redactSecrets(text)
		}
	}
	out["eventId"], out["tenantId"] = e.ID, t.ID
	delete(out, "pullRequest")
	if a.Repository.ID != "" {
		out["repository"] = a.name()
	}
	if a.PullRequest != 0 {
		pull := map[string]any{"number": a.PullRequest}
		if a.URL != "" {
			pull["url"] = a.URL
		}
		out["pullRequest"] = pull
	}
	if link != "" {
		out["link"] = link
	}
	return out, nil
}

// redactSecrets replaces possible secrets in outgoing text.
func (s *Service) redactSecrets(text string) string {
	if s.Scan == nil {
		return text
	}
	return s.Scan(text)
}

func (s *Service) base() string {
	if s.Base == nil {
		return ""
	}
	return s.Base()
}

// wording returns the texts of a kind of event, and false for kinds without notifications.
func wording(kind string) (say func(body []byte, a eventContext) (words, error), known bool) {
	switch kind {
	case domain.EventReviewCompleted:
		return said(completed), true
	case domain.EventReviewFailed:
		return said(func(b domain.ReviewFailed, a eventContext) words {
			return words{"The review of " + pull(a) + " failed", lines(a.Title, "Reason: "+b.Reason)}
		}), true
	case domain.EventApprovalRequested:
		return said(requested), true
	case domain.EventApprovalDecided:
		return said(decided), true
	case domain.EventFindingDecided:
		return said(func(b domain.FindingDecided, a eventContext) words {
			if b.State == domain.FindingDismissed {
				return words{"A finding on " + pull(a) + " was dismissed", lines(a.Title, "By "+b.Name+". Reason: "+b.Reason)}
			}
			return words{"A finding on " + pull(a) + " is open again", lines(a.Title, "By "+b.Name+".")}
		}), true
	case domain.EventOnboarding:
		return said(proposed), true
	case domain.EventSuppression:
		return said(suppression), true
	case domain.EventFixCompleted:
		return said(fixed), true
	case domain.EventBudgetThreshold:
		return said(threshold), true
	case domain.EventConnectionError:
		return said(func(b domain.ConnectionError, _ eventContext) words {
			if b.TokenEndsAt != nil {
				return words{"The token of the " + connection(b.ConnectionKind) + " " + b.Name + " ends soon", b.Message}
			}
			return words{"The " + connection(b.ConnectionKind) + " " + b.Name + " does not work", b.Message}
		}), true
	case domain.EventCIAnalysis:
		return said(func(b domain.CIAnalysisCompleted, a eventContext) words {
			return words{"The job " + b.Job + " of " + pull(a) + " failed", lines(a.Title, "Cause: "+b.Cause)}
		}), true
	case domain.EventSecretFound:
		return said(func(b domain.SecretFound, a eventContext) words {
			return words{count(b.Count, "committed secret") + " in " + pull(a),
				lines(a.Title, "Found by: "+strings.Join(b.Rules, ", ")+". Revoke what was committed: removing the line does not take it out "+
					"of the history.")}
		}), true
	case domain.EventAdminJoined:
		return said(func(b domain.AdminJoined, _ eventContext) words {
			return words{"An administrator of the instance joined as " + b.Role,
				lines(b.Name, "Reason given: "+b.Reason, "The audit log has the entry; administrators can end the membership.")}
		}), true
	case domain.EventBreakGlass:
		return said(func(b domain.BreakGlass, _ eventContext) words {
			title := "An operator made a one-time sign-in link"
			if b.Act == domain.LinkUsed {
				title = "A one-time sign-in link of an operator was used"
			}
			return words{title, "It signs in as the administrator " + b.UserID + ". The audit log has the rest."}
		}), true
	}
	return nil, false
}

// said returns a function that decodes the body of an event and passes it to f.
func said[T any](f func(T, eventContext) words) func([]byte, eventContext) (words, error) {
	return func(body []byte, a eventContext) (words, error) {
		var v T
		err := json.Unmarshal(body, &v)
		return f(v, a), err
	}
}

func completed(b domain.ReviewCompleted, a eventContext) words {
	return words{"Review of " + pull(a) + " completed: " + count(b.Findings, "finding"),
		lines(a.Title, findings(b.Findings, b.BySeverity)+".")}
}

// findings counts findings, in total and by severity.
func findings(n int, bySeverity map[string]int) string {
	var parts []string
	for sev := domain.Critical; ; sev-- {
		if n := bySeverity[sev.String()]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+sev.String())
		}
		if sev == domain.Info {
			break
		}
	}
	found := count(n, "finding")
	if len(parts) > 0 {
		found += " (" + strings.Join(parts, ", ") + ")"
	}
	return found
}

func requested(b domain.ApprovalRequested, a eventContext) words {
	return words{"Review of " + pull(a) + " waits for approval: " + count(b.Findings, "finding"),
		lines(a.Title, findings(b.Findings, b.BySeverity)+". Nothing is published without an approval before "+a.clock(b.ExpiresAt)+".")}
}

func decided(b domain.ApprovalDecided, a eventContext) words {
	if b.Decision == domain.ApprovalExpired {
		return words{"Review of " + pull(a) + " expired", lines(a.Title, "It expired without a decision: "+b.Reason+".")}
	}
	said := "Decided by " + b.Name + "."
	if b.Dropped > 0 {
		said += " Left out: " + count(b.Dropped, "finding") + "."
	}
	if b.Edited > 0 {
		said += " With other words: " + count(b.Edited, "finding") + "."
	}
	if b.Reason != "" {
		said += " Note: " + b.Reason
	}
	return words{"Review of " + pull(a) + " " + string(b.Decision), lines(a.Title, said)}
}

func proposed(b domain.OnboardingReady, a eventContext) words {
	name := "A new repository"
	if a.Repository.ID != "" {
		name = a.name()
	}
	said := b.Note
	if b.LookedAt > 0 {
		said = "Reviews of " + count(b.LookedAt, "merged pull request") + " would have shown " + findings(b.Findings, b.BySeverity) + "."
		if b.PerWeekMicros != nil {
			said += " Estimated cost in a week: " + money(*b.PerWeekMicros) + " USD."
		}
		said = lines(said, b.Note)
	}
	return words{name + " was tried out: accept or decline reviews", lines(said, "It is reviewed after one of its managers accepts it.")}
}

// suppression asks for a decision on what later reviews leave out.
func suppression(b domain.ProposedSuppression, a eventContext) words {
	subject := "the finding on " + pull(a)
	switch b.Scope {
	case domain.ScopeRule:
		subject = "the rule " + b.Matches
	case domain.ScopeCategory:
		subject = "the category " + b.Matches
	}
	if len(b.Paths) > 0 {
		subject += " in " + strings.Join(b.Paths, ", ")
	}
	said := "Reason: " + b.Reason
	if b.Name != "" {
		said = "Dismissed by " + b.Name + ". " + said
	}
	return words{"A suppression waits for a decision: " + subject, lines(a.Title, said,
		"Later reviews leave it out after a manager of the repository accepts it.")}
}

func threshold(b domain.BudgetThreshold, a eventContext) words {
	of := "the tenant"
	if b.RepositoryID != "" {
		of = a.name()
		if a.Repository.ID == "" {
			of = "a repository"
		}
	}
	return words{fmt.Sprintf("%d %% of the budget of %s for %s is spent", b.Threshold, of, b.Period),
		fmt.Sprintf("%s of %s %s.", money(b.SpentMicros), money(b.BudgetMicros), b.Currency)}
}

// money formats millionths with two decimals, rounded down.
func money(micros int64) string {
	return fmt.Sprintf("%d.%02d", micros/1_000_000, micros%1_000_000/10_000)
}

func connection(kind string) string {
	switch kind {
	case domain.ConnectionChannel:
		return "notification channel"
	case domain.ConnectionMCPServer:
		return "tool server"
	case domain.ConnectionApp:
		return "code host app"
	case domain.ConnectionInstallation:
		return "installation of the code host app on"
	case domain.ConnectionModelKey:
		return "model key"
	case domain.ConnectionProvider:
		return "connection to a code host"
	case domain.ConnectionTracker:
		return "connection to an issue tracker"
	}
	return "connection"
}

// pull returns the name of a pull request for people.
func pull(a eventContext) string {
	if a.Repository.ID == "" {
		return "a pull request"
	}
	return a.name() + "#" + strconv.Itoa(a.PullRequest)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// lines joins the parts that are not empty with line breaks.
func lines(parts ...string) string {
	out := parts[:0]
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n")
}
