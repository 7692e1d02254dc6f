package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// twoFindings is a line with a secret and hidden text.
func twoFindings() string { return reviewtest.SecretLine() + " // a\u202eb" }

// waits delivers a pull request whose review has two findings and waits for approval.
func waits(f *reviewtest.Fixture) store.Approval {
	f.T.Helper()
	f.Policy(`{"publishMode":"approval"}`)
	f.Snapshots.Lines[storetest.SHA("a")] = twoFindings()
	d := f.Deliver(f.Event("opened", "a"))
	f.Want(d, domain.DispositionRun, "awaiting_approval")
	a, err := f.Store.ApprovalOfRun(bg, f.World.Tenant, d.RunID)
	testkit.OK(f.T, err)
	testkit.Equal(f.T, "state", a.State, domain.ApprovalPending)
	return a
}

// payloadOf returns the payload that an output publishes.
func payloadOf(f *reviewtest.Fixture, output string) publish.Payload {
	f.T.Helper()
	row, err := f.Store.Output(bg, f.World.Tenant, output)
	testkit.OK(f.T, err)
	var body struct{ Payload publish.Payload }
	testkit.OK(f.T, json.Unmarshal([]byte(row.Body), &body))
	return body.Payload
}

// decide decides on an approval as a person who is not the author.
func decide(f *reviewtest.Fixture, a store.Approval, d approval.Decision) (store.Approval, error) {
	f.T.Helper()
	repository, err := f.Store.Repository(bg, f.World.Tenant, a.Repository)
	testkit.OK(f.T, err)
	d.How, d.Name = domain.ByInterface, "Grace"
	if d.Digest == "" {
		d.Digest = a.Digest
	}
	return f.Services.Approvals.Decide(bg, f.World.Tenant, repository, a.Output, d)
}

// eachAt is [reviewtest.EachOf] that also passes the address of the database.
func eachAt(t *testing.T, on storetest.Engines, body func(t *testing.T, f *reviewtest.Fixture, url string)) {
	t.Helper()
	t.Parallel()
	on.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		t.Parallel()
		body(t, reviewtest.NewFixture(t, s), url)
	})
}

// lapse makes everything that waits older than the waiting limit.
func lapse(t *testing.T, url string) {
	t.Helper()
	storetest.Beside(t, url)(`UPDATE approvals SET expires_us = created_us - 1`)
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("no %q in %s", part, text)
	}
}

// decisions returns how many reviews waited and how they were decided.
func decisions(t *testing.T, url string) string {
	t.Helper()
	out := []string{fmt.Sprint(len(events[domain.ApprovalRequested](t, url, domain.EventApprovalRequested)))}
	for _, e := range events[domain.ApprovalDecided](t, url, domain.EventApprovalDecided) {
		out = append(out, string(e.Decision))
	}
	return strings.Join(out, " ")
}

// A review that waits has written only its check run, which describes the waiting review. No worker has
// a job for it.
func TestAReviewWaits(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		a := waits(f)
		testkit.Equal(t, "visible", len(f.Host.Visible()), 0)
		testkit.Equal(t, "created", f.Host.Wrote("create"), 0)
		shows(f, a.Run, "in_progress : Waits for approval")
		c := f.Host.Check(a.Run)
		contains(t, c.Summary.String(), "`/assay approve "+a.Digest[:12]+"`")
		contains(t, c.Summary.String(), "`/assay reject "+a.Digest[:12]+"`")
		jobs, err := f.Store.JobsOf(bg, a.Run)
		testkit.OK(t, err)
		for _, j := range jobs {
			testkit.Equal(t, string(j.Kind), j.State, domain.JobDone)
		}
		testkit.Equal(t, "waits for hours", (a.ExpiresUS-a.CreatedUS)/3_600_000_000, int64(72))
		testkit.Equal(t, "events", decisions(t, url), "1")
	})
}

