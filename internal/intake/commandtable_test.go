package intake_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// outcome is the result of a command: the disposition of its delivery with the reason, and the beginning of
// the answer, or "" without one.
type outcome struct {
	disposition domain.Disposition
	reason      string
	answer      string
}

var (
	reviewed = outcome{disposition: domain.DispositionRun}
	refused  = outcome{domain.DispositionIgnored, "the author of the command has no permission for it", ""}
)

// spoken has the commands, with the result of each in the usual state.
var spoken = []struct {
	body  string
	admin outcome            // also for maintainers
	write outcome            // the zero value: as for admins
	in    map[string]outcome // for both, by the state of the pull request
}{
	{"/assay review", reviewed, outcome{}, map[string]outcome{
		"closed": {domain.DispositionIgnored, "the pull request is not open", "Nothing was started: the pull request is not open."},
		"merged": {domain.DispositionIgnored, "the pull request is not open", "Nothing was started: the pull request is not open."},
	}},
	{"/assay review full", reviewed, outcome{domain.DispositionIgnored, refused.reason, "Nothing was started: `/assay review full` needs the role maintain or admin"}, nil},
	{"/assay pause", outcome{domain.DispositionApplied, "", "Reviews of this pull request are paused"}, outcome{}, nil},
	{"@assay resume\nthank you", outcome{domain.DispositionApplied, "", "The pause is over: the next push is reviewed."}, outcome{}, map[string]outcome{
		"closed":         {domain.DispositionApplied, "", "The pause is over, but the next push is not reviewed: the pull request is not open."},
		"merged":         {domain.DispositionApplied, "", "The pause is over, but the next push is not reviewed: the pull request is not open."},
		"draft":          {domain.DispositionApplied, "", "The pause is over, but the next push is not reviewed: the pull request is a draft."},
		"repository off": {domain.DispositionApplied, "", "The pause is over, but the next push is not reviewed: reviews are off for this repository."},
	}},
	{"/assay approve 0123456789ab", outcome{domain.DispositionIgnored, "no review of the pull request waits for approval", "Nothing was decided: no review of this pull request waits"}, outcome{}, nil},
	{"@assay reject 0123456789ab too @octo noisy", outcome{domain.DispositionIgnored, "no review of the pull request waits for approval", "Nothing was decided: no review of this pull request waits"}, outcome{}, nil},
	{"/assay approve 0123456789ab but the first", outcome{domain.DispositionIgnored, "the command approve takes no such words", "Nothing was done: `/assay approve <digits>` stands alone"}, outcome{}, nil},
	{"/assay help", outcome{domain.DispositionApplied, "", "Commands stand alone on the first line of a comment:"}, outcome{}, nil},
	{"/assay", outcome{domain.DispositionApplied, "", "Commands stand alone on the first line of a comment:"}, outcome{}, nil},
	{"/assay fix it", outcome{domain.DispositionIgnored, "no fix run was started: nothing_to_fix", "Nothing was started: there is no open finding"}, outcome{domain.DispositionIgnored, refused.reason, "Nothing was started: `/assay fix` needs the role maintain or admin"}, nil},
	{"/assay explain the second one", outcome{domain.DispositionIgnored, "the command does not stand in the thread of a finding", "Nothing was done: `/assay explain` belongs in the thread of a finding, below its comment."}, outcome{}, nil},
	{"/assay ignore because it is a test", outcome{domain.DispositionIgnored, "the command does not stand in the thread of a finding", "Nothing was done: `/assay ignore` belongs in the thread of a finding, below its comment."}, outcome{}, nil},
	{"/assay fix", outcome{domain.DispositionIgnored, "no fix run was started: nothing_to_fix", "Nothing was started: there is no open finding"}, outcome{domain.DispositionIgnored, refused.reason, "Nothing was started: `/assay fix` needs the role maintain or admin"}, nil},
	{"/assay reveiw", outcome{domain.DispositionIgnored, "no such command", "There is no such command. Did you mean `/assay review`?"}, outcome{}, nil},
	{"@assay hlep", outcome{domain.DispositionIgnored, "no such command", "There is no such command. Did you mean `/assay help`?"}, outcome{}, nil},
	{"/assay @octo/team <b>", outcome{domain.DispositionIgnored, "no such command", "There is no such command. `/assay help` lists"}, outcome{}, nil},
	{"/assay review everything, @octo", outcome{domain.DispositionIgnored, "the command review takes no such words", "Nothing was started: only `full` may follow"}, outcome{}, nil},
	{"/assay pause all", outcome{domain.DispositionIgnored, "the command pause takes no such words", "Nothing was done: `/assay pause` stands alone"}, outcome{}, nil},
}

// states has the states of pull requests. Each has its own pull request number.
var states = map[string]struct {
	before func(f *reviewtest.Fixture) // runs once, before all of them
	change func(pr *codehost.PullRequest)
	each   func(f *reviewtest.Fixture, pr codehost.PullRequest)
}{
	"open":   {},
	"closed": {change: func(pr *codehost.PullRequest) { pr.Open = false }},
	"merged": {change: func(pr *codehost.PullRequest) { pr.Open, pr.Merged = false, true }},
	"draft":  {change: reviewtest.Drafted},
	"paused": {each: func(f *reviewtest.Fixture, pr codehost.PullRequest) {
		testkit.OK(f.T, f.Store.SetPaused(bg, f.World.Tenant, seen(f, pr), true))
	}},
	"repository off": {before: func(f *reviewtest.Fixture) { f.Policy(`{"enabled":false}`) }},
	"silent":         {before: func(f *reviewtest.Fixture) { f.Policy(`{"publishMode":"silent"}`) }},
	"disconnected": {before: func(f *reviewtest.Fixture) {
		testkit.OK(f.T, f.Store.SetInstallationState(bg, f.World.Installation.ID, domain.InstallationSuspended))
	}},
	"under way": {each: func(f *reviewtest.Fixture, pr codehost.PullRequest) { advance(f, pr, domain.RunRunning) }},
	"reviewed": {each: func(f *reviewtest.Fixture, pr codehost.PullRequest) {
		advance(f, pr, domain.RunRunning, domain.RunPublishing, domain.RunCompleted)
	}},
}

