package review

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// checkName is the name of the check run on the host.
const checkName = codehost.CheckName

// listAgain is the pause between two reads of a list. The missing answer may also be on its way to another
// worker.
const listAgain = 5 * time.Second

// twinsAfter is the delay between the last new check run and the search for twins whose answer was lost. Lists
// show by then what they did not show within [codehost.ListLag].
const twinsAfter = 10 * time.Minute

// Names of writes in the intent log.
const (
	verbCheck  = "check run"             // creates it
	verbUpdate = "update check run"      // concludes it
	verbOpen   = "update open check run" // leaves it open
	verbHead   = "update check of head"  // makes the newest check run of a head say what holds now
)

// conclude brings the check run in line with a run that has ended. If the repository shows no check runs,
// it only closes one that is already open. If again is true, it writes even if the check run already says
// the same.
func (r *reflection) conclude(ctx context.Context, pub store.Publication, p publish.Payload, again bool) error {
	if !r.hasCheck(pub) {
		if made, _, err := r.createdChecks(ctx); err != nil || made == 0 {
			return err
		}
	}
	own, err := r.outcome(ctx, pub, p)
	if err != nil {
		return err
	}
	s, err := r.nextCheck(ctx, own)
	if err != nil {
		return err
	}
	var last lastWrite
	if s.isOwn && (again || s.isNew) {
		if err := r.showCheck(ctx, verbUpdate, s.check); err != nil {
			return err
		}
		last = lastWrite{r.run.ID, digest(s.check)}
	}
	return r.updateHeadCheck(ctx, last)
}

// hasCheck reports whether the run gets a check run: not while reviews are off, and not while the policy is silent, unless
// the run has published a review.
func (r *reflection) hasCheck(pub store.Publication) bool {
	switch {
	case !r.policy.Enabled:
		return false
	case pub.ID != "" && pub.Kind != publish.KindNone:
		return true
	}
	return r.policy.PublishMode != domain.PublishSilent
}

// createdChecks returns how many check runs of the run may have been created, and the age of the newest.
func (r *reflection) createdChecks(ctx context.Context) (n int, age time.Duration, err error) {
	return r.Store.PriorWrites(ctx, r.run.Owner(), reflectSubject, r.run.ID, verbCheck)
}

// showCheck updates the run's one check run, or creates it. Before it creates one, it finds out whether an
// earlier create succeeded with an unknown id. Because a list of the host may lag, it waits for a check run
// whose answer was lost. verb names the update in the intent log. Twins are closed when the run ends, and
// searched for once more if that comes before [twinsAfter], whatever the list shows until then.
func (r *reflection) showCheck(ctx context.Context, verb string, check codehost.Check) error {
	made, age, err := r.createdChecks(ctx)
	if err != nil {
		return err
	}
	now, err := r.Store.RunForWork(ctx, r.run.ID) // another worker may have learned the id
	if err != nil {
		return err
	}
	r.run.CheckID = now.CheckID
	if r.run.CheckID == "" && made == 0 {
		return r.makeCheck(ctx, check, made)
	}
	if r.run.CheckID != "" && made <= 1 {
		return r.updateCheck(ctx, verb, r.run.CheckID, check)
	}
	ids, err := r.host.FindChecks(ctx, r.repo, check)
	switch {
	case err != nil:
		return err
	case len(ids) > 0:
		err = r.keepCheck(ctx, verb, ids, check)
	case r.run.CheckID != "":
		err = r.updateCheck(ctx, verb, r.run.CheckID, check)
	case age < codehost.ListLag:
		return &jobs.Snooze{For: min(codehost.ListLag-age, listAgain),
			Why: "the answer to a new check run was lost, and the host's list may not show it yet"}
	default:
		err = r.makeCheck(ctx, check, made)
		made, age = made+1, 0
	}
	if err != nil || made < 2 || age >= twinsAfter || !now.State.Terminal() {
		return err
	}
	_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindReflect, FairKey: r.run.Tenant, Subject: r.run.ID, Tenant: r.run.Tenant,
		Dedup: string(domain.KindReflect) + ":twins:" + r.run.ID, Delay: twinsAfter - age})
	return err
}

// makeCheck creates a check run unless another worker began to since prior were counted.
func (r *reflection) makeCheck(ctx context.Context, check codehost.Check, prior int) error {
	begin := func(ctx context.Context, w store.WriteAttempt) (string, error) {
		id, held, err := r.Store.BeginCheck(ctx, r.run.Owner(), w, prior)
		if err == nil && !held {
			err = &jobs.Snooze{For: time.Second, Why: "another worker makes the check run"}
		}
		return id, err
	}
	return r.claim.WriteAs(ctx, r.intent(verbCheck, r.run.HeadSHA), begin, func(ctx context.Context) error {
		id, err := r.host.CreateCheck(ctx, r.repo, check)
		if err != nil {
			return err
		}
		return r.takeHead(context.WithoutCancel(ctx), id, check)
	})
}

func (r *reflection) updateCheck(ctx context.Context, verb, id string, check codehost.Check) error {
	place, err := r.statusPlace(ctx)
	if err != nil {
		return err
	}
	head := store.HeadCheck{Repository: r.run.Repository, Head: r.run.HeadSHA, Place: place, Run: check.ExternalID, Shown: digest(check)}
	gen, err := r.Store.BeginCheckWrite(ctx, r.run.Owner(), head, !r.ownChecks())
	if err != nil {
		return err
	}
	err = r.write(ctx, verb, id, func(ctx context.Context) error { return r.host.UpdateCheck(ctx, r.repo, id, check) })
	if err != nil || gen == 0 {
		return err
	}
	return r.Store.EndCheckWrite(ctx, r.run.Owner(), head, gen)
}

// keepCheck updates the newest check run of the run, which the host shows, and closes its twins.
func (r *reflection) keepCheck(ctx context.Context, verb string, ids []string, check codehost.Check) error {
	if err := r.takeHead(ctx, ids[0], check); err != nil {
		return err
	}
	if err := r.updateCheck(ctx, verb, ids[0], check); err != nil {
		return err
	}
	twin := check
	twin.Title = r.words.Say(wording.TitleTwin)
	twin.Summary = r.words.Say(wording.SayTwin)
	twin.Status, twin.Conclusion = "completed", "neutral"
	for _, id := range ids[1:] {
		if err := r.write(ctx, verbUpdate, id, func(ctx context.Context) error { return r.host.UpdateCheck(ctx, r.repo, id, twin) }); err != nil {
			return err
		}
	}
	return nil
}