// If a host shows one line for a check, that line has the commands that decide.
func TestTheLineOfAStatusSaysHowToDecide(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, _ string) {
		f.Host.OneLine = true
		a := waits(f)
		digits := a.Digest[:12]
		testkit.Equal(t, "line", f.Host.Check(a.Run).Title.String(), "Waits for approval: /assay approve "+digits+" publishes it, /assay reject "+digits+" ends it")
		again, err := decide(f, a, approval.Decision{To: domain.ApprovalApproved})
		testkit.OK(t, err)
		testkit.Equal(t, "state", again.State, domain.ApprovalApproved)
		f.Settle()
		contains(t, f.Host.Check(a.Run).Title.String(), "2 open findings")
	})
}

// The waiting payload equals the payload that would have been published immediately. The text without
// some findings equals the text of a review without them.
func TestTheWaitingPayloadIsPublished(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		a := waits(f)
		f.Policy(`{"publishMode":"auto"}`)
		d := f.Deliver(f.Event("opened", "a", func(pr *codehost.PullRequest) { pr.Number = 2 }))
		f.Want(d, domain.DispositionRun, "awaiting_approval completed")
		pub, err := f.Store.PublicationOf(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		var at publish.Payload
		testkit.OK(t, json.Unmarshal([]byte(pub.Payload), &at))
		plain := func(p publish.Payload, run string) string { // without ids, which are each pull request's own
			raw, err := json.MarshalIndent(p, "", " ")
			testkit.OK(t, err)
			text := strings.ReplaceAll(string(raw), run, "the run")
			for i, id := range p.Posted {
				text = strings.ReplaceAll(text, id, fmt.Sprint("finding ", i))
			}
			return text
		}
		testkit.Equal(t, "payload", plain(payloadOf(f, a.Output), a.Run), plain(at, d.RunID))
		if strings.Contains(a.Draft, "Q3EGRX7N5B2VKJ4M") {
			t.Error("the secret is kept in what is needed to render the output again")
		}
	})
}

// An approved review is published once, as it was shown or with what a person changed.
func TestAnApprovedReviewIsPublished(t *testing.T) {
	for name, change := range map[string]func(p publish.Payload) domain.ApprovalChanges{
		"as it was shown": func(publish.Payload) domain.ApprovalChanges { return domain.ApprovalChanges{} },
		"with a finding dropped and one edited": func(p publish.Payload) domain.ApprovalChanges {
			return domain.ApprovalChanges{Drop: p.Posted[:1], Edit: []domain.FindingWords{{FindingID: p.Posted[1], Title: new("Read this line twice @octo <b>")}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
				a := waits(f)
				p := payloadOf(f, a.Output)
				testkit.Require(t, "findings", len(p.Posted), 2)
				c := change(p)
				got, err := decide(f, a, approval.Decision{To: domain.ApprovalApproved, Note: "fine", Changes: c})
				testkit.OK(t, err)
				testkit.Equal(t, "state", got.State, domain.ApprovalApproved)
				testkit.Equal(t, "draft", got.Draft, "")
				f.Settle()
				testkit.Equal(t, "runs", f.States(), "completed")
				testkit.Require(t, "visible", len(f.Host.Visible()), 1)
				testkit.Equal(t, "comments", len(f.Host.Comments), 2-len(c.Drop))
				after, err := f.Store.Approval(bg, f.World.Tenant, a.Output)
				testkit.OK(t, err)
				testkit.Equal(t, "state", after.State, domain.ApprovalPublished)
				pub, err := f.Store.PublicationOf(bg, f.World.Tenant, a.Run)
				testkit.OK(t, err)
				if c.None() {
					testkit.Equal(t, "output", pub.Output, a.Output)
				} else {
					testkit.Equal(t, "output", pub.Output, after.Child)
					child, err := f.Store.Output(bg, f.World.Tenant, after.Child)
					testkit.OK(t, err)
					testkit.Equal(t, "parent", child.Parent, a.Output)
					contains(t, f.Host.Comments[0].Body, "Read this line twice `@octo <b>`**") // as a model's words would be
					known, err := f.Store.KnownFindings(bg, f.World.Tenant, f.Runs()[0].PullRequest)
					testkit.OK(t, err)
					for _, k := range known {
						testkit.Equal(t, k.ID+" is posted", k.Known, k.ID != c.Drop[0])
					}
				}
				testkit.Equal(t, "events", decisions(t, url), "1 approved")
				_, err = decide(f, a, approval.Decision{To: domain.ApprovalRejected})
				refusedWith(t, err, errs.Conflict, "Grace approved this review at ")
			})
		})
	}
}