// seen stores the pull request as an event would, and returns its id.
func seen(f *reviewtest.Fixture, pr codehost.PullRequest) string {
	f.T.Helper()
	all, err := f.Store.Repositories(bg, f.World.Tenant)
	testkit.OK(f.T, err)
	row, err := f.Store.UpsertPullRequest(bg, f.World.Tenant, run.PullRow(all[0].ID, pr))
	testkit.OK(f.T, err)
	return row.ID
}

// advance creates a run of the head without a worker, and moves it to a state.
func advance(f *reviewtest.Fixture, pr codehost.PullRequest, to ...domain.RunState) {
	f.T.Helper()
	row, err := f.Store.PullRequest(bg, f.World.Tenant, seen(f, pr))
	testkit.OK(f.T, err)
	r := storetest.Run(f.T, f.Store, row, "auto")
	for _, s := range to {
		_, err := f.Store.MoveRun(bg, f.World.Tenant, r.ID, store.RunMove{From: r.State, To: s})
		testkit.OK(f.T, err)
		r.State = s
	}
}

// nothingToFix refuses every request for fixes.
type nothingToFix struct{}

// ByComment implements intake.Fixes.
func (nothingToFix) ByComment(context.Context, domain.Tenant, store.Repository, domain.FixAsked) (domain.FixAnswer, error) {
	return domain.FixAnswer{Code: "nothing_to_fix"}, nil
}

// who lists the people: one for each role of the host, and a bot with all roles.
var who = []string{"none", "read", "triage", "write", "maintain", "admin", "bot"}

// Each command by each role in each state has exactly one result, as docs/commands.md says.
func TestCommandsByRoleAndState(t *testing.T) {
	for state, c := range states {
		t.Run(state, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				for _, role := range who {
					f.Host.Roles[role] = role
				}
				f.Host.Roles["bot"] = "admin"
				f.Services.Intake.Fixes = nothingToFix{}
				f.Deliver(reviewtest.Added(1))
				if c.before != nil {
					c.before(f)
				}
				var guids []string
				for i, role := range who {
					for j, s := range spoken {
						number := 1 + i*len(spoken) + j
						change := c.change
						if change == nil {
							change = func(*codehost.PullRequest) {}
						}
						pr := f.Event("opened", fmt.Sprint("head", number), func(pr *codehost.PullRequest) { pr.Number = number }, change).PullRequest
						if c.each != nil {
							c.each(f, *pr)
						}
						ev := reviewtest.Comment(int64(number), role, s.body)
						ev.Comment.Number, ev.Comment.AuthorIsBot = number, role == "bot"
						guids = append(guids, f.Send(ev))
					}
				}
				f.Settle()
				for i, role := range who {
					for j, s := range spoken {
						t.Run(role+" "+strings.ReplaceAll(s.body, "/", ""), func(t *testing.T) {
							number := i*len(spoken) + j
							expect(t, f, guids[number], number+1, expected(state, role, j))
						})
					}
				}
			})
		})
	}
}

// expected returns the result of a command by a role in a state.
func expected(state, role string, command int) outcome {
	s := spoken[command]
	o := s.admin
	if role == "write" && s.write != (outcome{}) {
		o = s.write
	}
	if special, is := s.in[state]; is && s.admin.answer == o.answer {
		o = special
	}
	switch {
	case state == "disconnected":
		return outcome{domain.DispositionIgnored, "the installation is suspended", ""}
	case role == "bot":
		return outcome{domain.DispositionIgnored, "written by a bot", ""}
	case role == "none", role == "read", role == "triage":
		return refused
	case state == "closed" && o == reviewed, state == "merged" && o == reviewed: // a new full review
		return spoken[0].in[state]
	case state == "silent" && o.answer != "":
		o.answer = ""
		o.reason = strings.TrimPrefix(o.reason+"; not answered: reviews are silent here", "; ")
	}
	return o
}

// expect compares the result of a delivery and the state of the host with the expected ones.
func expect(t *testing.T, f *reviewtest.Fixture, guid string, number int, want outcome) {
	t.Helper()
	d := f.Delivery(guid)
	testkit.Equal(t, "disposition", d.Disposition, want.disposition)
	testkit.Equal(t, "reason", d.Reason, want.reason)
	said := f.Host.Said(codehost.Spot{Number: number})
	if want.answer == "" {
		testkit.Equal(t, "answers", len(said), 0)
		return
	}
	testkit.Require(t, "answers", len(said), 1)
	if !strings.HasPrefix(said[0].Body, want.answer) {
		t.Errorf("the answer is %q, want %q …", said[0].Body, want.answer)
	}
	if strings.Contains(strings.ReplaceAll(said[0].Body, "`@assay", ""), "@") || strings.Contains(said[0].Body, "octo") || strings.Contains(said[0].Body, "<b>") {
		t.Errorf("the answer repeats the command, or mentions an account: %s", said[0].Body)
	}
}
