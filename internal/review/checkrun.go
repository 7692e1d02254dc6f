package review

import (
	"context"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

// CheckName is how the check run is called on the host.
const CheckName = "assay"

// listLag is how long a list of the host may not show what was made: 40 s were
// seen for new objects of GitHub (octokit/octokit.rb#728).
const listLag = time.Minute

// twinsAfter is when twins of a check run are looked for whose first answer was
// lost: what lists did not show within [listLag] is shown by then.
const twinsAfter = 10 * time.Minute

// verbCheck names the write that makes a check run, in the intent log.
const verbCheck = "check run"

// check says the outcome. A run that did not end well is never green.
func (r *reflection) check(ctx context.Context, published bool, p publish.Payload) error {
	check := codehost.Check{ExternalID: r.run.ID, Name: CheckName, HeadSHA: r.run.HeadSHA, Status: "completed",
		Title: p.Check.Title, Summary: p.Check.Summary, Conclusion: p.Check.Conclusion, DetailsURL: r.link(r.run)}
	if !published {
		check.Conclusion = "neutral"
		check.Title = "Not reviewed"
		check.Summary = "This head was not reviewed: " + r.Scan(plain(r.run.Reason)) + "."
		switch r.run.State {
		case domain.RunFailed:
			check.Title = "The review failed"
		case domain.RunCancelled:
			check.Conclusion = "cancelled"
		}
	}
	return r.showCheck(ctx, check)
}

// showCheck updates the run's one check run, or makes it. Whether one was made
// whose id is not known is found out before another is made: a list of the host
// may lag, so one whose answer was lost is waited for.
func (r *reflection) showCheck(ctx context.Context, check codehost.Check) error {
	made, age, err := r.Store.PriorWrites(ctx, scope(r.run), reflectSubject, r.run.ID, verbCheck)
	if err != nil {
		return err
	}
	if r.run.CheckID == "" && made == 0 {
		return r.makeCheck(ctx, check)
	}
	if r.run.CheckID != "" && made <= 1 {
		return r.updateCheck(ctx, r.run.CheckID, check)
	}
	ids, err := r.host.FindChecks(ctx, r.repo, check)
	switch {
	case err != nil:
		return err
	case len(ids) > 0:
		return r.keepCheck(ctx, ids, check)
	case r.run.CheckID != "":
		return r.updateCheck(ctx, r.run.CheckID, check)
	case age < listLag:
		return &jobs.Snooze{For: listLag - age, Why: "the answer to a new check run was lost, and the host's list may not show it yet"}
	}
	if err := r.makeCheck(ctx, check); err != nil {
		return err
	}
	_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, FairKey: r.run.Tenant, Subject: r.run.ID, Tenant: r.run.Tenant,
		Dedup: string(domain.KindReflect) + ":twins:" + r.run.ID, Delay: twinsAfter})
	return err
}

func (r *reflection) makeCheck(ctx context.Context, check codehost.Check) error {
	return r.write(ctx, verbCheck, r.run.HeadSHA, func(ctx context.Context) error {
		id, err := r.host.CreateCheck(ctx, r.repo, check)
		if err != nil {
			return err
		}
		return r.Store.SetCheckID(context.WithoutCancel(ctx), scope(r.run), r.run.ID, id)
	})
}

func (r *reflection) updateCheck(ctx context.Context, id string, check codehost.Check) error {
	return r.write(ctx, "update check run", id, func(ctx context.Context) error { return r.host.UpdateCheck(ctx, r.repo, id, check) })
}

// keepCheck updates the newest check run of the run, which is the one that the
// host shows, and closes its twins.
func (r *reflection) keepCheck(ctx context.Context, ids []string, check codehost.Check) error {
	if err := r.Store.SetCheckID(ctx, scope(r.run), r.run.ID, ids[0]); err != nil {
		return err
	}
	if err := r.updateCheck(ctx, ids[0], check); err != nil {
		return err
	}
	twin := check
	twin.Title, twin.Summary = "Said twice", "The host lost an answer, so this check run was made twice. The other one has the outcome."
	twin.Conclusion = "neutral"
	for _, id := range ids[1:] {
		if err := r.updateCheck(ctx, id, twin); err != nil {
			return err
		}
	}
	return nil
}

// plain makes a reason safe as Markdown: it may carry words of a provider.
func plain(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer("`", "'", "<", "‹", ">", "›", "[", "(", "]", ")", "@", "@\u200b", "*", "", "|", "/").Replace(s)
}