func refusedWith(t *testing.T, err error, kind errs.Kind, says string) {
	t.Helper()
	if !errs.Is(err, kind) || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %s with %q", err, kind, says)
	}
}

// A decision that does not fit is refused and changes nothing.
func TestDecisionsThatAreRefused(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		a := waits(f)
		ids := payloadOf(f, a.Output).Posted
		many := func(n int) (out []string) {
			for i := range n {
				out = append(out, fmt.Sprint("fnd_", i))
			}
			return out
		}
		for name, c := range map[string]struct {
			d    approval.Decision
			kind errs.Kind
			says string
		}{
			"another digest":    {approval.Decision{To: domain.ApprovalApproved, Digest: a.Digest[:63] + "x"}, errs.Conflict, a.Digest},
			"a short digest":    {approval.Decision{To: domain.ApprovalApproved, Digest: a.Digest[:12]}, errs.Conflict, a.Digest},
			"unknown findings":  {approval.Decision{To: domain.ApprovalApproved, Changes: domain.ApprovalChanges{Drop: many(200)}}, errs.Invalid, "/drop/199"},
			"twice":             {approval.Decision{To: domain.ApprovalApproved, Changes: domain.ApprovalChanges{Drop: []string{ids[0], ids[0]}}}, errs.Invalid, "/drop/1"},
			"dropped, edited":   {approval.Decision{To: domain.ApprovalApproved, Changes: domain.ApprovalChanges{Drop: ids[:1], Edit: []domain.FindingWords{{FindingID: ids[0], Title: new("x")}}}}, errs.Invalid, "/edit/0/findingId"},
			"edits nothing":     {approval.Decision{To: domain.ApprovalApproved, Changes: domain.ApprovalChanges{Edit: []domain.FindingWords{{FindingID: ids[0]}}}}, errs.Invalid, "/edit/0"},
			"rejects a part":    {approval.Decision{To: domain.ApprovalRejected, Changes: domain.ApprovalChanges{Drop: ids[:1]}}, errs.Invalid, "/drop"},
			"a note of control": {approval.Decision{To: domain.ApprovalRejected, Note: "a\x1b[2Jb"}, errs.Invalid, "/note"},
		} {
			_, err := decide(f, a, c.d)
			if !errs.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
		}
		f.Settle()
		testkit.Equal(t, "runs", f.States(), "awaiting_approval")
		outputs, err := f.Store.OutputToPublish(bg, f.World.Tenant, a.Run)
		if !errs.Is(err, errs.NotFound) {
			t.Errorf("an output that waits may be published: %+v %v", outputs, err)
		}
	})
}

// A rejected review is not published. Its check is neutral and names the person who rejected it.
func TestARejectedReview(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		a := waits(f)
		_, err := decide(f, a, approval.Decision{To: domain.ApprovalRejected, Note: "noise"})
		testkit.OK(t, err)
		f.Settle()
		run := f.Runs()[0]
		testkit.Equal(t, "end", fmt.Sprint(run.State, " ", run.End, " ", run.Reason), "cancelled rejected rejected by Grace: noise")
		shows(f, a.Run, "completed neutral: Rejected")
		summary := f.Host.Check(a.Run).Summary.String()
		contains(t, summary, "Grace rejected it.")
		if strings.Contains(summary, "noise") {
			t.Errorf("the note is shown on the host: %s", summary)
		}
		testkit.Equal(t, "visible", len(f.Host.Visible()), 0)
		testkit.Equal(t, "events", decisions(t, url), "1 rejected")
		known, err := f.Store.KnownFindings(bg, f.World.Tenant, run.PullRequest)
		testkit.OK(t, err)
		for _, k := range known {
			testkit.Equal(t, "posted", k.Known, false)
		}
	})
}

// If the run of a waiting review ends for any reason, the waiting ends in the same transaction.
func TestAReviewThatIsStaleExpires(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(t *testing.T, f *reviewtest.Fixture, a store.Approval, url string)
		states  string
		check   string
	}{
		"a newer head": {func(_ *testing.T, f *reviewtest.Fixture, _ store.Approval, _ string) {
			f.Deliver(f.Event("synchronize", "b"))
		}, "superseded awaiting_approval", "completed neutral: A newer head arrived"},
		"closed": {func(_ *testing.T, f *reviewtest.Fixture, _ store.Approval, _ string) {
			f.Deliver(f.Event("closed", "a"))
		}, "cancelled", "completed neutral: Not reviewed"},
		"a draft": {func(_ *testing.T, f *reviewtest.Fixture, _ store.Approval, _ string) {
			f.Deliver(f.Event("converted_to_draft", "a", reviewtest.Drafted))
		}, "cancelled", "completed neutral: Not reviewed"},
		"a command": {func(_ *testing.T, f *reviewtest.Fixture, _ store.Approval, _ string) {
			f.Deliver(reviewtest.Comment(7, "writer", "/assay review"))
		}, "superseded awaiting_approval", "completed neutral: A newer head arrived"},
		"a rerun": {func(t *testing.T, f *reviewtest.Fixture, a store.Approval, _ string) {
			run, err := f.Store.RunForWork(bg, a.Run)
			testkit.OK(t, err)
			_, err = f.Services.Runs.Rerun(bg, run, "once", domain.Asker{})
			testkit.OK(t, err)
			f.Settle()
		}, "superseded awaiting_approval", "completed neutral: A newer head arrived"},
		"disconnected": {func(t *testing.T, f *reviewtest.Fixture, _ store.Approval, _ string) {
			testkit.OK(t, f.Services.Runs.Disconnected(bg, f.World.Tenant, f.World.Installation.ID))
			f.Settle()
		}, "cancelled", "completed neutral: Not reviewed"},
		"time": {func(t *testing.T, f *reviewtest.Fixture, _ store.Approval, url string) {
			testkit.OK(t, f.Services.Runs.Expire(bg, 10))
			testkit.Equal(t, "too early", f.States(), "awaiting_approval")
			lapse(t, url)
			testkit.OK(t, f.Services.Runs.Expire(bg, 10))
			f.Settle()
		}, "cancelled", "completed neutral: Not approved in time"},
	} {
		t.Run(name, func(t *testing.T) {
			eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
				f.Host.Roles = map[string]string{"writer": "write"}
				a := waits(f)
				c.happens(t, f, a, url)
				testkit.Equal(t, "runs", f.States(), c.states)
				after, err := f.Store.Approval(bg, f.World.Tenant, a.Output)
				testkit.OK(t, err)
				testkit.Equal(t, "state", fmt.Sprint(after.State, after.How, after.DecidedBy), "expiredservice")
				shows(f, a.Run, c.check)
				_, err = decide(f, a, approval.Decision{To: domain.ApprovalApproved})
				refusedWith(t, err, errs.Conflict, "This review expired at ")
				testkit.Equal(t, "visible", len(f.Host.Visible()), 0)
				contains(t, decisions(t, url), " expired")
			})
		})
	}
}

// Only the approved output is published, even if the run has other outputs.
func TestOnlyTheApprovedOutputIsPublished(t *testing.T) {
	eachAt(t, storetest.Usual(), func(t *testing.T, f *reviewtest.Fixture, url string) {
		a := waits(f)
		other, err := f.Store.CreateOutput(bg, f.World.Tenant, a.Run, "", `{"kind":"review","payload":{"body":"another text"}}`, "other")
		testkit.OK(t, err)
		_, err = decide(f, a, approval.Decision{To: domain.ApprovalApproved})
		testkit.OK(t, err)
		f.Settle()
		pub, err := f.Store.PublicationOf(bg, f.World.Tenant, a.Run)
		testkit.OK(t, err)
		testkit.Equal(t, "output", pub.Output, a.Output)
		if latest, err := f.Store.LatestOutput(bg, f.World.Tenant, a.Run); err != nil || latest.ID != other.ID {
			t.Fatalf("the newest output is %s: %v", latest.ID, err)
		}
		testkit.Require(t, "visible", len(f.Host.Visible()), 1)
	})
}
